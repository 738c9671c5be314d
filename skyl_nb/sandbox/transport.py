"""The front door in process: a transport for httpx, or for any module with httpx's classes.

One object is both the sync and the async transport. The providers' own host names lead to their
mounts (`host` in `sandbox_data/mounts.json`), so a client needs no other base URL. A reply that
asks to be late (`Reply.delay`) is held back here.
"""

import importlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from types import ModuleType
from typing import Any

from skyl_nb.sandbox.call import mounts
from skyl_nb.sandbox.reply import Reply


def build(handle: Callable[..., Reply], module: ModuleType | None = None) -> Any:
    """Return a transport that answers with `handle`, as an instance of the module's own classes.

    Args:
        handle: takes method, path, headers and body, and returns a `Reply`.
        module: `httpx` (the default) or a module with the same classes.

    Raises:
        TypeError: the module has no transports.
    """
    module = module or importlib.import_module("httpx")
    try:
        bases = (module.BaseTransport, module.AsyncBaseTransport)
    except AttributeError:
        name = getattr(module, "__name__", module)
        raise TypeError(f"{name} has no transports: pass httpx or a module like it") from None

    def ask(request: Any) -> Reply:
        headers = request.headers.multi_items()
        return handle(request.method, _path(request.url), headers, request.content)

    def answer(reply: Reply) -> Any:
        if reply.frames is None:
            return module.Response(reply.status, headers=reply.headers, content=reply.body)
        return module.Response(reply.status, headers=reply.headers, stream=stream(reply.frames))

    def handle_request(_self: Any, request: Any) -> Any:
        request.read()
        return answer(_late(ask(request)))

    async def handle_async_request(_self: Any, request: Any) -> Any:
        await request.aread()
        return answer(await _late_async(ask(request)))

    def stream(frames: Iterator[bytes]) -> Any:
        made = stream_class()
        made.frames = frames
        return made

    stream_class = _stream_class(module)
    methods = {"handle_request": handle_request, "handle_async_request": handle_async_request}
    return type("SandboxTransport", bases, {"__repr__": _show, **methods})()


def _stream_class(module: Any) -> Any:
    def read(frames: Any) -> Iterator[bytes]:
        yield from frames.frames

    async def read_async(frames: Any) -> AsyncIterator[bytes]:
        for frame in frames.frames:
            yield frame

    bases = (module.SyncByteStream, module.AsyncByteStream)
    return type("SandboxStream", bases, {"__iter__": read, "__aiter__": read_async})


def _late(reply: Reply) -> Reply:
    if reply.delay:
        time.sleep(reply.delay)
    return reply


async def _late_async(reply: Reply) -> Reply:
    if reply.delay:
        await importlib.import_module("anyio").sleep(reply.delay)  # on any loop that httpx runs on
    return reply


def _show(_transport: Any) -> str:
    return "<transport of the sandbox>"


def _path(url: Any) -> str:
    prefix = next((one.prefix for one in mounts() if one.host and one.host == url.host), "")
    return f"{prefix}{url.raw_path.decode('ascii', 'replace')}"
