"""What a request is sent to: its path and its query.

A path is quoted: in errors, in the log, in the journal. Credentials belong in headers and in the
query, of which nothing is ever quoted. But a URL that was put together wrongly may carry one in
its path (`/models%3Fkey=...`, `//user:password@host/`), so what can be a credential there is
hidden before anybody reads the path; such a path leads nowhere anyway.
"""

import re
from urllib.parse import parse_qs, unquote

HIDDEN = "***"
SHORTEST_KEY = 8
"""A shorter key is not looked for: it may be a word of a proper path, such as `v1`."""

# All of these also as a percent escape, which may itself have been escaped.
_VALUE = re.compile(r"([?#=]|%(?:25)*(?:3f|23|3d)).+", re.IGNORECASE | re.DOTALL)
_USER = re.compile(r"(?<![^/])[^/]+(@|%(?:25)*40)", re.IGNORECASE)


def split(target: str, api_key: str) -> tuple[str, dict[str, list[str]]]:
    """Return the path of a target, without what can be a credential, and its query's values.

    Args:
        target: as it stands in the request: a path with its query.
        api_key: the sandbox's own credential; it is hidden wherever it stands in the path.
    """
    path, _, query = target.partition("?")
    path = _VALUE.sub(rf"\g<1>{HIDDEN}", _USER.sub(rf"{HIDDEN}\g<1>", path))
    if len(api_key) >= SHORTEST_KEY and api_key in plain(path):
        path = plain(path).replace(api_key, HIDDEN)
    return path, parse_qs(query)


def plain(path: str) -> str:
    """Return a path with its percent escapes undone, as mounts and routes read it."""
    return unquote(path, errors="replace")
