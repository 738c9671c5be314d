"""The front door in process: a transport for httpx, or for any module with httpx's classes.

One object is both the sync and the async transport. The providers' own host names lead to their
mounts (`hosts` in `sandbox_data/mounts.json`), so a client needs no other base URL.
"""

import importlib
from collections.abc import AsyncIterator, Callable, Iterator
from types import ModuleType
from typing import Any

from skyl_nb.data import facts
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

    def answer(request: Any) -> Any:
        reply = handle(
            request.method, _path(request.url), request.headers.multi_items(), request.content
        )
        if reply.frames is None:
            return module.Response(reply.status, headers=reply.headers, content=reply.body)
        return module.Response(reply.status, headers=reply.headers, stream=stream(reply.frames))

    def handle_request(_self: Any, request: Any) -> Any:
        request.read()
        return answer(request)

    async def handle_async_request(_self: Any, request: Any) -> Any:
        await request.aread()
        return answer(request)

    def read(frames: Any) -> Iterator[bytes]:
        yield from frames.frames

    async def read_async(frames: Any) -> AsyncIterator[bytes]:
        for frame in frames.frames:
            yield frame

    def stream(frames: Iterator[bytes]) -> Any:
        made = stream_class()
        made.frames = frames
        return made

    stream_bases = (module.SyncByteStream, module.AsyncByteStream)
    stream_class = type("SandboxStream", stream_bases, {"__iter__": read, "__aiter__": read_async})

    methods = {
        "__repr__": _show,
        "handle_request": handle_request,
        "handle_async_request": handle_async_request,
    }
    return type("SandboxTransport", bases, methods)()


def _show(_transport: Any) -> str:
    return "<transport of the sandbox>"


def _path(url: Any) -> str:
    prefix = facts("mounts.json")["hosts"].get(url.host, "")
    return f"{prefix}{url.raw_path.decode('ascii', 'replace')}"
