"""Which fields are known: everything that skyl and the official SDKs may send, and no more."""

from typing import Any

import pytest

from skyl_nb.data import facts
from tests.sandbox.wire import (
    MOUNTS,
    SCHEMA,
    a,
    answers,
    asks,
    assistant,
    calls,
    claude,
    gemini,
    gpt,
    result,
    send,
    t,
    u,
    use,
    user,
)

WIRES = {"compat": "openaicompat"}
ANY = {"whatever": [{"nested": None}], "$ref": "#"}
# Options of another provider, sent to this one.
FOREIGN = {"anthropic-unknown-field", "gemini-unknown-field"}
# What skyl sends, and a provider refuses for what it says, not for its fields.
SAID = {
    "anthropic": {"empty-text", "empty-error", "input-not-object", "required"},
    "gemini": {"empty-part", "not-repeating", "invalid-value"},
}
PAIRING = {
    "anthropic": {
        "text-before-result",
        "unanswered-call",
        "orphan-result",
        "duplicate-call",
        "misplaced-block",
    },
    "openai": {"unanswered-call", "orphan-result", "foreign-id"},
    "gemini": {"count", "name-mismatch", "response-place", "call-place"},
}


def golden() -> list[Any]:
    found = []
    for name, wires in facts("golden/bodies.json").items():
        for mount in MOUNTS:
            for kind, row in wires.get(WIRES.get(mount, mount), {}).items():
                if "body" in row:
                    found.append(
                        pytest.param(name, mount, row["body"], id=f"{name}-{mount}-{kind}")
                    )
    return found


@pytest.mark.parametrize(("name", "mount", "body"), golden())
def test_every_field_that_skyl_sends_is_known(name: str, mount: str, body: Any) -> None:
    model = {} if mount == "gemini" else {"model": facts("models.json")[_wire(mount)][0]["id"]}
    limit = {"max_tokens": None} if mount == "openai" and "max_tokens" in body else {}
    reply = send(mount, {**body, **model, **limit})
    wire = _wire(mount)
    expected = {f"{wire}-{rule}" for rule in PAIRING[wire] | SAID.get(wire, set())}
    if name.startswith("options-as-for-"):
        expected |= FOREIGN
    assert reply.rule is None or reply.rule in expected


def _wire(mount: str) -> str:
    return {"compat": "openai"}.get(mount, mount)


@pytest.mark.parametrize(
    ("mount", "payload"),
    [
        ("anthropic", claude(user("hi"), tools=[{"name": "t", "input_schema": ANY}])),
        ("anthropic", claude(user("?"), assistant(use("a", input=ANY)), user(result("a")))),
        ("anthropic", claude(user("hi"), metadata=ANY)),
        (
            "openai",
            gpt(u(), tools=[{"type": "function", "function": {"name": "t", "parameters": ANY}}]),
        ),
        ("openai", gpt(u(), metadata={"a": "b"}, nonsense=ANY)),
        ("gemini", gemini(asks(), calls("a"), answers("a", **ANY))),
        (
            "gemini",
            gemini(
                asks(), calls("a"), {"parts": {"functionResponse": {"name": "a", "response": ANY}}}
            ),
        ),
        (
            "gemini",
            gemini(asks(), tools={"functionDeclarations": {"name": "t", "parameters": ANY}}),
        ),
        (
            "gemini",
            gemini(
                asks(),
                tools=[{"function_declarations": [{"name": "t", "parametersJsonSchema": ANY}]}],
            ),
        ),
    ],
)
def test_what_a_user_made_up_is_not_looked_into(mount: str, payload: Any) -> None:
    assert send(mount, payload).rule is None


@pytest.mark.parametrize(
    "more",
    [
        {"generation_config": {"max_output_tokens": 9, "stopSequences": "end"}},
        {"generationConfig": {"maxOutputTokens": "9", "temperature": 1, "topK": 3}},
        {"generationConfig": {}, "safety_settings": []},
        {"system_instruction": {"parts": [{"text": "be brief"}]}},
        {"systemInstruction": {"role": "system", "parts": {"text": "be brief"}}},
        {"toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}}},
        {"tool_config": {"function_calling_config": {"mode": 1, "allowed_function_names": "tide"}}},
        {"tools": {"functionDeclarations": [{"name": "t", "parameters": {"type": "OBJECT"}}]}},
        {"cachedContent": None},
    ],
)
def test_gemini_takes_both_spellings_and_one_for_a_list(more: dict[str, Any]) -> None:
    assert send("gemini", gemini(asks(), **more)).rule is None


@pytest.mark.parametrize(
    "more",
    [
        {"system": "be brief", "temperature": 0, "top_p": 1, "stop_sequences": []},
        {"system": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]},
        {"tools": [{"type": "custom", "name": "t", "input_schema": SCHEMA, "description": "d"}]},
        {"tools": [{"type": "of-tomorrow", "name": "t", "anything": 1}]},
        {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        {"tool_choice": {"type": "any", "disable_parallel_tool_use": True}},
        {"stream": False, "service_tier": "auto", "metadata": {"user_id": "u"}},
    ],
)
def test_anthropic_takes_what_its_client_sends(more: dict[str, Any]) -> None:
    assert send("anthropic", claude(user("hi"), **more)).rule is None


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "hi", "parsed": None, "refusal": None, "annotations": []},
        {"role": "assistant", "content": "hi", "reasoning_content": "hm", "audio": None},
        {"role": "user", "content": "hi", "name": "Ada"},
    ],
)
def test_openai_ignores_what_it_does_not_know(message: Any) -> None:
    sent = gpt(message, u(), seed=1, user="u", parallel_tool_calls=True, stream=False, x={"y": 1})
    assert send("openai", sent).rule is None
    assert send("compat", sent).rule is None
    assert send("openai", gpt(u(), a("c"), t("c"), strict=True)).rule is None
