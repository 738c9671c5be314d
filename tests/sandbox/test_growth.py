"""What the sandbox costs grows no faster than what it is asked, and nothing stays behind.

Nothing is timed here. Work is counted in calls of functions, which are the same on every machine;
what stays behind is counted in objects.
"""

import gc
import json
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any, ClassVar

import pytest

from skyl_nb.sandbox import Sandbox, journal
from skyl_nb.sandbox.call import Call
from skyl_nb.sandbox.core import DIALECTS
from skyl_nb.sandbox.jsonbody import Parsed
from tests.sandbox.wire import KEYS, MOUNTS, PATHS, SCHEMA, conversation, send

every_mount = pytest.mark.parametrize("mount", MOUNTS)
TOOLS = [("get_weather", SCHEMA)]


def long(mount: str, rounds: int) -> bytes:
    """A conversation of some rounds of one call each; the last one failed."""
    said = [[("get_weather", {"city": "Lima"}, f"{n} degrees")] for n in range(rounds - 1)]
    last = [[("get_weather", {"city": "Lima"}, "error: do not retry", True)]]
    return json.dumps(conversation(mount, "weather?", tools=TOOLS, rounds=said + last)).encode()


def wide(mount: str, results: int) -> bytes:
    """A conversation of one round of many calls; every second one failed."""
    texts = ["12 degrees", "error: do not retry"]
    said = [("get_weather", {"city": "Lima"}, texts[n % 2], n % 2 == 1) for n in range(results)]
    return json.dumps(conversation(mount, "weather?", tools=TOOLS, rounds=[said])).encode()


def broken(mount: str, rounds: int) -> bytes:
    """A long conversation whose very last result has a name or an id that nothing has."""
    body = long(mount, rounds).decode()
    key = {"anthropic": '"tool_use_id": "', "gemini": '"functionResponse": {"name": "'}
    before, found, after = body.rpartition(key.get(mount, '"tool_call_id": "'))
    return f"{before}{found}zz{after}".encode()


def calls_made(function: Callable[[], Any]) -> int:
    """Run a function and count every call in it, of Python's functions and of C's."""
    count = 0

    def see(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(see)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


@every_mount
@pytest.mark.parametrize("kind", [long, wide, broken], ids=lambda kind: kind.__name__)
def test_work_grows_no_faster_than_the_conversation(
    mount: str, kind: Callable[[str, int], bytes]
) -> None:
    sandbox = Sandbox()
    send(mount, kind(mount, 1), sandbox)  # what is read once is read now
    sizes = (5, 50, 500, 1_500)
    bodies = [kind(mount, size) for size in sizes]
    assert kind is wide or bodies[-1].count(b'"role"') > 3_000
    made = [
        calls_made(lambda body=body: send(mount, body, sandbox))  # type: ignore[misc]
        for body in bodies
    ]
    # What a round more costs, among few rounds and among many; a quadratic cost grows tenfold.
    each = [(made[n + 1] - made[n]) / (sizes[n + 1] - sizes[n]) for n in range(len(sizes) - 1)]
    assert max(each) < 1.5 * min(each), dict(zip(sizes, made, strict=True))


class CountedId(str):
    """An id that counts how often it is compared: a search in a list makes no calls to count."""

    compared: ClassVar = Counter[str]()
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        self.compared["=="] += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@every_mount
@pytest.mark.parametrize("kind", [long, wide], ids=lambda kind: kind.__name__)
def test_ids_and_names_are_looked_up_and_not_searched_for(
    mount: str, kind: Callable[[str, int], bytes]
) -> None:
    box = Sandbox()
    compared = []
    for size in (50, 500):
        body = json.loads(
            kind(mount, size),
            object_hook=lambda found: {
                key: CountedId(value)
                if key in ("id", "tool_use_id", "tool_call_id", "name")
                else value
                for key, value in found.items()
            },
        )
        call = Call(
            mount=next(one for one in box._mounts if one.name == mount),
            method="POST",
            path=PATHS[mount],
            query={},
            headers=KEYS[mount],
            body=b"",
            api_key=box.api_key,
        )
        call.parsed = Parsed(body)
        CountedId.compared.clear()
        dialect = DIALECTS[call.mount.dialect]
        assert not list(dialect.sequence(call))
        dialect.view(call)
        compared.append(CountedId.compared["=="])
    few, many = compared
    assert many <= 12 * few + 100


# What stays behind


def hand_in(sandbox: Sandbox, numbers: range) -> None:
    """Send requests of every kind, each with names and values that no other has."""
    for n in numbers:
        mount = MOUNTS[n % len(MOUNTS)]
        body = conversation(
            mount,
            f"weather {n}?",
            tools=[(f"get_weather_{n}", {**SCHEMA, "pattern": f"^{n}$", f"field{n}": n})],
            rounds=[[(f"get_weather_{n}", {f"city{n}": n}, f"error {n}", True)]],
        )
        unknown = {f"unknownField{n}": n}
        places = [body, {**body, **unknown}, {**body, "stream": True}, {"model": f"model-{n}"}]
        turns = body["contents" if mount == "gemini" else "messages"]
        last = {**turns[-1], f"newField{n}": {"type": f"type{n}", "role": f"role{n}"}}
        key = "contents" if mount == "gemini" else "messages"
        places += [{**body, key: [*turns[:-1], last]}, f"no JSON {n}"]
        for place in places:
            data = json.dumps(place).encode() if isinstance(place, dict) else place.encode()
            send(mount, data, sandbox, path=f"{PATHS[mount]}?key=k{n}")
        sandbox.handle("GET", f"/nowhere/{n}", {f"x-{n}": f"{n}"}, b"")


def alive() -> Counter[str]:
    gc.collect()
    return Counter(type(one).__name__ for one in gc.get_objects())


def cached() -> dict[str, int]:
    """How much every cache of the package holds."""
    gc.collect()
    return {
        f"{one.__module__}.{one.__qualname__}": one.cache_info().currsize
        for one in gc.get_objects()
        if type(one).__name__ == "_lru_cache_wrapper"
        and str(getattr(one, "__module__", "")).startswith("skyl_nb.")
    }


def test_nothing_but_the_journal_keeps_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "KEPT", 50)
    sandbox = Sandbox()
    hand_in(sandbox, range(40))
    before, caches = alive(), cached()
    hand_in(sandbox, range(40, 240))
    after = alive()
    assert cached() == caches
    assert len(sandbox.journal) == 50
    grown = {name: n - before[name] for name, n in after.items() if n - before[name] > 100}
    assert not grown  # 1,400 requests were answered meanwhile


# How much the journal keeps


def test_the_journal_keeps_large_bodies_only_as_far_as_there_is_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(journal, "MOST_BYTES", 10_000)
    sandbox = Sandbox()
    for n in range(20):
        send("openai", json.dumps({"n": n, "text": "x" * 3_000}).encode(), sandbox)
    assert [entry.request["n"] for entry in sandbox.journal] == [17, 18, 19]
    assert sum(entry.size for entry in sandbox.journal) <= 10_000
    send("openai", json.dumps({"n": "huge", "text": "x" * 30_000}).encode(), sandbox)
    assert [entry.request["n"] for entry in sandbox.journal] == ["huge"]
    send("openai", json.dumps({"n": "small"}).encode(), sandbox)
    assert [entry.request["n"] for entry in sandbox.journal] == ["small"]


def test_a_thousand_usual_exchanges_are_far_from_that_bound() -> None:
    body = long("anthropic", 300)
    sandbox = Sandbox()
    send("anthropic", body, sandbox)
    assert 1_000 * sandbox.journal[-1].size < journal.MOST_BYTES


def test_what_a_reader_does_with_an_entry_does_not_change_it() -> None:
    sandbox = Sandbox()
    send("openai", conversation("openai", "hello"), sandbox)
    entry = sandbox.journal[-1]
    entry.request["messages"].clear()
    entry.reply["choices"].clear()
    assert entry.request["messages"]
    assert entry.reply["choices"]


def test_a_body_that_is_no_json_is_not_kept() -> None:
    sandbox = Sandbox()
    send("openai", b"key=sandbox-key", sandbox)
    assert "sandbox-key" not in repr(sandbox.journal)
    assert sandbox.journal[-1].request is None
