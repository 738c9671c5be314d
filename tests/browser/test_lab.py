"""The lessons in a real JupyterLab, in a real browser.

The page of each test may ask for nothing outside this machine, and no script in it may fail: the
fixture `page` holds both.
"""

import json

import pytest
from playwright.sync_api import Page, expect

from skyl_nb import data
from skyl_nb.lessons import ORDER
from tests.browser import notebook


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
