"""A string that matches a regular expression, for the plain expressions that schemas use.

`sample` knows literals, classes, groups, alternatives (it takes the first) and counts (it takes
the fewest, but at least one where one is allowed, so that the string reads like an example). What
it does not know gives None. `matches` never starts a search that could take exponential time: a
schema comes from a stranger.
"""

import re
from dataclasses import dataclass

_CLASSES = {"d": "1", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}
_COUNT = re.compile(r"\{(\d{1,3})(,(\d{0,3}))?\}")
_LONGEST = 200


def matches(pattern: str, text: str) -> bool | None:
    """Return whether `text` holds a match of `pattern`; None when that cannot be told safely."""
    if len(pattern) > _LONGEST or not _is_tame(pattern, len(text)):
        return None
    try:
        return re.search(pattern, text) is not None
    except (re.error, RecursionError, OverflowError):
        return None


def _is_tame(pattern: str, length: int) -> bool:
    loose = len(re.findall(r"[*+?{|]", pattern))
    nested = re.search(r"\)[*+?{]", pattern) is not None
    if nested:
        return loose <= 2 and length <= 20
    return loose <= 4 and length <= 64


def sample(pattern: str) -> str | None:
    """Return a string that `pattern` should match, None if the expression is beyond us."""
    if len(pattern) > _LONGEST:
        return None
    reader = _Reader(pattern)
    try:
        text = reader.alternatives()
    except (ValueError, IndexError, RecursionError):
        return None
    return text if reader.at == len(pattern) else None


@dataclass
class _Reader:
    """Reads an expression from left to right and writes one string that matches it."""

    pattern: str
    at: int = 0

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        char = self.pattern[self.at]
        self.at += 1
        return char

    def alternatives(self) -> str:
        first = self.sequence()
        while self.peek() == "|":
            self.at += 1
            self.sequence()
        return first

    def sequence(self) -> str:
        text = ""
        while self.peek() not in ("", "|", ")"):
            text += self.atom() * self.count()
            if len(text) > 10 * _LONGEST:
                raise ValueError(self.pattern)
        return text

    def atom(self) -> str:
        char = self.take()
        if char in "^$":
            return ""
        if char == "(":
            return self.group()
        if char == "[":
            return self.char_class()
        if char == "\\":
            return self.escape()
        if char in "*+?{":
            raise ValueError(self.pattern)
        return "a" if char == "." else char

    def group(self) -> str:
        if self.peek() == "?":
            if not self.pattern.startswith("?:", self.at):
                raise ValueError(self.pattern)
            self.at += 2
        text = self.alternatives()
        if self.take() != ")":
            raise ValueError(self.pattern)
        return text

    def escape(self) -> str:
        char = self.take()
        if char in "bB":
            return ""
        if char.isalnum() and char not in _CLASSES and char not in _CONTROLS:
            raise ValueError(self.pattern)
        return _CLASSES.get(char) or _CONTROLS.get(char) or char

    def char_class(self) -> str:
        """Return the first character of a class; of a negated one a character it does not hold."""
        start = self.at
        negated = self.peek() == "^"
        self.at += negated
        first = self.take()
        if first == "\\":
            first = self.escape()
        while self.peek() != "]":
            if self.take() == "\\":
                self.take()
        self.at += 1
        if not negated:
            return first
        whole = re.compile("[" + self.pattern[start : self.at])
        found = next(filter(whole.match, "aA1 -~_%"), None)
        if found is None:
            raise ValueError("nothing plain is in this class")
        return found

    def count(self) -> int:
        char = self.peek()
        if char and char in "*+?":
            self.at += 1
            return self.lazy(1)
        found = _COUNT.match(self.pattern, self.at)
        if not found:
            return 1
        self.at = found.end()
        least = int(found[1])
        most = least if found[2] is None else int(found[3] or least + 1)
        return self.lazy(min(max(least, 1), most))

    def lazy(self, times: int) -> int:
        if self.peek() == "?":
            self.at += 1
        return times
