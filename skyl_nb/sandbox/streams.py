"""A whole answer, cut into the frames in which its provider streams it.

A stream says what the answer without one says: each function takes the finished payload and gives
back its frames, so the two cannot differ. How the frames look follows the official SDKs, which
raise on anything else.

| provider | frames |
|---|---|
| Anthropic | named events, a `ping` among them; arguments come as pieces of JSON text |
| OpenAI | chunks, then usage if it was asked for, then `[DONE]` |
| Gemini | partial responses: `data: ` lines, or a JSON array without `alt=sse`; calls are whole |
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from skyl_nb.sandbox.ids import compact, encoded

_WORDS = re.compile(r"\S*\s*")


def anthropic(payload: dict[str, Any]) -> Iterator[bytes]:
    """Yield the events of a `Message`."""
    usage = payload["usage"]
    opening = {
        **payload,
        "content": [],
        "stop_reason": None,
        "usage": {**usage, "output_tokens": 1},
    }
    yield _event({"type": "message_start", "message": opening})
    for index, block in enumerate(payload["content"]):
        start, deltas = _block(block)
        place = {"index": index}
        yield _event({"type": "content_block_start", **place, "content_block": start})
        if index == 0:
            yield _event({"type": "ping"})
        for delta in deltas:
            yield _event({"type": "content_block_delta", **place, "delta": delta})
        yield _event({"type": "content_block_stop", **place})
    ending = {"stop_reason": payload["stop_reason"], "stop_sequence": payload["stop_sequence"]}
    used = {"output_tokens": usage["output_tokens"]}
    yield _event({"type": "message_delta", "delta": ending, "usage": used})
    yield _event({"type": "message_stop"})


def openai(payload: dict[str, Any], *, include_usage: bool) -> Iterator[bytes]:
    """Yield the chunks of a `ChatCompletion` of one choice."""
    shared = {key: payload[key] for key in ("id", "created", "model")}
    shared |= {"object": "chat.completion.chunk"} | ({"usage": None} if include_usage else {})
    choice = payload["choices"][0]
    for delta in _openai_deltas(choice["message"]):
        yield _data({**shared, "choices": [_openai_choice(delta, None)]})
    yield _data({**shared, "choices": [_openai_choice({}, choice["finish_reason"])]})
    if include_usage:
        yield _data({**shared, "choices": [], "usage": payload["usage"]})
    yield b"data: [DONE]\n\n"


def gemini(payload: dict[str, Any], *, sse: bool) -> Iterator[bytes]:
    """Yield the partial responses of a `GenerateContentResponse`."""
    chunks = [encoded(compact(chunk)) for chunk in _gemini_chunks(payload)]
    if sse:
        yield from (b"data: " + chunk + b"\r\n\r\n" for chunk in chunks)
        return
    for chunk in chunks[:1]:
        yield b"[" + chunk
    for chunk in chunks[1:]:
        yield b"\n,\r\n" + chunk
    yield b"\n]\n"


def anthropic_error(payload: dict[str, Any]) -> bytes:
    """Return the event that ends a stream with an error."""
    return _event(payload)


def openai_error(payload: Any, *, named: bool) -> bytes:
    """Return the chunk that ends a stream with an error; some hosts name it an event."""
    return b"event: error\n" * named + _data(payload)


def gemini_error(payload: Any, *, sse: bool) -> bytes:
    """Return the partial response that ends a stream with an error."""
    said = encoded(compact(payload))
    return b"data: " + said + b"\r\n\r\n" if sse else b"\n,\r\n" + said + b"\n]\n"


def _event(event: dict[str, Any]) -> bytes:
    return encoded(f"event: {event['type']}\ndata: {compact(event)}\n\n")


def _data(chunk: Any) -> bytes:
    return encoded(f"data: {compact(chunk)}\n\n")


def pieces(text: str) -> list[str]:
    """Cut a text at its spaces, as a model's tokens would come; the pieces joined are the text."""
    return [piece for piece in _WORDS.findall(text) if piece]


def fragments(text: str, length: int = 8) -> list[str]:
    """Cut the JSON text of arguments without any regard to JSON, as providers do."""
    return [text[start : start + length] for start in range(0, len(text), length)]


def _block(block: dict[str, Any]) -> tuple[dict[str, Any], Iterable[dict[str, Any]]]:
    if block["type"] == "text":
        deltas = ({"type": "text_delta", "text": piece} for piece in pieces(block["text"]))
        return {**block, "text": ""}, deltas
    cut = ["", *fragments(compact(block["input"]))]
    return {**block, "input": {}}, (
        {"type": "input_json_delta", "partial_json": one} for one in cut
    )


def _openai_deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    content = message["content"]
    yield {"role": "assistant", "content": content and "", "refusal": None}
    for piece in pieces(message.get("reasoning_content", "")):
        yield {"reasoning_content": piece}
    for piece in pieces(content or ""):
        yield {"content": piece}
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        if not isinstance(function["arguments"], str):  # an object comes whole
            yield {"tool_calls": [{**call, "index": index}]}
            continue
        opening = {**call, "index": index, "function": {**function, "arguments": ""}}
        yield {"tool_calls": [opening]}
        for fragment in fragments(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": fragment}}]}


def _openai_choice(delta: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def _gemini_chunks(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    candidate = payload["candidates"][0]
    parts = [one for part in candidate["content"]["parts"] for one in _gemini_pieces(part)]
    for number, part in enumerate(parts, start=1):
        said = {**candidate, "content": {**candidate["content"], "parts": [part]}}
        if number < len(parts):
            del said["finishReason"]
        yield {**payload, "candidates": [said]}


def _gemini_pieces(part: dict[str, Any]) -> list[dict[str, Any]]:
    if "text" not in part:
        return [part]
    return [{**part, "text": piece} for piece in pieces(part["text"])]
