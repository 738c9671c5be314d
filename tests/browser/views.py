"""What a person sees of our views: their controls by name, their panes by name."""

from playwright.sync_api import Locator, Page

from skyl_nb.views import compare, live, play
from skyl_nb.views.controls import IS_ERROR_LABEL
from skyl_nb.views.text import ANSWER as ANSWER_LABEL
from skyl_nb.wires import WIRES

CONTENT = compare.CONTENT_LABEL
PLAYED = play.CONTENT_LABEL
IS_ERROR = IS_ERROR_LABEL
CALL_ID = compare.CALL_ID_LABEL
PROMPT = play.PROMPT_LABEL
DIFF = compare.DIFF_LABEL
ANSWER = ANSWER_LABEL
PRESET = live.PRESET_LABEL
COPY = live.COPY_LABEL
CODE = live.CODE_LABEL
TITLES = [wire.title for wire in WIRES.values()]

CONTROLS = {
    CONTENT: (PRESET, CONTENT, IS_ERROR, CALL_ID, ANSWER, DIFF, COPY),
    PLAYED: (PRESET, PLAYED, IS_ERROR, PROMPT, COPY),
}
"""The controls of each view in reading order, by the name of its content."""


def view_of(page: Page, content: str) -> Locator:
    """Return the live view whose content has this name."""
    return page.locator(".jp-OutputArea-output").filter(has=page.get_by_label(content))


def region(view: Locator, title: str) -> Locator:
    """Return the pane of a wire."""
    return view.get_by_role("region", name=title, exact=True)
