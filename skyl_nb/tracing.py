"""The fate of a failure in what another client sent, read from a journal of the sandbox.

On each wire the first two requests that carry tool results of the same round are compared: the
failing one was sent first. If it was the other way round, and only then the difference makes
sense, they are compared that way.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from skyl_nb.errors import SkylError
from skyl_nb.sandbox.call import mounts
from skyl_nb.signal import SignalTrace, compare_bodies, result_count
from skyl_nb.views import text
from skyl_nb.wires import WIRES

WIRE_OF_MOUNT = {mount.name: mount.wire for mount in mounts()}
HEADERS = ("Wire", "Fate of the failure", "Where it shows")


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a journal file.

    Raises:
        SkylError: the file cannot be read, or a line of it is no entry.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise SkylError(f"the journal {path} cannot be read: {reason}") from error
    return [_entry(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _entry(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict) or "mount" not in entry or "request" not in entry:
        raise SkylError(
            f"line {number} of {path} is no entry of a journal; "
            "write one with: skyl-nb sandbox --journal FILE.jsonl"
        )
    return entry


def traces(entries: Iterable[dict[str, Any]]) -> list[SignalTrace]:
    """Return the fate of the failure on each wire that the entries used.

    Raises:
        SkylError: no wire has two requests with tool results.
    """
    entries = list(entries)
    found = [trace for name in WIRES for trace in _on(name, entries)]
    if not found:
        raise SkylError(
            "no wire of this journal has two requests with tool results; let your client have one "
            "conversation twice, first with a tool that fails, then with one that does not"
        )
    return found


def table(found: list[SignalTrace]) -> str:
    """Write traces as a table."""
    rows = [(WIRES[one.wire].title, one.fate, one.pointer or "nowhere") for one in found]
    return text.table(HEADERS, rows)


def _on(wire: str, entries: list[dict[str, Any]]) -> Iterator[SignalTrace]:
    bodies = [entry["request"] for entry in entries if WIRE_OF_MOUNT.get(entry["mount"]) == wire]
    counted = [(result_count(wire, body), body) for body in bodies]
    least = min((count for count, _ in counted if count), default=0)
    pair = [body for count, body in counted if count and count == least][:2]
    if len(pair) < 2:
        return
    trace = compare_bodies(wire, *pair)
    turned = compare_bodies(wire, *reversed(pair))
    yield turned if trace.fate == "altered" and turned.fate != "altered" else trace
