"""Chat Completions, of OpenAI and of the hosts that copy it: no field for a failed result.

skyl puts `error: ` before the content of a failed result. There is nothing to put it before when
the content is empty, so then the bytes are those of a success (golden cases `failure-empty`,
`success-empty`). The two wires differ only in the name of the output cap, and a compatible host
may need no key.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Any

from skyl_nb.conversation import (
    ASSISTANT,
    TOOL,
    Image,
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
)
from skyl_nb.errors import ServerError, UnsupportedError
from skyl_nb.request import (
    Request,
    Response,
    StopReason,
    StreamEvent,
    Tool,
    ToolChoice,
    Usage,
)
from skyl_nb.wires.wire import call_event, copy_json, ending, reading, response, text_delta

ERROR_PREFIX = "error: "
"""What skyl puts before the content of a failed result."""

STOP_REASONS = {
    "stop": StopReason.end_turn,
    "length": StopReason.max_tokens,
    "tool_calls": StopReason.tool_use,
    "function_call": StopReason.tool_use,
    "content_filter": StopReason.refusal,
}


class OpenAIWire:
    """The wire of `POST /chat/completions`. `cap` is the name of the output cap in the body."""

    def __init__(self, name: str, title: str, *, cap: str) -> None:
        self.name = name
        self.title = title
        self._cap = cap

    def __repr__(self) -> str:
        return f"<wire {self.name}>"

    def encode(self, request: Request, stream: bool = False) -> dict[str, Any]:
        """See `Wire.encode`."""
        body: dict[str, Any] = {"model": request.model, "messages": self._messages(request)}
        if request.has_settings:
            self._write_settings(body, request)
        if stream:
            body["stream"] = True
            body["stream_options"] = {"include_usage": True}
        if request.provider_options:
            body.update(copy_json(request.provider_options))
        return body

    def decode(self, payload: dict[str, Any]) -> Response:
        """See `Wire.decode`. Only the first choice is read."""
        with reading(self.name):
            if not payload["choices"]:
                raise ServerError("response contained no choices", provider=self.name)
            choice = payload["choices"][0]
            return response(
                self.name,
                payload,
                id_key="id",
                model_key="model",
                parts=_read_message(choice["message"]),
                stop_reason=STOP_REASONS.get(choice.get("finish_reason"), StopReason.unknown),
                usage=_read_usage(payload.get("usage") or {}),
            )

    def events(self, payloads: Iterable[dict[str, Any]]) -> Iterator[StreamEvent]:
        """See `Wire.events`. Calls come whole, when the provider says why it stopped."""
        calls: dict[int, dict[str, str]] = {}
        usage: dict[str, Any] = {}
        stop_reason = None
        with reading(self.name):
            for chunk in payloads:
                usage = chunk.get("usage") or usage
                for choice in chunk.get("choices") or []:
                    delta = choice.get("delta") or {}
                    if delta.get("content"):
                        yield text_delta(delta["content"])
                    for piece in delta.get("tool_calls") or []:
                        _gather(calls, piece)
                    if choice.get("finish_reason"):
                        stop_reason = STOP_REASONS.get(choice["finish_reason"], StopReason.unknown)
            if stop_reason is not None:
                for _, call in sorted(calls.items()):
                    yield call_event(call["id"], call["name"], call["arguments"])
            yield from ending(self.name, _read_usage(usage), stop_reason)

    def path(self, model: str, stream: bool = False) -> str:
        """See `Wire.path`: the same for every model."""
        return "/chat/completions"

    def headers(self, api_key: str) -> dict[str, str]:
        """See `Wire.headers`. Without a key none is sent: some compatible hosts need none."""
        return {"Authorization": f"Bearer {api_key}"} if api_key else {}

    def _messages(self, request: Request) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = []
        for i, message in enumerate(request.messages):
            try:
                if message.role is not TOOL:
                    messages.append(_turn(message))
                    continue
                for part in message.parts:
                    messages.append(_result(part))
            except UnsupportedError as error:
                raise UnsupportedError(
                    f"message {i}: {error.message}", provider=self.name
                ) from None
        return messages

    def _write_settings(self, body: dict[str, Any], request: Request) -> None:
        if request.system:
            body["messages"].insert(0, {"role": "system", "content": request.system})
        if request.max_tokens:
            body[self._cap] = request.max_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.top_p is not None:
            body["top_p"] = request.top_p
        if request.stop:
            body["stop"] = list(request.stop)
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
        if request.tool_choice is not None:
            body["tool_choice"] = _tool_choice(request.tool_choice)


def _result(part: Part) -> dict[str, Any]:
    if type(part) is not ToolResult:
        raise UnsupportedError(
            f"tool messages may only contain tool results, got {type(part).__name__}"
        )
    content = part.content
    if part.is_error and content:
        content = ERROR_PREFIX + content
    return {"role": "tool", "content": content, "tool_call_id": part.call_id}


def _turn(message: Message) -> dict[str, Any]:
    role = "assistant" if message.role is ASSISTANT else "user"
    text = ""
    calls = []
    has_image = False
    for part in message.parts:
        if type(part) is Text:
            text += part.text
        elif type(part) is ToolCall:
            calls.append(_call(part))
        elif type(part) is Image:
            has_image = True
        else:
            raise UnsupportedError("a tool result can only stand in a tool message")
    content = _blocks(message.parts) if has_image else text
    if not calls:
        return {"role": role, "content": content}
    if not content and role == "assistant":
        return {"role": role, "tool_calls": calls}
    return {"role": role, "content": content, "tool_calls": calls}


def _blocks(parts: tuple[Part, ...]) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, Text):
            blocks.append({"type": "text", "text": part.text})
        elif isinstance(part, Image):
            blocks.append({"type": "image_url", "image_url": {"url": _image_url(part)}})
    return blocks


def _image_url(part: Image) -> str:
    return part.url or f"data:{part.media_type};base64,{b64encode(part.data).decode()}"


def _call(part: ToolCall) -> dict[str, Any]:
    function = {"name": part.name, "arguments": part.arguments or "{}"}
    return {"id": part.id, "type": "function", "function": function}


def _tool(tool: Tool) -> dict[str, Any]:
    parameters = (
        {"type": "object", "properties": {}} if tool.parameters is None else tool.parameters
    )
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": copy_json(parameters),
    }
    return {"type": "function", "function": function}


def _tool_choice(choice: ToolChoice) -> str | dict[str, Any]:
    if choice.mode == "tool":
        return {"type": "function", "function": {"name": choice.name}}
    return choice.mode


def _read_message(message: dict[str, Any]) -> list[Part]:
    parts: list[Part] = [Text(text=message.get("content") or "")]
    for call in message.get("tool_calls") or []:
        function = call["function"]
        arguments = function.get("arguments") or "{}"
        parts.append(ToolCall(id=call["id"], name=function["name"], arguments=arguments))
    return parts


def _gather(calls: dict[int, dict[str, str]], piece: dict[str, Any]) -> None:
    """Add a piece of a call to what has come of it. Some hosts leave out the index."""
    call = calls.setdefault(piece.get("index") or 0, {"id": "", "name": "", "arguments": ""})
    function = piece.get("function") or {}
    call["id"] = piece.get("id") or call["id"]
    call["name"] = function.get("name") or call["name"]
    call["arguments"] += function.get("arguments") or ""


def _read_usage(usage: dict[str, Any]) -> Usage:
    details = usage.get("prompt_tokens_details") or {}
    return Usage(
        input_tokens=usage.get("prompt_tokens") or 0,
        output_tokens=usage.get("completion_tokens") or 0,
        cache_read_tokens=details.get("cached_tokens") or 0,
    )
