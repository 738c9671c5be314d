"""Parsing a body, and saying what is wrong with it as orjson does.

Anthropic's texts are orjson's, so a fault carries orjson's reason and place (measured with orjson
3.13.0). The standard library parses; it is laxer (lone surrogates, NaN, Infinity, numbers beyond
a double) and words its faults otherwise. So whenever it complains, or lets pass what it should
not, a scanner goes over the text once more to name the first fault. The scanner keeps its own
stack and cannot run out of ours.

Nesting deeper than `DEEPEST` is refused. The providers' own limits are not known; orjson's is
1024, more than the standard library parses safely under a deep call stack.
"""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

DEEPEST = 400
_BLANK = re.compile(r"[ \t\n\r]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_DIGITS = re.compile(r"[0-9]*")
_HEX = re.compile(r"[0-9a-fA-F]{0,4}")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LITERALS = {"t": "true", "f": "false", "n": "null"}
_CLOSING = {"[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a text that should be JSON, and at which character (from 0)."""

    reason: str
    at: int
    text: str = ""

    def __str__(self) -> str:
        """Return the fault as orjson words it."""
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        return f"{self.reason}: line {line} column {column} (char {self.at})"

    def context(self, width: int = 20) -> str:
        """Return the text around the fault and a caret under it, as Google's parser prints them."""
        start = max(self.at - width, 0)
        return f"{self.text[start : self.at + width]}\n{' ' * (self.at - start)}^"


@dataclass(frozen=True, slots=True)
class Parsed:
    """The value of a body, or the fault that keeps it from having one."""

    value: Any = None
    fault: Fault | None = None


def parse(body: bytes, *, lone_surrogates: bool = False) -> Parsed:
    """Parse a body; never raises.

    Args:
        body: the bytes as they came.
        lone_surrogates: let half a surrogate pair pass (Gemini does, REPORTS 22).
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        shown = body.decode("utf-8", "replace")
        return Parsed(fault=Fault("str is not valid UTF-8: surrogates not allowed", 0, shown))
    try:
        value = _DECODER.decode(text)
        if not _too_deep(text, value) and (lone_surrogates or not _has_half_pair(text, value)):
            return Parsed(value)
    except (ValueError, RecursionError):
        pass
    fault = _Scanner(text, lone_surrogates=lone_surrogates).fault()
    # No fault of its own: the call stack around us left the parser too little room.
    return Parsed(fault=fault or Fault("depth limit exceeded", 0, text))


def _integer(digits: str) -> int | float:
    # Beyond 64 bits orjson reads a double; a longer text than this cannot fit 64 bits.
    number = int(digits) if len(digits) <= 20 else 1 << 64
    return number if -(1 << 63) <= number < 1 << 64 else _number(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _not_a_number(word: str) -> NoReturn:
    raise ValueError(word)


# Made once: a new decoder for each body costs as much as a short body does.
_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_number, parse_constant=_not_a_number)


def _too_deep(text: str, value: Any) -> bool:
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _has_half_pair(text: str, value: Any) -> bool:
    if not _SURROGATE.search(text):
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


class _StopError(Exception):
    """The scan is over: here is the first fault."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


class _Scanner:
    """Walks over a text and stops at its first fault. `at` is the next character to look at."""

    def __init__(self, text: str, *, lone_surrogates: bool) -> None:
        self.text = text
        self.lone_surrogates = lone_surrogates
        self.at = 0
        self.comma = -1  # place of the comma that was just read, -1 if the last token was none
        self.fresh = False  # the last token opened a list or an object
        self.open: list[str] = []
        self.next = self._value

    def fault(self) -> Fault | None:
        try:
            self._document()
        except _StopError as stop:
            return Fault(stop.reason, stop.at, self.text)
        return None

    def _document(self) -> None:
        if not self.text:
            raise _StopError("Input is a zero-length, empty document", 0)
        if self.text.startswith("\ufeff"):
            raise _StopError("UTF-8 byte order mark (BOM) is not supported", 0)
        self._skip(_BLANK)
        if self.at == len(self.text):
            raise _StopError("input data is empty", 0)
        while True:
            self.next(self._here())
            self._skip(_BLANK)
            if self.next == self._separator and not self.open:
                break
        if self.at < len(self.text):
            raise _StopError("unexpected content after document", self.at)

    def _here(self) -> str:
        if self.at >= len(self.text):
            raise _StopError("unexpected end of data", len(self.text))
        return self.text[self.at]

    def _skip(self, what: re.Pattern[str]) -> int:
        """Go over what matches here, and return how many characters that were."""
        start = self.at
        found = what.match(self.text, start)
        self.at = found.end() if found else start
        return self.at - start

    # What may come next: each takes the character here, and says what comes after it.

    def _value(self, char: str) -> None:
        if char in "[{":
            self._opening(char)
            return
        if char == "]" and self._closes(char):
            return
        if char == '"':
            self._string()
        elif char.isascii() and (char.isdigit() or char in "-+."):
            self._digits(char)
        elif char in _LITERALS:
            self._literal(_LITERALS[char])
        else:
            raise _StopError("unexpected character, expected a JSON value", self.at)
        self._after_value()

    def _key(self, char: str) -> None:
        if char == "}" and self._closes(char):
            return
        if char != '"':
            raise _StopError("unexpected character, expected a string key", self.at)
        self._string()
        self.comma = -1
        self.fresh = False
        self.next = self._colon

    def _colon(self, char: str) -> None:
        if char != ":":
            raise _StopError("unexpected character, expected ':' after key", self.at)
        self.at += 1
        self.next = self._value

    def _separator(self, char: str) -> None:
        closing = _CLOSING[self.open[-1]]
        if char == ",":
            self.comma = self.at
            self.fresh = False
            self.at += 1
            self.next = self._value if closing == "]" else self._key
        elif char == closing:
            self._close()
        else:
            raise _StopError(f"unexpected character, expected ',' or '{closing}'", self.at)

    def _opening(self, char: str) -> None:
        self.at += 1
        self.comma = -1
        self.fresh = True
        self.open.append(char)
        if len(self.open) > DEEPEST:
            raise _StopError("depth limit exceeded", self.at)
        self.next = self._value if char == "[" else self._key

    def _closes(self, char: str) -> bool:
        """Close an empty list or object; say whether this was one. A comma before it is a fault."""
        if not self.open or _CLOSING[self.open[-1]] != char:
            return False
        if self.comma >= 0:
            raise _StopError("trailing comma is not allowed", self.comma)
        if not self.fresh:
            return False
        self._close()
        return True

    def _close(self) -> None:
        self.at += 1
        self.open.pop()
        self._after_value()

    def _after_value(self) -> None:
        self.comma = -1
        self.next = self._separator

    def _string(self) -> None:
        self.at += 1
        while True:
            self._skip(_PLAIN)
            char = self._here()
            if char == '"':
                self.at += 1
                return
            if char != "\\":
                raise _StopError("unexpected control character in string", self.at)
            self._escape()

    def _escape(self) -> None:
        start = self.at
        self.at += 1
        char = self._here()
        self.at += 1
        if char == "u":
            self._code_point(start)
        elif char not in '"\\/bfnrt':
            raise _StopError("invalid escaped sequence in string", start)

    def _code_point(self, start: int) -> None:
        unit = self._unit("invalid escaped sequence in string", start)
        if self.lone_surrogates or not 0xD800 <= unit <= 0xDFFF:
            return
        self._here()
        if unit >= 0xDC00:
            raise _StopError("invalid high surrogate in string", start)
        for expected in "\\u":
            if self._here() != expected:
                raise _StopError("no low surrogate in string", start)
            self.at += 1
        if not 0xDC00 <= self._unit("invalid escape in string", start) <= 0xDFFF:
            raise _StopError("invalid low surrogate in string", start)

    def _unit(self, reason: str, start: int) -> int:
        digits = self.at
        length = self._skip(_HEX)
        if length < 4:
            self._here()
            raise _StopError(reason, start)
        return int(self.text[digits : self.at], 16)

    def _digits(self, char: str) -> None:
        start = self.at
        self.at += char == "-"
        first = self._here()
        self._some_digits("no digit after sign")
        if first == "0" and self.at - start - (char == "-") > 1:
            raise _StopError("number with leading zero is not allowed", start + (char == "-"))
        if self.text.startswith(".", self.at):
            self.at += 1
            self._some_digits("no digit after decimal point")
        if self.text[self.at : self.at + 1] in ("e", "E"):
            self.at += 1
            self.at += self._here() in "+-"
            self._some_digits("no digit after exponent sign")
        if math.isinf(float(self.text[start : self.at])):
            raise _StopError("number is infinity when parsed as double", start)

    def _some_digits(self, otherwise: str) -> None:
        self._here()
        if not self._skip(_DIGITS):
            raise _StopError(otherwise, self.at)

    def _literal(self, word: str) -> None:
        if self.text.startswith(word, self.at):
            self.at += len(word)
        elif word.startswith(self.text[self.at :]):
            raise _StopError("unexpected end of data", len(self.text))
        else:
            raise _StopError(f"invalid literal, expected '{word}'", self.at)
