"""What must not be refused: the reports that say so, and our own rulings."""

from typing import Any

import pytest

from tests.sandbox.wire import (
    IMAGE,
    IMAGE_URL,
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
    text,
    u,
    use,
    user,
)

JSON = "application/json"
MODEL_TEXT = {"role": "model", "parts": [{"text": "12"}]}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
ASKED = {"type": "mcp_tool_use", "id": "m1", "name": "tide", "server_name": "sea", "input": {}}
TOLD = {"type": "mcp_tool_result", "tool_use_id": "m1", "content": "12"}
ACCEPTED = [
    (
        "84-server-result-after-its-call",
        "anthropic",
        claude(user("?"), assistant(SEARCH, FOUND, "12"), user("so?")),
    ),
    (
        "84-server-result-in-a-later-message",
        "anthropic",
        claude(user("?"), assistant(SEARCH), assistant(FOUND, "12"), user("so?")),
    ),
    ("84-mcp-result", "anthropic", claude(user("?"), assistant(ASKED, TOLD, "12"), user("so?"))),
    (
        "4-text-after",
        "anthropic",
        claude(user("?"), assistant(use("a")), user(result("a"), "note")),
    ),
    (
        "5-recorded-split",
        "anthropic",
        claude(assistant("wait"), assistant(use("a")), user(result("a")), user("so")),
    ),
    (
        "6-split-results",
        "anthropic",
        claude(user("?"), assistant(use("a"), use("b")), user(result("a")), user(result("b"))),
    ),
    (
        "6-split-calls",
        "anthropic",
        claude(user("?"), assistant(use("a")), assistant(use("b")), user(result("b"), result("a"))),
    ),
    (
        "any-order",
        "anthropic",
        claude(user("?"), assistant(use("a"), use("b")), user(result("b"), result("a"))),
    ),
    (
        "10-image-in-a-success",
        "anthropic",
        claude(user("?"), assistant(use("a")), user(result("a", [IMAGE]))),
    ),
    (
        "12-empty-last-assistant",
        "anthropic",
        claude(user("?"), {"role": "assistant", "content": ""}),
    ),
    (
        "13-empty-success",
        "anthropic",
        claude(user("?"), assistant(use("a")), user(result("a", ""))),
    ),
    (
        "13-no-content",
        "anthropic",
        claude(user("?"), assistant(use("a")), user({"type": "tool_result", "tool_use_id": "a"})),
    ),
    (
        "112-nested-empty-success",
        "anthropic",
        claude(user("?"), assistant(use("a")), user(result("a", [text("")]))),
    ),
    (
        "9-error-with-reason",
        "anthropic",
        claude(
            user("?"),
            assistant(use("a")),
            user(result("a", [text(""), text("down")], is_error=True)),
        ),
    ),
    ("assistant-first", "anthropic", claude(assistant("hello"), user("hi"))),
    ("string-content", "anthropic", claude({"role": "user", "content": "hi"})),
    (
        "choice-without-tools",
        "anthropic",
        claude(user("hi"), tools=[], tool_choice={"type": "any"}),
    ),
    ("thread-null", "anthropic", claude(user("hi"), thread=None)),
    ("stream-false", "anthropic", claude(user("hi"), stream=False)),
    ("33-long-id", "openai", gpt(u(), a("c" * 500), t("c" * 500))),
    ("34-image-of-a-user", "openai", gpt(u([IMAGE_URL]))),
    ("26-any-order", "openai", gpt(u(), a("c1", "c2"), t("c2"), t("c1"))),
    ("74-id-again-later", "openai", gpt(u(), a("c1"), t("c1"), a("c1"), t("c1"))),
    ("30-null-with-calls", "openai", gpt(u(), a("c1"), t("c1"))),
    (
        "30-no-content-with-calls",
        "openai",
        gpt(u(), {k: v for k, v in a("c1").items() if k != "content"}, t("c1")),
    ),
    (
        "40-null-leftovers",
        "openai",
        gpt(u(), a("c1", function_call=None, refusal=None, audio=None), t("c1")),
    ),
    (
        "refusal-echoed",
        "openai",
        gpt(u(), {"role": "assistant", "content": None, "refusal": "no"}, u()),
    ),
    ("88-empty-result", "openai", gpt(u(), a("c1"), t("c1", ""))),
    ("list-content", "openai", gpt(u(), a("c1"), t("c1", [{"type": "text", "text": "12"}]))),
    (
        "no-calls-at-all",
        "openai",
        gpt(u(), {"role": "assistant", "content": "hi", "tool_calls": []}, u()),
    ),
    ("developer", "openai", gpt({"role": "developer", "content": "be brief"}, u())),
    ("max-completion-tokens", "openai", gpt(u(), max_completion_tokens=9)),
    ("max-tokens-null", "openai", gpt(u(), max_tokens=None)),
    ("max-tokens", "compat", gpt(u(), max_tokens=9)),
    ("91-nul", "openai", gpt(u(), a("c1"), t("c1", "a\x00b"))),
    (
        "52-same-name-twice",
        "gemini",
        gemini(asks(), calls("tide", "tide"), answers("tide", "tide")),
    ),
    ("permuted-names", "gemini", gemini(asks(), calls("a", "b"), answers("b", "a"))),
    ("two-rounds", "gemini", gemini(asks(), calls("a"), answers("a"), calls("a"), answers("a"))),
    (
        "text-beside-responses",
        "gemini",
        gemini(asks(), calls("a"), {"parts": [*answers("a")["parts"], {"text": "so"}]}),
    ),
    (
        "args-null",
        "gemini",
        gemini(
            asks(),
            {"role": "model", "parts": [{"functionCall": {"name": "a", "args": None}}]},
            answers("a"),
        ),
    ),
    (
        "snake-case",
        "gemini",
        gemini(
            asks(),
            {"role": "model", "parts": [{"function_call": {"name": "a"}}]},
            {"role": "user", "parts": [{"function_response": {"name": "a", "response": {}}}]},
        ),
    ),
    ("single-objects", "gemini", gemini(contents={"parts": {"text": "hi"}})),
    ("no-role", "gemini", gemini({"parts": [{"text": "hi"}]})),
    ("49-null-value", "gemini", gemini(asks(), calls("a"), answers("a", rows=None))),
    (
        "50-blank-text-beside-a-signature",
        "gemini",
        gemini(
            asks(), {"role": "model", "parts": [{"text": "", "thoughtSignature": "AA=="}]}, asks()
        ),
    ),
    (
        "53-ids",
        "gemini",
        gemini(
            asks(),
            {"role": "model", "parts": [{"functionCall": {"name": "a", "id": "1"}}]},
            {"parts": [{"functionResponse": {"name": "a", "id": "1", "response": {}}}]},
        ),
    ),
    ("json-with-tools", "gemini", gemini(asks(), generationConfig={"responseMimeType": JSON})),
    ("54-role-tool", "gemini", gemini(asks(), calls("a"), {**answers("a"), "role": "tool"})),
    (
        "54-role-function",
        "gemini",
        gemini(asks(), calls("a"), {**answers("a"), "role": "function"}),
    ),
    ("22-half-a-pair", "gemini", b'{"contents":[{"parts":[{"text":"\\ud83d b"}]}]}'),
    (
        "text-after-the-round",
        "gemini",
        gemini(asks(), calls("a"), answers("a"), MODEL_TEXT, asks()),
    ),
]


@pytest.mark.parametrize(
    ("mount", "payload"),
    [row[1:] for row in ACCEPTED],
    ids=[f"{row[1]}-{row[0]}" for row in ACCEPTED],
)
def test_accepted(mount: str, payload: Any) -> None:
    reply = send(mount, payload)
    assert (reply.status, reply.rule) == (200, None)
    assert reply.headers["x-skyl-sandbox"] == "rule sheet, not a language model"
