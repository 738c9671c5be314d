"""What follows from the request alone: its canonical text, ids like the provider's, token counts.

An id is a piece of the SHA-256 of the request and of a position in the answer, so the same
request has the same ids, another request has others, and two places of one answer never share
one. There is no clock and no random number here.
"""

import json
from hashlib import sha256
from typing import Any

_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def canonical(value: Any) -> str:
    """Return parsed JSON as text that does not depend on spaces or on the order of keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def compact(value: Any) -> str:
    """Return parsed JSON as short text, its characters as they are and its keys in their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def encoded(text: str) -> bytes:
    """Return JSON text as bytes; half a surrogate pair becomes its JSON escape."""
    return text.encode("utf-8", "backslashreplace")


def seed(*parts: str) -> bytes:
    """Return the seed of all ids of one request, from what identifies it."""
    return sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).digest()


def make(source: bytes, prefix: str, position: int = 0, length: int = 24) -> str:
    """Return `prefix` and `length` (at most 40) letters and digits for a place of the answer."""
    number = int.from_bytes(sha256(source + f"{prefix}/{position}".encode()).digest())
    letters = []
    for _ in range(length):
        number, rest = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[rest])
    return prefix + "".join(letters)


def tokens(value: Any) -> int:
    """Return a token count for parsed JSON: a quarter of its length, as a rule of thumb."""
    return len(canonical(value)) // 4 + 1
