"""The lessons in a real JupyterLab, in a real browser.

The page of each test may ask for nothing outside this machine, and no script in it may fail: the
fixture `page` holds both.
"""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from skyl_nb import data
from skyl_nb.lessons import ORDER
from skyl_nb.wires import WIRES
from tests.browser import notebook

CONTENT = "Content of the tool result"
IS_ERROR = "The tool failed (is_error)"
CALL_ID = "Call id"
TITLES = [wire.title for wire in WIRES.values()]


def stored(lesson: str) -> list[dict[str, object]]:
    file = data.folder("notebooks") / lesson
    cells: list[dict[str, object]] = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return cells


@pytest.mark.parametrize("lesson", ORDER)
def test_a_lesson_runs_to_its_end(page: Page, lab: str, lesson: str) -> None:
    notebook.opened(page, lab, lesson)
    notebook.run(page)
    on_purpose = sum(bool(cell["metadata"]) for cell in stored(lesson))
    errors = page.locator("[data-mime-type='application/vnd.jupyter.stderr']")
    expect(errors).to_have_count(on_purpose)
    assert "Traceback" not in "".join(errors.all_inner_texts())


@pytest.fixture
def view(page: Page, lab: str) -> Locator:
    """The live view of `compare_wires` in the first notebook."""
    notebook.opened(page, lab, ORDER[0])
    notebook.run(page)
    live = page.locator(".jp-OutputArea-output").filter(has=page.get_by_label(CONTENT))
    expect(live).to_be_visible()
    return live


def heading(view: Locator, title: str) -> Locator:
    return view.get_by_role("region", name=title, exact=True).get_by_role("heading")


def test_four_panes_follow_the_controls(view: Locator) -> None:
    expect(heading(view, "Gemini")).to_have_text("Gemini: ✗ dropped")
    expect(heading(view, "OpenAI")).to_have_text("OpenAI: ≈ prefixed")
    view.get_by_label(CONTENT).fill("")
    expect(heading(view, "OpenAI")).to_have_text("OpenAI: ✗ dropped")
    view.get_by_label(CONTENT).fill("quota “used up” 日本")
    view.get_by_label(IS_ERROR).select_option("False: the tool succeeded")
    view.get_by_label(CALL_ID).fill("call_77")
    for title in TITLES:
        pane = view.get_by_role("region", name=title, exact=True)
        expect(pane).to_contain_text("quota “used up” 日本")
        expect(pane).to_contain_text("call_77")
    expect(view.get_by_role("region", name="Anthropic")).to_contain_text('"is_error": false')


def test_the_controls_are_reached_and_used_without_a_mouse(page: Page, view: Locator) -> None:
    view.get_by_label(CONTENT).focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("no such town")
    page.keyboard.press("Tab")
    expect(view.get_by_label(IS_ERROR)).to_be_focused()
    page.keyboard.type("F")
    page.keyboard.press("Tab")
    expect(view.get_by_label(CALL_ID)).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("call_9")
    pane = view.get_by_role("region", name="Anthropic")
    for text in ("no such town", "call_9", '"is_error": false'):
        expect(pane).to_contain_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'>",
        "</pre></section><h1 onclick='window.hurt = 1'>out</h1>",
        "[x](javascript:window.hurt=1)\u202e\u200b" + "long" * 5_000,
    ],
    ids=["script", "closing tags", "long and hidden"],
)
def test_a_hostile_text_does_nothing(page: Page, view: Locator, text: str) -> None:
    view.get_by_label(CONTENT).fill(text)
    pane = view.get_by_role("region", name="Gemini")
    expect(pane).to_contain_text(re.sub(r"[\"\u202e\u200b].*", "", text)[:40])
    assert page.evaluate("() => window.hurt") is None
    assert view.locator("script, img, h1").count() == 0
    assert view.get_by_role("region").count() == len(TITLES)
    wide = "one => one.scrollWidth > one.clientWidth + 1"
    assert not any(one.evaluate(wide) for one in view.get_by_role("region").all())


def test_hints_come_one_by_one(page: Page, lab: str) -> None:
    notebook.opened(page, lab, ORDER[1])
    notebook.run(page)
    exercise = page.locator(".jp-OutputArea-output").filter(has_text="Exercise: Never empty")
    exercise.get_by_role("button", name="Show a hint").click()
    expect(exercise).to_contain_text("Hint 1.")
    exercise.get_by_role("button", name="Show another hint").click()
    expect(exercise).to_contain_text("Hint 2.")
    expect(exercise).not_to_contain_text("A solution")
    exercise.get_by_role("button", name="Show the solution").click()
    expect(exercise).to_contain_text("A solution")
