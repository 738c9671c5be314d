"""What went over the wire: the last exchanges, for looking at what another client sent.

Credentials are never kept: they come in headers and in the query, and neither is part of an entry;
what may be one in a path is hidden (`target`).
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

KEPT = 1_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One exchange.

    Attributes:
        mount: `anthropic`, `openai`, `compat` or `gemini`; `""` for a path outside the mounts.
        method: the HTTP method.
        path: the path without its query.
        request: the body as parsed JSON, None if it is none.
        status: the HTTP status of the reply.
        reply: the reply's body as parsed JSON; of a stream its text.
        rule: the id of the refusal, None when the request was accepted.
        acts: what the model did, as the `acts` of `sandbox_data/model_sheet.json` name it; empty
            when no model was asked.
    """

    mount: str
    method: str
    path: str
    request: Any
    status: int
    reply: Any
    rule: str | None
    acts: tuple[str, ...] = ()


class Journal:
    """Keeps the last exchanges, newest last."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The exchanges kept so far, newest last."""
        return tuple(self._entries)

    def add(self, entry: Entry) -> None:
        """Keep one exchange."""
        self._entries.append(entry)
