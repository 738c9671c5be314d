"""Untrusted text made visible: JSON as lines, nothing hidden in it, nothing too long to show.

What a tool returned may hold direction marks, zero-width characters, or a megabyte of text. Here
each character that a reader could not see becomes its JSON escape, and what is cut is said. Making
the result safe for HTML or Markdown is the renderer's job.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

from skyl_nb.signal import pointer_step

LONGEST = 600
"""Characters of one string that are shown; a longer one is cut in its middle."""

TAIL = 60
"""How many of them are from its end."""

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})

_BLANK_LETTERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
)
"""Letters and marks that draw nothing, though Unicode does not file them as hidden."""

_VARIATION_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")


class Line(NamedTuple):
    """One line of pretty JSON; `marked` if failure and success differ here."""

    text: str
    marked: bool


def visible(text: str) -> str:
    """Return `text` with each invisible character but the space as its JSON escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join([_escape(char) if _is_hidden(char) else char for char in text])


def shorten(text: str) -> str:
    """Return `text`, cut in its middle when it is longer than `LONGEST`; the cut says how much."""
    if len(text) <= LONGEST:
        return text
    cut = len(text) - LONGEST
    return f"{text[: LONGEST - TAIL]} … ({cut:,} characters not shown) … {text[-TAIL:]}"


def json_lines(value: Any, marked: str = "") -> list[Line]:
    """Return a JSON value as lines of pretty JSON.

    Args:
        value: parsed JSON.
        marked: the JSON pointer, within `value`, of the place to mark; `""` marks nothing.
    """
    return [
        Line(text, bool(marked) and (path == marked or path.startswith(marked + "/")))
        for path, text in _lines(value, path="", indent=0, before="", after="")
    ]


def _lines(
    value: Any, *, path: str, indent: int, before: str, after: str
) -> Iterator[tuple[str, str]]:
    margin = "  " * indent
    if not (isinstance(value, dict | list) and value):
        yield path, f"{margin}{before}{_scalar(value)}{after}"
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield path, f"{margin}{before}{opening}"
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for k, (key, item) in enumerate(items, start=1):
        yield from _lines(
            item,
            path=f"{path}{pointer_step(key)}",
            indent=indent + 1,
            before=f"{_scalar(key)}: " if isinstance(value, dict) else "",
            after="," if k < len(value) else "",
        )
    yield path, f"{margin}{closing}{after}"


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        value = shorten(value)
    return visible(json.dumps(value, ensure_ascii=False))


def _is_hidden(char: str) -> bool:
    return char != " " and (
        unicodedata.category(char) in _HIDDEN_CATEGORIES
        or char in _BLANK_LETTERS
        or _VARIATION_SELECTORS.match(char) is not None
    )


def _escape(char: str) -> str:
    return json.dumps(char)[1:-1] if ord(char) > 0x7F else f"\\u{ord(char):04x}"
