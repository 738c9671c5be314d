"""The instructor's guide, held against the notebooks: its times, its names, its links."""

import json
import re
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

from skyl_nb import data
from skyl_nb.cli import main
from skyl_nb.exercises import exercise, exercises, progress
from skyl_nb.lessons import lessons

FOLDER = data.folder("notebooks")
GUIDE = (FOLDER / "instructor-guide.md").read_text(encoding="utf-8")
TOKENS = MarkdownIt().enable("table").parse(GUIDE)
PLANS = ("45 minutes", "90 minutes", "180 minutes")


def section(title):
    """Return the text of a section of level 2."""
    return GUIDE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(title):
    """Return the rows of a section's table, without its head, as lists of cells."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def links():
    for token in TOKENS:
        for child in token.children or ():
            if child.type == "link_open":
                yield child.attrs["href"]


def headings(path):
    """Return the anchors of a notebook, as JupyterLab makes them."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            for line in "".join(cell["source"]).splitlines():
                if found := re.fullmatch(r"#+ (.+)", line):
                    yield found[1].replace(" ", "-")


@pytest.mark.parametrize("title", PLANS)
def test_the_minutes_of_a_plan_add_up(title):
    assert sum(int(row[0]) for row in rows(title)) == int(title.split()[0])


@pytest.mark.parametrize("title", PLANS)
def test_a_plan_says_what_to_ask_before_each_run(title):
    for minutes, what, where, ask in rows(title):
        assert minutes
        assert what
        assert (where and ask) or what == "A break"


@pytest.mark.parametrize("href", sorted(set(links())))
def test_a_link_leads_to_a_file_and_to_a_heading_in_it(href):
    name, _, anchor = href.partition("#")
    path = FOLDER / name
    assert path.is_file()
    if anchor:
        assert unquote(anchor) in set(headings(path))


def test_every_exercise_is_in_the_longest_plan_and_no_other_is_named():
    for title in PLANS:
        named = set(re.findall(r"`([a-z-]+)`", section(title)))
        assert named <= set(exercises())
    assert set(re.findall(r"`([a-z-]+)`", section("180 minutes"))) == set(exercises())


def test_every_wrong_answer_is_there_with_something_to_say():
    told = [(row[0].strip("`"), row[1]) for row in rows("What people believe, and what shows it")]
    known = [(name, wrong) for name in exercises() for wrong in exercise(name).wrong_answers]
    assert sorted(told) == sorted(known)
    assert all(len(row[2]) > 10 for row in rows("What people believe, and what shows it"))


def test_the_minutes_of_the_lessons_are_those_of_the_notebooks():
    opening = " ".join(GUIDE.partition("\n## ")[0].split())
    for lesson in lessons():
        assert f"({lesson.path}) ({lesson.minutes} minutes)" in opening


def test_each_recap_has_an_answer_for_each_question():
    for lesson in lessons()[1:]:
        cells = json.loads((FOLDER / lesson.path).read_text(encoding="utf-8"))["cells"]
        (recap,) = ["".join(cell["source"]) for cell in cells if cell["id"] == "recap"]
        name = lesson.title.partition(":")[0]
        answers = section("Answers").partition(f"The recap of *{name}*:")[2].partition("\n\n")[0]
        questions = re.findall(r"^(\d)\. ", recap, re.MULTILINE)
        assert re.findall(r"\b(\d)\. ", answers) == questions


def test_each_command_is_one_of_ours():
    for name in re.findall(r"skyl-nb (\w+)", GUIDE):
        assert name in main.commands


def test_the_python_of_the_guide_runs(capsys):
    code = section("Answers").partition("```python\n")[2].partition("```")[0]
    exec(code, {})
    printed = capsys.readouterr().out
    assert all(name in printed for name in exercises())


def test_the_setting_and_the_file_are_those_of_the_package():
    assert f"`{progress.FILE}`" in GUIDE
    assert f"`{progress.SETTING}`" in GUIDE
