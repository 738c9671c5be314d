"""The server: the same bytes as in process, and a client that misbehaves costs nobody else."""

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import Any
from urllib.parse import urlsplit

import anthropic
import httpx
import openai
import pytest
from google import genai
from google.genai import types

from skyl_nb.errors import SkylError
from skyl_nb.foreground import log_line
from skyl_nb.sandbox import Sandbox
from tests.sandbox.envelopes import check_error
from tests.sandbox.loopback import answered, bare, everything, raw, written
from tests.sandbox.wire import MOUNTS, SCHEMA, claude, conversation, read, send, user

KEYS = {
    "x-api-key": "sandbox-key",
    "anthropic-version": "2023-06-01",
    "authorization": "Bearer sandbox-key",
    "x-goog-api-key": "sandbox-key",
}
ASK = json.dumps(claude(user("Hello"))).encode()
ASK_STREAM = json.dumps({**claude(user("Who are you?")), "stream": True}).encode()
MESSAGES = "/anthropic/v1/messages"
PATHS = {
    "anthropic": MESSAGES,
    "openai": "/openai/v1/chat/completions",
    "compat": "/compat/v1/chat/completions",
    "gemini": "/gemini/v1beta/models/gemini-3.6-flash:generateContent",
}

NO_LETTER = UnicodeEncodeError("ascii", "\xe9", 0, 1, "the terminal lacks it")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Sandbox().serving() as base:
        yield base


def head(*fields: str, path: str = MESSAGES, method: str = "POST") -> bytes:
    keys = [f"{name}: {value}" for name, value in KEYS.items()]
    lines = [f"{method} {path} HTTP/1.1", "host: x", *keys, *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def still_answers(url: str) -> None:
    assert httpx.get(f"{url}/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize("mount", MOUNTS)
@pytest.mark.parametrize("prompt", ["Hello", "What is the weather in Lima and Paris?"])
def test_the_bytes_are_those_of_the_transport_in_process(url: str, mount: str, prompt: str) -> None:
    payload = conversation(mount, prompt, tools=[("get_weather", SCHEMA)])
    here = httpx.Client(transport=Sandbox().transport())
    answers = [
        client.post(f"{base}{PATHS[mount]}", json=payload, headers=KEYS)
        for client, base in ((here, "http://sandbox"), (httpx.Client(), url))
    ]
    assert answers[0].content == answers[1].content
    framing = {"content-length", "transfer-encoding"}
    first, second = [
        {name: value for name, value in one.headers.items() if name not in framing}
        for one in answers
    ]
    assert first == second
    assert answers[0].content == send(mount, payload).body


def test_streams_come_in_pieces_and_are_the_same_bytes(url: str) -> None:
    with httpx.stream("POST", url + MESSAGES, content=ASK_STREAM, headers=KEYS) as answer:
        served = b"".join(answer.iter_raw())
    here = Sandbox().handle("POST", MESSAGES, KEYS, ASK_STREAM)
    assert served == b"".join(here.frames or ())


def test_the_official_clients_over_loopback(url: str) -> None:
    claude_client = anthropic.Anthropic(api_key="sandbox-key", base_url=f"{url}/anthropic")
    said = claude_client.messages.create(
        model="claude-sonnet-5",
        max_tokens=9,
        messages=[{"role": "user", "content": "What is the capital of France?"}],
    )
    assert said.content[0].text == "Paris"
    gpt = openai.OpenAI(api_key="sandbox-key", base_url=f"{url}/openai/v1", max_retries=0)
    chunks = gpt.chat.completions.create(
        model="gpt-5.6",
        messages=[{"role": "user", "content": "What is the capital of France?"}],
        stream=True,
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "Paris"
    google = genai.Client(
        api_key="sandbox-key", http_options=types.HttpOptions(base_url=f"{url}/gemini")
    )
    stream = google.models.generate_content_stream(
        model="gemini-3.6-flash", contents="What is the capital of France?"
    )
    assert "".join(chunk.text or "" for chunk in stream) == "Paris"
    with pytest.raises(openai.AuthenticationError):
        gpt.with_options(api_key="wrong").models.list()


def test_many_clients_get_their_own_answers(url: str) -> None:
    client = httpx.Client()

    def ask(number: int) -> str:
        body = claude(
            user("weather"),
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "a", "name": "get_weather", "input": {}}]},
            user({"type": "tool_result", "tool_use_id": "a", "content": f"n{number}"}),
            tools=[{"name": "get_weather", "input_schema": SCHEMA}],
        )  # fmt: skip
        answer = client.post(url + MESSAGES, json=body, headers=KEYS, timeout=30)
        return answer.json()["content"][0]["text"]

    with ThreadPoolExecutor(50) as pool:
        said = list(pool.map(ask, range(200)))
    assert said == [f"The tool said: n{number}" for number in range(200)]


def test_200_clients_at_the_same_time_get_their_own_answers(url: str) -> None:
    """Each has a connection of its own, and all have asked before the first one reads."""
    place = urlsplit(url)
    asked = []
    with ExitStack() as stack:
        for number in range(200):
            mount, stream = MOUNTS[number % 4], number % 8 < 4
            path, payload = addressed(mount, number, stream=stream)
            sock = socket.create_connection((place.hostname, place.port), timeout=30)
            stack.enter_context(sock)
            sock.sendall(written("POST", path, KEYS.items(), json.dumps(payload).encode()))
            asked.append((sock, path, payload))
        for sock, path, payload in asked:
            reply = Sandbox().handle("POST", path, KEYS, json.dumps(payload))
            assert reply.status == 200
            assert answered(everything(sock)) == (200, bare(reply))


def addressed(mount: str, number: int, *, stream: bool) -> tuple[str, Any]:
    """Return the path and the body of a conversation that no other number has."""
    rounds = [[("get_weather", {}, f"n{number}")]]
    payload = conversation(mount, "weather", tools=[("get_weather", SCHEMA)], rounds=rounds)
    if mount == "gemini":
        does = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return f"/gemini/v1/models/gemini-3.6-flash:{does}", payload
    return PATHS[mount], {**payload, "stream": stream}


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (head("content-length: -1"), 400),
        (head("content-length: many"), 400),
        (head("content-length: 5", "content-length: 6"), 400),
        (head("content-length: 99999999999999999999"), 413),
        (head("content-length: 67108865"), 413),
        (head("content-length: 2", "transfer-encoding: chunked"), 400),
        (head("transfer-encoding: gzip"), 501),
        (head("transfer-encoding: chunked") + b"zz\r\nab", 400),
        (head("transfer-encoding: chunked") + b"-1\r\n", 400),
        (head("transfer-encoding: chunked") + b"0x2\r\nab\r\n0\r\n\r\n", 400),
        (head("transfer-encoding: chunked"), 400),
        (head("no header", "content-length: 2") + b"{}", 400),
        (head("x-note : with a blank before its colon"), 400),
        (head().replace(b"host", b" host"), 400),
        (head("transfer-encoding: chunked") + b"2\r\nabcd\r\n0\r\n\r\n", 400),
        (head("transfer-encoding: chunked") + b"4000001\r\n", 413),
        (head().replace(b" HTTP/1.1", b" and more HTTP/1.1"), 400),
        (head().replace(b"HTTP/1.1", b"HTTP/2.0"), 505),
        (head(*["a: b"] * 200), 431),
        (head("a: " + "b" * 70000), 431),
        (b"NONSENSE\r\n\r\n", 400),
        (b"GET /healthz\r\n\r\n", 400),
        (b"GET /healthz FTP/1.1\r\n\r\n", 400),
        (head("no colon"), 400),
        (head("content-length : 0"), 400),
        (head("content-length: 0", " continued: 1"), 400),
        (head(": no name"), 400),
        (b"GET / HTTP/9.9\r\n\r\n", 505),
        (b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"POST / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", 431),
    ],
    ids=str,
)
def test_a_request_that_is_framed_badly_is_refused_and_ends_its_connection(
    url: str, data: bytes, status: int
) -> None:
    answer = raw(url, data)
    line, _, rest = answer.partition(b"\r\n")
    assert f" {status} ".encode() in line + b" "
    assert b"connection: close" in rest
    mount = "anthropic" if MESSAGES.encode() in data else ""
    check_error(mount, status, json.loads(rest.partition(b"\r\n\r\n")[2]))
    still_answers(url)


@pytest.mark.parametrize(
    "data",
    [
        b"GET /gemini/v1/models?key=my-secret-key and more HTTP/1.1\r\n\r\n",
        b"GET /gemini/v1/models?key=my-secret-key HTTP/7.7\r\n\r\n",
        b"GET /gemini/v1/models%3Fkey=my-secret-key HTTP/x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\nx-api-key: my-secret-key\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\nauthorization: Bearer my-secret-key\r\n\r\n",
        b'{"key": "my-secret-key"}',
    ],
    ids=str,
)
def test_what_cannot_be_read_is_not_quoted(data: bytes) -> None:
    seen: list[str] = []
    sandbox = Sandbox()
    with sandbox.serving(log=lambda entry: seen.append(log_line(entry))) as base:
        answer = raw(base, data)
    assert b" 400 " in answer or b" 505 " in answer
    assert seen
    assert [(entry.rule, type(entry.status)) for entry in sandbox.journal] == [("bad-framing", int)]
    assert "my-secret-key" not in f"{answer!r} {seen} {sandbox.journal!r}"


@pytest.mark.parametrize("error", [OSError("full"), ValueError("a closed file"), NO_LETTER])
def test_a_log_that_fails_costs_no_answer(error: Exception) -> None:
    def log(_entry: object) -> None:
        raise error

    with Sandbox().serving(log=log) as base:
        assert httpx.post(base + MESSAGES, content=ASK, headers=KEYS).status_code == 200


def test_a_refused_request_that_is_sent_to_its_end_gets_its_answer(url: str) -> None:
    for _ in range(20):  # a reset by the server would take the answer away now and then
        answer = raw(url, head("content-length: 99999999") + b"x" * 3_000_000)
        assert b" 413 " in answer.partition(b"\r\n")[0]


def test_one_empty_line_before_a_request_is_passed_over(url: str) -> None:
    asked = b"GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n"
    assert b" 200 " in raw(url, b"\r\n" + asked)
    assert raw(url, b"\r\n\r\n" + asked) == b""


def test_a_body_that_is_shorter_than_it_says_is_refused(url: str) -> None:
    assert b" 400 " in raw(url, head("content-length: 10") + b"abc")


def test_a_chunked_body_is_read(url: str) -> None:
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(ASK), ASK)
    answer = raw(url, head("transfer-encoding: chunked", "connection: close") + body)
    assert b" 200 " in answer.partition(b"\r\n")[0]


def test_a_client_that_waits_to_be_told_to_go_on_is_told(url: str) -> None:
    place = urlsplit(url)
    with closing(socket.create_connection((place.hostname, place.port), timeout=10)) as sock:
        sock.sendall(head(f"content-length: {len(ASK)}", "expect: 100-continue"))
        assert sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(ASK)
        assert sock.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")


def test_one_connection_takes_many_requests_until_one_says_close(url: str) -> None:
    body = f"content-length: {len(ASK)}"
    more, last = head(body) + ASK, head(body, "connection: Keep-Alive, Close") + ASK
    assert raw(url, more + more + last + more).count(b"HTTP/1.1 200 OK\r\n") == 3


def test_an_answer_is_one_write(url: str) -> None:
    place = urlsplit(url)
    with closing(socket.create_connection((place.hostname, place.port), timeout=10)) as sock:
        sock.sendall(head(f"content-length: {len(ASK)}") + ASK)
        answer = sock.recv(65536)
    start, _, said = answer.partition(b"\r\n\r\n")
    assert f"content-length: {len(said)}".encode() in start


@pytest.mark.parametrize("name", ["X-API-KEY", "x-api-key"])
def test_names_of_fields_come_in_any_case_and_blanks_around_a_value_say_nothing(
    url: str, name: str
) -> None:
    data = f"GET /anthropic/v1/models HTTP/1.1\r\n{name}:\tsandbox-key \r\nanthropic-version:1\r\n"
    assert b" 200 OK" in raw(url, f"{data}connection: close\r\n\r\n".encode())


def test_an_old_client_gets_a_stream_that_ends_with_its_connection(url: str) -> None:
    data = head(f"content-length: {len(ASK_STREAM)}").replace(b"HTTP/1.1", b"HTTP/1.0")
    answer = raw(url, data + ASK_STREAM)
    assert b"transfer-encoding" not in answer
    assert answer.endswith(b'data: {"type":"message_stop"}\n\n')


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "BREW", "HEAD"])
def test_any_method_reaches_the_sandbox(url: str, method: str) -> None:
    answer = httpx.request(method, url + MESSAGES, headers=KEYS)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    assert (answer.content == b"") is (method == "HEAD")


def test_a_client_that_hangs_up_or_waits_costs_nobody_else_anything(url: str) -> None:
    place = urlsplit(url)
    waiting = [
        socket.create_connection((place.hostname, place.port), timeout=10) for _ in range(30)
    ]
    for number, sock in enumerate(waiting):
        sock.sendall(head(f"content-length: {len(ASK_STREAM)}"))
        if number % 2:
            sock.sendall(ASK_STREAM)
    still_answers(url)
    for sock in waiting:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        sock.close()  # a reset, in the middle of a body or of a stream
    still_answers(url)


def test_what_was_sent_is_in_the_journal_without_the_key() -> None:
    sandbox = Sandbox()
    with sandbox.serving() as base:
        httpx.post(f"{base}{PATHS['gemini']}?key=sandbox-key", content=b"{}")
        httpx.get(f"{base}/healthz")
    assert [entry.mount for entry in sandbox.journal] == ["gemini"]
    assert "sandbox-key" not in repr(sandbox.journal)


def test_each_request_is_logged_once_and_a_port_in_use_is_one_sentence() -> None:
    seen = []
    sandbox = Sandbox()
    with sandbox.serving(log=seen.append) as base:
        httpx.post(base + MESSAGES, content=ASK, headers=KEYS)
        with pytest.raises(SkylError, match="choose another host or port"):
            sandbox.serving(port=urlsplit(base).port).__enter__()
    assert [(entry.status, entry.rule) for entry in seen] == [(200, None)]


@pytest.mark.parametrize("port", [-1, 65536, 10**9])
def test_a_port_that_is_none_is_one_sentence(port: int) -> None:
    with pytest.raises(SkylError, match="cannot listen"):
        Sandbox().serving(port=port).__enter__()


def test_the_server_ends_with_its_block_also_while_a_client_waits() -> None:
    before = threading.active_count()
    with Sandbox().serving() as base:
        place = urlsplit(base)
        sock = socket.create_connection((place.hostname, place.port), timeout=5)
        sock.sendall(head("content-length: 10"))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((place.hostname, place.port), timeout=5)
    sock.close()
    assert (
        threading.active_count() <= before + 1
    )  # the connection's own thread may still see it close


def test_an_answer_can_be_read_after_the_stream_was_refused(url: str) -> None:
    answer = httpx.post(url + MESSAGES, content=b"{", headers=KEYS)
    assert answer.json() == read(Sandbox().handle("POST", MESSAGES, KEYS, b"{"))
