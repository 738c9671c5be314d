"""Gemini generateContent: skyl sends nothing of a failed result but its text.

A result is `functionResponse: {name, response: {content}}`, the same for success and failure. This
API's own documentation (`FunctionResponse.response`) names a key `error` for error details, which
skyl does not use. In skyl there are no call ids here: the id of a call is its function's name, and
a result's call id is sent as the name.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote

from skyl_nb.conversation import ASSISTANT, Image, Part, Text, ToolCall, ToolResult
from skyl_nb.errors import RefusalError, ServerError, UnsupportedError
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
)

MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY", "tool": "ANY"}

STOP_REASONS = {
    "STOP": StopReason.end_turn,
    "MAX_TOKENS": StopReason.max_tokens,
    "SAFETY": StopReason.refusal,
    "RECITATION": StopReason.refusal,
}

UNESCAPED = "$&+:=@"
"""What Go's url.PathEscape leaves in a model's name, besides letters, digits and `-_.~`."""


class GeminiWire:
    """The wire of `POST /models/{model}:generateContent`."""

    name = "gemini"
    title = "Gemini"

    def __repr__(self) -> str:
        return f"<wire {self.name}>"

    def encode(self, request: Request, stream: bool = False) -> dict[str, Any]:
        """See `Wire.encode`. A streamed request differs in its path alone."""
        body: dict[str, Any] = {"contents": _contents(request)}
        if request.has_settings:
            _write_settings(body, request)
        if request.provider_options:
            body.update(copy_json(request.provider_options))
        return body

    def decode(self, payload: dict[str, Any]) -> Response:
        """See `Wire.decode`. Thoughts are read as text; the provider's call ids are not read."""
        with reading(self.name):
            self._refuse_blocked(payload)
            if not payload.get("candidates"):
                raise ServerError(
                    "response contained no candidates", provider=self.name, raw=payload
                )
            candidate = payload["candidates"][0]
            parts = _read_content(candidate)
            return response(
                self.name,
                payload,
                id_key="responseId",
                model_key="modelVersion",
                parts=parts,
                stop_reason=_stop_reason(candidate, parts),
                usage=_read_usage(payload.get("usageMetadata") or {}),
            )

    def events(self, payloads: Iterable[dict[str, Any]]) -> Iterator[StreamEvent]:
        """See `Wire.events`. Calls come whole on this wire."""
        usage: dict[str, Any] = {}
        stop_reason = None
        seen: list[Part] = []
        with reading(self.name):
            for chunk in payloads:
                usage = chunk.get("usageMetadata") or usage
                self._refuse_blocked(chunk)
                for candidate in chunk.get("candidates") or []:
                    parts = _read_content(candidate)
                    yield from map(_event, parts)
                    seen += parts
                    if candidate.get("finishReason"):
                        stop_reason = _stop_reason(candidate, seen)
            yield from ending(self.name, _read_usage(usage), stop_reason)

    def _refuse_blocked(self, payload: dict[str, Any]) -> None:
        feedback = payload.get("promptFeedback") or {}
        if feedback.get("blockReason"):
            raise RefusalError(
                f"prompt blocked: {feedback['blockReason']}", provider=self.name, raw=payload
            )

    def path(self, model: str, stream: bool = False) -> str:
        """See `Wire.path`: the model stands in it, percent-escaped whole."""
        method = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return f"/models/{quote(model, safe=UNESCAPED, errors='replace')}:{method}"

    def headers(self, api_key: str) -> dict[str, str]:
        """See `Wire.headers`."""
        return {"x-goog-api-key": api_key}


def _contents(request: Request) -> list[dict[str, Any]]:
    contents = []
    for i, message in enumerate(request.messages):
        parts = []
        try:
            for part in message.parts:
                parts.append(_PARTS[type(part)](part))
        except UnsupportedError as error:
            raise UnsupportedError(f"message {i}: {error.message}", provider="gemini") from None
        role = "model" if message.role is ASSISTANT else "user"
        contents.append({"role": role, "parts": parts})
    return contents


def _write_settings(body: dict[str, Any], request: Request) -> None:
    if request.system:
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if config := _generation_config(request):
        body["generationConfig"] = config
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_tool(tool) for tool in request.tools]}]
    if request.tool_choice is not None:
        body["toolConfig"] = {"functionCallingConfig": _tool_choice(request.tool_choice)}


def _text(part: Text) -> dict[str, Any]:
    return {"text": part.text} if part.text else {}


def _image(part: Image) -> dict[str, Any]:
    if not part.data:
        raise UnsupportedError("Gemini requires inline image data, not a URL")
    data = b64encode(part.data).decode()
    return {"inlineData": {"mimeType": part.media_type, "data": data}}


def _call(part: ToolCall) -> dict[str, Any]:
    return {"functionCall": {"name": part.name, "args": parse_json(part.arguments or "{}")}}


def _result(part: ToolResult) -> dict[str, Any]:
    return {"functionResponse": {"name": part.call_id, "response": {"content": part.content}}}


_PARTS: dict[type[Part], Callable[[Any], dict[str, Any]]] = {
    Text: _text,
    Image: _image,
    ToolCall: _call,
    ToolResult: _result,
}


def _generation_config(request: Request) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if request.max_tokens:
        config["maxOutputTokens"] = request.max_tokens
    if request.temperature is not None:
        config["temperature"] = request.temperature
    if request.top_p is not None:
        config["topP"] = request.top_p
    if request.stop:
        config["stopSequences"] = list(request.stop)
    return config


def _tool(tool: Tool) -> dict[str, Any]:
    written: dict[str, Any] = {"name": tool.name}
    if tool.description:
        written["description"] = tool.description
    if tool.parameters is not None:
        written["parameters"] = copy_json(tool.parameters)
    return written


def _tool_choice(choice: ToolChoice) -> dict[str, Any]:
    written: dict[str, Any] = {"mode": MODES[choice.mode]}
    if choice.mode == "tool":
        written["allowedFunctionNames"] = [choice.name]
    return written


def _read_content(candidate: dict[str, Any]) -> list[Part]:
    content = candidate.get("content") or {}
    return [part for wire in content.get("parts") or [] for part in _read_part(wire)]


def _event(part: Part) -> StreamEvent:
    if isinstance(part, ToolCall):
        return call_event(part.id, part.name, part.arguments)
    return text_delta(part.text if isinstance(part, Text) else "")


def _read_part(part: dict[str, Any]) -> list[Part]:
    read: list[Part] = []
    if part.get("text"):
        read.append(Text(text=part["text"]))
    if "functionCall" in part:
        call = part["functionCall"]
        arguments = json_text(call.get("args"))
        read.append(ToolCall(id=call["name"], name=call["name"], arguments=arguments))
    return read


def _stop_reason(candidate: dict[str, Any], parts: list[Part]) -> StopReason:
    if any(isinstance(part, ToolCall) for part in parts):
        return StopReason.tool_use
    return STOP_REASONS.get(candidate.get("finishReason", ""), StopReason.unknown)


def _read_usage(usage: dict[str, Any]) -> Usage:
    return Usage(
        input_tokens=usage.get("promptTokenCount") or 0,
        output_tokens=usage.get("candidatesTokenCount") or 0,
        cache_read_tokens=usage.get("cachedContentTokenCount") or 0,
    )
