"""The sandbox in a terminal: says where it is, logs a line for each request, stops when told to."""

import ipaddress
import json
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

import click

from skyl_nb.data import facts
from skyl_nb.errors import SkylError
from skyl_nb.sandbox import Sandbox
from skyl_nb.sandbox.call import mounts
from skyl_nb.sandbox.journal import Entry
from skyl_nb.views.visible import shorten, visible
from skyl_nb.wires import WIRES

Show = Callable[[str], Any]


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach `host`."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def run(
    sandbox: Sandbox, host: str, port: int, *, show: Show, journal: str | None, explain: bool
) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Args:
        sandbox: who answers.
        host: the address to listen on.
        port: the port, 0 for any that is free.
        show: prints a text.
        journal: the file to which each exchange is appended, None for none.
        explain: whether the log explains each refusal.

    Raises:
        SkylError: the address cannot be had, or the file cannot be written.
    """
    lock = threading.Lock()  # one request, one line, whichever thread answers it
    with ExitStack() as stack:
        file = stack.enter_context(_appending(journal)) if journal else None

        def log(entry: Entry) -> None:
            with lock:
                if file:  # before the line: a closed terminal must not cost the entry
                    file.write(json.dumps(entry.as_dict()) + "\n")
                    file.flush()
                show(log_line(entry))
                if explain and entry.rule:
                    show(f"    {sandbox.explain(entry)}")

        stopped = stack.enter_context(_told_to_stop())
        url = stack.enter_context(sandbox.serving(host, port, log))
        show(greeting(url, sandbox.api_key))
        while not stopped.wait(0.2):  # a wait without end would not see Ctrl-C on Windows
            pass


def greeting(url: str, key: str) -> str:
    """Return what is printed first: the base URLs, and how to point a client at them."""
    lines = ["The sandbox is ready. Base URLs:", ""]
    lines += [f"  {WIRES[one.wire].title:18}{url}{one.base}" for one in mounts() if one.wire]
    for name, code in facts("snippets.json").items():
        lines += ["", f"{name}:", *[f"  {line.format(url=url, key=key)}" for line in code]]
    return "\n".join([*lines, "", "Ctrl-C stops it.", ""])


def log_line(entry: Entry) -> str:
    """Return one line about a request; what came over the wire is made visible."""
    colour = "green" if entry.status < 400 else "yellow" if entry.status < 500 else "red"
    path = visible(shorten(entry.path))
    what = f"{visible(shorten(entry.method))} {entry.mount or '-'} {path}"
    rule = f" {entry.rule}" if entry.rule else ""
    return f"{click.style(str(entry.status), fg=colour)} {what}{click.style(rule, fg=colour)}"


def _appending(path: str) -> TextIO:
    try:
        return Path(path).open("a", encoding="utf-8")
    except OSError as error:
        raise SkylError(
            f"the journal {path} cannot be written: {error.strerror}; choose another file"
        ) from error


@contextmanager
def _told_to_stop() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C and SIGTERM set."""
    stopped = threading.Event()
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(one, lambda *_: stopped.set()) for one in signals]
    try:
        yield stopped
    finally:
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)
