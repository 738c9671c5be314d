"""The views driven by a mouse, and fed with what does harm elsewhere."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from skyl_nb.views.presets import OWN, presets
from tests.browser import jupyter, notebook
from tests.browser.views import (
    ANSWER,
    CALL_ID,
    CODE,
    CONTENT,
    COPY,
    DIFF,
    IS_ERROR,
    PLAYED,
    PRESET,
    PROMPT,
    TITLES,
    region,
    view_of,
)

HOSTILE = {
    "script": "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'>",
    "handler": '" autofocus onfocus="window.hurt = 1" x="',
    "link": "[x](javascript:window.hurt=1) <a href='javascript:window.hurt=1'>x</a>",
    "closing tags": "</pre></section></div><h1 onclick='window.hurt = 1'>out</h1>",
    "style": "<style>* { display: none }</style><link rel=stylesheet href='http://example.com/x'>",
    "outside": "<img src='http://example.com/x.png'><iframe src='http://example.com'></iframe>",
    "reversed": "\u202egnol\u2066 \u200f",
    "invisible": "\u200b\u2060\ufeff\u00ad\x07\x1b[31m\x7f",
    "long": "long" * 5_000,
    "many lines": "line\n" * 300,
}
HARMFUL = "script, img, iframe, link, style, a, h1, [onclick], [onfocus], [onerror]"


@pytest.fixture
def shown(page: Page, lab: str, quiet_kernel: None) -> Page:
    notebook.opened(page, lab, jupyter.VIEWS)
    notebook.run(page)
    return page


def heading(view: Locator, title: str) -> Locator:
    return region(view, title).get_by_role("heading")


def test_four_panes_follow_the_controls(shown: Page) -> None:
    view = view_of(shown, CONTENT)
    expect(heading(view, "Gemini")).to_have_text("Gemini: ✗ dropped")
    expect(heading(view, "OpenAI")).to_have_text("OpenAI: ≈ prefixed")
    view.get_by_label(CONTENT).fill("")
    expect(heading(view, "OpenAI")).to_have_text("OpenAI: ✗ dropped")
    view.get_by_label(CONTENT).fill("quota “used up” 日本")
    view.get_by_label(IS_ERROR).select_option("False: the tool succeeded")
    view.get_by_label(CALL_ID).fill("call_77")
    for title in TITLES:
        expect(region(view, title)).to_contain_text("quota “used up” 日本")
        expect(region(view, title)).to_contain_text("call_77")
    expect(region(view, "Anthropic")).to_contain_text('"is_error": false')


def test_the_answer_and_the_difference_are_one_click_away(shown: Page) -> None:
    view = view_of(shown, CONTENT)
    gemini = region(view, "Gemini")
    expect(gemini).not_to_contain_text("Status 200")
    view.get_by_label(ANSWER).click()
    expect(gemini).to_contain_text("Status 200 from the sandbox. model → user: The tool said")
    view.get_by_label(CONTENT).fill("")
    expect(region(view, "Anthropic")).to_contain_text("Status 400")
    expect(region(view, "Anthropic")).to_contain_text("content cannot be empty")
    expect(gemini).not_to_contain_text("No difference")
    view.get_by_label(DIFF).click()
    expect(gemini).to_contain_text("No difference")
    expect(region(view, "Anthropic")).to_contain_text('- "is_error": true')


def test_presets_fill_the_content_and_a_text_of_ones_own_is_no_preset(shown: Page) -> None:
    for content in (CONTENT, PLAYED):
        view = view_of(shown, content)
        for label, text in presets().items():
            view.get_by_label(PRESET).select_option(label)
            expect(view.get_by_label(content)).to_have_value(text)
        view.get_by_label(content).fill("mine")
        expect(view.get_by_label(PRESET)).to_have_value(OWN)


def test_the_loop_follows_its_controls(shown: Page) -> None:
    view = view_of(shown, PLAYED)
    expect(heading(view, "Gemini")).to_have_text("Gemini: ✗ believes it")
    view.get_by_label(PRESET).select_option("A good failure")
    for title in TITLES:
        expect(heading(view, title)).to_have_text(f"{title}: ✓ stops")
    view.get_by_label(PROMPT).fill("What is the weather in Lima?")
    expect(region(view, "OpenAI")).to_contain_text('get_weather({"city":"Lima"})')
    view.get_by_label(IS_ERROR).select_option("False: the tool succeeded")
    expect(view.get_by_role("status")).to_contain_text("A success with this text")


def test_what_is_copied_makes_the_same_view_again(shown: Page) -> None:
    view = view_of(shown, CONTENT)
    view.get_by_label(CONTENT).fill("it's “down”\nsince noon")
    view.get_by_label(COPY).select_option("This view, for a cell")
    expect(view.get_by_label(CODE)).to_have_value(re.compile("since noon"))
    code = view.get_by_label(CODE).input_value()
    cell = shown.locator(".jp-CodeCell").last
    cell.locator(".cm-content").click()
    shown.keyboard.press("ControlOrMeta+a")
    shown.keyboard.insert_text(code)
    shown.keyboard.press("Shift+Enter")
    again = view_of(shown, CONTENT).nth(1)
    view = view.first
    expect(again.get_by_label(CONTENT)).to_have_value("it's “down”\nsince noon")
    view.get_by_label(COPY).select_option("Gemini: curl, for the local sandbox")
    expect(view.get_by_label(CODE)).to_have_value(re.compile("^curl -s http://127.0.0.1:8099/gem"))
    view.get_by_label(COPY).select_option("Nothing")
    expect(view.get_by_label(CODE)).to_be_hidden()


@pytest.mark.parametrize("content", [CONTENT, PLAYED])
def test_a_hostile_text_does_nothing(shown: Page, content: str) -> None:
    view = view_of(shown, content)
    if content == CONTENT:
        view.get_by_label(ANSWER).click()
        view.get_by_label(DIFF).click()
    view.get_by_label(COPY).select_option("This view, for a cell")
    for text in HOSTILE.values():
        view.get_by_label(content).fill(f"{text} marker{len(text)}")
        expect(region(view, "Gemini")).to_contain_text(f"marker{len(text)}")
        assert shown.evaluate("() => window.hurt") is None
        assert view.locator(HARMFUL).count() == 0
        assert view.get_by_role("region").count() == len(TITLES)
        assert not re.search("[\u202e\u200b\u2066\x07\x1b]", region(view, "Gemini").inner_text())
        for one in view.get_by_role("region").all():
            assert one.evaluate("one => one.scrollWidth - one.clientWidth") <= 1


@pytest.mark.parametrize("content", [CONTENT, PLAYED])
def test_a_megabyte_is_shown_and_what_is_cut_is_said(shown: Page, content: str) -> None:
    view = view_of(shown, content)
    field = view.get_by_label(content)
    field.evaluate(
        """one => {
            one.value = 'a'.repeat(1_000_000);
            one.dispatchEvent(new Event('input', {bubbles: true}));
            one.dispatchEvent(new Event('change', {bubbles: true}));
        }"""
    )
    for title in TITLES:
        expect(region(view, title)).to_contain_text(
            re.compile(r"\([0-9,]{7} characters not shown\)")
        )
    field.fill("short again")
    expect(region(view, "OpenAI")).to_contain_text("short again")
