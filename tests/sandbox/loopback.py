"""Sends bytes over loopback as they are, which no HTTP library would do."""

import socket
from collections.abc import Iterable
from contextlib import closing
from urllib.parse import urlsplit

from skyl_nb.sandbox import Reply


def raw(url: str, data: bytes, *, end: bool = True) -> bytes:
    """Send bytes, and return what comes until the server closes.

    Args:
        url: the base URL of the server.
        data: what is sent.
        end: whether to say that this was all; a server would wait for more otherwise.
    """
    place = urlsplit(url)
    with closing(socket.create_connection((place.hostname, place.port), timeout=10)) as sock:
        sock.sendall(data)
        if end:
            sock.shutdown(socket.SHUT_WR)
        return everything(sock)


def everything(sock: socket.socket) -> bytes:
    """Return what comes until the other side closes."""
    received = b""
    while piece := sock.recv(65536):
        received += piece
    return received


def written(method: str, path: str, headers: Iterable[tuple[str, str]], body: bytes) -> bytes:
    """Return a request after which the connection is closed."""
    fields = [*headers, ("host", "x"), ("connection", "close"), ("content-length", str(len(body)))]
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields)]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def exchange(url: str, data: bytes) -> tuple[int, bytes]:
    """Send a request and return the status and the body of its answer."""
    return answered(raw(url, data, end=False))


def answered(received: bytes) -> tuple[int, bytes]:
    """Return the status and the body of an answer, without its chunks."""
    head, _, body = received.partition(b"\r\n\r\n")
    while b"100 Continue" in head:
        head, _, body = body.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" in head:
        body = b"".join(_chunks(body))
    return int(head.split()[1]), body


def _chunks(body: bytes) -> Iterable[bytes]:
    while body:
        size, _, rest = body.partition(b"\r\n")
        yield rest[: int(size, 16)]
        body = rest[int(size, 16) + 2 :]


def bare(reply: Reply) -> bytes:
    """Return the bytes of a reply, streamed or not."""
    return reply.body + b"".join(reply.frames or ())
