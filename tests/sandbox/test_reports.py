"""Each report about the providers by its number: what it describes is refused, or is accepted.

The requests stand in `triggers.py` (refused, in which words) and in `test_pairing.py` (accepted),
and here for the hosts; the number of the report is part of each name.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from skyl_nb.data import facts
from skyl_nb.sandbox import Sandbox
from tests.sandbox.test_pairing import ACCEPTED
from tests.sandbox.triggers import TRIGGERS
from tests.sandbox.wire import KEYS, PATHS, a, gpt, message_of, send, t, u

REPORTS = [*range(1, 77), *range(112, 116)]
ID = "abc123XYZ"


@dataclass(frozen=True)
class Case:
    """One request, and what is answered: a rule and its words, or None for an answer."""

    name: str
    mount: str
    payload: Any
    rule: str | None = None
    words: str | None = None
    change: dict[str, Any] = field(default_factory=dict)
    sandbox: dict[str, Any] = field(default_factory=dict)


def host(
    name: str, profile: str, rule: str | None, words: str | None, *messages: Any, **more: Any
) -> Case:
    return Case(name, "compat", gpt(*messages, **more), rule, words, sandbox={"profile": profile})


CALL = a(ID, content="")
HOSTS = [
    host(
        "61-deepseek",
        "deepseek",
        "openai-orphan-result",
        "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        u(),
        t(ID),
    ),
    host(
        "63-counts",
        "mistral",
        "openai-unanswered-call",
        "Not the same number of function calls and responses",
        u(),
        CALL,
        u(),
    ),
    host(
        "63-order",
        "mistral",
        "openai-role-order",
        "Unexpected role 'user' after role 'tool'",
        u(),
        CALL,
        t(ID),
        u(),
    ),
    host(
        "64-ids",
        "mistral",
        "openai-call-id-shape",
        "Tool call id was c1 but must be a-z, A-Z, 0-9, with a length of 9.",
        u(),
        a("c1"),
        t("c1"),
    ),
    host(
        "66-unsupported",
        "groq",
        "openai-reasoning",
        "'messages.1' : property 'reasoning_content' is unsupported",
        u(),
        a(ID, reasoning_content="hm"),
        t(ID),
    ),
    host(
        "67-arguments-an-object",
        "ollama",
        "openai-invalid-type",
        None,
        u(),
        a(ID, content="", tool_calls=[{"id": ID, "function": {"name": "tide", "arguments": {}}}]),
        t(ID),
    ),
    host("67-arguments-a-text", "ollama", None, None, u(), CALL, t(ID)),
    host(
        "66-unknown-field",
        "groq",
        "openai-unknown-field",
        "'messages.1' : property 'annotations' is unsupported",
        u(),
        a(ID, annotations=[]),
        t(ID),
    ),
    host(
        "68-null-content",
        "ollama",
        "openai-null-call-content",
        "invalid message content type: <nil>",
        u(),
        a(ID),
        t(ID),
    ),
    host(
        "69-model",
        "ollama",
        "openai-unknown-model",
        'model "tiny" not found, try pulling it first',
        u(),
        model="tiny",
    ),
    *(
        host("70-parsed-or-not", name, None, None, u(), CALL, t(ID))
        for name in facts("profiles.json")
    ),
    host(
        "71-model",
        "vllm",
        "openai-unknown-model",
        "The model `tiny` does not exist.",
        u(),
        model="tiny",
    ),
    host(
        "72-list",
        "vllm",
        "openai-list-tool-content",
        None,
        u(),
        CALL,
        t(ID, [{"type": "text", "text": "12"}]),
    ),
    host(
        "74-same-ids",
        "openai",
        None,
        None,
        u(),
        a("search:0"),
        t("search:0"),
        a("search:0"),
        t("search:0"),
        model="sandbox-round-ids",
    ),
    host("76-other-words", "deepseek", "openai-unanswered-call", None, u(), CALL, u()),
    host("76-the-same-status", "groq", "openai-unanswered-call", None, u(), CALL, u()),
]
CASES = [
    *(
        Case(
            name,
            mount,
            payload,
            rule,
            words,
            {k: v for k, v in change.items() if k != "sandbox"},
            change.get("sandbox", {}),
        )
        for name, rule, mount, payload, words, change in TRIGGERS
    ),
    *(Case(f"accepted-{name}", mount, payload) for name, mount, payload in ACCEPTED),
    *HOSTS,
]


def of_report(number: int) -> list[Case]:
    return [case for case in CASES if re.search(rf"(?:^|-){number}-", case.name)]


@pytest.mark.parametrize("number", REPORTS, ids=lambda number: f"{number:02}")
def test_report(number: int) -> None:
    cases = of_report(number)
    assert cases, f"nothing shows report {number}"
    for case in cases:
        reply = send(case.mount, case.payload, Sandbox(**case.sandbox), **case.change)
        assert reply.rule == case.rule, case.name
        assert case.words is None or message_of(reply) == case.words, case.name
        assert (reply.status == 200) is (case.rule is None), case.name


# The conflicts: an option each, with the default that the ruling or the report gives.


@pytest.mark.parametrize(
    ("number", "rule", "on"),
    [
        (4, "anthropic-text-before-result", True),
        (6, "anthropic-split-results", False),
        (8, "anthropic-double-result", True),
        (19, "anthropic-undeclared-tools", True),
        (33, "openai-long-id", False),
        (34, "openai-image-in-tool", True),
    ],
)
def test_a_report_in_dispute_is_an_option(number: int, rule: str, on: bool) -> None:
    case = next(one for one in of_report(number) if one.rule == rule)
    for switch, refused in ((None, on), (True, True), (False, False)):
        sandbox = Sandbox(rules={} if switch is None else {rule: switch})
        assert (send(case.mount, case.payload, sandbox).rule == rule) is refused


def test_the_texts_of_4_5_and_6_are_those_of_1() -> None:
    rows = {row["id"]: row["text"] for row in facts("rules/anthropic.json")}
    same = ("unanswered-call", "text-before-result", "split-results")
    assert len({rows[f"anthropic-{name}"] for name in same}) == 1


def test_every_rule_cites_only_reports_that_there_are() -> None:
    known = facts("reports.json")
    for name in ("common", "anthropic", "openai", "gemini"):
        for row in facts(f"rules/{name}.json"):
            assert all(str(number) in known for number in row.get("reports", ())), row["id"]


def test_58_infinity_is_refused_on_every_mount() -> None:
    for mount, path in PATHS.items():
        for word in ("NaN", "Infinity", "-Infinity"):
            body = json.dumps({"a": 0}).replace("0", word).encode()
            reply = Sandbox().handle("POST", path, KEYS[mount], body)
            assert reply.status == 400
            assert reply.rule is not None
            assert reply.rule.endswith("-json")
