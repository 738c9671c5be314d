"""Requests per second over loopback, and the time from start to the first answer.

Each server runs as its own process on one core, and the same client asks it from another. With
`AIMOCK` set to the command llmock of @copilotkit/aimock (npm), that server is measured beside ours.
"""

import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REQUESTS = 3000
ROUNDS = 5
QUESTION = "Hello"


def body() -> bytes:
    """Return a two-round tool conversation: what a client sends after a tool has answered."""
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return json.dumps(
        {
            "model": "gpt-5.6",
            "messages": [
                {"role": "user", "content": QUESTION},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "call_1", "content": "22C"},
            ],
        }
    ).encode()


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def pin(process: int, core: int) -> None:
    """Keep a process (0 for this one) on one core, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(process, {core % (os.cpu_count() or 1)})


@contextmanager
def started(command: list[str], port: int) -> Iterator[float]:
    """Start a server on core 0; yield the seconds until it takes connections."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        pin(process.pid, 0)
        try:
            while True:
                assert process.poll() is None, f"{command[0]} ended by itself"
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.005)
            yield time.perf_counter() - began
        finally:
            process.kill()


def ask(sock: socket.socket, request: bytes) -> bytes:
    """Send one request and read its whole answer, by its length or its chunks."""
    sock.sendall(request)
    data = sock.recv(65536)
    while b"\r\n\r\n" not in data:
        data += sock.recv(65536)
    head, _, rest = data.partition(b"\r\n\r\n")
    fields = head.lower()
    if b"content-length: " in fields:
        length = int(fields.split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(rest) < length:
            rest += sock.recv(65536)
    else:
        while not rest.endswith(b"0\r\n\r\n"):
            rest += sock.recv(65536)
    assert b" 200 " in head.split(b"\r\n")[0], head + rest
    return rest


def seconds_per_request(port: int, path: str) -> float:
    payload = body()
    request = (
        f"POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sandbox-key\r\n"
        f"content-type: application/json\r\ncontent-length: {len(payload)}\r\n\r\n"
    ).encode() + payload
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(200):
            ask(sock, request)
        took = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            for _ in range(REQUESTS // ROUNDS):
                ask(sock, request)
            took.append((time.perf_counter() - began) / (REQUESTS // ROUNDS))
    return min(took)


def measure(command: list[str], port: int, path: str) -> tuple[float, float]:
    """Return the seconds until a server takes connections, and those of one request."""
    with started(command, port) as ready:
        pin(0, 1)
        return ready, seconds_per_request(port, path)


def ours() -> tuple[float, float]:
    port = free_port()
    command = [sys.executable, "-m", "skyl_nb", "sandbox", "--quiet", "--port", str(port)]
    return measure(command, port, "/openai/v1/chat/completions")


def aimock() -> tuple[float, float] | None:
    """Measure aimock, None where it is not installed."""
    if "AIMOCK" not in os.environ:
        return None
    port = free_port()
    fixture = {"fixtures": [{"match": {"userMessage": QUESTION}, "response": {"content": "Hi"}}]}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fixtures.json").write_text(json.dumps(fixture), encoding="utf-8")
        command = [*shlex.split(os.environ["AIMOCK"]), "--port", str(port)]
        command += ["--fixtures", folder, "--log-level", "silent"]
        return measure(command, port, "/v1/chat/completions")


def rows() -> Iterator[tuple[str, float, str, float]]:
    """Yield what was measured, its seconds, what it is compared with, and those seconds."""
    peer = aimock()
    name = "aimock" if peer else "itself (set AIMOCK to compare)"
    first, each = ours()
    yield "sandbox, start until it takes connections", first, name, peer[0] if peer else first
    yield "sandbox, one request over loopback", each, name, peer[1] if peer else each
