"""Whatever is sent, there is an answer: never an exception, never a 500, always an envelope.

Bodies are legal ones in which a few places are overwritten, left out or doubled, so that they get
past the first checks. What was found so is kept in `CORPUS`.
"""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyl_nb.data import facts
from skyl_nb.sandbox import Sandbox
from skyl_nb.sandbox.rules import rule_book
from tests.sandbox.triggers import TRIGGERS
from tests.sandbox.wire import KEYS, MOUNTS, PATHS, SCHEMA, conversation, read, send

PROFILES = tuple(facts("profiles.json"))
ALL_OFF = {rule.id: False for rule in rule_book().values() if not rule.needed}
ALL_ON = {rule.id: True for rule in rule_book().values()}
SANDBOXES = [
    *(Sandbox(profile=profile) for profile in PROFILES),
    Sandbox(rules=ALL_OFF),
    Sandbox(rules=ALL_ON, profile="groq"),
]
OURS = {
    mount: [row["id"] for row in facts("models.json")["sandbox"] if mount in row["mounts"]]
    for mount in MOUNTS
}
ROUNDS = [[("get_weather", {"city": "Lima"}, "error: down", True), ("get_weather", {}, "")]]
WHOLE = {
    mount: conversation(mount, "weather?", tools=[("get_weather", SCHEMA)], rounds=ROUNDS)
    for mount in MOUNTS
}
LEGAL = list(WHOLE.items()) + [
    (mount, payload)
    for _, rule, mount, payload, _, change in TRIGGERS
    if isinstance(payload, dict)
    and not change
    and rule != "sandbox-status"
    and len(json.dumps(payload)) < 5_000
]
WORDS = st.sampled_from(
    [
        "",
        "x",
        "user",
        "tool",
        "text",
        "tool_use",
        "tool_result",
        "image_url",
        "call_1",
        "12",
        "null",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.floats(allow_nan=False) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            WORDS | st.sampled_from(["type", "role", "content", "id", "name"]), inner, max_size=3
        )
    ),
    max_leaves=5,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place inside a value, as what holds it and its key."""
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    found = [(value, key) for key in keys]
    return found + [place for key in keys for place in places(value[key])]


@st.composite
def spoilt(draw: Any) -> tuple[str, Any]:
    mount, payload = draw(st.sampled_from(LEGAL))
    body = json.loads(json.dumps(payload))
    for _ in range(draw(st.integers(1, 3))):
        found = places(body)
        if not found:
            break
        holder, key = draw(st.sampled_from(found))
        what = draw(st.sampled_from(["overwrite", "drop", "add", "double"]))
        if what == "overwrite":
            holder[key] = draw(VALUES)
        elif what == "drop":
            del holder[key]
        elif what == "add" and isinstance(holder, dict):
            holder[draw(WORDS)] = draw(VALUES)
        elif isinstance(holder, list):
            holder.insert(key, holder[key])
    return mount, body


def check(mount: str, body: Any, sandbox: Sandbox, **change: Any) -> None:
    reply = send(mount, body, sandbox, **change)
    if reply.frames is not None:
        assert b"".join(reply.frames)
        return
    said = read(reply)
    assert reply.status < 500
    assert (reply.status == 200) is (reply.rule is None)
    if reply.status != 200 and mount != "compat":
        said = said[0] if isinstance(said, list) else said
        assert said["error"]["message"]
    assert sandbox.explain(reply).text


@settings(max_examples=600, deadline=None)
@given(spoilt(), st.sampled_from(SANDBOXES), st.booleans())
def test_a_spoilt_body_is_answered(case: tuple[str, Any], sandbox: Sandbox, stream: bool) -> None:
    mount, body = case
    if stream and isinstance(body, dict) and mount != "gemini":
        body = {**body, "stream": True}
    check(mount, body, sandbox)


@settings(max_examples=300, deadline=None)
@given(spoilt(), st.data(), st.booleans())
def test_a_spoilt_body_for_a_model_of_ours_is_answered(
    case: tuple[str, Any], data: Any, stream: bool
) -> None:
    mount, body = case
    names = [name for name in OURS[mount] if not name.startswith("sandbox-status")]
    name = data.draw(st.sampled_from(names))
    if mount == "gemini":
        does = "streamGenerateContent" if stream else "generateContent"
        check(mount, body, SANDBOXES[0], path=f"/gemini/v1/models/{name}:{does}")
    else:
        body = {**body, "model": name, "stream": stream} if isinstance(body, dict) else body
        check(mount, body, SANDBOXES[0])


CORPUS: list[tuple[str, Any]] = [
    ("anthropic", {"model": [], "max_tokens": 1, "messages": [[]]}),
    ("anthropic", {**WHOLE["anthropic"], "tools": {"name": []}}),
    ("openai", {**WHOLE["openai"], "tools": [{"function": []}], "tool_choice": {"function": 1}}),
    ("gemini", {**WHOLE["gemini"], "tools": [[[]]], "toolConfig": [[]]}),
    ("gemini", {"contents": [[{"parts": [[]]}]]}),
    ("gemini", {"contents": {"parts": {"functionResponse": {"name": "a", "response": {}}}}}),
]


@pytest.mark.parametrize(("mount", "body"), CORPUS)
@pytest.mark.parametrize("sandbox", SANDBOXES, ids=repr)
def test_what_was_found_stays_mended(mount: str, body: Any, sandbox: Sandbox) -> None:
    check(mount, body, sandbox)


@pytest.mark.parametrize("mount", MOUNTS)
def test_a_body_of_ten_thousand_calls_does_not_take_for_ever(mount: str) -> None:
    rounds = [[("get_weather", {}, "ok")] * 200] * 50
    payload = conversation(mount, "weather?", tools=[("get_weather", SCHEMA)], rounds=rounds)
    reply = Sandbox().handle("POST", PATHS[mount], KEYS[mount], json.dumps(payload))
    assert reply.status == 200
