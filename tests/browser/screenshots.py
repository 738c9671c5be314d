"""Takes a picture of each view, light and dark, wide and narrow.

`python -m tests.browser.screenshots FOLDER`, then look at them.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser import jupyter, notebook
from tests.browser.conftest import program
from tests.browser.views import ANSWER, CONTENT, DIFF, PLAYED, view_of

THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
WIDTHS = {"wide": 1500, "narrow": 900, "phone": 360}


def take(page: Page, folder: Path) -> None:
    """Take the pictures of a page that shows the views."""
    notebook.command(page, "application:toggle-left-area")
    for theme, name in THEMES.items():
        notebook.use_theme(page, name)
        for width, pixels in WIDTHS.items():
            page.set_viewport_size({"width": pixels, "height": 3000})
            for view, content in (("compare", CONTENT), ("play", PLAYED)):
                shown = view_of(page, content)
                shown.scroll_into_view_if_needed()
                shown.screenshot(path=folder / f"{view}-{theme}-{width}.png")


def main(folder: Path) -> None:
    """Write the pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as place,
        jupyter.serving(Path(place)) as url,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=program(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1500, "height": 3000})
        notebook.opened(page, url, jupyter.VIEWS)
        notebook.run(page)
        view_of(page, CONTENT).screenshot(path=folder / "compare-wires.png")
        view_of(page, CONTENT).get_by_label(ANSWER).check()
        view_of(page, CONTENT).get_by_label(DIFF).check()
        take(page, folder)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
