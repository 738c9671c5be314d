"""The lessons: each section of a page has its cell, and a notebook that is not true goes red."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skyl_nb import data
from skyl_nb.exercises import exercise, exercises, progress
from skyl_nb.lessons import ORDER, lesson_map, lessons
from skyl_nb.notebooks import find
from tests.upstream import pages

NOTEBOOKS = data.folder("notebooks")
SECTIONS = data.facts("sections.json")
REFERENCE = NOTEBOOKS / "reference" / "tool-result.ipynb"

# Each fault is put into the package before the notebook runs, as a change of one character would.
FAULTS = {
    "a prefix with a capital": "import skyl_nb.wires.openai as w; w.ERROR_PREFIX = 'Error: '",
    "a flag that is turned over": (
        "import skyl_nb.wires.anthropic as w\n"
        "from skyl_nb.conversation import ToolResult\n"
        "write = w._BLOCKS[ToolResult]\n"
        "w._BLOCKS[ToolResult] = lambda p: {**write(p), 'is_error': not p.is_error}"
    ),
}


def cells(path):
    return {cell["id"]: cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}


PAGES = data.facts("pages.json")
OURS = {"00-start-here.ipynb"}
"""Notebooks that mirror no page."""


@pytest.mark.parametrize("page", PAGES)
def test_each_part_of_a_page_has_its_cell_and_each_row_its_part(page):
    rows = [row["section"] for row in SECTIONS if row["page"] == page]
    assert rows == PAGES[page]


@pytest.mark.parametrize("row", SECTIONS, ids=lambda row: f"{row['page']}: {row['section']}")
def test_each_cell_that_mirrors_a_part_is_there(row):
    assert row["cell"] in cells(NOTEBOOKS / row["notebook"])


@pytest.mark.parametrize("lesson", [one for one in ORDER if one not in OURS])
def test_each_section_of_a_notebook_mirrors_a_part_of_its_page(lesson):
    """A section with nothing to mirror is one of those that every notebook has."""
    mirrored = {row["cell"] for row in SECTIONS if row["notebook"] == lesson}
    for title, held in sections(lesson):
        assert mirrored & set(held) or title in ("Can you say it now?", "Where next"), title


def sections(lesson):
    """Yield the sections of level 2 with the ids of the cells in them."""
    title, held = "", []
    for name, cell in cells(NOTEBOOKS / lesson).items():
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and source.startswith("## "):
            yield from [(title, held)] if title else []
            title, held = source.splitlines()[0].removeprefix("## "), []
        held.append(name)
    yield title, held


@pytest.mark.skipif("SKYL_NB_PAGES" not in os.environ, reason="SKYL_NB_PAGES names no folder")
def test_the_parts_are_still_those_of_the_site():
    assert pages.pages(Path(os.environ["SKYL_NB_PAGES"])) == PAGES


def test_the_parts_of_a_page_are_read_from_its_source():
    source = """---
title: A page
---

<YouWillLearn>

- One

</YouWillLearn>

## First

```go
## no heading
```

<DataTable rows={[
    ['left', 'right'],
  ]} />

<Pitfall>

Mind.

</Pitfall>

- item

<Recap>

- point

</Recap>

<Challenges>

<Challenge title="Do it">
"""
    assert list(pages.parts(source)) == [
        "A page", "You will learn", "You will learn > 1", "First", "First > left",
        "First > Pitfall", "First > 1", "Recap", "Recap > 1", "Challenges", "Challenges > Do it",
    ]  # fmt: skip


# The exercises in the lessons


@pytest.mark.parametrize("name", exercises())
def test_each_exercise_is_in_one_lesson(name):
    assert [one.path for one in lessons() if name in one.exercises] == [HOME_OF[name]]


HOME_OF = {name: one.path for one in lessons() for name in one.exercises}


@pytest.mark.parametrize("name", exercises())
def test_a_lesson_has_the_starter_of_its_exercise_and_its_check(name):
    one = exercise(name)
    sources = ["".join(cell["source"]) for cell in cells(NOTEBOOKS / HOME_OF[name]).values()]
    if one.function:
        assert one.starter.rstrip("\n") in sources
        assert f'skyl.exercise("{name}").check({one.function})' in sources
    else:
        (cell,) = [source for source in sources if f'exercise("{name}").check(answer)' in source]
        names = {"skyl": None}
        exec(cell.rpartition("\n")[0], names)
        assert names["answer"] == one.starter


def test_the_map_tells_what_the_notebooks_say():
    shown = lesson_map()
    assert [lesson.path for lesson in shown.lessons] == list(ORDER)
    assert {Path(path).relative_to(NOTEBOOKS).as_posix() for path in find([NOTEBOOKS])} == set(
        ORDER
    )
    for lesson in shown.lessons:
        assert lesson.minutes >= 10
        for way in (shown.to_text(), shown.to_html(), shown.to_markdown()):
            assert lesson.path.replace("_", "") in way.replace("\\", "").replace("_", "")
    assert {name for lesson in shown.lessons for name in lesson.exercises} == set(exercises())


def test_the_map_counts_what_was_solved(tmp_path, monkeypatch):
    monkeypatch.setenv("SKYL_NB_PROGRESS", str(tmp_path / "progress.json"))
    progress.record("never-empty")
    assert "1 of 4" in lesson_map().to_text()


def run_as_a_test(notebook, folder, site=""):
    """Run nbval on a notebook; `site` is Python that every process runs first."""
    (folder / "sitecustomize.py").write_text(site, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q"]
    command += ["--override-ini=addopts=", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return subprocess.run(
        [*command, f"--rootdir={folder}", str(notebook)],
        capture_output=True,
        check=False,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_an_encoder_that_is_wrong_makes_a_notebook_red(fault, tmp_path):
    notebook = tmp_path / REFERENCE.name
    notebook.write_bytes(REFERENCE.read_bytes())
    ran = run_as_a_test(notebook, tmp_path, FAULTS[fault])
    assert ran.returncode == 1, ran.stdout
    assert "mismatch" in ran.stdout


# The stored texts of an output, in two runs: an output of a view has both, and each must count.
KINDS = {
    "text": lambda output: (
        spoilt(output.get("data", {}), "text/plain")
        or spoilt(output, "text")  # a stream
        or spoilt(output, "evalue")  # an error
    ),
    "HTML": lambda output: spoilt(output.get("data", {}), "text/html"),
}


def spoilt(held, key):
    """Change one character in the middle of a stored text; say whether there is such a text."""
    text = held.get(key)
    if text is None:
        return False
    text = "".join(text)
    place = len(text) // 2
    held[key] = f"{text[:place]}{'x' if text[place] != 'x' else 'y'}{text[place + 1 :]}"
    return True


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lesson", ORDER)
def test_one_changed_character_of_any_output_makes_its_cell_red(lesson, kind, tmp_path):
    notebook = json.loads((NOTEBOOKS / lesson).read_text(encoding="utf-8"))
    changed = [
        cell["id"]
        for cell in notebook["cells"]
        if any(KINDS[kind](output) for output in cell.get("outputs", ()))
    ]
    copy = tmp_path / Path(lesson).name
    copy.write_text(json.dumps(notebook), encoding="utf-8")
    ran = run_as_a_test(copy, tmp_path)
    assert ran.returncode == 1, ran.stdout
    assert ran.stdout.count("FAILED") == len(changed), ran.stdout


@pytest.mark.parametrize("change", ["an output less", "an output more"])
def test_an_output_that_is_not_stored_or_not_made_makes_its_cell_red(change, tmp_path):
    notebook = json.loads(REFERENCE.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    silent, telling = (
        next(one for one in cells if bool(one["outputs"]) is b) for b in (False, True)
    )
    if change == "an output less":
        telling["outputs"] = []
    else:
        silent["outputs"] = telling["outputs"]
    copy = tmp_path / REFERENCE.name
    copy.write_text(json.dumps(notebook), encoding="utf-8")
    ran = run_as_a_test(copy, tmp_path)
    assert ran.stdout.count("FAILED") == 1, ran.stdout


@pytest.mark.parametrize("lesson", ORDER)
def test_the_function_of_an_exercise_shares_its_name_with_nothing_else(lesson):
    """A cell may be run again after those below it: a name must still be the same thing."""
    code = [
        "".join(c["source"]) for c in cells(NOTEBOOKS / lesson).values() if c["cell_type"] == "code"
    ]
    bound = [name for source in code for name in bound_names(ast.parse(source))]
    for function in {exercise(name).function for name in exercises()} - {""}:
        assert bound.count(function) <= 1


def bound_names(tree):
    """Yield the names that a cell gives to something at its top."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
