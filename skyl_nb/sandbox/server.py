"""The front door over loopback: an HTTP/1.1 server for clients in any language.

It adds nothing to what `Sandbox.handle` says, not even a date: the bytes are those of the
transport in process. It is the standard library's threading server with Nagle's algorithm off and
buffered writes, since with its defaults each request costs tens of milliseconds. What one client
does wrong (hangs up, sends slowly, sends too much, frames its body badly) ends its own connection.
"""

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.errors import FirstHeaderLineIsContinuationDefect, MissingHeaderBodySeparatorDefect
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import Any

from skyl_nb.errors import SkylError
from skyl_nb.sandbox.journal import Entry
from skyl_nb.sandbox.reply import Reply

MOST_BYTES = 64 * 1024 * 1024
"""A longer body is not read: it is over every provider's limit."""

PATIENCE = 30.0
"""Seconds to wait for the next bytes of a request."""

NO_HEADER = (MissingHeaderBodySeparatorDefect, FirstHeaderLineIsContinuationDefect)
"""After such a line no other is taken for a header: a key, or the body's length, is lost."""

_HEX = re.compile(rb"[0-9a-fA-F]+")
# What does not begin so is no request; it may be a header, and so a key, after a stray line end.
_LINE = re.compile(rb"([A-Za-z-]+) (/\S*)")

Exchange = Callable[[str, str, list[tuple[str, str]], bytes], tuple[Reply, Entry]]
Unread = Callable[[str, str, int, str], tuple[Reply, Entry]]
Log = Callable[[Entry], None]


class _BadBodyError(Exception):
    """A body that cannot be read; the connection is of no further use."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE
    wbufsize = -1
    disable_nagle_algorithm = True
    server: "_Server"

    def __getattr__(self, name: str) -> Any:
        # Every method reaches the sandbox, which knows which are wrong.
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def log_message(self, *_: Any) -> None:
        """Say nothing: the log is the server's."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that is no HTTP/1.1."""
        # The words in brackets quote the request, and so the key that may stand in it.
        why = (message or "this is not a request that HTTP/1.1 knows").partition(" (")[0]
        self._refuse(int(code), why)

    def _answer(self) -> None:
        try:
            body = _body(self.rfile, self.headers)
        except _BadBodyError as error:
            self._refuse(error.status, str(error))
            return
        # `self.path` is not what was sent: two slashes at its beginning have become one.
        target = self.raw_requestline.split()[1].decode("latin-1")
        reply, entry = self.server.exchange(self.command, target, list(self.headers.items()), body)
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
        self.send_response_only(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("connection", "close")
        if reply.frames is None:
            self.send_header("content-length", str(len(reply.body)))
        elif chunked:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.close_connection = True
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)
            self._stream(reply.frames or iter(()), chunked=chunked)
        self.wfile.flush()

    def _stream(self, frames: Iterator[bytes], *, chunked: bool) -> None:
        for frame in frames:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame) if chunked else frame)
            self.wfile.flush()
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _refuse(self, status: int, why: str) -> None:
        self.close_connection = True
        self.request_version = self.protocol_version  # it may be what was wrong
        line = _LINE.match(self.raw_requestline)
        method, target = (part.decode("latin-1") for part in line.groups()) if line else ("", "")
        reply, entry = self.server.unread(method, target, status, why)
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


def _body(stream: BufferedIOBase, headers: Message) -> bytes:
    """Read a request's body.

    Raises:
        _BadBodyError: its length is not said properly, or it is too long.
    """
    if any(isinstance(one, NO_HEADER) for one in headers.defects):
        raise _BadBodyError(400, "a line among the headers is none")
    encodings = headers.get_all("transfer-encoding", [])
    lengths = headers.get_all("content-length", [])
    if encodings and lengths:
        raise _BadBodyError(400, "the request has both a length and chunks")
    if encodings:
        if [one.strip().lower() for one in encodings] != ["chunked"]:
            raise _BadBodyError(501, "the only transfer encoding here is chunked")
        return b"".join(_chunks(stream))
    if not lengths:
        return b""
    return _exactly(stream, _length(lengths))


def _length(lengths: list[str]) -> int:
    if len(set(lengths)) > 1 or not (lengths[0].isascii() and lengths[0].isdigit()):
        raise _BadBodyError(400, "content-length is not one number")
    if len(lengths[0]) > 18 or int(lengths[0]) > MOST_BYTES:
        raise _BadBodyError(413, "the body is too long")
    return int(lengths[0])


def _chunks(stream: BufferedIOBase) -> Iterator[bytes]:
    total = 0
    while True:
        size, _, _ = stream.readline(1024).partition(b";")
        length = int(size, 16) if _HEX.fullmatch(size.strip()) else -1
        total += max(length, 0)
        if length < 0 or len(size) > 20:
            raise _BadBodyError(400, "a chunk has no proper length")
        if total > MOST_BYTES:
            raise _BadBodyError(413, "the body is too long")
        if length == 0:
            break
        yield _exactly(stream, length)
        if stream.readline(3).strip():
            raise _BadBodyError(400, "a chunk is longer than it says")
    while stream.readline(65537).strip():
        pass  # trailers say nothing here


def _exactly(stream: BufferedIOBase, length: int) -> bytes:
    body = stream.read(length)
    if len(body) < length:
        raise _BadBodyError(400, "the body is shorter than it says")
    return body
