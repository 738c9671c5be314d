"""What `compare_wires` shows, as data, and the same facts in each rendering. No browser needed."""

import copy
import html
import json
import pickle
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given

import skyl_nb as skyl
from skyl_nb.views.visible import LONGEST
from tests.strategies import texts
from tests.views.renderings import HOSTILE, assert_same_words, assert_text_stays_text


def fates(view):
    return [pane.fate for pane in view.comparison.panes]


def test_it_starts_with_a_failure_on_four_wires():
    view = skyl.compare_wires()
    assert fates(view) == ["intact", "prefixed", "prefixed", "dropped"]
    assert [pane.title for pane in view.comparison.panes] == [
        "Anthropic",
        "OpenAI",
        "OpenAI-compatible",
        "Gemini",
    ]


@pytest.mark.parametrize("is_error", [True, False])
@pytest.mark.parametrize("content", ["no such city", "", "error: x", "Ü 日本 🌍"])
def test_a_pane_holds_the_fragment_that_would_be_sent(content, is_error):
    view = skyl.compare_wires(content=content, is_error=is_error)
    for pane in view.comparison.panes:
        trace = skyl.trace_signal(content, pane.wire)
        shown = json.loads("\n".join(line.text for line in pane.lines))
        assert shown == (trace.failure if is_error else trace.success)
        assert pane.pointer == trace.pointer


@pytest.mark.parametrize(
    ("content", "marked"),
    [
        ("x", ['"is_error": true,', '"content": "error: x",', '"content": "error: x",', None]),
        ("", ['"is_error": true,', None, None, None]),
    ],
)
def test_the_place_where_failure_and_success_differ_is_marked(content, marked):
    panes = skyl.compare_wires(content=content).comparison.panes
    found = [[line.text.strip() for line in pane.lines if line.marked] for pane in panes]
    assert found == [[line] if line else [] for line in marked]


def test_the_sentences_say_what_the_model_can_know():
    panes = skyl.compare_wires(content="no such city").comparison.panes
    assert "a field of its own (is_error)" in panes[0].sentence
    assert "“error: ” stands before it" in panes[1].sentence
    assert "not told that the tool failed" in panes[3].sentence
    assert "may make a value up" in skyl.compare_wires(content="").comparison.panes[1].sentence
    assert "did not fail" in skyl.compare_wires(is_error=False).comparison.panes[0].sentence


def test_controls_are_attributes_that_can_be_set():
    view = skyl.compare_wires(skyl.tool_error_message("toolu_1", "no"))
    assert (view.content, view.is_error, view.call_id) == ("no", True, "toolu_1")
    view.content = ""
    assert fates(view) == ["intact", "dropped", "dropped", "dropped"]
    view.is_error = False
    assert "is_error: False" in view.to_text()


@pytest.mark.parametrize(
    "value", [skyl.ToolResult(call_id="c", content="x"), skyl.tool_result_message("c", "x")]
)
def test_it_takes_a_result_or_a_message(value):
    view = skyl.compare_wires(value)
    assert (view.content, view.is_error, view.call_id) == ("x", False, "c")
    assert skyl.compare_wires(value, is_error=True, content="y").content == "y"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: skyl.compare_wires("no such city"), "compare_wires(content=...)"),
        (lambda: skyl.compare_wires(skyl.user_text("x")), "holds 0 tool results"),
        (lambda: skyl.compare_wires(content={"a": 1}), "json.dumps"),
        (lambda: skyl.compare_wires(is_error="yes"), "True or False"),
    ],
)
def test_bad_input_is_one_sentence(call, words):
    with pytest.raises(skyl.BadRequestError) as refused:
        call()
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_empty_call_id_is_said_in_every_pane():
    view = skyl.compare_wires(call_id="")
    for pane in view.comparison.panes:
        assert pane.verdict == "! not sent"
        assert "call_id is empty" in pane.sentence
    for shown in (view.to_html(), view.to_markdown(), view.to_text()):
        assert shown.count("not sent") >= 4


@pytest.mark.parametrize("content", ["no such city", "", *HOSTILE])
def test_all_renderings_hold_the_same_words(content):
    assert_same_words(skyl.compare_wires(content=content))


@pytest.mark.parametrize("content", HOSTILE)
def test_hostile_text_stays_text(content):
    view = skyl.compare_wires(content=content, call_id=content)
    tags = {"div", "p", "section", "h4", "pre", "mark", "span"}
    assert_text_stays_text(view, tags=tags)


@given(texts, texts)
def test_any_text_can_be_shown(content, call_id):
    view = skyl.compare_wires(content=content, call_id=call_id)
    ET.fromstring(view.to_html())
    view.to_text().encode("utf-8")
    view.to_markdown().encode("utf-8")


def test_what_is_cut_is_said():
    shown = skyl.compare_wires(content="x" * 100_000).to_text()
    assert f"({100_000 - LONGEST:,} characters not shown)" in shown
    assert len(shown) < 10_000


def test_each_pane_is_a_region_with_the_wires_name():
    root = ET.fromstring(skyl.compare_wires().to_html())
    names = [section.get("aria-label") for section in root.iter("section")]
    assert names == ["Anthropic", "OpenAI", "OpenAI-compatible", "Gemini"]


def test_in_a_notebook_html_and_text_stand_beside_the_widget():
    view = skyl.compare_wires()
    bundle = view._repr_mimebundle_()
    assert bundle["text/html"] == view.to_html()
    assert bundle["text/plain"] == view.to_text() == repr(view)
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_the_widget_and_the_view_follow_each_other():
    view = skyl.compare_wires()
    content, is_error, call_id, status, grid = view.widget.children
    assert [content.description, is_error.description, call_id.description] == [
        "Content of the tool result",
        "The tool failed (is_error)",
        "Call id",
    ]
    content.value, is_error.value, call_id.value = "y", False, "c9"
    assert (view.content, view.is_error, view.call_id) == ("y", False, "c9")
    view.content = "z"
    assert content.value == "z"
    assert 'aria-live="polite"' in status.value
    shown = [html.unescape(pane.value) for pane in grid.children]
    assert all('"z"' in pane for pane in shown)
    assert [re.search('aria-label="([^"]+)"', pane)[1] for pane in shown] == [
        pane.title for pane in view.comparison.panes
    ]


def test_half_a_character_can_be_shown_live_and_is_kept():
    view = skyl.compare_wires(content="cut \ud83d")
    box = view.widget.children[0]
    json.dumps(box.value).encode("utf-8")
    assert box.value == r"cut \ud83d"
    assert view.content == "cut \ud83d"
    box.value.encode("utf-8")
    view.is_error = False
    assert view.content == "cut \ud83d"
    box.value = "typed"
    assert view.content == "typed"


def test_a_shown_view_can_be_copied():
    view = skyl.compare_wires()
    view._repr_mimebundle_(None, None)
    for copied in (pickle.loads(pickle.dumps(view)), copy.deepcopy(view), copy.copy(view)):
        copied.content = "changed"
        assert view.content == "no such city"
        assert copied.widget is not view.widget


@pytest.mark.parametrize(("name", "value"), [("content", 5), ("is_error", 1), ("call_id", b"x")])
def test_a_control_set_to_a_wrong_type_is_one_sentence(name, value):
    view = skyl.compare_wires()
    with pytest.raises(skyl.BadRequestError, match=name):
        setattr(view, name, value)
    with pytest.raises(AttributeError):
        view.contnet = "a typing error"


def test_two_views_do_not_share_their_controls():
    one, other = skyl.compare_wires(), skyl.compare_wires()
    one.content = "changed"
    assert other.content == "no such city"


def test_without_ipywidgets_the_view_is_static_and_says_how_to_mend_that():
    code = """
import sys
sys.modules["ipywidgets"] = None
import skyl_nb as skyl
bundle = skyl.compare_wires()._repr_mimebundle_()
assert set(bundle) == {"text/html", "text/plain"}, set(bundle)
assert "python -m pip install ipywidgets" in bundle["text/plain"]
assert "python -m pip install ipywidgets" in bundle["text/html"]
assert "python -m pip" not in skyl.survival_table()._repr_mimebundle_()["text/plain"]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
