"""`skyl-nb sandbox` as somebody starts it: what it prints, logs, keeps, and how it stops."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
from contextlib import ExitStack, contextmanager

import anthropic
import click
import google.genai
import httpx
import openai
import pytest
from click.testing import CliRunner

from skyl_nb.cli import main
from skyl_nb.foreground import is_loopback, log_line
from skyl_nb.sandbox.journal import Entry

KEYS = {"x-api-key": "sandbox-key", "anthropic-version": "2023-06-01"}
ASK = {
    "model": "claude-sonnet-5",
    "max_tokens": 64,
    "messages": [{"role": "user", "content": "What is the capital of France?"}],
}
SIGNALS = [signal.SIGINT, signal.SIGTERM]


@contextmanager
def started(*options):
    command = [sys.executable, "-u", "-m", "skyl_nb", "sandbox", "--port", "0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        try:
            yield process, *greeting_of(process)
        finally:
            process.kill()


def greeting_of(process):
    lines = []
    while not lines or not lines[-1].startswith("Ctrl-C"):
        lines.append(process.stdout.readline())
        assert lines[-1], process.stderr.read()
    greeting = "".join(lines)
    return greeting, re.search(r"http://[\d.:]+", greeting)[0]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to send to one process")
@pytest.mark.parametrize("number", SIGNALS, ids=lambda one: one.name)
def test_it_stops_also_with_open_connections(number):
    with started() as (process, _, url):
        host, port = url.removeprefix("http://").split(":")
        waiting = socket.create_connection((host, int(port)))
        waiting.sendall(b"POST /anthropic/v1/messages HTTP/1.1\r\ncontent-length: 9\r\n\r\n")
        assert httpx.get(f"{url}/healthz").json() == {"status": "ok"}
        stop(process, number)
        waiting.close()
        assert "Traceback" not in process.stderr.read()


def listing(page, title):
    """What stands below a title of a help page, as it would be typed."""
    below = page.partition(f"\n  {title}\n")[2].partition("\n\n")[0]
    return textwrap.dedent(below).rstrip("\n")


def test_the_example_of_trace_runs_as_it_stands_and_prints_what_its_page_says(tmp_path):
    page = CliRunner().invoke(main, ["trace", "--help"]).output
    code = listing(page, "Then, in Python or in a notebook:")
    journal = tmp_path / "sent.jsonl"
    with started("--journal", str(journal)) as (_, _, url):
        assert code.count("http://127.0.0.1:8099") == 1
        exec(code.replace("http://127.0.0.1:8099", url), {})
    ran = CliRunner().invoke(main, ["trace", str(journal)])
    assert ran.exit_code == 0, ran.stderr
    assert ran.stdout.rstrip("\n") == listing(page, "It prints:")


def test_a_toggle_and_what_is_none(tmp_path):
    with started("--toggle", "error_shape=nested_raw", "--toggle", "ids=empty") as (_, _, url):
        reply = httpx.post(f"{url}/compat/v1/chat/completions", content=b"{")
        assert reply.json()["error"]["message"] == "Provider returned error"
    ran = CliRunner().invoke(main, ["sandbox", "--toggle", "ids"])
    assert ran.exit_code == 2
    assert "ids cannot be ''; choose one of: given, empty" in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to send to one process")
@pytest.mark.parametrize("number", SIGNALS, ids=lambda one: one.name)
def test_it_stops_also_with_open_streams(number):
    with started() as (process, _, url), ExitStack() as stack:
        host, port = url.removeprefix("http://").split(":")
        for model, text in (("sandbox-slow-60000", "hi"), ("claude-sonnet-5", "word " * 200_000)):
            body = json.dumps({**streamed(text), "model": model})
            fields = [f"{name}: {value}" for name, value in KEYS.items()]
            head = ["POST /anthropic/v1/messages HTTP/1.1", *fields, f"content-length: {len(body)}"]
            reader = stack.enter_context(socket.create_connection((host, int(port))))
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.sendall("\r\n".join([*head, "", body]).encode())
        assert reader.recv(15) == b"HTTP/1.1 200 OK"  # and no more: the stream waits for its reader
        stop(process, number)
        assert "Traceback" not in process.stderr.read()


def streamed(text):
    """Return a request whose answer repeats a text, as a stream."""
    call = {"type": "tool_use", "id": "a", "name": "tide", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": text}
    turns = [
        *ASK["messages"],
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    tool = {"name": "tide", "input_schema": {"type": "object"}}
    return {**ASK, "messages": turns, "tools": [tool], "stream": True}


def stop(process, number):
    """Stop the server; one that waits for its clients, who wait for it, would never end."""
    process.send_signal(number)
    assert process.wait(timeout=60) == 0


def test_what_it_prints_works_as_it_is(tmp_path):
    journal = tmp_path / "sent.jsonl"
    with started("--journal", str(journal), "--explain") as (process, greeting, url):
        assert {f"{url}/anthropic", f"{url}/openai/v1", f"{url}/compat/v1", f"{url}/gemini"} <= set(
            re.findall(r"http://\S+(?=\n)", greeting)
        )
        client = eval(snippet(greeting, "Python, anthropic"), {"anthropic": anthropic})
        said = client.messages.create(**ASK)
        assert said.content[0].text == "Paris"
        httpx.post(f"{url}/anthropic/v1/messages?key=secret", headers={"x-api-key": "secret"})
        lines = [process.stdout.readline() for _ in range(4)]
    assert lines[1] == "200 POST anthropic /anthropic/v1/messages\n"
    assert lines[2].startswith("401 POST anthropic /anthropic/v1/messages anthropic-bad-key")
    assert "confidence H" in lines[3]
    kept = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    assert [(one["mount"], one["status"], one["rule"]) for one in kept] == [
        ("anthropic", 200, None),
        ("anthropic", 401, "anthropic-bad-key"),
    ]
    assert "secret" not in journal.read_text(encoding="utf-8") + "".join(lines)


def snippet(greeting, name):
    lines = greeting.partition(f"{name}:\n")[2].splitlines()
    return lines[0].partition(" = ")[2]


def test_the_lines_for_the_other_python_clients_work():
    asked = "What is the capital of France?"
    with started() as (_, greeting, _):
        client = eval(snippet(greeting, "Python, openai"), {"openai": openai})
        messages = [{"role": "user", "content": asked}]
        said = client.chat.completions.create(model="gpt-5.6", messages=messages)
        assert said.choices[0].message.content == "Paris"
        client = eval(snippet(greeting, "Python, google-genai"), {"google": google})
        said = client.models.generate_content(model="gemini-3.6-flash", contents=asked)
        assert said.text == "Paris"


@pytest.mark.skipif(os.name == "nt", reason="the line is for a POSIX shell")
def test_the_curl_line_works():
    with started() as (_, greeting, _):
        line = greeting.partition("curl:\n")[2].partition("\n\n")[0]
        ran = subprocess.run(line, shell=True, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout)["content"][0]["text"] == "Paris"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "--allow-remote"),
        (["--host", "::"], "--allow-remote"),
        (["--host", "example.org"], "--allow-remote"),
        (["--profile", "nobody"], "choose one of"),
        (["--port", "many"], "not a valid integer"),
        (["--port", "99999"], "cannot listen"),
        (["--journal", "/no/such/folder/x"], "cannot be written"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_a_wrong_call_is_one_line(options, words):
    ran = CliRunner().invoke(main, ["sandbox", *options])
    assert ran.exit_code in (1, 2)
    assert words in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert ran.stdout == ""


def test_a_port_in_use_is_one_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = CliRunner().invoke(main, ["sandbox", "--port", str(taken.getsockname()[1])])
    assert (ran.exit_code, ran.stderr.count("\n")) == (1, 1)
    assert "choose another host or port" in ran.stderr


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback(host):
    assert is_loopback(host)


def test_what_came_over_the_wire_is_logged_visibly():
    entry = Entry("", "GET", "/\x1b[31mred\u202e", None, 404, b"", "unknown-place")
    assert click.unstyle(log_line(entry)) == r"404 GET - /\u001b[31mred\u202e unknown-place"


def test_a_failing_log_does_not_cost_the_answer():
    from skyl_nb.sandbox import Sandbox

    def full(_):
        raise OSError("no space left")

    with Sandbox().serving(log=full) as url:
        answer = httpx.post(f"{url}/anthropic/v1/messages", json=ASK, headers=KEYS)
    assert answer.status_code == 200
