"""What was found by sending odd requests, as data: `corpus/requests.json`, one row for a request.

A row says what is sent (method, path, headers, body; a long text is written as a list of pieces,
some of them repeated) and what must come back (status, mount, rule; None for any rule). Each is
sent in process and over loopback, byte for byte, and gets the same bytes.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skyl_nb.foreground import log_line
from skyl_nb.sandbox import Sandbox
from tests.sandbox.envelopes import check_reply
from tests.sandbox.loopback import bare, exchange, written

ROWS = json.loads((Path(__file__).parent / "corpus" / "requests.json").read_text(encoding="utf-8"))
SECRETS = ("sandbox-key", "my-secret-key")
ROW = pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])


def text(written: Any) -> str:
    """Return a text that a row holds, written whole or as pieces."""
    pieces = [written] if isinstance(written, str) else written
    return "".join(one if isinstance(one, str) else one["text"] * one["times"] for one in pieces)


def request(row: Any) -> tuple[str, str, list[tuple[str, str]], bytes]:
    headers = [(name, text(value)) for name, value in row["headers"]]
    return row["method"], text(row["path"]), headers, text(row["body"]).encode()


@ROW
def test_it_is_answered_as_the_row_says(row: Any) -> None:
    sandbox = Sandbox()
    method, path, headers, body = request(row)
    reply = sandbox.handle(method, path, headers, body)
    assert (reply.status, reply.mount) == (row["status"], row["mount"])
    assert row["rule"] in (reply.rule, None)
    check_reply(reply, sandbox, model=method.upper() == "POST")


@ROW
def test_no_credential_is_kept_or_quoted(row: Any) -> None:
    sandbox = Sandbox()
    reply = sandbox.handle(*request(row))
    (entry,) = sandbox.journal
    seen = f"{entry!r} {log_line(entry)} {bare(reply).decode()}"
    assert not [secret for secret in SECRETS if secret in seen]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Sandbox().serving() as base:
        yield base


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.get("loopback", True)], ids=lambda row: row["name"]
)
def test_over_loopback_it_is_the_same(row: Any, url: str) -> None:
    method, path, headers, body = request(row)
    status, came = exchange(url, written(method, path, headers, body))
    reply = Sandbox().handle(method, path, headers, body)
    assert status == reply.status
    assert came == bare(reply)
