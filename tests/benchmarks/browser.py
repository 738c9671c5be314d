"""From a change to what it shows, in a real browser: our four panes beside a bare slider and label.

Both go the same way: the page tells the kernel, the kernel tells the page. What is measured begins
with the event in the page and ends when the page holds what the kernel made of it.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

from tests.browser import jupyter, notebook
from tests.browser.conftest import program
from tests.browser.views import CONTENT, view_of

ROUNDS = 25
LONG = 100_000

BARE = """import ipywidgets
slider, label = ipywidgets.IntSlider(description="Bare"), ipywidgets.Label()
slider.observe(lambda change: setattr(label, "value", f"now {change.new}"), "value")
ipywidgets.VBox([slider, label])"""

_SLIDE = """async number => {
    const handle = document.querySelector('.noUi-handle');
    const label = handle.closest('.widget-vbox').querySelector('.widget-label:last-child');
    const begun = performance.now();
    handle.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
    while (!label.innerText.includes('now ' + number)) await new Promise(requestAnimationFrame);
    return performance.now() - begun;
}"""

_TYPE = """async ([label, text, mark]) => {
    const name = [...document.querySelectorAll('label')].find(one => one.innerText === label);
    const field = document.getElementById(name.htmlFor);
    const view = field.closest('.widget-vbox');
    const done = () => [...view.querySelectorAll('section pre')]
        .filter(one => one.textContent.includes(mark)).length === 4;
    const begun = performance.now();
    field.value = text;
    field.dispatchEvent(new Event('input', {bubbles: true}));
    field.dispatchEvent(new Event('change', {bubbles: true}));
    while (!done()) await new Promise(requestAnimationFrame);
    return performance.now() - begun;
}"""


def rows() -> list[tuple[str, float, str, float]]:
    """Return what was measured: what, its seconds, beside what, the seconds of that."""
    found = program()
    if found is None:
        return []
    with (
        tempfile.TemporaryDirectory() as place,
        jupyter.serving(Path(place), code=(*jupyter.VIEWS_CODE, BARE)) as url,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 2000})
        notebook.opened(page, url, jupyter.VIEWS)
        notebook.run(page)
        view_of(page, CONTENT).wait_for()
        page.wait_for_selector(".noUi-handle")
        bare, short, long = _by_turns(_slides(page), _types(page, 10), _types(page, LONG))
        browser.close()
    of = "a bare slider and label"
    return [
        ("from a change to four panes", short, of, bare),
        (f"the same with {LONG:,} characters", long, of, bare),
    ]


def _by_turns(*measures: Callable[[int], float]) -> list[float]:
    """Return the median seconds of each, measured by turns."""
    took = [[measure(number) for measure in measures] for number in range(1, ROUNDS + 1)]
    return [median(column) / 1000 for column in zip(*took, strict=True)]


def _slides(page: Page) -> Callable[[int], float]:
    return lambda number: float(page.evaluate(_SLIDE, number))


def _types(page: Page, length: int) -> Callable[[int], float]:
    def typed(number: int) -> float:
        mark = f"mark{number}of{length}"
        return float(page.evaluate(_TYPE, [CONTENT, mark + "x" * length, mark]))

    return typed
