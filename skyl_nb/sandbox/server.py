"""The front door over loopback: an HTTP/1.1 server for clients in any language.

It adds nothing to what `Sandbox.handle` says, not even a date: the bytes are those of the
transport in process. It is the standard library's threading server with Nagle's algorithm off and
buffered writes, since with its defaults each request costs tens of milliseconds. What one client
does wrong (hangs up, sends slowly, sends too much, frames its request badly) ends its own
connection.

The head of a request is read here: the standard library reads it with its parser for e-mail, which
takes a quarter of the whole time and is lenient where HTTP is not. A line that is no field, a blank
before a colon and a field that is continued on the next line are refused (RFC 9112, 5.1 and 5.2):
they are how requests are smuggled.
"""

import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import Any

from skyl_nb.errors import SkylError
from skyl_nb.sandbox.journal import Entry
from skyl_nb.sandbox.reply import Reply

MOST_BYTES = 64 * 1024 * 1024
"""A longer body is not read: it is over every provider's limit."""

LONGEST_LINE = 65_536
MOST_FIELDS = 100

PATIENCE = 30.0
"""Seconds to wait for the next bytes of a request."""

LINGER = 1.0
"""Seconds to wait for what a client still sends after it was answered for the last time."""

PIECE = 65_536

# Where a refused request went, as far as it says so. What does not begin so may be a stray header.
_TARGET = re.compile(rb"([A-Za-z-]+) (/\S*)")
_HEX = re.compile(rb"[0-9a-fA-F]+")
_REQUEST_LINE = re.compile(r"(\S+)[ \t]+(\S+)[ \t]+HTTP/(\d{1,10})\.(\d{1,10})\s*", re.ASCII)
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

Exchange = Callable[[str, str, list[tuple[str, str]], bytes], tuple[Reply, Entry]]
Unread = Callable[[str, str, int, str], tuple[Reply, Entry]]
Log = Callable[[Entry], None]


Field = tuple[str, str]


class _BadRequestError(Exception):
    """A request that cannot be read; the connection is of no further use."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE
    wbufsize = -1
    disable_nagle_algorithm = True
    server: "_Server"
    fields: list[Field]
    raw_requestline: bytes

    def __getattr__(self, name: str) -> Any:
        # Every method reaches the sandbox, which knows which are wrong.
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def log_message(self, *_: Any) -> None:
        """Say nothing: the log is the server's."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that the standard library refuses."""
        # The words in brackets quote the request, and so the key that may stand in it.
        why = (message or "this is not a request that HTTP/1.1 knows").partition(" (")[0]
        self._refuse(int(code), why)

    def parse_request(self) -> bool:
        """Read the head of a request; False if there is none, or it was refused."""
        self.close_connection = True
        if not self.raw_requestline.strip():  # one empty line may come first (RFC 9112, 2.2)
            self.raw_requestline = self.rfile.readline(LONGEST_LINE + 1)
        line = self.raw_requestline.decode("latin-1")
        if not line.strip():
            return False
        try:
            self.command, self.path, major, minor = _request_line(line)
            self.fields = list(_fields(self.rfile))
        except _BadRequestError as error:
            self._refuse(error.status, str(error))
            return False
        self.request_version = f"HTTP/{major}.{minor}"
        options = self._listed("connection")
        newer = (major, minor) >= (1, 1)
        self.close_connection = "close" in options or not (newer or "keep-alive" in options)
        if newer and "100-continue" in self._listed("expect"):
            self.wfile.write(_CONTINUE)
            self.wfile.flush()
        return True

    def _values(self, name: str) -> list[str]:
        return [value for field, value in self.fields if field.lower() == name]

    def _listed(self, name: str) -> set[str]:
        return {one.strip().lower() for value in self._values(name) for one in value.split(",")}

    def _answer(self) -> None:
        try:
            body = _body(
                self.rfile, self._values("transfer-encoding"), self._values("content-length")
            )
        except _BadRequestError as error:
            self._refuse(error.status, str(error))
            return
        reply, entry = self.server.exchange(self.command, self.path, self.fields, body)
        self._log(entry)
        if reply.delay:
            time.sleep(reply.delay)
        self._send(reply)

    def _log(self, entry: Entry) -> None:
        if self.server.log is not None:
            # A full disk, or a terminal that is closed or lacks a letter: no reason not to answer.
            with suppress(OSError, ValueError):
                self.server.log(entry)

    def _send(self, reply: Reply) -> None:
        chunked = reply.frames is not None and self.request_version != "HTTP/1.0"
        framing: dict[str, str] = {}
        if reply.frames is None:
            framing["content-length"] = str(len(reply.body))
        elif chunked:
            framing["transfer-encoding"] = "chunked"
        else:
            self.close_connection = True
        if self.close_connection:
            framing["connection"] = "close"
        head = self._head(reply.status, reply.headers | framing)
        if self.command == "HEAD":
            self.wfile.write(head)
        else:
            self.wfile.write(head + reply.body)
            self._stream(reply.frames or iter(()), chunked=chunked)
        self.wfile.flush()

    def _head(self, status: int, fields: dict[str, str]) -> bytes:
        reason = self.responses[status][0] if status in self.responses else ""
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {fields[name]}" for name in fields)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def _stream(self, frames: Iterator[bytes], *, chunked: bool) -> None:
        for frame in frames:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame) if chunked else frame)
            self.wfile.flush()
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _refuse(self, status: int, why: str) -> None:
        self.close_connection = True
        self.request_version = self.protocol_version  # it may be what was wrong
        found = _TARGET.match(self.raw_requestline)
        said = found.groups() if found else (b"", b"")
        self.command, path = (part.decode("latin-1") for part in said)
        reply, entry = self.server.unread(self.command, path, status, why)
        self._log(entry)
        self._send(reply)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 512
    allow_reuse_address = os.name == "posix"  # on Windows it would share the port with others

    def __init__(
        self, address: tuple[str, int], exchange: Exchange, unread: Unread, log: Log | None
    ) -> None:
        self.exchange = exchange
        self.unread = unread
        self.log = log
        super().__init__(address, _Handler)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection, once the client has or will send no more.

        What came and was not read would make the system reset the connection, and a reset can take
        our answer from the client before it has read it.
        """
        with suppress(OSError):
            request.shutdown(socket.SHUT_WR)
            request.settimeout(LINGER)
            for _ in range(MOST_BYTES // PIECE):
                if not request.recv(PIECE):
                    break
        self.close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that goes away is no fault of anybody here."""


@contextmanager
def serve(
    exchange: Exchange, unread: Unread, host: str, port: int, log: Log | None = None
) -> Iterator[str]:
    """Serve until the block ends, and yield the base URL.

    Args:
        exchange: answers method, path with query, headers and body.
        unread: answers a request that cannot be read: method, path with query, status and why.
        host: the address to listen on.
        port: the port, 0 for any that is free.
        log: called with each entry of the journal.

    Raises:
        SkylError: the address cannot be had, for example because the port is in use.
    """
    try:
        server = _Server((host, port), exchange, unread, log)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SkylError(
            f"cannot listen on {host} port {port}: {reason}; choose another host or port"
        ) from None
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        name = f"[{host}]" if ":" in host else host
        yield f"http://{name}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _request_line(line: str) -> tuple[str, str, int, int]:
    """Return method, path, and the version's two numbers."""
    found = _REQUEST_LINE.fullmatch(line)
    if found is None:
        raise _BadRequestError(400, "this is not a request that HTTP/1.1 knows")
    major, minor = int(found[3]), int(found[4])
    if major >= 2:
        raise _BadRequestError(505, f"HTTP/{major}.{minor} is not spoken here, only HTTP/1.1")
    return found[1], found[2], major, minor


def _fields(stream: BufferedIOBase) -> Iterator[Field]:
    """Yield the header fields of a request, to the empty line after them."""
    for number in range(MOST_FIELDS + 1):
        line = stream.readline(LONGEST_LINE + 1)
        if line in (b"\r\n", b"\n", b""):
            return
        if len(line) > LONGEST_LINE or number == MOST_FIELDS:
            break
        name, colon, value = line.decode("latin-1").partition(":")
        if not colon or not _NAME.fullmatch(name):
            raise _BadRequestError(400, "a line of the head is not a name, a colon and a value")
        yield name, value.strip(" \t\r\n")
    raise _BadRequestError(431, "the head has too many fields, or a field that is too long")


def _body(stream: BufferedIOBase, encodings: list[str], lengths: list[str]) -> bytes:
    """Read a request's body; the two lists are what its head says of it.

    Raises:
        _BadRequestError: its length is not said properly, or it is too long.
    """
    if encodings and lengths:
        raise _BadRequestError(400, "the request has both a length and chunks")
    if encodings:
        if [one.strip().lower() for one in encodings] != ["chunked"]:
            raise _BadRequestError(501, "the only transfer encoding here is chunked")
        return b"".join(_chunks(stream))
    if not lengths:
        return b""
    return _exactly(stream, _length(lengths))


def _length(lengths: list[str]) -> int:
    if len(set(lengths)) > 1 or not (lengths[0].isascii() and lengths[0].isdigit()):
        raise _BadRequestError(400, "content-length is not one number")
    if len(lengths[0]) > 18 or int(lengths[0]) > MOST_BYTES:
        raise _BadRequestError(413, "the body is too long")
    return int(lengths[0])


def _chunks(stream: BufferedIOBase) -> Iterator[bytes]:
    total = 0
    while True:
        size, _, _ = stream.readline(1024).partition(b";")
        length = int(size, 16) if _HEX.fullmatch(size.strip()) else -1
        total += max(length, 0)
        if length < 0 or len(size) > 20:
            raise _BadRequestError(400, "a chunk has no proper length")
        if total > MOST_BYTES:
            raise _BadRequestError(413, "the body is too long")
        if length == 0:
            break
        yield _exactly(stream, length)
        if stream.readline(3).strip():
            raise _BadRequestError(400, "a chunk is longer than it says")
    while stream.readline(65537).strip():
        pass  # trailers say nothing here


def _exactly(stream: BufferedIOBase, length: int) -> bytes:
    body = stream.read(length)
    if len(body) < length:
        raise _BadRequestError(400, "the body is shorter than it says")
    return body
