"""What every wire can do, and what the wires share: numbers, JSON texts, unreadable replies."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from math import isinf
from typing import Any, Protocol

from pydantic import ValidationError
from pydantic_core import from_json

from skyl_nb.conversation import Message, Part, Role, Text, ToolCall, sentence
from skyl_nb.errors import ServerError, UnsupportedError
from skyl_nb.request import Request, Response, StopReason, StreamEvent, Usage


class Wire(Protocol):
    """One provider's wire: `name` as in `WIRES`, `title` as people write it."""

    @property
    def name(self) -> str:
        """The key in `WIRES`."""

    @property
    def title(self) -> str:
        """The name for people, e.g. `OpenAI-compatible`."""

    def encode(self, request: Request, stream: bool = False) -> dict[str, Any]:
        """Return the JSON body for `request`. It shares nothing that can change with the request.

        Raises:
            UnsupportedError: this wire has no place for something in the request.
        """

    def decode(self, payload: dict[str, Any]) -> Response:
        """Return what a reply (its parsed JSON) says, in neutral form.

        Raises:
            ServerError: the reply has no answer in it, or not the shape of one.
            RefusalError: the provider refused the prompt (Gemini).
        """

    def events(self, payloads: Iterable[dict[str, Any]]) -> Iterator[StreamEvent]:
        """Return what a stream says, from the parsed data of its server-sent events.

        Raises:
            ServerError: the stream ends before the answer does, or an event cannot be read.
        """

    def path(self, model: str, stream: bool = False) -> str:
        """Return the path after the base URL, with its query."""

    def headers(self, api_key: str) -> dict[str, str]:
        """Return the headers that carry the credential."""


def parse_json(text: str) -> Any:
    """Return the value of the JSON text of a call's arguments.

    Raises:
        UnsupportedError: it is no JSON, or holds what no wire could carry.
    """
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError as error:
        if "recursion limit" in str(error):
            raise _not_json("nested too deeply") from None
        value = _parse_slowly(text)
    if _may_overflow(text) and _holds_infinity(value):
        raise _not_json("a number is too large")
    return value


def _parse_slowly(text: str) -> Any:
    """Parse what the fast parser refused: lone surrogates are JSON; the rest gets clear words."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise _not_json(str(error)) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def _not_json(why: str) -> UnsupportedError:
    return UnsupportedError(f"tool call arguments are not valid JSON: {why}")


def _may_overflow(text: str) -> bool:
    return len(text) > 300 or "e" in text or "E" in text


def _holds_infinity(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_infinity, value.values()))
    if isinstance(value, list):
        return any(map(_holds_infinity, value))
    return isinstance(value, float) and isinf(value)


def through_float64(value: Any) -> Any:
    """Return a copy of a JSON value as Go's `any` carries it, each number a 64-bit float.

    Go writes a whole number below 1e21 with all its digits, so 1.0 becomes 1, and
    12345678901234567890 becomes 12345678901234567000 (golden case `call-with-numbers`).

    Raises:
        UnsupportedError: a number does not fit into a 64-bit float.
    """
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is dict:
        return {key: through_float64(item) for key, item in value.items()}
    if kind is list:
        return [through_float64(item) for item in value]
    if kind is int and -9007199254740992 <= value <= 9007199254740992:
        return value
    return _go_number(value)


def _go_number(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:
        raise _not_json("a number is too large for a 64-bit float") from None
    if number.is_integer() and abs(number) < 1e21:
        return int(Decimal(repr(number)))
    return number


def copy_json(value: Any) -> Any:
    """Return a deep copy of a JSON value: who changes a body must not change the request."""
    if type(value) is dict:
        return {key: copy_json(item) for key, item in value.items()}
    if type(value) is list:
        return [copy_json(item) for item in value]
    return value


def json_text(value: Any) -> str:
    """Return a parsed JSON value as compact text; a missing one (None) is an empty object."""
    return "{}" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@contextmanager
def reading(provider: str) -> Iterator[None]:
    """Turn what goes wrong while reading an oddly shaped reply into one ServerError."""
    try:
        yield
    except ValidationError as error:
        why = sentence(error)
    except KeyError as error:
        why = f"{error} is missing"
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        why = str(error)
    else:
        return
    raise ServerError(f"the reply is not one of this wire's: {why}", provider=provider)


def text_delta(text: str) -> StreamEvent:
    """Return the event of a piece of text."""
    return StreamEvent(type="text_delta", text=text)


def call_event(call_id: str, name: str, arguments: str) -> StreamEvent:
    """Return the event of a whole call; no arguments at all mean an empty object."""
    call = ToolCall(id=call_id, name=name, arguments=arguments or "{}")
    return StreamEvent(type="tool_call", tool_call=call)


def ending(provider: str, usage: Usage, stop_reason: StopReason | None) -> Iterator[StreamEvent]:
    """Yield the last events of a stream.

    Raises:
        ServerError: no stop reason was seen, so the stream ended early.
    """
    if stop_reason is None:
        raise ServerError(
            "the stream ended before the answer was complete; ask again", provider=provider
        )
    yield StreamEvent(type="usage", usage=usage)
    yield StreamEvent(type="stop", stop_reason=stop_reason)


def response(
    provider: str,
    payload: dict[str, Any],
    *,
    id_key: str,
    model_key: str,
    parts: list[Part],
    stop_reason: StopReason,
    usage: Usage,
) -> Response:
    """Build the neutral response; texts that are empty are left out."""
    kept = tuple([part for part in parts if not (isinstance(part, Text) and not part.text)])
    return Response(
        id=payload.get(id_key) or "",
        provider=provider,
        model=payload.get(model_key) or "",
        message=Message(role=Role.assistant, parts=kept),
        stop_reason=stop_reason,
        usage=usage,
        raw=payload,
    )
