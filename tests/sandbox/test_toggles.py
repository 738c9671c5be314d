"""Each toggle of the compat mount, by hand: what it changes, on any host, and in every way in."""

import json
from typing import Any

import httpx2
import openai
import pytest

from skyl_nb.data import facts
from skyl_nb.sandbox import Reply, Sandbox
from tests.sandbox.wire import (
    SCHEMA,
    a,
    claude,
    conversation,
    gpt,
    message_of,
    read,
    result,
    send,
    t,
    u,
    use,
    user,
)
from tests.sandbox.wire import assistant as turn

TOGGLES = facts("toggles.json")
CALLS = conversation("compat", "weather in Lima?", tools=[("get_weather", SCHEMA)])
LOOP = (u(), a("abc123XYZ", content=""), t("abc123XYZ"))
BARE = {key: value for key, value in a("c1").items() if key != "content"}
UNANSWERED = gpt(u(), a("c1", content=""), u("well?"))


def said(payload: Any, profile: str = "openai", **toggles: str) -> Reply:
    return send("compat", payload, Sandbox(profile=profile, toggles=toggles))


def objects(message: dict[str, Any]) -> dict[str, Any]:
    """The same message with its arguments parsed."""
    for call in message["tool_calls"]:
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return message


# What is sent, the toggle's value, and the rule that refuses it, None for an answer.
REFUSED = [
    ("preceding_spelling", "preceeding", gpt(u(), t("c1")), "openai-orphan-result"),
    ("preceding_spelling", "preceding", gpt(u(), t("c1")), "openai-orphan-result"),
    ("null_content", "accept", gpt(u(), a("c1"), t("c1")), None),
    ("null_content", "accept", gpt(u(), BARE, t("c1")), None),
    ("null_content", "reject", gpt(u(), a("c1"), t("c1")), "openai-null-call-content"),
    ("null_content", "require_key", gpt(u(), a("c1"), t("c1")), None),
    ("null_content", "require_key", gpt(u(), BARE, t("c1")), "openai-content-key"),
    ("arguments", "string", gpt(u(), a("c1"), t("c1")), None),
    ("arguments", "string", gpt(u(), objects(a("c1")), t("c1")), "openai-invalid-type"),
    ("arguments", "object", gpt(u(), a("c1"), t("c1")), "openai-arguments-text"),
    ("arguments", "object", gpt(u(), objects(a("c1")), t("c1")), None),
    ("ids", "given", gpt(u(), a("any-id"), t("any-id")), None),
    ("ids", "given", gpt(u(), a(""), t("")), None),
    ("ids", "empty", gpt(u(), a(""), t("")), "openai-empty-id"),
    ("ids", "per_round_counter", gpt(u(), a("f:0"), t("f:0"), a("f:0"), t("f:0")), None),
    ("ids", "nine_alnum", gpt(u(), a("any-id"), t("any-id")), "openai-call-id-shape"),
    ("error_shape", "openai", UNANSWERED, "openai-unanswered-call"),
    ("error_shape", "flat_str_code", UNANSWERED, "openai-unanswered-call"),
    ("error_shape", "flat_int_code", UNANSWERED, "openai-unanswered-call"),
    ("error_shape", "nested_raw", UNANSWERED, "openai-unanswered-call"),
    ("error_shape", "list_wrapped", UNANSWERED, "openai-unanswered-call"),
    ("user_after_tool", "allow", gpt(*LOOP, u("and?")), None),
    ("user_after_tool", "reject", gpt(*LOOP, u("and?")), "openai-role-order"),
    ("echo_reasoning", "ignore", gpt(u(), a("c1", reasoning_content="hm"), t("c1")), None),
    ("echo_reasoning", "ignore", gpt(u(), a("c1"), t("c1")), None),
    ("echo_reasoning", "require", gpt(u(), a("c1"), t("c1")), "openai-no-reasoning"),
    ("echo_reasoning", "require", gpt(u(), a("c1", reasoning_content="hm"), t("c1")), None),
    (
        "echo_reasoning",
        "reject",
        gpt(u(), a("c1", reasoning_content="hm"), t("c1")),
        "openai-reasoning",
    ),
    ("extra_fields", "ignore", gpt({**u(), "nonsense": 1}), None),
    ("extra_fields", "reject", gpt({**u(), "nonsense": 1}), "openai-unknown-field"),
    (
        "list_tool_content",
        "accept",
        gpt(u(), a("c1"), t("c1", [{"type": "text", "text": "1"}])),
        None,
    ),
    (
        "list_tool_content",
        "reject",
        gpt(u(), a("c1"), t("c1", [{"type": "text", "text": "1"}])),
        "openai-list-tool-content",
    ),
    ("stream_error", "status", UNANSWERED, "openai-unanswered-call"),
    ("stream_error", "sse_event", UNANSWERED, "openai-unanswered-call"),
]


@pytest.mark.parametrize(("name", "value", "payload", "rule"), REFUSED)
def test_a_toggle_decides(name: str, value: str, payload: Any, rule: str | None) -> None:
    assert said(payload, **{name: value}).rule == rule


def test_every_value_of_every_toggle_is_tried() -> None:
    split = {("split_results", value) for value in TOGGLES["split_results"]["values"]}
    tried = {(name, value) for name, value, *_ in REFUSED} | split
    assert tried == {(name, value) for name, row in TOGGLES.items() for value in row["values"]}


def test_61_the_other_spelling() -> None:
    orphan = gpt(u(), t("c1"))
    assert " preceeding " in message_of(said(orphan))
    assert " preceding " in message_of(said(orphan, preceding_spelling="preceding"))


def test_6_split_results_are_merged_by_the_provider_and_refused_by_hosts_of_its_wire() -> None:
    split = claude(
        user("tide?"), turn(use("a1"), use("a2")), user(result("a1")), user(result("a2"))
    )
    for value, rule in (("merge", None), ("reject", "anthropic-split-results")):
        assert send("anthropic", split, Sandbox(toggles={"split_results": value})).rule == rule


# Envelopes, each as its report has it


PLAIN = {
    "message": message_of(said(UNANSWERED)),
    "type": "invalid_request_error",
    "param": "messages.[2].role",
    "code": None,
}


def test_each_envelope_says_the_same_in_its_own_shape() -> None:
    told = PLAIN["message"]
    assert read(said(UNANSWERED, error_shape="openai")) == {"error": PLAIN}
    flat = {"object": "error", "message": told, "type": "invalid_request_error", "param": None}
    assert read(said(UNANSWERED, error_shape="flat_str_code")) == {**flat, "code": None}
    assert read(said(UNANSWERED, error_shape="flat_int_code")) == {**flat, "code": 400}
    assert read(said(UNANSWERED, error_shape="list_wrapped")) == [
        {"error": {"code": 400, "message": told, "status": "INVALID_ARGUMENT"}}
    ]


def test_75_the_real_error_is_a_json_text_inside() -> None:
    outer = read(said(UNANSWERED, error_shape="nested_raw"))
    assert outer["error"]["message"] == "Provider returned error"
    assert outer["error"]["code"] == 400
    assert json.loads(outer["error"]["metadata"]["raw"]) == {"error": PLAIN}
    assert "user_id" in outer


def test_75_a_host_in_between_wraps_what_another_host_says() -> None:
    outer = read(said(UNANSWERED, "mistral", error_shape="nested_raw", ids="given"))
    inner = json.loads(outer["error"]["metadata"]["raw"])
    # The owner's toggle takes the place of the profile's shape, so the host's texts are left.
    assert inner["error"]["message"] == "Not the same number of function calls and responses"


# Answers


def answer(**toggles: str) -> Any:
    return read(said(CALLS, **toggles))["choices"][0]["message"]


def test_ids_are_as_the_toggle_has_them() -> None:
    def ids(**toggles: str) -> list[str]:
        return [call["id"] for call in answer(**toggles)["tool_calls"]]

    assert ids(ids="empty") == [""]
    assert ids(ids="per_round_counter") == ["get_weather:0"]
    (nine,) = ids(ids="nine_alnum")
    assert nine.isalnum()
    assert len(nine) == 9


def test_67_arguments_are_objects_in_answers_too_and_the_loop_closes() -> None:
    message = answer(arguments="object")
    (call,) = message["tool_calls"]
    assert call["function"]["arguments"] == {"city": "Lima"}
    history = [*CALLS["messages"], message, t(call["id"], "Error: no")]
    again = read(said({**CALLS, "messages": history}, arguments="object"))["choices"][0]["message"]
    assert again["tool_calls"][0]["function"] == call["function"]


def test_67_a_stream_brings_an_object_whole() -> None:
    frames = said({**CALLS, "stream": True}, arguments="object").frames
    assert frames is not None
    told = [json.loads(one[6:]) for one in frames if one.startswith(b"data: {")]
    deltas = [one["choices"][0]["delta"] for one in told]
    (call,) = [one["tool_calls"][0] for one in deltas if "tool_calls" in one]
    assert call["function"]["arguments"] == {"city": "Lima"}


def test_62_what_is_wanted_back_is_given() -> None:
    assert answer(echo_reasoning="require")["reasoning_content"]
    assert "reasoning_content" not in answer(echo_reasoning="ignore")


# Refusals of a stream


def test_65_a_stream_that_has_begun_tells_its_refusal_as_an_event() -> None:
    streamed = {**UNANSWERED, "stream": True}
    assert said(streamed).status == 400
    reply = said(streamed, stream_error="sse_event")
    assert reply.status == 200
    assert reply.frames is not None
    (frame,) = reply.frames
    event, _, data = frame.partition(b"\n")
    assert event == b"event: error"
    assert json.loads(data.removeprefix(b"data: ")) == {"error": PLAIN}
    # Before the host knows the model it has not begun; without a stream there is no event.
    assert said({**streamed, "model": "tiny"}, stream_error="sse_event").status == 404
    assert said(UNANSWERED, stream_error="sse_event").status == 400


def test_65_the_official_client_raises_on_that_event() -> None:
    sandbox = Sandbox(toggles={"stream_error": "sse_event"})
    http = httpx2.Client(transport=sandbox.transport(httpx2))
    client = openai.OpenAI(
        api_key="sandbox-key", base_url="http://x/compat/v1", http_client=http, max_retries=0
    )
    with pytest.raises(openai.APIError, match="did not have response messages"):
        list(client.chat.completions.create(**UNANSWERED, stream=True))


# How toggles, profiles and switches go together


def test_the_owner_s_toggle_wins_over_the_profile_and_a_switch_over_both() -> None:
    order = gpt(*LOOP, u("and?"))
    assert said(order, "mistral").rule == "openai-role-order"
    assert said(order, "mistral", user_after_tool="allow").status == 200
    both = Sandbox(toggles={"user_after_tool": "reject"}, rules={"openai-role-order": False})
    assert send("compat", order, both).status == 200


def test_the_default_profile_names_the_default_of_each_toggle() -> None:
    first = {name: next(iter(row["values"])) for name, row in TOGGLES.items()}
    default = facts("profiles.json")["openai"]["toggles"]
    assert default == {name: value for name, value in first.items() if name in default}
    assert set(first) - set(default) == {"split_results"}  # not of the compat mount
    for payload in (CALLS, UNANSWERED, gpt(*LOOP)):
        assert said(payload, **first).body == said(payload).body


@pytest.mark.parametrize("mount", ["anthropic", "openai", "gemini"])
def test_the_other_mounts_do_not_change(mount: str) -> None:
    last = {name: [*row["values"]][-1] for name, row in TOGGLES.items()}
    payload = conversation(mount, "weather in Lima?", tools=[("get_weather", SCHEMA)])
    assert send(mount, payload, Sandbox(toggles=last)).body == send(mount, payload).body


@pytest.mark.parametrize(
    ("toggles", "says"),
    [
        ({"id": "empty"}, "there is no toggle 'id'; choose one of: preceding_spelling, null_con"),
        ({"ids": "none"}, "ids cannot be 'none'; choose one of: given, empty, per_round_counter"),
        ({"ids": None}, "ids cannot be None; choose one of: given"),
        ({"ids": []}, r"ids cannot be \[\]; choose one of: given"),
    ],
)
def test_a_toggle_that_there_is_not_gets_one_clear_sentence(toggles: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Sandbox(toggles=toggles)
