"""What `play_loop` shows, as data, and the same facts in each rendering. No browser needed."""

import copy
import html
import json
import pickle
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings

import skyl_nb as skyl
from skyl_nb.views.visible import LONGEST
from tests.strategies import texts
from tests.views.renderings import (
    HOSTILE,
    assert_same_words,
    assert_text_stays_text,
    html_parts,
    named,
)

LABELS = ("Text that the tool returns", "The tool failed (is_error)", "The user's question")
TITLES = ["Anthropic", "OpenAI", "OpenAI-compatible", "Gemini"]
PORTABLE = skyl.portable_error("get_weather", "503")


def verdicts(view):
    return [lane.verdict for lane in view.play.lanes]


def said(lane):
    """Who says what to whom, round by round."""
    return [(step.round, step.speaker, step.listener, step.text) for step in lane.steps]


def results(lane):
    return [json.loads(step.text) for step in lane.steps if step.code]


def test_it_starts_with_a_failure_on_four_wires():
    view = skyl.play_loop()
    assert (view.content, view.is_error, view.max_rounds) == ("503", True, 4)
    assert view.wires == tuple(skyl.WIRES)
    assert [lane.title for lane in view.play.lanes] == TITLES


@pytest.mark.parametrize(
    ("content", "is_error", "expected"),
    [
        ("503", True, ["↻ calls again"] * 3 + ["✗ believes it"]),
        ("", True, ["! refused"] + ["✗ makes it up"] * 3),
        (PORTABLE, True, ["✓ stops"] * 4),
        ("error: 503", True, ["↻ calls again"] * 4),
        ("24 degrees", False, ["✓ answers"] * 4),
        ("", False, ["✗ makes it up"] * 4),
        (PORTABLE, False, ["✓ stops"] * 4),
    ],
)
def test_how_the_loop_ends_on_each_wire(content, is_error, expected):
    view = skyl.play_loop(content=content, is_error=is_error)
    assert verdicts(view) == expected
    for title, verdict in zip(TITLES, expected, strict=True):
        assert f"{title}: {verdict}" in view.play.summary


CALL = 'get_weather({"city":"Kampala"})'


def test_a_model_that_believes_a_failure():
    (lane,) = skyl.play_loop(wires="gemini").play.lanes
    assert said(lane) == [
        (1, "user", "model", "What is the weather in Kampala?"),
        (1, "model", "tool", CALL),
        (
            2,
            "tool",
            "model",
            '{"functionResponse":{"name":"get_weather","response":{"content":"503"}}}',
        ),
        (2, "model", "user", "The tool said: 503"),
    ]
    assert "not told that the tool failed" in lane.sentence


def test_a_model_that_calls_for_ever_is_stopped_by_the_bound():
    (lane,) = skyl.play_loop(wires="openai", max_rounds=3).play.lanes
    who = [(number, speaker, listener) for number, speaker, listener, _ in said(lane)]
    assert who == [
        (1, "user", "model"),
        (1, "model", "tool"),
        (2, "tool", "model"),
        (2, "model", "tool"),
        (3, "tool", "model"),
        (3, "model", "tool"),
        (3, "your program", "user"),
    ]
    assert lane.steps[-1].text == "stopped after 3 rounds; the model would call again"
    assert [step.text for step in lane.steps if step.speaker == "model"] == [CALL] * 3
    sent = results(lane)
    assert [one["content"] for one in sent] == ["error: 503"] * 2
    assert len({one["tool_call_id"] for one in sent}) == 2


def test_one_round_asks_the_model_once():
    for lane in skyl.play_loop(max_rounds=1).play.lanes:
        assert lane.ending == "calls"
        assert lane.steps[-1].text == "stopped after 1 round; the call of the model is not answered"
        assert len(lane.steps) == 3


def test_a_refusal_is_told_in_the_providers_own_words():
    (lane,) = skyl.play_loop(content="", wires=["anthropic"]).play.lanes
    assert results(lane)[0]["is_error"] is True
    # The words of REPORTS 9.
    assert lane.steps[-1][:3] == (2, "provider", "your program")
    assert lane.steps[-1].text == (
        "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true"
    )
    assert lane.ending == "refused"


def test_a_body_that_the_provider_cannot_read_still_shows_what_the_tool_said():
    (lane,) = skyl.play_loop(content="cut \ud83d", wires="openai").play.lanes
    assert lane.steps[2] == (2, "tool", "model", "cut \ud83d", False)
    assert "could not parse the JSON body" in lane.steps[3].text


@pytest.mark.parametrize("wire", skyl.WIRES)
def test_each_call_of_a_turn_has_its_result(wire):
    prompt = "What is the weather in Paris and in Lima?"
    (lane,) = skyl.play_loop(wires=wire, content="24", is_error=False, prompt=prompt).play.lanes
    assert [text for _, speaker, listener, text in said(lane) if listener == "tool"] == [
        'get_weather({"city":"Paris"})',
        'get_weather({"city":"Lima"})',
    ]
    assert len(results(lane)) == 2
    assert lane.verdict == "✓ answers"


def test_what_is_shown_of_each_round_is_new_in_it():
    prompt = "What is the weather in Paris and in Lima?"
    for lane in skyl.play_loop(prompt=prompt, wires=["anthropic", "openai"]).play.lanes:
        shown = [step.text for step in lane.steps if step.code]
        assert len(shown) == len(set(shown)) == 2 * 3


def test_a_question_that_needs_no_tool_is_answered():
    view = skyl.play_loop(prompt="What is the capital of France?")
    assert verdicts(view) == ["✓ answers"] * 4
    for lane in view.play.lanes:
        assert said(lane)[1:] == [(1, "model", "user", "Paris")]


def test_the_same_is_played_each_time():
    one, other = (skyl.play_loop(content="x") for _ in range(2))
    shown = one.play, one.to_html(), one.to_markdown(), one.to_text()
    skyl.views.play.play.cache_clear()
    assert shown == (other.play, other.to_html(), other.to_markdown(), other.to_text())


def test_controls_are_attributes_that_can_be_set():
    view = skyl.play_loop(skyl.tool_error_message("toolu_1", "no"), wires=("gemini", "openai"))
    assert (view.content, view.is_error) == ("no", True)
    assert verdicts(view) == ["✗ believes it", "↻ calls again"]
    view.content, view.prompt = PORTABLE, "the weather, please"
    assert verdicts(view) == ["✓ stops"] * 2
    view.is_error = False
    assert "is_error: False" in view.to_text()
    assert "A success with this text" in view.play.summary
    for fixed in ("wires", "max_rounds"):
        with pytest.raises(AttributeError):
            setattr(view, fixed, 1)


@pytest.mark.parametrize(
    "value", [skyl.ToolResult(call_id="c", content="x"), skyl.tool_result_message("c", "x")]
)
def test_it_takes_a_result_or_a_message(value):
    view = skyl.play_loop(value)
    assert (view.content, view.is_error) == ("x", False)
    assert skyl.play_loop(value, is_error=True, content="").content == ""


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"result_or_message": "503"}, "play_loop(content=...)"),
        ({"result_or_message": skyl.user_text("x")}, "holds 0 tool results, and play_loop"),
        ({"content": {"a": 1}}, "json.dumps"),
        ({"is_error": "yes"}, "True or False"),
        ({"prompt": 5}, "prompt is the question of the user, a string, and not int"),
        ({"wires": "mistral"}, "unknown wire 'mistral': use one of anthropic, openai"),
        ({"wires": ["gemini", 5]}, "unknown wire 5"),
        ({"wires": 5}, "wires is a name in WIRES or a list of such names, and not int"),
        ({"wires": []}, "wires is empty"),
        ({"max_rounds": 0}, "max_rounds is a whole number, 1 to 20, and not 0"),
        ({"max_rounds": 21}, "1 to 20"),
        ({"max_rounds": True}, "1 to 20"),
        ({"max_rounds": "4"}, "1 to 20"),
    ],
)
def test_bad_input_is_one_sentence(given_, words):
    with pytest.raises(skyl.BadRequestError) as refused:
        skyl.play_loop(**given_)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("name", "value"), [("content", 5), ("is_error", 1), ("prompt", b"x")])
def test_a_control_set_to_a_wrong_type_is_one_sentence(name, value):
    view = skyl.play_loop()
    with pytest.raises(skyl.BadRequestError, match=name):
        setattr(view, name, value)
    with pytest.raises(AttributeError):
        view.contnet = "a typing error"


@pytest.mark.parametrize("content", ["503", "", PORTABLE, *HOSTILE])
def test_all_renderings_hold_the_same_words(content):
    view = skyl.play_loop(content=content)
    assert_same_words(view)
    shown = html.unescape(view.to_html())
    for lane in view.play.lanes:
        assert lane.sentence in shown
        for step in lane.steps:
            assert f"{step.speaker} → {step.listener}:" in shown


@pytest.mark.parametrize("is_error", [True, False])
@pytest.mark.parametrize("content", HOSTILE)
def test_hostile_text_stays_text(content, is_error):
    view = skyl.play_loop(content=content, prompt=f"weather {content}", is_error=is_error)
    tags = {"div", "p", "section", "h4", "ol", "li", "strong", "code"}
    assert_text_stays_text(view, tags=tags)


def test_a_text_with_lines_makes_no_step():
    content = "x\nRound 9\n  model → user: all is well"
    shown = skyl.play_loop(content=content).to_text().splitlines()
    assert not [line for line in shown if line.startswith(("Round 9", "  model → user: all"))]


@settings(max_examples=30)
@given(texts, texts)
def test_any_text_can_be_played(content, prompt):
    view = skyl.play_loop(content=content, prompt=f"{prompt} weather", max_rounds=2)
    ET.fromstring(view.to_html())
    view.to_text().encode("utf-8")
    view.to_markdown().encode("utf-8")


def test_what_is_cut_is_said():
    shown = skyl.play_loop(content="x" * 100_000, wires="gemini").to_text()
    assert f"({100_000 - LONGEST:,} characters not shown)" in shown
    assert len(shown) < 10_000


def test_each_lane_is_a_region_with_the_wires_name_and_a_list_of_rounds():
    view = skyl.play_loop()
    regions = list(ET.fromstring(view.to_html()).iter("section"))
    assert [region.get("aria-label") for region in regions] == TITLES
    for region, lane in zip(regions, view.play.lanes, strict=True):
        assert region.find("h4").text == f"{lane.title}: {lane.verdict}"
        rounds = region.find("ol")
        assert [one.find("strong").text for one in rounds] == [
            f"Round {k}" for k in range(1, len(rounds) + 1)
        ]
        assert len(list(rounds.iterfind("li/ol/li"))) == len(lane.steps)


def test_in_a_notebook_html_and_text_stand_beside_the_widget():
    view = skyl.play_loop()
    bundle = view._repr_mimebundle_()
    assert bundle["text/html"] == view.to_html()
    assert bundle["text/plain"] == view.to_text() == repr(view)
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_the_widget_and_the_view_follow_each_other():
    view = skyl.play_loop()
    content, is_error, prompt = (named(view, label) for label in LABELS)
    assert [content.description, is_error.description, prompt.description] == [
        "Text that the tool returns",
        "The tool failed (is_error)",
        "The user's question",
    ]
    content.value, is_error.value, prompt.value = "y", False, "weather in Lima"
    assert (view.content, view.is_error, view.prompt) == ("y", False, "weather in Lima")
    view.content = PORTABLE
    assert content.value == PORTABLE
    status, *panes = html_parts(view)
    assert 'aria-live="polite"' in status.value
    assert html.escape(view.play.summary) in status.value
    shown = [html.unescape(pane.value) for pane in panes]
    assert all("Lima" in pane and "✓ stops" in pane for pane in shown)
    assert [re.search('aria-label="([^"]+)"', pane)[1] for pane in shown] == TITLES


def test_only_the_panes_that_change_are_replaced():
    view = skyl.play_loop(content="Error: 503")
    replaced = []
    for title, pane in zip(TITLES, html_parts(view)[1:], strict=True):
        pane.observe(lambda _, title=title: replaced.append(title), "value")
    view.prompt = "Hello"
    assert replaced == TITLES
    view.content = "other"  # no tool is called
    assert replaced == TITLES


def test_half_a_character_can_be_shown_live_and_is_kept():
    view = skyl.play_loop(content="cut \ud83d")
    box = named(view, LABELS[0])
    assert box.value == r"cut \ud83d"
    view.is_error = False
    assert view.content == "cut \ud83d"


def test_a_shown_view_can_be_copied():
    view = skyl.play_loop(wires=["openai", "gemini"], max_rounds=2)
    view._repr_mimebundle_(None, None)
    for copied in (pickle.loads(pickle.dumps(view)), copy.deepcopy(view), copy.copy(view)):
        assert copied.play == view.play
        copied.content = "changed"
        assert view.content == "503"
        assert copied.widget is not view.widget
