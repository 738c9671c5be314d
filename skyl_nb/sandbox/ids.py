"""What follows from the request alone: its canonical text, ids like the provider's, token counts.

An id is a piece of the SHA-256 of the request and of a position in the answer, so the same
request has the same ids, another request has others, and two places of one answer never share
one. There is no clock and no random number here.
"""

import json
from hashlib import sha256
from typing import Any

_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS = [first + second for second in _LETTERS for first in _LETTERS]
_BASE = len(_PAIRS)
# Made once: a new encoder for each text costs as much as a short text. What was parsed from JSON
# cannot go in circles.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), check_circular=False)
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)


def canonical(value: Any) -> str:
    """Return parsed JSON as text that does not depend on spaces or on the order of keys."""
    return _CANONICAL.encode(value)


def compact(value: Any) -> str:
    """Return parsed JSON as short text, its characters as they are and its keys in their order."""
    return _COMPACT.encode(value)


def encoded(text: str) -> bytes:
    """Return JSON text as bytes; half a surrogate pair becomes its JSON escape."""
    return text.encode("utf-8", "backslashreplace")


def seed(*parts: str) -> bytes:
    """Return the seed of all ids of one request, from what identifies it."""
    return sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()


def make(source: bytes, prefix: str, position: int = 0, length: int = 24) -> str:
    """Return `prefix` and `length` (at most 40) letters and digits for a place of the answer."""
    number = int.from_bytes(sha256(source + f"{prefix}/{position}".encode()).digest())
    made = prefix
    for _ in range(0, length, 2):
        number, rest = divmod(number, _BASE)
        made += _PAIRS[rest]
    return made[: len(prefix) + length]


def request(source: bytes) -> str:
    """Return the id of a request."""
    return make(source, "req_")


def tokens(value: Any) -> int:
    """Return a token count for parsed JSON: a quarter of its length, as a rule of thumb."""
    return tokens_of(canonical(value))


def tokens_of(text: str) -> int:
    """Return the token count for parsed JSON whose canonical text is `text`."""
    return len(text) // 4 + 1
