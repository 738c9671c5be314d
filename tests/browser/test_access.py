"""The views for everyone: by keyboard, by screen reader, on a phone, in the dark."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import jupyter, notebook
from tests.browser.views import (
    ANSWER,
    CODE,
    CONTENT,
    CONTROLS,
    COPY,
    DIFF,
    PLAYED,
    PRESET,
    TITLES,
    region,
    view_of,
)

THEMES = ("JupyterLab Light", "JupyterLab Dark")

_CONTRAST = """selector => {
    const one = document.querySelector(selector);
    const numbers = colour => colour.match(/[0-9.]+/g).map(Number);
    const light = colour => {
        const [r, g, b] = numbers(colour).slice(0, 3).map(value => value / 255)
            .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const drawn = one.closest('svg') ? getComputedStyle(one).fill : getComputedStyle(one).color;
    let below = one;
    while (numbers(getComputedStyle(below).backgroundColor)[3] === 0) below = below.parentElement;
    const both = [light(drawn), light(getComputedStyle(below).backgroundColor)];
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}"""
"""The contrast of a text and the ground behind it, as WCAG 2.2 defines it."""

_STYLE = """one => {
    const seen = getComputedStyle(one);
    return [seen.outlineStyle, seen.outlineWidth, seen.outlineColor, seen.boxShadow,
            seen.borderTopColor, seen.borderTopWidth].join(' ');
}"""

_SIDEWAYS = """() => {
    const page = document.scrollingElement;
    const panel = document.querySelector('.jp-WindowedPanel-outer') || page;
    return Math.max(page.scrollWidth - page.clientWidth, panel.scrollWidth - panel.clientWidth);
}"""


@pytest.fixture
def shown(page: Page, lab: str, quiet_kernel: None) -> Page:
    """A page with both views, all of their parts open."""
    notebook.opened(page, lab, jupyter.VIEWS)
    notebook.run(page)
    view = view_of(page, CONTENT)
    view.get_by_label(ANSWER).check()
    view.get_by_label(DIFF).check()
    for content in (CONTENT, PLAYED):
        view_of(page, content).get_by_label(COPY).select_option("This view, for a cell")
        expect(view_of(page, content).get_by_label(CODE)).to_be_visible()
    expect(region(view, "Gemini")).to_contain_text("Status 200")
    return page


def whole(page: Page, axe: str) -> Page:
    """Make a page ready to be checked as a whole: axe passes over what it takes to be out of sight.

    So it does with all text of JupyterLab, whose body hides what it cannot hold and has no height.
    """
    page.set_viewport_size({"width": 1400, "height": 6000})
    page.add_style_tag(content="body { height: 100vh }")
    page.evaluate(axe)
    expect(region(view_of(page, PLAYED), "Gemini")).to_be_in_viewport()
    return page


def check(view: Locator) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = view.evaluate("async view => await axe.run(view)")
    return found


@pytest.mark.parametrize("theme", THEMES)
def test_no_serious_fault_is_found_in_either_theme(shown: Page, axe: str, theme: str) -> None:
    notebook.use_theme(shown, theme)
    checked = whole(shown, axe)
    for content in (CONTENT, PLAYED):
        view = view_of(checked, content)
        found = check(view)
        serious = [
            (one["id"], node["target"], node["failureSummary"])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]
        assert serious == []
        for one in found["incomplete"]:  # of pictures and lists axe cannot tell; so we measure
            if one["id"] == "color-contrast":
                for node in one["nodes"]:
                    assert checked.evaluate(_CONTRAST, node["target"][0]) >= 4.5, node["html"]
        (contrast,) = [one for one in found["passes"] if one["id"] == "color-contrast"]
        assert len(contrast["nodes"]) > view.locator("p, pre, figcaption").count()


@pytest.mark.parametrize("element", ["p", "pre mark", "figcaption", "pre span"])
def test_the_checker_finds_a_fault_that_is_there(shown: Page, axe: str, element: str) -> None:
    view = view_of(whole(shown, axe), CONTENT)
    one = view.get_by_role("region").locator(element).first
    one.evaluate(
        "one => { one.style.color = one.style.fill = '#ccc'; one.style.background = '#fff' }"
    )
    assert "color-contrast" in {one["id"] for one in check(view)["violations"]}


@pytest.mark.parametrize("content", [CONTENT, PLAYED])
def test_tab_order_is_reading_order_and_the_focus_can_be_seen(shown: Page, content: str) -> None:
    view = view_of(shown, content)
    controls = [*CONTROLS[content], CODE]
    at_rest = {name: view.get_by_label(name).evaluate(_STYLE) for name in controls}
    view.get_by_label(controls[0]).focus()
    for name in controls:
        control = view.get_by_label(name)
        expect(control).to_be_focused()
        assert control.evaluate(_STYLE) != at_rest[name], f"nothing shows that {name} has the focus"
        shown.keyboard.press("Tab")


def test_everything_is_done_without_a_mouse(shown: Page) -> None:
    """In JupyterLab letters and arrows are shortcuts; a list is opened with Space."""
    view, keys = view_of(shown, CONTENT), shown.keyboard
    view.get_by_label(PRESET).focus()
    cells = shown.locator(".jp-Cell").count()
    keys.press("Space")
    keys.press("ArrowDown")
    keys.press("Enter")
    expect(view.get_by_label(CONTENT)).to_have_value(_beginning("ERROR: get_weather failed"))
    keys.press("Tab")
    keys.press("ControlOrMeta+a")
    keys.type("no such town")
    keys.press("Tab")
    keys.press("Space")
    keys.press("ArrowDown")
    keys.press("Enter")
    keys.press("Tab")
    keys.press("ControlOrMeta+a")
    keys.type("call_9")
    keys.press("Tab")
    keys.press("Space")
    expect(view.get_by_label(ANSWER)).not_to_be_checked()
    for title in TITLES:
        expect(region(view, title)).to_contain_text("no such town")
        expect(region(view, title)).to_contain_text("call_9")
        expect(region(view, title)).not_to_contain_text("Status 200")
    expect(region(view, "Anthropic")).to_contain_text('"is_error": false')
    expect(view.get_by_label(PRESET)).to_have_value("A text of your own")
    assert shown.locator(".jp-Cell").count() == cells


def test_a_change_is_announced(shown: Page) -> None:
    for content in (CONTENT, PLAYED):
        view = view_of(shown, content)
        status = view.get_by_role("status")
        expect(status).to_have_attribute("aria-live", "polite")
        before = status.inner_text()
        view.get_by_label(content).fill("")
        expect(status).not_to_have_text(before)
        expect(status).to_contain_text("Gemini: ✗")


@pytest.mark.parametrize(
    ("width", "height"), [(360, 740), (700, 500)], ids=["360 pixels", "1400 at 200 %"]
)
def test_nothing_scrolls_sideways_in_a_small_window(shown: Page, width: int, height: int) -> None:
    """At 200 % a window has half its width in pixels of a page."""
    notebook.command(shown, "application:toggle-left-area")
    shown.set_viewport_size({"width": width, "height": height})
    view = view_of(shown, CONTENT)
    view.get_by_label(CONTENT).fill("long" * 500)
    expect(region(view, "Gemini")).to_contain_text("longlong")
    assert shown.evaluate(_SIDEWAYS) <= 0
    for one in [view, view_of(shown, PLAYED), *view.get_by_role("region").all()]:
        assert one.evaluate("one => one.scrollWidth - one.clientWidth") <= 1


@pytest.mark.parametrize(("width", "columns"), [(1700, 4), (800, 2), (360, 1)])
def test_panes_stand_four_in_a_row_two_by_two_or_in_one_column(
    shown: Page, width: int, columns: int
) -> None:
    notebook.command(shown, "application:toggle-left-area")
    shown.set_viewport_size({"width": width, "height": 900})
    for content in (CONTENT, PLAYED):
        assert _columns(view_of(shown, content)) == [columns] * (4 // columns)


def _columns(view: Locator) -> list[int]:
    """Return how many panes stand in each row."""
    boxes = [region(view, title).bounding_box() for title in TITLES]
    tops = [round(box["y"] / 20) for box in boxes if box]
    return [tops.count(top) for top in dict.fromkeys(tops)]


def _beginning(text: str) -> re.Pattern[str]:
    return re.compile("^" + re.escape(text))
