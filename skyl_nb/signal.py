"""What of a tool's failure survives a wire: measured by comparing two bodies, never declared.

The same conversation is written twice, once with a failing and once with a succeeding result, and
nothing else changed. Where the two bodies differ is all that a provider, and so a model, can know.

| fate | what differs in the tool result |
|---|---|
| `intact` | a field of its own; the content is the same |
| `prefixed` | the content: the failing one is the succeeding one with something before it |
| `dropped` | nothing: the bytes are the same |
| `altered` | anything else |

Ids of calls are not compared: a client may make new ones for every request.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from skyl_nb.conversation import (
    Message,
    Role,
    ToolCall,
    tool_error_message,
    tool_result_message,
    user_text,
)
from skyl_nb.data import facts
from skyl_nb.errors import BadRequestError
from skyl_nb.request import Request, Tool
from skyl_nb.wires import WIRES, wire_named

ID_KEYS = frozenset({"id", "tool_use_id", "tool_call_id"})

GEMINI_KEYS = ("functionResponse", "function_response")
"""Both spellings are on the wire: the official SDKs differ (seen in November 2026)."""

PROMPT = "What is the weather in Kampala?"
ARGUMENTS = '{"city":"Kampala"}'
WEATHER = Tool(
    name="get_weather",
    description="Current weather for a city.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
)

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class SignalTrace:
    """What happened to one failure on one wire.

    Attributes:
        wire: the wire's name.
        fate: `intact`, `prefixed`, `dropped` or `altered`, as in the table above.
        pointer: RFC 6901 JSON pointer of the difference in the body, `""` if there is none. It
            resolves in the failing body; in the succeeding one too, unless only one has the field.
        failure: the tool result in the failing body, as parsed JSON.
        success: the tool result in the succeeding body.
        result_pointer: JSON pointer of the tool result in the failing body.
        prefix: what stands before the failing content, when the fate is `prefixed`.
    """

    wire: str
    fate: str
    pointer: str
    failure: dict[str, Any]
    success: dict[str, Any]
    result_pointer: str
    prefix: str = ""


class Survival(NamedTuple):
    """One row of the survival table: the fate of a failure that has text, and of an empty one."""

    wire: str
    with_text: SignalTrace
    when_empty: SignalTrace


class _Fragment(NamedTuple):
    """A tool result in a body: where it is, how it stands there, and what is compared of it."""

    path: Path
    value: dict[str, Any]
    inner_path: Path
    inner: Any
    id: Any


class _Difference(NamedTuple):
    path: Path
    failure: Any
    success: Any


_MISSING = object()


def trace_signal(content: str, wire: str, call_id: str = "call_1") -> SignalTrace:
    """Write one conversation with a failing and with a succeeding result, and compare the bodies.

    Args:
        content: the content of the tool result, the same in both.
        wire: a name in `WIRES`.
        call_id: the id of the call and of its result.

    Raises:
        BadRequestError: an unknown wire, an empty call id, or a content that is not text.
    """
    encode = wire_named(wire).encode
    if call_id == "":
        raise BadRequestError(
            'call_id is empty: give the id of the call that is answered, for example "call_1"'
        )
    failure = encode(weather_request(wire, tool_error_message(call_id, content), call_id))
    success = encode(weather_request(wire, tool_result_message(call_id, content), call_id))
    return compare_bodies(wire, failure, success)


def weather_request(wire: str, answer: Message, call_id: str) -> Request:
    """Return the conversation that is compared: a question, a call of `get_weather`, its answer."""
    call = ToolCall(id=call_id, name=WEATHER.name, arguments=ARGUMENTS)
    return Request(
        model=facts("providers.json")[wire]["model"],
        messages=(user_text(PROMPT), Message(role=Role.assistant, parts=(call,)), answer),
        tools=(WEATHER,),
    )


def compare_bodies(wire: str, failure: dict[str, Any], success: dict[str, Any]) -> SignalTrace:
    """Compare two bodies of one wire, from any client, that differ in whether the tool failed.

    Args:
        wire: a name in `WIRES`.
        failure: the body sent for the failing result, as parsed JSON.
        success: the body sent for the succeeding result with the same content.

    Raises:
        BadRequestError: an unknown wire, or a body without a tool result of this wire.
    """
    wire_named(wire)
    try:
        return _compare(wire, failure, success)
    except RecursionError:
        raise BadRequestError("the bodies are nested too deeply to be compared") from None


def _compare(wire: str, failure: dict[str, Any], success: dict[str, Any]) -> SignalTrace:
    failing = _fragments(wire, failure, "failing")
    succeeding = _in_order_of(failing, _fragments(wire, success, "succeeding"))
    for one, other in zip(failing, succeeding, strict=False):
        if differences := list(_differences(one.inner, other.inner, at_top=ID_KEYS)):
            path = one.inner_path + _common([found.path for found in differences])
            fate = _fate(wire, one.inner, other.inner, differences)
            prefix = _prefix(differences[0]) if fate == "prefixed" else ""
            return SignalTrace(
                wire, fate, _pointer(path), one.value, other.value, _pointer(one.path), prefix
            )
    elsewhere = [found.path for found in _differences(failure, success, everywhere=ID_KEYS)]
    if len(failing) == len(succeeding):  # then what differs in their places is their order alone
        places = {found.path for found in (*failing, *succeeding)}
        elsewhere = [path for path in elsewhere if not _lies_in(path, places)]
    one, other = failing[0], succeeding[0]
    return SignalTrace(
        wire,
        "altered" if elsewhere else "dropped",
        _pointer(_common(elsewhere)),
        one.value,
        other.value,
        _pointer(one.path),
    )


def _lies_in(path: Path, places: set[Path]) -> bool:
    return any(path[:length] in places for length in range(len(path) + 1))


def _in_order_of(failing: list[_Fragment], succeeding: list[_Fragment]) -> list[_Fragment]:
    """Return the succeeding results in the order of the failing ones, if their ids say it."""
    places = {repr(other.id): other for other in succeeding}
    ids = [repr(one.id) for one in failing]
    if len(places) == len(succeeding) and sorted(ids) == sorted(places):
        return [places[one] for one in ids]
    return succeeding


def survival() -> tuple[Survival, ...]:
    """Return the survival table: for each wire, in the order of `WIRES`, both fates."""
    return tuple(
        Survival(name, trace_signal("no such city", name), trace_signal("", name)) for name in WIRES
    )


def _fate(wire: str, failure: Any, success: Any, differences: list[_Difference]) -> str:
    if _content_is_same(wire, failure, success, [found.path for found in differences]):
        return "intact"
    if len(differences) == 1 and _prefix(differences[0]):
        return "prefixed"
    return "altered"


def _prefix(difference: _Difference) -> str:
    """Return what stands before the succeeding text in the failing one, `""` if that is not so."""
    failure, success = difference.failure, difference.success
    if not (isinstance(failure, str) and isinstance(success, str)):
        return ""
    return failure[: len(failure) - len(success)] if failure.endswith(success) else ""


def _content_is_same(wire: str, failure: Any, success: Any, paths: list[Path]) -> bool:
    """Whether the paths lie beside the content, in fields of their own."""
    if wire != "gemini":
        return all(path[:1] != ("content",) for path in paths)
    inside = [path[1:] for path in paths if path[:1] == ("response",)]
    changed = {path[0] for path in inside if path}
    shared = _keys(failure, "response") & _keys(success, "response")
    return all(inside) and all(paths) and (not changed or bool(shared - changed))


def _keys(value: Any, name: str) -> set[Any]:
    """Return the keys of an object within an object, none if there is no such object."""
    inner = value.get(name) if isinstance(value, dict) else None
    return set(inner) if isinstance(inner, dict) else set()


def result_count(wire: str, body: Any) -> int:
    """Return how many tool results a body of this wire holds; 0 for what is no such body."""
    return len(_found(wire, body))


def tool_results(wire: str, body: Any) -> list[dict[str, Any]]:
    """Return the tool results of a body of this wire as they stand there, in their order."""
    return [found.value for found in _found(wire, body)]


def _found(wire: str, body: Any) -> list[_Fragment]:
    return list(_FIND[wire](body)) if isinstance(body, dict) else []


def _fragments(wire: str, body: dict[str, Any], which: str) -> list[_Fragment]:
    found = _found(wire, body)
    if not found:
        raise BadRequestError(
            f"the {which} body holds no tool result as the {wire} wire writes one; "
            "was it sent on another wire, or before the tool was called?"
        )
    return found


def _objects(value: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the objects of a list with their places; Gemini takes one object for a list of one."""
    if isinstance(value, dict):
        yield (), value
    for i, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield (i,), item


def _anthropic_results(body: dict[str, Any]) -> Iterator[_Fragment]:
    for i, message in _objects(body.get("messages")):
        for j, block in _objects(message.get("content")):
            if block.get("type") == "tool_result":
                path = ("messages", *i, "content", *j)
                yield _Fragment(path, block, path, block, block.get("tool_use_id"))


def _openai_results(body: dict[str, Any]) -> Iterator[_Fragment]:
    for i, message in _objects(body.get("messages")):
        if message.get("role") == "tool":
            path = ("messages", *i)
            yield _Fragment(path, message, path, message, message.get("tool_call_id"))


def _gemini_results(body: dict[str, Any]) -> Iterator[_Fragment]:
    for i, content in _objects(body.get("contents")):
        for j, part in _objects(content.get("parts")):
            path = ("contents", *i, "parts", *j)
            for key in GEMINI_KEYS:
                if (inner := part.get(key)) is not None:
                    name = (inner.get("name"), inner.get("id")) if isinstance(inner, dict) else None
                    yield _Fragment(path, {key: inner}, (*path, key), inner, name)


_FIND: dict[str, Callable[[dict[str, Any]], Iterator[_Fragment]]] = {
    "anthropic": _anthropic_results,
    "openai": _openai_results,
    "openaicompat": _openai_results,
    "gemini": _gemini_results,
}


def _differences(
    failure: Any,
    success: Any,
    path: Path = (),
    *,
    at_top: frozenset[str] = frozenset(),
    everywhere: frozenset[str] = frozenset(),
) -> Iterator[_Difference]:
    """Yield where two JSON values differ, but for keys left out at the top, or everywhere."""
    if isinstance(failure, dict) and isinstance(success, dict):
        for key in [*failure, *(key for key in success if key not in failure)]:
            if key not in at_top and key not in everywhere:
                pair = failure.get(key, _MISSING), success.get(key, _MISSING)
                yield from _differences(*pair, (*path, key), everywhere=everywhere)
    elif isinstance(failure, list) and isinstance(success, list):
        for i, pair in enumerate(zip_longest(failure, success, fillvalue=_MISSING)):
            yield from _differences(*pair, (*path, i), everywhere=everywhere)
    elif type(failure) is not type(success) or failure != success:
        yield _Difference(path, failure, success)


def _common(paths: list[Path]) -> Path:
    """Return the longest path that all the paths begin with."""
    first, last = min(paths, default=(), key=_sortable), max(paths, default=(), key=_sortable)
    steps = zip(first, last, strict=False)
    same = next((i for i, (one, other) in enumerate(steps) if one != other), len(first))
    return first[:same]


def _sortable(path: Path) -> list[str]:
    return [str(step) for step in path]


def _pointer(path: Path) -> str:
    return "".join(map(pointer_step, path))


def pointer_step(step: str | int) -> str:
    """Return one step of a JSON pointer, with its slash (RFC 6901)."""
    return f"/{str(step).replace('~', '~0').replace('/', '~1')}"
