"""The compat mount as six hosts: their envelopes, words and orders; the other mounts stay."""

import re
from typing import Any

import httpx2
import openai
import pytest

from skyl_nb.data import facts
from skyl_nb.sandbox import Reply, Sandbox
from skyl_nb.sandbox.rules import rule_book
from tests.sandbox.wire import (
    SCHEMA,
    a,
    calls_of,
    conversation,
    gpt,
    message_of,
    read,
    send,
    t,
    text_of,
    u,
)

PROFILES = tuple(facts("profiles.json"))
every_profile = pytest.mark.parametrize("profile", PROFILES)
FULL = {"content": ""}  # the calls of a turn beside a content, which every host takes
NINE = "abc123XYZ"


def said(profile: str, *messages: Any, **more: Any) -> Reply:
    return send("compat", gpt(*messages, **more), Sandbox(profile=profile))


ORPHAN = (u(), t(NINE))
UNANSWERED = (u(), a(NINE, **FULL), u("well?"))
FOREIGN = (u(), a(NINE, **FULL), t("123456789"))
TWICE = (u(), a(NINE, **FULL), t(NINE), t(NINE))
USER_AFTER_TOOL = (u(), a(NINE, **FULL), t(NINE), u("and?"))
LOOP = (u(), a(NINE, **FULL), t(NINE))
COUNT = "Not the same number of function calls and responses"
SENT = {
    "orphan": ORPHAN,
    "unanswered": UNANSWERED,
    "foreign": FOREIGN,
    "twice": TWICE,
    "user-after-tool": USER_AFTER_TOOL,
    "loop": LOOP,
}


@pytest.mark.parametrize(
    ("profile", "what", "words"),
    [
        ("openai", "orphan", "preceeding"),
        ("openai", "user-after-tool", None),
        (
            "deepseek",
            "orphan",
            "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        ),
        ("deepseek", "unanswered", "(insufficient tool messages following tool_calls message)"),
        ("mistral", "orphan", "Unexpected role 'tool' after role 'user'"),
        ("mistral", "unanswered", COUNT),
        ("mistral", "foreign", COUNT),
        ("mistral", "twice", COUNT),
        ("mistral", "user-after-tool", "Unexpected role 'user' after role 'tool'"),
        ("groq", "unanswered", "did not have response messages: abc123XYZ"),
        ("groq", "user-after-tool", None),
        *((host, what, None) for host in ("vllm", "ollama") for what in SENT),
        *((host, "loop", None) for host in PROFILES),
    ],
)
def test_61_63_order_in_the_host_s_words(profile: str, what: str, words: str | None) -> None:
    reply = said(profile, *SENT[what])
    if words is None:
        assert reply.rule is None
    else:
        assert words in message_of(reply)
        assert reply.status == 400


@pytest.mark.parametrize(
    ("profile", "envelope"),
    [
        (
            "openai",
            {
                "error": {
                    "message": "",
                    "type": "invalid_request_error",
                    "param": "messages.[2].role",
                    "code": None,
                }
            },
        ),
        (
            "deepseek",
            {
                "error": {
                    "message": "",
                    "type": "invalid_request_error",
                    "param": None,
                    "code": "invalid_request_error",
                }
            },
        ),
        (
            "mistral",
            {
                "object": "error",
                "message": "",
                "type": "invalid_request_message_order",
                "param": None,
                "code": "3230",
            },
        ),
    ],
)
def test_the_envelope_of_a_refusal(profile: str, envelope: Any) -> None:
    body = read(said(profile, *UNANSWERED))
    body.get("error", body)["message"] = ""
    assert body == envelope


def test_63_mistral_takes_no_system_after_a_tool() -> None:
    reply = said("mistral", *LOOP, {"role": "system", "content": "be brief"})
    assert message_of(reply) == "Unexpected role 'system' after role 'tool'"


def test_64_mistral_s_ids() -> None:
    reply = said("mistral", u(), a("call_1"), t("call_1"))
    text = "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."
    assert message_of(reply) == text
    assert (read(reply)["type"], read(reply)["code"]) == ("invalid_function_call", "3280")


def test_mistral_s_validator_has_a_shape_of_its_own() -> None:
    reply = said("mistral", {**u(), "nonsense": 1})
    (detail,) = read(reply)["detail"]
    assert (reply.status, detail["type"]) == (422, "extra_forbidden")
    assert detail["loc"] == ["body", "messages", 0, "nonsense"]


@pytest.mark.parametrize(
    "message",
    [
        a("c1", function_call=None),
        a("c1", refusal=None),
        a("c1", reasoning_content="hm"),
        a("c1", annotations=[]),
    ],
)
def test_40_66_groq_refuses_what_a_client_s_dump_leaves_over(message: Any) -> None:
    reply = said("groq", u(), message, t("c1"))
    assert "messages.1" in message_of(reply)
    assert "is unsupported" in message_of(reply)
    assert said("groq", u(), a("c1"), t("c1")).status == 200
    assert said("openai", u(), message, t("c1")).status == 200


def test_66_groq_s_words_for_what_is_missing() -> None:
    text = (
        "'messages.{}' : for 'role:tool' the following must be satisfied[('messages.{}.{}' :"
        " property '{}' is missing)]"
    )
    missing = said("groq", u(), a("c1"), {"role": "tool", "tool_call_id": "c1"})
    assert message_of(missing) == text.format(2, 2, "content", "content")
    nameless = said("groq", u(), a("c1"), {"role": "tool", "content": "12"})
    assert message_of(nameless) == text.format(2, 2, "tool_call_id", "tool_call_id")


def test_67_arguments_are_a_text_on_ollama_s_v1() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": {}}}
    reply = said("ollama", u(), a("c1", tool_calls=[call], content=""), t("c1"))
    assert reply.rule == "openai-invalid-type"
    assert Sandbox(profile="ollama").handle("POST", "/compat/api/chat", {}, b"{}").status == 404


def test_68_ollama_wants_a_content_beside_calls_and_openai_does_not() -> None:
    without = {key: value for key, value in a("c1").items() if key != "content"}
    for turn in (a("c1"), without):
        reply = said("ollama", u(), turn, t("c1"))
        assert message_of(reply) == "invalid message content type: <nil>"
        assert said("openai", u(), turn, t("c1")).status == 200
    assert said("ollama", u(), a("c1", content=""), t("c1")).status == 200


def test_69_71_an_unknown_model_in_the_host_s_words() -> None:
    ollama = said("ollama", u(), model="tiny")
    assert ollama.status == 404
    assert read(ollama) == {
        "error": {
            "message": 'model "tiny" not found, try pulling it first',
            "type": "api_error",
            "param": None,
            "code": None,
        }
    }
    assert read(said("vllm", u(), model="tiny")) == {
        "object": "error",
        "message": "The model `tiny` does not exist.",
        "type": "NotFoundError",
        "param": None,
        "code": 404,
    }
    assert "`tiny`" in message_of(said("groq", u(), model="tiny"))


def test_71_vllm_s_bad_request() -> None:
    error = read(said("vllm", {"role": "user", "content": {}}))
    assert (error["type"], error["code"]) == ("BadRequestError", 400)


def test_72_vllm_takes_no_list_in_a_tool_message() -> None:
    parts = [{"type": "text", "text": "12"}]
    assert said("vllm", u(), a("c1"), t("c1", parts)).rule == "openai-list-tool-content"
    assert said("vllm", u(parts)).status == 200
    assert said("openai", u(), a("c1"), t("c1", parts)).status == 200


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer anything"}])
@every_profile
def test_local_hosts_take_any_key_or_none(profile: str, headers: Any) -> None:
    reply = send("compat", gpt(u()), Sandbox(profile=profile), headers=headers)
    assert reply.status == (200 if profile in ("vllm", "ollama") else 401)


def test_76_programs_should_look_at_status_and_type_since_words_differ() -> None:
    hosts = ("openai", "deepseek", "groq")
    replies = [said(host, *UNANSWERED) for host in hosts]
    assert {reply.status for reply in replies} == {400}
    assert {read(reply)["error"]["type"] for reply in replies} == {"invalid_request_error"}
    assert len({message_of(reply) for reply in replies}) == 2


# What every profile does


@every_profile
def test_ids_fit_the_host_and_a_whole_loop_is_taken(profile: str) -> None:
    sandbox = Sandbox(profile=profile)
    payload = conversation("compat", "weather in Lima?", tools=[("get_weather", SCHEMA)])
    message = read(send("compat", payload, sandbox))["choices"][0]["message"]
    kept = {key: value for key, value in message.items() if value is not None}
    kept.setdefault("content", "")
    ids = [call["id"] for call in message["tool_calls"]]
    payload["messages"] += [kept, *(t(name, "21 degrees") for name in ids)]
    assert text_of("compat", send("compat", payload, sandbox)) == "The tool said: 21 degrees"
    if profile == "mistral":
        assert all(re.fullmatch("[a-zA-Z0-9]{9}", name) for name in ids)


@every_profile
def test_the_other_mounts_do_not_change(profile: str) -> None:
    sandbox = Sandbox(profile=profile)
    for mount in ("anthropic", "openai", "gemini"):
        payload = conversation(mount, "weather in Lima?", tools=[("get_weather", SCHEMA)])
        assert send(mount, payload, sandbox).body == send(mount, payload).body
        assert len(calls_of(mount, send(mount, payload, sandbox))) == 1
    assert send("openai", gpt(*ORPHAN), sandbox).body == send("openai", gpt(*ORPHAN)).body


@every_profile
def test_a_profile_changes_rules_that_there_are_and_says_where_it_has_it_from(profile: str) -> None:
    sandbox = Sandbox(profile=profile)
    for rule_id, row in facts("profiles.json")[profile]["rules"].items():
        assert "openaicompat" in rule_book()[rule_id].wires
        assert "text" not in row or "reports" in row
    reply = send("compat", gpt(*ORPHAN), sandbox)
    if profile == "deepseek":
        assert "REPORTS 61" in sandbox.explain(reply).source
        assert "REPORTS 61" in sandbox.explain(sandbox.journal[-1]).source


def test_a_switch_of_the_owner_wins_over_the_profile() -> None:
    sandbox = Sandbox(profile="mistral", rules={"openai-role-order": False})
    assert send("compat", gpt(*USER_AFTER_TOOL), sandbox).status == 200


@every_profile
def test_the_official_client_reads_every_envelope(profile: str) -> None:
    http = httpx2.Client(transport=Sandbox(profile=profile).transport(httpx2))
    url = "http://x/compat/v1"
    client = openai.OpenAI(api_key="sandbox-key", base_url=url, http_client=http, max_retries=0)
    hello: Any = [u()]
    assert client.chat.completions.create(model="gpt-5.6", messages=hello).choices
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="tiny", messages=hello)
