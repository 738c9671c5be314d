import ast
import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import skyl_nb.sandbox
from skyl_nb.data import facts
from skyl_nb.sandbox import Reply, Sandbox
from skyl_nb.sandbox.core import STEPS
from tests.sandbox.wire import (
    KEYS,
    MOUNTS,
    PATHS,
    asks,
    claude,
    conversation,
    gemini,
    gpt,
    message_of,
    read,
    send,
    u,
    user,
)

every_mount = pytest.mark.parametrize("mount", MOUNTS)
LISTS = {
    "anthropic": "/anthropic/v1/models",
    "openai": "/openai/v1/models",
    "compat": "/compat/v1/models",
    "gemini": "/gemini/v1beta/models",
}
HELLO = {mount: conversation(mount, "hello") for mount in MOUNTS}


def get(path: str, mount: str, sandbox: Sandbox | None = None) -> Reply:
    return (sandbox or Sandbox()).handle("GET", path, KEYS[mount], b"")


# Its own parts


def test_the_sandbox_shares_no_code_with_the_encoders() -> None:
    allowed = ("skyl_nb.errors", "skyl_nb.data", "skyl_nb.sandbox")
    for path in Path(skyl_nb.sandbox.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                names = [str(node.module)]
            for name in names:
                ours = name.partition(".")[0] == "skyl_nb"
                assert (
                    name.startswith(allowed)
                    if ours
                    else name.partition(".")[0] in sys.stdlib_module_names
                )


def test_importing_and_asking_it_loads_no_http_library() -> None:
    code = (
        "import sys; from skyl_nb.sandbox import Sandbox;"
        "Sandbox().handle('POST', '/anthropic/v1/messages', {}, b'{}');"
        "print([m for m in ('httpx', 'httpx2', 'pydantic', 'http', 'socket') if m in sys.modules])"
    )
    # Inside the package its own __init__ may load what it likes; only what we ask for counts here.
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "httpx" not in done.stdout


def test_an_unknown_profile_gets_one_clear_sentence() -> None:
    with pytest.raises(ValueError, match="no compat profile 'grok'; choose one of: openai, deep"):
        Sandbox(profile="grok")


# Paths


@every_mount
def test_the_models_can_be_listed_and_read(mount: str) -> None:
    said = read(get(LISTS[mount], mount))
    rows = said["models" if mount == "gemini" else "data"]
    key = "name" if mount == "gemini" else "id"
    names = [row[key].removeprefix("models/") for row in rows]
    catalogue = facts("models.json")["openai" if mount == "compat" else mount]
    ours = [row for row in facts("models.json")["sandbox"] if mount in row["mounts"]]
    assert names == [row["id"] for row in (*catalogue, *ours)]
    for row, name in zip(rows, names, strict=True):
        assert read(get(f"{LISTS[mount]}/{name}", mount)) == row


@every_mount
def test_a_model_that_there_is_not_is_a_404_of_the_mount(mount: str) -> None:
    reply = get(f"{LISTS[mount]}/vendor/model:free", mount)
    assert reply.status == 404
    assert "vendor/model:free" in message_of(reply)


@pytest.mark.parametrize("version", ["v1", "v1beta"])
@pytest.mark.parametrize(
    "name",
    [
        "gemini-3.6-flash",
        "models%2Fgemini-3.6-flash",
        "models/gemini-3.6-flash",
        "gemini-3.6%2Dflash",
    ],
)
def test_gemini_s_model_may_be_written_in_several_ways(version: str, name: str) -> None:
    path = f"/gemini/{version}/models/{name}:generateContent"
    assert send("gemini", HELLO["gemini"], path=path).status == 200
    assert get(f"/gemini/{version}/models/{name}", "gemini").status == 200


def test_gemini_s_model_may_have_a_colon() -> None:
    reply = send("gemini", HELLO["gemini"], path="/gemini/v1/models/vendor%2Fa:b:generateContent")
    assert message_of(reply).startswith("models/vendor/a:b is not found for API version v1,")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/anthropic/v1/messages", "POST"),
        ("/openai/v1/chat/completions", "POST"),
        ("/gemini/v1/models/x:generateContent", "POST"),
        ("/gemini/v1/models/x:streamGenerateContent", "POST"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "get", "DELETE", "HEAD", "OPTIONS", "NONSENSE", ""])
def test_a_wrong_method_is_a_405_that_says_which_is_right(
    path: str, allowed: str, method: str
) -> None:
    reply = Sandbox().handle(method, path, {}, b"")
    assert (reply.status, reply.headers["allow"]) == (405, allowed)


def test_the_health_check() -> None:
    sandbox = Sandbox()
    reply = sandbox.handle("GET", "/healthz", {}, b"")
    assert (reply.status, read(reply)) == (200, {"status": "ok"})
    assert sandbox.journal == ()


def test_outside_the_mounts_there_is_plain_json() -> None:
    reply = Sandbox().handle("POST", "/v1/messages?key=secret", {}, b"{}")
    assert reply.status == 404
    assert "/anthropic" in read(reply)["error"]
    assert "secret" not in read(reply)["error"]


# Credentials


@pytest.mark.parametrize(
    ("mount", "headers"),
    [
        ("anthropic", {"X-API-Key": "k", "Anthropic-Version": "2026-10-21"}),
        ("anthropic", {"authorization": "Bearer k", "anthropic-version": "any"}),
        ("anthropic", {"authorization": "bearer  k ", "anthropic-version": "any"}),
        ("anthropic", {"x-api-key": "k", "authorization": "Bearer no", "anthropic-version": "a"}),
        ("anthropic", {"x-api-key": "no", "authorization": "Bearer k", "anthropic-version": "a"}),
        ("openai", {"AUTHORIZATION": "Bearer k"}),
        ("compat", [("Authorization", "Bearer k")]),
        ("gemini", {"X-Goog-Api-Key": "k"}),
        ("gemini", {"authorization": "Bearer k"}),
        ("gemini", {"x-goog-api-key": "no", "authorization": "Bearer k"}),
        ("gemini", [(b"x-goog-api-key", b"k")]),
    ],
    ids=str,
)
def test_one_good_credential_is_enough(mount: str, headers: Any) -> None:
    assert send(mount, HELLO[mount], Sandbox(api_key="k"), headers=headers).status == 200


def test_gemini_takes_the_key_in_the_query() -> None:
    path = PATHS["gemini"]
    assert send("gemini", HELLO["gemini"], headers={}, path=f"{path}?key=sandbox-key").status == 200
    reply = send("gemini", HELLO["gemini"], headers={}, path=f"{path}?alt=json&key=wrong")
    assert (reply.status, reply.rule) == (400, "gemini-bad-key")
    assert send("gemini", HELLO["gemini"], headers={}, path=path).status == 403


@every_mount
def test_reading_models_needs_a_key_too(mount: str) -> None:
    assert Sandbox().handle("GET", LISTS[mount], {}, b"").status in (401, 403)


# The order of the checks


def test_the_order_of_the_checks_is_the_one_that_is_documented() -> None:
    assert [step.name for step in STEPS] == [
        "path and method",
        "body size",
        "credential",
        "JSON",
        "the body's own keys",
        "model",
        "each message",
        "calls and results",
    ]


BROKEN: dict[str, list[tuple[str, str, Any]]] = {
    # What is broken, step after step: the path, the key, the body; the first breach counts.
    "anthropic": [
        ("/anthropic/v1/nothing", "", b" " * (32 * 1024 * 1024 + 1)),
        (PATHS["anthropic"], "", b" " * (32 * 1024 * 1024 + 1)),
        (PATHS["anthropic"], "", b"{"),
        (PATHS["anthropic"], "sandbox-key", b"{"),
        (PATHS["anthropic"], "sandbox-key", {"model": "no", "max_tokens": 1, "messages": []}),
        (PATHS["anthropic"], "sandbox-key", claude({"role": "x", "content": "y"}, model="no")),
        (PATHS["anthropic"], "sandbox-key", claude({"role": "x", "content": "y"})),
        (
            PATHS["anthropic"],
            "sandbox-key",
            claude(user({"type": "tool_result", "tool_use_id": "z"}), stream=True),
        ),
    ],
}


def test_the_first_breach_in_that_order_is_the_answer() -> None:
    rules = [
        Sandbox()
        .handle(
            "POST",
            path,
            {"x-api-key": key, "anthropic-version": "1"},
            body if isinstance(body, bytes) else json.dumps(body).encode(),
        )
        .rule
        for path, key, body in BROKEN["anthropic"]
    ]
    assert rules == [
        "unknown-path",
        "body-too-large",
        "anthropic-no-key",
        "anthropic-json",
        "anthropic-no-messages",
        "anthropic-unknown-model",
        "anthropic-role",
        "anthropic-orphan-result",
    ]


# What is on every answer


def test_anthropic_names_the_request_on_every_answer() -> None:
    for reply in (
        send("anthropic", HELLO["anthropic"]),
        send("anthropic", b"{"),
        get(LISTS["anthropic"], "anthropic"),
    ):
        assert reply.headers["request-id"].startswith("req_")
    refused = send("anthropic", b"{")
    assert read(refused)["request_id"] == refused.headers["request-id"]


def test_only_what_the_model_said_is_marked_so() -> None:
    assert "x-skyl-sandbox" in send("openai", HELLO["openai"]).headers
    assert "x-skyl-sandbox" not in get(LISTS["openai"], "openai").headers
    assert "x-skyl-sandbox" not in send("openai", b"{").headers


# Explaining


def test_explain_gives_the_rule_and_how_sure_we_are() -> None:
    sandbox = Sandbox()
    reply = send("openai", gpt(u(), {"role": "tool", "tool_call_id": "c", "content": "x"}), sandbox)
    said = sandbox.explain(reply)
    assert (said.rule, said.source, said.confidence) == (
        reply.rule,
        "REPORTS 25 (morphic#136, smarter#264)",
        "H",
    )
    assert "assistant message" in said.text
    assert sandbox.explain(sandbox.journal[-1]) == said
    assert "REPORTS 25" in str(said)


def test_explain_says_that_a_request_was_accepted() -> None:
    sandbox = Sandbox()
    said = sandbox.explain(send("openai", HELLO["openai"], sandbox))
    assert said.rule is None
    assert "accepted" in said.text
    assert str(said) == said.text


def test_a_part_that_is_null_is_an_empty_part() -> None:
    reply = send("gemini", gemini({"role": "user", "parts": [None]}))
    assert reply.rule == "gemini-empty-part"


# The journal


@every_mount
def test_the_journal_shows_what_a_client_sent(mount: str) -> None:
    sandbox = Sandbox()
    reply = send(mount, HELLO[mount], sandbox, path=f"{PATHS[mount]}?key=sandbox-key&x=1")
    entry = sandbox.journal[-1]
    assert (entry.mount, entry.method, entry.path) == (mount, "POST", PATHS[mount])
    assert entry.request == HELLO[mount]
    assert (entry.status, entry.reply, entry.rule) == (200, read(reply), None)


def test_the_journal_keeps_the_last_thousand_newest_last() -> None:
    sandbox = Sandbox()
    for number in range(1_005):
        sandbox.handle("POST", f"/openai/v1/{number}", {}, b"")
    assert len(sandbox.journal) == 1_000
    assert sandbox.journal[0].path == "/openai/v1/5"
    assert sandbox.journal[-1].path == "/openai/v1/1004"


def test_the_journal_holds_the_request_also_when_the_key_was_bad_and_none_if_it_is_no_json() -> (
    None
):
    sandbox = Sandbox()
    send("openai", HELLO["openai"], sandbox, headers={})
    send("openai", b"{", sandbox)
    send("anthropic", b" " * (32 * 1024 * 1024 + 1), sandbox)
    assert [entry.request for entry in sandbox.journal] == [HELLO["openai"], None, None]
    assert [entry.status for entry in sandbox.journal] == [401, 400, 413]
    assert sandbox.journal[1].rule == "openai-json"


@every_mount
@pytest.mark.parametrize("good", [True, False])
def test_no_credential_is_kept_anywhere(mount: str, *, good: bool) -> None:
    secret = "sk-very-secret-0123456789"
    sandbox = Sandbox(api_key=secret if good else "other")
    headers = {
        "x-api-key": secret,
        "x-goog-api-key": secret,
        "authorization": f"Bearer {secret}",
        "anthropic-version": "1",
    }
    for path in (PATHS[mount], "/elsewhere", f"{PATHS[mount]}/no"):
        reply = send(mount, HELLO[mount], sandbox, path=f"{path}?key={secret}", headers=headers)
        assert secret[-4:].encode() not in reply.body
        assert secret not in str(reply.headers)
    assert secret[-8:] not in repr(sandbox.journal)
    assert secret[-8:] not in repr(sandbox)


# Nothing raises


ODD: dict[str, list[Any]] = {
    "method": ["POST", "GET", None, 5, b"POST"],
    "path": [PATHS["openai"], None, 7, b"/openai/v1/models", "", "?", "//", "/%", "/\ud800"],
    "headers": [{}, None, 5, [("a",)], {"authorization": None}, [(1, 2)], "ab"],
    "body": [b"{}", "{}", None, 5, bytearray(b"{}"), memoryview(b"{}"), "\ud800"],
}


def test_arguments_of_any_type_are_answered() -> None:
    sandbox = Sandbox()
    for arguments in itertools.product(*ODD.values()):
        reply = sandbox.handle(*arguments)
        assert reply.status >= 400, arguments
        assert json.loads(reply.body)["error"], arguments


WORDS = [
    "a",
    "user",
    "assistant",
    "tool",
    "model",
    "text",
    "tool_use",
    "tool_result",
    "function",
    "claude-sonnet-5",
    "gpt-5.6",
    "error",
    "weather",
    "get_weather",
    "any",
]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(-1, 1),
    st.sampled_from(["", "\ud83d", "\x00", *WORDS]),
)
KEYWORDS = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "text",
        "id",
        "name",
        "input",
        "tool_use_id",
        "is_error",
        "messages",
        "tool_calls",
        "tool_call_id",
        "function",
        "arguments",
        "parts",
        "functionCall",
        "args",
        "tools",
        "functionResponse",
        "response",
        "function_call",
        "function_response",
        "error",
        "output",
        "model",
        "max_tokens",
        "tool_choice",
        "toolConfig",
        "functionCallingConfig",
        "thread",
        "mode",
        "functionDeclarations",
        "parameters",
        "input_schema",
        "allowedFunctionNames",
        "stream",
    ]
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYWORDS, inner, max_size=6),
    max_leaves=30,
)


def blocks() -> st.SearchStrategy[Any]:
    """Messages of all wires that are nearly right."""
    names = st.sampled_from(["c1", "c2", "tide"])
    anthropic = st.one_of(
        st.builds(lambda n: {"type": "tool_use", "id": n, "name": n, "input": {}}, names),
        st.builds(
            lambda n, c, e: {"type": "tool_result", "tool_use_id": n, "content": c, "is_error": e},
            names,
            ANYTHING,
            ANYTHING,
        ),
        st.builds(lambda w: {"type": "text", "text": w}, LEAVES),
        ANYTHING,
    )
    openai = st.builds(
        lambda n, arguments: {
            "id": n,
            "type": "function",
            "function": {"name": n, "arguments": arguments},
        },
        names,
        LEAVES,
    )
    gemini_parts = st.one_of(
        st.builds(lambda n, x: {"functionCall": {"name": n, "args": x}}, names, ANYTHING),
        st.builds(lambda n, x: {"function_response": {"name": n, "response": x}}, names, ANYTHING),
        st.builds(lambda w: {"text": w}, LEAVES),
        ANYTHING,
    )
    roles = st.sampled_from(["user", "assistant", "tool", "model", "system"]) | LEAVES
    return st.one_of(
        st.builds(
            lambda r, c: {"role": r, "content": c}, roles, st.lists(anthropic, max_size=3) | LEAVES
        ),
        st.builds(
            lambda c, calls, n: {"role": "assistant", "content": c, "tool_calls": calls, "x": n},
            LEAVES,
            st.lists(openai | ANYTHING, max_size=3) | LEAVES,
            names,
        ),
        st.builds(lambda n, c: {"role": "tool", "tool_call_id": n, "content": c}, names, LEAVES),
        st.builds(
            lambda r, p: {"role": r, "parts": p}, roles, st.lists(gemini_parts, max_size=3) | LEAVES
        ),
        ANYTHING,
    )


REQUESTS = st.builds(
    lambda messages, more: {
        **conversation("anthropic", "x", tools=[("get_weather", {})]),
        **{key: value for key, value in more.items() if key not in ("model", "max_tokens")},
        "messages": messages,
        "contents": messages,
    },
    st.lists(blocks(), max_size=6),
    st.dictionaries(KEYWORDS, ANYTHING, max_size=2),
)
MODELS = {"anthropic": "claude-sonnet-5", "openai": "gpt-5.6", "compat": "gpt-5.6", "gemini": "x"}
INNER = {"anthropic": {"type", "message"}, "gemini": {"code", "message", "status"}}


def check_envelope(mount: str, reply: Reply) -> None:
    said = read(reply)
    if reply.status == 200:
        assert reply.rule is None
        assert {"anthropic": "content", "gemini": "candidates"}.get(mount, "choices") in said
        return
    assert 400 <= reply.status < 500
    assert reply.rule
    error = said["error"]
    assert INNER.get(mount, {"message", "type", "param", "code"}) <= set(error)
    assert isinstance(error["message"], str)


@given(REQUESTS | ANYTHING)
def test_any_request_is_answered_in_the_mount_s_envelope(payload: Any) -> None:
    sandbox = Sandbox()
    for mount in MOUNTS:
        sent = {**payload, "model": MODELS[mount]} if isinstance(payload, dict) else payload
        if mount != "anthropic" and isinstance(sent, dict):
            sent.pop("max_tokens", None)
        reply = send(mount, sent, sandbox)
        check_envelope(mount, reply)
        assert sandbox.explain(reply).text
        assert send(mount, sent, sandbox) == reply


@given(st.binary(max_size=60), st.sampled_from(MOUNTS))
def test_any_bytes_are_answered_in_the_mount_s_envelope(body: bytes, mount: str) -> None:
    check_envelope(mount, send(mount, body))


@given(
    st.text(max_size=8),
    st.text(max_size=40).map(lambda rest: f"/{rest}")
    | st.sampled_from([*PATHS.values(), *LISTS.values()]),
    st.dictionaries(st.text(max_size=12), st.text(max_size=12), max_size=4),
    st.sampled_from(["", "/anthropic", "/openai", "/gemini/v1/models", "/compat/v1"]),
)
def test_any_path_and_headers_are_answered(method: str, rest: str, headers: Any, base: str) -> None:
    reply = Sandbox().handle(method, base + rest, headers, b"{}")
    assert read(reply)
    assert reply.status < 500


def test_a_deep_but_allowed_body_is_answered_everywhere() -> None:
    deep: Any = "x"
    for _ in range(380):
        deep = {"a": deep}
    for mount in MOUNTS:
        sent = conversation(
            mount,
            "weather?",
            tools=[("get_weather", deep)],
            rounds=[[("get_weather", deep, "error")]],
        )
        assert send(mount, sent).status == 200
    sent = gemini(asks(), tools=[{"functionDeclarations": [{"name": "tide", "parameters": deep}]}])
    assert send("gemini", sent).status == 200


# Found by mutation of bodies and paths


@pytest.mark.parametrize(
    "path", ["*", "", "healthz", "http://sandbox/openai/v1/models", "//", "?", "\0"]
)
def test_what_is_no_path_is_answered(path: str) -> None:
    assert Sandbox().handle("OPTIONS", path).status == 404


def test_a_custom_call_with_an_odd_function_is_answered() -> None:
    call = {"id": "a", "type": "custom", "function": "x"}
    asked = {"role": "assistant", "tool_calls": [call]}
    answer = {"role": "tool", "tool_call_id": "a", "content": "x"}
    assert send("openai", gpt({"role": "user", "content": "x"}, asked, answer)).status < 500


@pytest.mark.parametrize(
    "city", [{"type": "string", "format": ["x"]}, {"type": "string", "pattern": "[^\\s\\S]"}]
)
def test_an_odd_schema_is_answered(city: Any) -> None:
    schema = {"type": "object", "properties": {"city": city}, "required": ["city"]}
    for mount in MOUNTS:
        sent = conversation(mount, "weather in Lima", tools=[("get_weather", schema)])
        assert send(mount, sent).status == 200


@pytest.mark.parametrize("flag", ["true", "false", 1, 0, [], {}])
def test_a_flag_of_a_wrong_type_is_no_success(flag: Any) -> None:
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "a", "content": "x", "is_error": flag}
    body = claude(user("x"), {"role": "assistant", "content": [call]}, user(answer))
    reply = send("anthropic", body)
    assert reply.rule == "anthropic-type"
    assert "tool_result.is_error: Input should be a valid boolean" in reply.body.decode()


def test_ids_do_not_depend_on_the_key_or_other_headers() -> None:
    body = json.dumps(claude(user("hi")))
    replies = [
        Sandbox(api_key=key).handle(
            "POST",
            PATHS["anthropic"],
            {"x-api-key": key, "anthropic-version": "1", "x-other": key},
            body,
        )
        for key in ("one", "two")
    ]
    assert replies[0].body == replies[1].body


def test_a_body_that_is_too_large_is_not_kept() -> None:
    sandbox = Sandbox()
    sandbox.handle("POST", PATHS["anthropic"], {}, b" " * (32 * 1024 * 1024) + b"{}")
    assert (sandbox.journal[-1].status, sandbox.journal[-1].request) == (413, None)


def test_half_a_character_is_quoted_and_not_lost() -> None:
    body = json.dumps(
        gemini(
            {"role": "user", "parts": [{"text": "x"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"parts": [{"functionResponse": {"name": "f", "response": {"content": "a\ud83d"}}}]},
        )
    )
    reply = Sandbox().handle("POST", PATHS["gemini"], {"x-goog-api-key": "sandbox-key"}, body)
    assert reply.status == 200
    assert rb"a\ud83d" in reply.body


@pytest.mark.parametrize("rounds", [50, 200])
def test_pairing_looks_at_each_message_a_bounded_number_of_times(rounds: int) -> None:
    """Counted, not timed: reads of a message for each message stay the same as the talk grows."""

    class Counted(dict[str, Any]):
        reads = 0

        def __getitem__(self, key: str) -> Any:
            Counted.reads += 1
            return super().__getitem__(key)

    from skyl_nb.sandbox import openai
    from skyl_nb.sandbox.call import Call, mounts

    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    turns = [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "a"}]
    made = Call(
        mount=mounts()[1], method="POST", path="", query={}, headers={}, body=b"", api_key=""
    )
    made.payload = {"messages": [Counted(turn) for _ in range(rounds) for turn in turns]}
    assert list(openai.sequence(made)) == []
    assert Counted.reads <= 8 * 2 * rounds
