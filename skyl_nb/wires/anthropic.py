"""Anthropic Messages: the one wire with a field of its own for a failed result.

A tool turn becomes a `user` message. `is_error` is always there, and a result's content is always
a list of one text, even of an empty one: that is how skyl's adapter writes them (golden cases
`failure-empty`, `success-empty`).
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from skyl_nb.conversation import ASSISTANT, Image, Part, Text, ToolCall, ToolResult
from skyl_nb.errors import UnsupportedError
from skyl_nb.request import (
    Request,
    Response,
    StopReason,
    StreamEvent,
    Tool,
    ToolChoice,
    Usage,
)
from skyl_nb.wires.wire import (
    call_event,
    copy_json,
    ending,
    json_text,
    parse_json,
    reading,
    response,
    text_delta,
    through_float64,
)

DEFAULT_MAX_TOKENS = 4096
"""What skyl sends when the request sets no cap: this API requires one."""

MAX_TOKENS_WITHOUT_STREAM = 21333
"""Above this, the SDK under skyl's adapter wants a stream (read in its source, 2026-11)."""

PATH_CHARACTERS = frozenset(".*?|#@:\\")
"""In an option's key these have a path meaning of their own in that SDK."""

CHOICES = {"auto": "auto", "none": "none", "required": "any", "tool": "tool"}

STOP_REASONS = {
    "end_turn": StopReason.end_turn,
    "max_tokens": StopReason.max_tokens,
    "tool_use": StopReason.tool_use,
    "stop_sequence": StopReason.stop_sequence,
    "refusal": StopReason.refusal,
}


class AnthropicWire:
    """The wire of `POST /v1/messages`."""

    name = "anthropic"
    title = "Anthropic"

    def __repr__(self) -> str:
        return f"<wire {self.name}>"

    def encode(self, request: Request, stream: bool = False) -> dict[str, Any]:
        """See `Wire.encode`."""
        body: dict[str, Any] = {
            "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS,
            "model": request.model,
            "messages": _messages(request),
        }
        if body["max_tokens"] > MAX_TOKENS_WITHOUT_STREAM and not stream:
            raise UnsupportedError(
                f"max tokens over {MAX_TOKENS_WITHOUT_STREAM} need a stream on this wire",
                provider=self.name,
            )
        if request.has_settings:
            _write_settings(body, request)
        if request.provider_options:
            body.update(_options(request.provider_options))
        if stream:
            body["stream"] = True
        return body

    def decode(self, payload: dict[str, Any]) -> Response:
        """See `Wire.decode`. Thinking blocks are left out."""
        with reading(self.name):
            return response(
                self.name,
                payload,
                id_key="id",
                model_key="model",
                parts=[part for block in payload["content"] for part in _read_block(block)],
                stop_reason=STOP_REASONS.get(payload.get("stop_reason", ""), StopReason.unknown),
                usage=_read_usage(payload.get("usage") or {}),
            )

    def events(self, payloads: Iterable[dict[str, Any]]) -> Iterator[StreamEvent]:
        """See `Wire.events`. Thinking is left out."""
        calls: dict[int, dict[str, Any]] = {}
        usage: dict[str, Any] = {}
        stop_reason = None
        with reading(self.name):
            for event in payloads:
                match event["type"]:
                    case "message_start":
                        usage = event["message"].get("usage") or {}
                    case "content_block_start" if event["content_block"]["type"] == "tool_use":
                        calls[event["index"]] = {**event["content_block"], "arguments": ""}
                    case "content_block_delta":
                        yield from _read_delta(event["delta"], calls.get(event["index"]))
                    case "content_block_stop" if event["index"] in calls:
                        call = calls.pop(event["index"])
                        yield call_event(call["id"], call["name"], call["arguments"])
                    case "message_delta":
                        usage = {**usage, **(event.get("usage") or {})}
                        said = event["delta"].get("stop_reason") or ""
                        stop_reason = STOP_REASONS.get(said, StopReason.unknown)
                    case "message_stop":
                        yield from ending(self.name, _read_usage(usage), stop_reason)
                        return
            yield from ending(self.name, _read_usage(usage), None)

    def path(self, model: str, stream: bool = False) -> str:
        """See `Wire.path`: the same for every model."""
        return "/v1/messages"

    def headers(self, api_key: str) -> dict[str, str]:
        """See `Wire.headers`."""
        return {"x-api-key": api_key, "anthropic-version": "2023-06-01"}


def _messages(request: Request) -> list[dict[str, Any]]:
    messages = []
    for i, message in enumerate(request.messages):
        blocks = []
        try:
            for part in message.parts:
                blocks.append(_BLOCKS[type(part)](part))
        except UnsupportedError as error:
            raise UnsupportedError(f"message {i}: {error.message}", provider="anthropic") from None
        role = "assistant" if message.role is ASSISTANT else "user"
        messages.append({"role": role, "content": blocks})
    return messages


def _write_settings(body: dict[str, Any], request: Request) -> None:
    if request.system:
        body["system"] = [{"type": "text", "text": request.system}]
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.top_p is not None:
        body["top_p"] = request.top_p
    if request.stop:
        body["stop_sequences"] = list(request.stop)
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.tool_choice is not None:
        body["tool_choice"] = _tool_choice(request.tool_choice)


def _text(part: Text) -> dict[str, Any]:
    return {"type": "text", "text": part.text}


def _image(part: Image) -> dict[str, Any]:
    if not part.data:
        return {"type": "image", "source": {"type": "url", "url": part.url}}
    data = b64encode(part.data).decode()
    source = {"type": "base64", "data": data, "media_type": part.media_type}
    return {"type": "image", "source": source}


def _call(part: ToolCall) -> dict[str, Any]:
    block = {"type": "tool_use", "id": part.id, "name": part.name}
    arguments = through_float64(parse_json(part.arguments or "{}"))
    if arguments is not None:
        block["input"] = arguments
    return block


def _result(part: ToolResult) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": part.call_id,
        "is_error": part.is_error,
        "content": [{"type": "text", "text": part.content}],
    }


_BLOCKS: dict[type[Part], Callable[[Any], dict[str, Any]]] = {
    Text: _text,
    Image: _image,
    ToolCall: _call,
    ToolResult: _result,
}


def _tool(tool: Tool) -> dict[str, Any]:
    given = through_float64(tool.parameters or {})
    schema = {"type": "object", "properties": given.pop("properties", None) or {}}
    required = given.pop("required", None)
    if isinstance(required, list) and all(isinstance(name, str) for name in required):
        schema["required"] = required
    given.pop("type", None)
    written = {"name": tool.name, "input_schema": schema | given}
    if tool.description:
        written["description"] = tool.description
    return written


def _tool_choice(choice: ToolChoice) -> dict[str, Any]:
    written = {"type": CHOICES[choice.mode]}
    if choice.mode == "tool":
        written["name"] = choice.name
    return written


def _options(options: dict[str, Any]) -> dict[str, Any]:
    for key in options:
        if not key or PATH_CHARACTERS.intersection(key):
            raise UnsupportedError(
                f"the provider option {key!r} would be read as a path on this wire; "
                f"use a key without {' '.join(sorted(PATH_CHARACTERS))}",
                provider="anthropic",
            )
    return {key: copy_json(value) for key, value in options.items()}


def _read_block(block: dict[str, Any]) -> list[Part]:
    match block["type"]:
        case "text":
            return [Text(text=block["text"])]
        case "tool_use":
            arguments = json_text(block.get("input"))
            return [ToolCall(id=block["id"], name=block["name"], arguments=arguments)]
    return []


def _read_delta(delta: dict[str, Any], call: dict[str, Any] | None) -> Iterator[StreamEvent]:
    if delta["type"] == "text_delta":
        yield text_delta(delta["text"])
    elif delta["type"] == "input_json_delta" and call is not None:
        call["arguments"] += delta["partial_json"]


def _read_usage(usage: dict[str, Any]) -> Usage:
    read = usage.get("cache_read_input_tokens") or 0
    written = usage.get("cache_creation_input_tokens") or 0
    return Usage(
        input_tokens=(usage.get("input_tokens") or 0) + read + written,
        output_tokens=usage.get("output_tokens") or 0,
        cache_read_tokens=read,
        cache_write_tokens=written,
    )
