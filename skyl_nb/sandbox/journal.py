"""What went over the wire: the last exchanges, for looking at what another client sent.

Credentials are never kept: they come in headers and in the query, and neither is part of an entry;
what may be one in a path is hidden (`target`).

An entry keeps bodies as bytes and parses them when somebody looks: that is seldom, and a thousand
parsed bodies would be work for the garbage collector at each request. So it is also known how much
is kept: at most `KEPT` entries, and of large bodies as many as fit into `MOST_BYTES`.
"""

import json
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any

from skyl_nb.sandbox import jsonbody

KEPT = 1_000
MOST_BYTES = 128 * 1024 * 1024
"""Bodies longer than this together are not kept, the oldest go first; the newest always stays."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One exchange.

    Attributes:
        mount: `anthropic`, `openai`, `compat` or `gemini`; `""` for a path outside the mounts.
        method: the HTTP method.
        path: the path without its query.
        sent: the body as it came, None if it is no JSON.
        status: the HTTP status of the reply.
        said: the reply's body; of a stream its text.
        rule: the id of the refusal, None when the request was accepted.
        acts: what the model did, as the `acts` of `sandbox_data/model_sheet.json` name it; empty
            when no model was asked.
    """

    mount: str
    method: str
    path: str
    sent: bytes | None
    status: int
    said: bytes | str
    rule: str | None
    acts: tuple[str, ...] = ()

    @property
    def request(self) -> Any:
        """The body as parsed JSON, None if it is none; a new object each time."""
        # Whether half a surrogate pair is taken was decided when it came.
        return self.sent and jsonbody.parse(self.sent, lone_surrogates=True).value

    @property
    def reply(self) -> Any:
        """The reply's body as parsed JSON, a new object each time; of a stream its text."""
        return json.loads(self.said) if isinstance(self.said, bytes) else self.said

    @property
    def size(self) -> int:
        """About how many bytes it keeps."""
        return len(self.path) + len(self.sent or b"") + len(self.said)

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as JSON that can be written to a file: its bodies are parsed."""
        return {
            "mount": self.mount,
            "method": self.method,
            "path": self.path,
            "request": self.request,
            "status": self.status,
            "reply": self.reply,
            "rule": self.rule,
            "acts": list(self.acts),
        }


class Journal:
    """Keeps the last exchanges, newest last."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._bytes = 0
        self._lock = threading.Lock()  # the server adds from many threads

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The exchanges kept so far, newest last."""
        with self._lock:
            return tuple(self._entries)

    def add(self, entry: Entry) -> None:
        """Keep one exchange, and let the oldest go for which there is no room."""
        with self._lock:
            self._entries.append(entry)
            self._bytes += entry.size
            while self._is_too_much():
                self._bytes -= self._entries.popleft().size

    def _is_too_much(self) -> bool:
        kept = len(self._entries)
        return kept > KEPT or (kept > 1 and self._bytes > MOST_BYTES)
