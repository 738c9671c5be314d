"""A lesson and the views in Notebook 7, the other front end that learners have."""

from playwright.sync_api import Page, expect

from skyl_nb.lessons import ORDER
from tests.browser import notebook
from tests.browser.views import CONTENT, IS_ERROR, TITLES, region, view_of


def test_a_lesson_runs_and_its_view_follows_the_controls(page: Page, notebook7: str) -> None:
    notebook.opened(page, notebook7, ORDER[0], "notebooks")
    notebook.run(page)
    view = view_of(page, CONTENT)
    view.get_by_label(CONTENT).fill("no such town")
    view.get_by_label(IS_ERROR).select_option("False: the tool succeeded")
    for title in TITLES:
        expect(region(view, title)).to_contain_text("no such town")
    expect(region(view, "Anthropic")).to_contain_text('"is_error": false')
