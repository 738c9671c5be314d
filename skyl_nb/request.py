"""A request to a model and its response, as data, and the check that comes before anything is sent.

This is skyl's request.go and response.go in Python. `validate` speaks skyl's words, in skyl's
order (read in its source, 2026-11). It looks at neither the content nor the order of messages:
those are the provider's to refuse.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, StrictStr

from skyl_nb.conversation import Image, Message, Part, Role, Says, ToolCall, ToolResult, Value
from skyl_nb.errors import BadRequestError


class Tool(Value):
    """A tool that the model may call. `parameters` is a JSON schema, or None."""

    name: StrictStr
    description: StrictStr = ""
    parameters: dict[str, JsonValue] | None = None


class ToolChoice(Value):
    """How freely the model chooses: `auto`, `none`, `required`, or `tool` with a `name`."""

    mode: StrictStr
    name: StrictStr = ""


class Request(Value):
    """What is asked of a model.

    `max_tokens` is in tokens, 0 for the provider's own default. `provider_options` are merged into
    the body last, key by key, at its top level. Lists are kept as tuples.
    """

    model: StrictStr
    messages: Annotated[
        tuple[Message, ...], Field(strict=False), Says("messages is a list of Message values")
    ]
    system: StrictStr = ""
    max_tokens: int = 0
    temperature: float | None = None
    top_p: float | None = None
    stop: Annotated[tuple[StrictStr, ...], Field(strict=False)] = ()
    tools: Annotated[
        tuple[Tool, ...], Field(strict=False), Says("tools is a list of Tool values")
    ] = ()
    tool_choice: ToolChoice | None = None
    provider_options: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def has_settings(self) -> bool:
        """Whether more was set than the model and the messages: encoders skip the rest if not."""
        return len(self.__pydantic_fields_set__) > REQUIRED_FIELDS


REQUIRED_FIELDS = sum(field.is_required() for field in Request.model_fields.values())


class StopReason(StrEnum):
    """Why the model stopped, in skyl's words for all providers."""

    end_turn = "end_turn"
    max_tokens = "max_tokens"
    tool_use = "tool_use"
    stop_sequence = "stop_sequence"
    refusal = "refusal"
    unknown = "unknown"


class Usage(Value):
    """Counts of tokens. `input_tokens` holds those read from and written to a cache as well."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class Response(Value):
    """What a model answered: `message` in neutral form, `raw` as the provider's own parsed JSON."""

    id: StrictStr
    provider: StrictStr
    model: StrictStr
    message: Message
    stop_reason: StopReason
    usage: Usage
    raw: Any

    @property
    def text(self) -> str:
        """All text of the answer, joined."""
        return self.message.text

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls that the model asks for, in order. Each must be answered."""
        return self.message.tool_calls


class StreamEvent(Value):
    """One event of a streamed answer; `type` says which of the other fields is set.

    | type | field |
    |---|---|
    | `text_delta` | `text`: the next piece of text |
    | `tool_call` | `tool_call`: a whole call, once its arguments are complete |
    | `usage` | `usage`: the counts, once, near the end |
    | `stop` | `stop_reason`: the last event |
    """

    type: Literal["text_delta", "tool_call", "usage", "stop"]
    text: StrictStr = ""
    tool_call: ToolCall | None = None
    usage: Usage | None = None
    stop_reason: StopReason | None = None


def validate(request: Request) -> None:
    """Refuse a request that skyl would refuse before it sends anything.

    Raises:
        BadRequestError: the first fault, in skyl's words. Indexes count from 0.
    """
    if not isinstance(request, Request):
        raise BadRequestError(f"this is {type(request).__name__}, and a Request is needed")
    for fault in _faults(request):
        raise BadRequestError(fault)


def _faults(request: Request) -> Iterator[str]:
    if not request.model:
        yield "model is required"
    if not request.messages:
        yield "at least one message is required"
    if request.max_tokens < 0:
        yield "max tokens must not be negative"
    for i, message in enumerate(request.messages):
        yield from _message_faults(i, message)
    for k, tool in enumerate(request.tools):
        if not tool.name:
            yield f"tool {k} has no name"
    if request.tool_choice is not None:
        yield from _choice_faults(request.tool_choice.mode, request.tool_choice.name)


def _message_faults(i: int, message: Message) -> Iterator[str]:
    if not isinstance(message.role, Role):
        yield f'message {i} has invalid role "{message.role}"'
    if not message.parts:
        yield f"message {i} has no parts"
    for j, part in enumerate(message.parts):
        if fault := _part_fault(part):
            yield f"message {i} part {j}: {fault}"


def _part_fault(part: Part) -> str:
    match part:
        case Image(data=b"", url=""):
            return "image needs data or a URL"
        case Image(media_type="", data=data) if data:
            return "image data needs a media type"
        case ToolCall(id="") | ToolCall(name=""):
            return "tool call needs an ID and a name"
        case ToolResult(call_id=""):
            return "tool result needs a call ID"
    return ""


def _choice_faults(mode: str, name: str) -> Iterator[str]:
    if mode == "tool" and not name:
        yield 'tool choice "tool" requires a name'
    if mode not in ("auto", "none", "required", "tool"):
        yield f'unknown tool choice mode "{mode}"'
