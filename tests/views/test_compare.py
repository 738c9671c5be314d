"""What `compare_wires` shows, as data, and the same facts in each rendering. No browser needed."""

import ast
import copy
import html
import json
import pickle
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given

import skyl_nb as skyl
from skyl_nb.cli import main
from skyl_nb.signal import PROMPT, WEATHER
from skyl_nb.views.copying import ADDRESS
from skyl_nb.views.presets import presets
from skyl_nb.views.visible import LONGEST
from tests.strategies import texts
from tests.views.renderings import (
    HOSTILE,
    assert_same_words,
    assert_text_stays_text,
    html_parts,
    named,
)

LABELS = ("Content of the tool result", "The tool failed (is_error)", "Call id")


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
    tags = {"div", "p", "section", "h4", "pre", "mark", "span", "details", "summary"}
    tags |= {"figure", "figcaption"}
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
    content, is_error, call_id = (named(view, label) for label in LABELS)
    content.value, is_error.value, call_id.value = "y", False, "c9"
    assert (view.content, view.is_error, view.call_id) == ("y", False, "c9")
    view.content = "z"
    assert content.value == "z"
    assert 'aria-live="polite"' in html_parts(view)[0].value
    shown = [html.unescape(pane.value) for pane in html_parts(view)[1:]]
    assert all('"z"' in pane for pane in shown)
    assert [re.search('aria-label="([^"]+)"', pane)[1] for pane in shown] == [
        pane.title for pane in view.comparison.panes
    ]


def test_half_a_character_can_be_shown_live_and_is_kept():
    view = skyl.compare_wires(content="cut \ud83d")
    box = named(view, "Content of the tool result")
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


# What the provider answers


def answered(view, way="to_text"):
    return getattr(view, way)().count("What the provider answers:")


@pytest.mark.parametrize("is_error", [True, False])
@pytest.mark.parametrize("content", ["", "503", skyl.portable_error("get_weather", "x"), "error"])
def test_the_answer_is_that_of_a_client_who_sends_the_same(content, is_error):
    for said in skyl.compare_wires(content=content, is_error=is_error).answers:
        client = skyl.sandbox_client(said.wire)
        ask = {"model": client.model, "tools": [WEATHER]}
        question = skyl.user_text(PROMPT)
        turn = client.complete(skyl.Request(messages=[question], **ask)).message
        result = skyl.ToolResult(call_id=turn.tool_calls[0].id, content=content, is_error=is_error)
        request = skyl.Request(
            messages=[question, turn, skyl.Message(role="tool", parts=[result])], **ask
        )
        try:
            answer = client.complete(request)
        except skyl.SkylError as refused:
            assert (said.status, said.said) == (refused.status, refused.message)
        else:
            calls = [f"{call.name}({call.arguments})" for call in answer.tool_calls]
            assert (said.status, said.said) == (200, answer.text or calls[0])


def test_the_answers_tell_four_models_apart():
    verdicts = [one.verdict for one in skyl.compare_wires(content="503").answers]
    assert verdicts == ["↻ calls again", "↻ calls again", "↻ calls again", "✗ believes it"]
    empty = [one.verdict for one in skyl.compare_wires(content="").answers]
    assert empty == ["! refused", *["✗ makes it up"] * 3]


@pytest.mark.parametrize("way", ["to_html", "to_markdown", "to_text"])
def test_the_answer_stands_in_each_rendering_and_not_where_nothing_is_sent(way):
    assert answered(skyl.compare_wires(), way) == 4
    assert answered(skyl.compare_wires(call_id=""), way) == 0


def test_the_answer_is_one_click_away_and_open_if_asked_for():
    assert skyl.compare_wires().to_html().count("<details>") == 4
    view = skyl.compare_wires(answer=True)
    assert view.to_html().count('<details open="open">') == 4
    closed = skyl.compare_wires()
    panes = html_parts(closed)[1:]
    assert not any("Status 200" in pane.value for pane in panes)
    named(closed, "What the provider answers").value = True
    assert closed.answer
    assert all("Status 200" in pane.value for pane in panes)


# The way of the flag, and the difference


def test_the_way_of_the_flag_ends_where_the_fate_says():
    ways = [[stop.mark for stop in pane.way] for pane in skyl.compare_wires().comparison.panes]
    assert ways == [["⚑"] * 4, [*"⚑⚑≈≈"], [*"⚑⚑≈≈"], [*"⚑⚑✗✗"]]
    ways = [
        [stop.mark for stop in pane.way] for pane in skyl.compare_wires(content="").comparison.panes
    ]
    assert ways == [["⚑"] * 4, *[[*"⚑⚑✗✗"]] * 3]


@pytest.mark.parametrize("content", ["no such city", "", "x" * 5000, "a\nb"])
def test_the_difference_is_that_of_the_two_fragments(content):
    view = skyl.compare_wires(content=content)
    assert "(-)" not in view.to_text()
    view.diff = True
    assert_same_words(view)
    for pane, failing, working in zip(
        view.comparison.panes,
        view.comparison.panes,
        skyl.compare_wires(content=content, is_error=False).comparison.panes,
        strict=True,
    ):
        lost = [f"-{line.text}" for line in failing.lines if line not in working.lines]
        new = [f"+{line.text}" for line in working.lines if line not in failing.lines]
        if pane.fate == "dropped":
            assert pane.diff == ("No difference: a success sends the same bytes.",)
        else:
            assert sorted(pane.diff) == sorted(lost + new)


# Presets, and what can be copied


def test_the_presets_are_what_tools_return():
    known = presets()
    assert len(known) == 5
    assert known["A good failure"] == skyl.portable_error("get_weather", "HTTP 503")
    assert {"", "503"} < set(known.values())
    assert max(map(len, known.values())) == 100_000


@pytest.mark.parametrize("make", [skyl.compare_wires, skyl.play_loop])
def test_a_preset_follows_the_content_and_the_content_follows_it(make):
    view = make(content="mine")
    choice = named(view, "Begin with")
    assert choice.value == "A text of your own"
    for label, content in presets().items():
        choice.value = label
        assert view.content == content
    view.content = "503"
    assert choice.value == "A bare code: 503"
    choice.value = "A text of your own"
    assert (view.content, choice.value) == ("503", "A bare code: 503")


HOSTILE_CODE = [*HOSTILE, 'it\'s "quoted" \\ $HOME `id` !x %s', "new\nline", "Ü 日本 🌍", ""]


@pytest.mark.parametrize("content", HOSTILE_CODE)
@pytest.mark.parametrize("make", [skyl.compare_wires, skyl.play_loop])
def test_the_code_for_a_cell_makes_the_same_view(make, content):
    view = make(content=content, is_error=False, copy="cell")
    *_, call = ast.parse(view.code).body
    again = eval(ast.unparse(call), {"skyl": skyl})
    shown = {**view.controls.trait_values(), "copy": ""}
    assert again.controls.trait_values() == shown
    assert_same_words(view)


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
@pytest.mark.parametrize("wire", skyl.WIRES)
@pytest.mark.parametrize("content", ['it\'s $HOME "x"\n`id` \\', "Ü 日本 🌍 \u202e"])
def test_the_curl_command_gets_the_answer_that_is_shown(wire, content):
    view = skyl.compare_wires(content=content, copy=wire)
    shown = next(one for one in view.answers if one.wire == wire)
    sandbox = skyl.Sandbox()
    with sandbox.serving() as url:
        command = view.code.replace(ADDRESS, url)
        done = subprocess.run(["sh", "-c", command], check=True, capture_output=True)
    entry = sandbox.journal[-1]
    assert json.loads(done.stdout) == entry.reply
    assert (entry.status, entry.request) == (shown.status, json.loads(shown.body))
    assert content in str(entry.request) or json.dumps(content)[1:-1] in shown.body


def test_the_address_is_that_of_the_command():
    defaults = {one.name: one.default for one in main.commands["sandbox"].params}
    assert f"http://{defaults['host']}:{defaults['port']}" == ADDRESS


def test_what_is_too_long_to_be_copied_is_said():
    for view in (skyl.compare_wires(content="x" * 10**5), skyl.play_loop(content="x" * 10**5)):
        view.copy = "cell"
        assert view.code.startswith("# This is too long to be copied: 100,")


def test_code_is_shown_live_when_it_is_asked_for():
    view = skyl.compare_wires()
    code = named(view, "Select all of it, and copy")
    assert code.layout.display == "none"
    named(view, "Code to copy").value = "gemini"
    assert code.layout.display is None
    assert code.value == view.code
    assert code.value.startswith("curl")
    view.content = "changed"
    assert "changed" in code.value


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("answer", 1, "answer is True or False"),
        ("diff", "yes", "diff is True or False"),
        ("copy", "openapi", 'copy is one of "", "cell", "anthropic"'),
        ("copy", None, "copy is one of"),
    ],
)
def test_the_other_controls_are_checked_too(name, value, words):
    view = skyl.compare_wires()
    for call in (lambda: setattr(view, name, value), lambda: skyl.compare_wires(**{name: value})):
        with pytest.raises(skyl.BadRequestError) as refused:
            call()
        assert words in str(refused.value)
    with pytest.raises(skyl.BadRequestError, match="copy is one of"):
        skyl.play_loop(copy="gemini")
