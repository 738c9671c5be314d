import ast
import json
import re
import string
from pathlib import Path
from typing import Any

import pytest

import skyl_nb.sandbox
from skyl_nb.data import facts
from skyl_nb.sandbox import Sandbox
from skyl_nb.sandbox.rules import refuse, refuse_each, rule_book
from tests.sandbox.triggers import TRIGGERS
from tests.sandbox.wire import KEYS, PATHS, message_of, read

TOLD_IN_A_STREAM = {"sandbox-stream-error"}  # see test_own_models.py
TOLD_BY_THE_SERVER = {"bad-framing"}  # see test_server.py
ENVELOPES = {
    "": {"error"},
    "anthropic": {"type", "error", "request_id"},
    "openai": {"error"},
    "compat": {"error"},
    "gemini": {"error"},
}
OWN = {row["refuses"] for row in facts("models.json")["sandbox"] if "refuses" in row}
# Envelopes of their own, and what shows each of them.
SHAPED = {rule.id for rule in rule_book().values() if rule.envelope is not None} | {
    row["refuses"]
    for row in facts("models.json")["sandbox"]
    if "error_shape" in row.get("toggles", {})
}
INNER = {
    "anthropic": [{"type", "message"}, {"type", "message", "details"}],
    "openai": [{"message", "type", "param", "code"}],
    "compat": [{"message", "type", "param", "code"}],
    "gemini": [{"code", "message", "status"}, {"code", "message", "status", "details"}],
}


def send(mount: str, payload: Any, change: dict[str, Any]) -> Any:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    request = {"method": "POST", "path": PATHS.get(mount, ""), "headers": KEYS.get(mount, {})}
    sandbox = Sandbox(**change.get("sandbox", {}))
    special = {name: value for name, value in change.items() if name != "sandbox"}
    return sandbox.handle(**{**request, "body": body, **special})


@pytest.mark.parametrize(
    ("rule", "mount", "payload", "message", "change"),
    [row[1:] for row in TRIGGERS],
    ids=[row[0] for row in TRIGGERS],
)
def test_the_smallest_trigger_is_refused_in_the_provider_s_words(
    rule: str, mount: str, payload: Any, message: str | None, change: dict[str, Any]
) -> None:
    reply = send(mount, payload, change)
    assert reply.rule == rule
    assert reply.status == rule_book()[rule].status
    assert reply.headers["content-type"] == "application/json"
    assert "x-skyl-sandbox" not in reply.headers
    if message is not None:
        assert message_of(reply) == message
    assert message_of(reply)
    said = read(reply)
    if rule in SHAPED:
        return
    assert set(said) == ENVELOPES[mount]
    if mount:
        assert set(said["error"]) in INNER[mount]


def test_every_rule_is_reached_by_a_trigger() -> None:
    assert {row[1] for row in TRIGGERS} | TOLD_IN_A_STREAM | TOLD_BY_THE_SERVER == set(rule_book())


def test_every_rule_is_refused_on_every_wire_that_it_names() -> None:
    reached = {(row[1], row[2]) for row in TRIGGERS}
    mounts = {"openaicompat": "compat"}
    for rule in rule_book().values():
        if rule.id in TOLD_IN_A_STREAM:
            continue
        assert all((rule.id, mounts.get(wire, wire)) in reached for wire in rule.wires), rule.id


def _refusals() -> set[str]:
    """The ids that the code refuses with."""
    folder = Path(skyl_nb.sandbox.__file__).parent
    return {
        constant.value
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("refuse", "refuse_each", "_short", "_each")
        for constant in ast.walk(node.args[0])
        if isinstance(constant, ast.Constant) and constant.value != "refuses" and constant.value
    } | OWN


def test_the_code_refuses_with_the_rules_there_are_and_with_all_of_them() -> None:
    assert _refusals() == set(rule_book())


@pytest.mark.parametrize("rule", rule_book().values(), ids=lambda rule: rule.id)
def test_a_row_is_whole(rule: Any) -> None:
    assert rule.confidence in ("H", "M", "L")
    assert rule.on or rule.confidence == "L" or rule.source
    assert rule.on or not rule.needed
    assert rule.evidence
    assert len(rule.explain) > 40
    assert 400 <= rule.status < 600
    assert all(name is None or name for _, name, *_ in string.Formatter().parse(rule.text))


def switchable() -> list[Any]:
    """The triggers of rules that may be switched off, whose switches are the usual ones."""
    return [
        pytest.param(*row[1:], id=row[0])
        for row in TRIGGERS
        if row[1] not in OWN and not rule_book()[row[1]].needed and "sandbox" not in row[5]
    ]


@pytest.mark.parametrize(("rule", "mount", "payload", "message", "change"), switchable())
def test_a_rule_that_is_off_refuses_nothing(
    rule: str, mount: str, payload: Any, message: str | None, change: dict[str, Any]
) -> None:
    reply = send(mount, payload, {**change, "sandbox": {"rules": {rule: False}}})
    assert reply.rule != rule
    assert reply.rule is not None or reply.status == 200


def test_with_every_rule_off_that_may_be_nothing_breaks() -> None:
    rules = {rule.id: False for rule in rule_book().values() if not rule.needed}
    for _, rule, mount, payload, _, change in TRIGGERS:
        if rule not in OWN and not rule_book()[rule].needed and mount:
            reply = send(mount, payload, {**change, "sandbox": {"rules": rules}})
            assert reply.status == 200 or rule_book()[reply.rule].needed


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ({"openai-long-ids": True}, "no rule 'openai-long-ids'; did you mean 'openai-long-id'?"),
        ({"nonsense": True}, "there is no rule 'nonsense'"),
        ({"openai-role": 3}, "the rule 'openai-role' has no limit"),
        ({"anthropic-type": False}, "'anthropic-type' cannot be switched off"),
    ],
)
def test_a_switch_that_there_is_not_gets_one_clear_sentence(rules: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        Sandbox(rules=rules)
    assert "\n" not in str(caught.value)


def test_values_cannot_inject_into_a_text() -> None:
    refusal = refuse("anthropic-unknown-model", model="{model} {0} {")
    assert refusal.message == "model: {model} {0} {"


def test_gemini_lists_one_line_for_each_fault() -> None:
    places = [{"i": 1, "j": 0, "kind": "function_call"}, {"i": 2, "j": 1, "kind": "function_call"}]
    assert refuse_each("gemini-empty-name", places).message.count("\n") == 2


# What the envelopes carry beside the text


def details(name: str) -> Any:
    row = next(row for row in TRIGGERS if row[0] == name)
    return read(send(row[2], row[3], row[5]))["error"]


@pytest.mark.parametrize(
    ("name", "param", "code"),
    [
        ("openai-25-no-call", "messages.[1].role", None),
        ("openai-26-unanswered", "messages.[3].role", None),
        ("openai-27-foreign", "messages.[2].tool_call_id", None),
        ("openai-28-twice", "messages.[3].tool_call_id", None),
        ("openai-29-no-id", "messages.[2].tool_call_id", None),
        ("openai-30-tool", "messages.[2].content", None),
        ("openai-31-object", "messages[2].content", "invalid_type"),
        ("openai-32-arguments", "messages[1].tool_calls[0].function.arguments", "invalid_type"),
        ("openai-35-long", "messages[0].content", "string_above_max_length"),
        ("openai-36-empty", "messages", "empty_array"),
        ("openai-37-unknown-model", None, "model_not_found"),
        ("openai-37-no-model", None, None),
        ("openai-38-bad-key", None, "invalid_api_key"),
        ("openai-39-json", None, None),
        ("place-max-tokens", "max_tokens", "unsupported_parameter"),
    ],
)
def test_openai_param_and_code(name: str, param: str | None, code: str | None) -> None:
    error = details(name)
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", param, code)


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("anthropic-1-unanswered", "invalid_request_error"),
        ("anthropic-20-unknown-model", "not_found_error"),
        ("anthropic-21-bad-key", "authentication_error"),
        ("anthropic-24-too-large", "request_too_large"),
    ],
)
def test_anthropic_types(name: str, type_: str) -> None:
    assert details(name)["type"] == type_


@pytest.mark.parametrize(
    ("name", "code", "status"),
    [
        ("gemini-41-fewer", 400, "INVALID_ARGUMENT"),
        ("gemini-55-bad-key", 400, "INVALID_ARGUMENT"),
        ("gemini-56-no-key", 403, "PERMISSION_DENIED"),
        ("gemini-57-unknown-model", 404, "NOT_FOUND"),
    ],
)
def test_gemini_codes(name: str, code: int, status: str) -> None:
    error = details(name)
    assert (error["code"], error["status"]) == (code, status)


def test_55_gemini_says_in_the_details_that_the_key_is_bad() -> None:
    info, message = details("gemini-55-bad-key")["details"]
    assert (info["reason"], info["domain"]) == ("API_KEY_INVALID", "googleapis.com")
    assert message["locale"] == "en-US"


def test_gemini_names_the_field_of_a_wrong_type_in_the_details() -> None:
    error = details("gemini-text-a-number")
    violation = {"field": "contents[0].parts[0].text", "description": error["message"]}
    assert error["details"][0]["fieldViolations"] == [violation]


def test_the_thread_answers_are_those_that_the_sdk_reads() -> None:
    unsupported = {"error_code": "thread_unsupported_request", "unsupported": []}
    assert details("anthropic-thread")["details"] == unsupported
    assert details("anthropic-thread-continued")["details"] == {"error_code": "thread_not_found"}
