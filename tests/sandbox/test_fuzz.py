"""Whatever is sent, there is an answer: never an exception, never a 500, always an envelope.

Bodies are legal ones in which a few places are overwritten, left out or doubled, so that they get
past the first checks. Paths, queries and headers are put together from words that mean something
somewhere. What was found so is kept: of bodies in `CORPUS`, of requests in `corpus/requests.json`.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skyl_nb.data import facts
from skyl_nb.foreground import log_line
from skyl_nb.sandbox import Sandbox
from skyl_nb.sandbox.rules import rule_book
from tests.sandbox.envelopes import check_reply
from tests.sandbox.loopback import bare, exchange, raw, written
from tests.sandbox.triggers import TRIGGERS
from tests.sandbox.wire import KEYS, MOUNTS, PATHS, SCHEMA, conversation, send

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
    assert reply.status < 500
    check_reply(reply, sandbox)


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


# Headers and paths

NAMES = st.sampled_from(
    [
        "x-api-key",
        "X-Api-Key",
        "authorization",
        "AUTHORIZATION",
        "x-goog-api-key",
        "anthropic-version",
        "Content-Type",
        "content-encoding",
        "accept",
        "expect",
    ]
) | st.text("!#$%&'*+-.^_`|~09azAZ", min_size=1, max_size=9)
SAID = st.sampled_from(
    [
        "",
        " ",
        "sandbox-key",
        " sandbox-key\t",
        "Bearer sandbox-key",
        "bearer  sandbox-key",
        "Bearer",
        "Basic c2FuZGJveC1rZXk=",
        "application/json; charset=utf-16",
        "multipart/form-data; boundary=",
        "gzip, br",
        "2023-06-01",
        "x" * 9_000,
    ]
) | st.text(st.characters(max_codepoint=255, exclude_categories=["Cc"]), max_size=9)
HEADERS = st.lists(st.tuples(NAMES, SAID), max_size=6)
STEPS = st.sampled_from(
    [
        "anthropic",
        "%61nthropic",
        "openai",
        "compat",
        "gemini",
        "gemini%2Fv1",
        "v1",
        "v1beta",
        "messages",
        "chat",
        "completions",
        "models",
        "gemini-3.6-flash",
        "gemini-3.6-flash:generateContent",
        "gemini-3.6-flash:streamGenerateContent",
        "gemini-3.6-flash:fooBar",
        "gpt-5.6",
        ":",
        "",
        ".",
        "..",
        "%2e%2e",
        "%00",
        "%",
        "%ff",
        "%E2%80%AE",
        "user:secret-word@host",
        "healthz",
        "a" * 9_000,
    ]
) | st.text("az09-._~!$&'()*+,;=:@%/", max_size=9)
QUERIES = st.sampled_from(
    [
        "",
        "?",
        "??",
        "?key=sandbox-key",
        "?key=bad&key=sandbox-key",
        "?key=secret-word;alt=sse",
        "?alt=sse",
        "?alt=sse&alt=json",
        "?%6bey=%73andbox-key",
        "?=&=&&%zz",
        "#key=secret-word",
        "%3Fkey=secret-word",
        ";key=secret-word",
        "&KEY%3Dsecret-word",
    ]
)
BROKEN = [b"", b"\r\n", b"\n", b"\r", b":", b" ", b"\0"]
METHODS = st.sampled_from(["GET", "POST", "post", "HEAD", "OPTIONS", "PUT", "BREW"])


@st.composite
def requests(draw: Any) -> tuple[str, str, list[tuple[str, str]], bytes]:
    """Draw a request with any path and headers; often the path leads to a mount."""
    mount = draw(st.sampled_from(MOUNTS))
    path = "/" + "/".join(draw(st.lists(STEPS, max_size=5)))
    if draw(st.booleans()):
        path = PATHS[mount]
    headers = draw(HEADERS)
    if draw(st.booleans()):
        headers = draw(st.permutations([*headers, *KEYS[mount].items()]))
    body = draw(st.sampled_from([b"", b"{", json.dumps(WHOLE[mount]).encode()]))
    return draw(METHODS), path + draw(QUERIES), headers, body


@settings(max_examples=1000, deadline=None)
@given(requests(), st.sampled_from(SANDBOXES))
def test_any_path_with_any_headers_is_answered(request: Any, sandbox: Sandbox) -> None:
    reply = sandbox.handle(*request)
    check_reply(reply, sandbox, model=request[0].upper() == "POST")
    if "healthz" not in request[1]:
        entry = sandbox.journal[-1]
        assert entry.mount == reply.mount
        assert "secret-word" not in f"{entry!r} {log_line(entry)} {reply.body!r}"


@settings(max_examples=200, deadline=None)
@given(
    st.text() | st.binary() | st.none() | st.integers(),
    st.text() | st.binary() | st.none(),
    st.dictionaries(st.text(), st.text())
    | st.lists(st.tuples(st.text() | st.binary(), st.text() | st.binary() | st.none()))
    | st.lists(st.text() | st.none())
    | st.none(),
    st.binary() | st.text() | st.none() | st.builds(bytearray, st.binary()),
)
def test_whatever_handle_is_given_it_answers(
    method: Any, path: Any, headers: Any, body: Any
) -> None:
    check_reply(SANDBOXES[0].handle(method, path, headers, body), SANDBOXES[0])


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with SANDBOXES[0].serving() as base:
        yield base


@settings(max_examples=150, deadline=None)
@given(requests())
def test_over_loopback_the_bytes_are_the_same(url: str, request: Any) -> None:
    method, path, headers, body = request
    reply = Sandbox().handle(method, path, headers, body)
    status, said = exchange(url, written(method, path, headers, body))
    assert status == reply.status
    assert said == (b"" if method == "HEAD" else bare(reply))


@settings(max_examples=150, deadline=None)
@given(st.data(), requests())
def test_any_bytes_are_answered_or_hung_up_on(url: str, data: Any, request: Any) -> None:
    sent = bytearray(written(*request))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(sent)))
        end = place + data.draw(st.sampled_from([0, 0, 1, 7]))
        sent[place:end] = data.draw(st.sampled_from(BROKEN))
    received = raw(url, bytes(sent))
    if received:
        # An HTTP/0.9 request has no head in its answer; any other begins with a status below 500.
        said = int(received.split()[1]) if received.startswith(b"HTTP/1.1 ") else 200
        assert said < 500 or said in (501, 505)
    assert exchange(url, b"GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n")[0] == 200
