"""Short names for what the tests send, as REPORTS abbreviates them, and one way to send it."""

import json
from typing import Any

from skyl_nb.sandbox import Reply, Sandbox

KEYS = {
    "anthropic": {"x-api-key": "sandbox-key", "anthropic-version": "2023-06-01"},
    "openai": {"authorization": "Bearer sandbox-key"},
    "compat": {"authorization": "Bearer sandbox-key"},
    "gemini": {"x-goog-api-key": "sandbox-key"},
}
PATHS = {
    "anthropic": "/anthropic/v1/messages",
    "openai": "/openai/v1/chat/completions",
    "compat": "/compat/v1/chat/completions",
    "gemini": "/gemini/v1beta/models/gemini-3.6-flash:generateContent",
}
MOUNTS = tuple(PATHS)
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def send(mount: str, payload: Any, sandbox: Sandbox | None = None, **change: Any) -> Reply:
    """Send `payload` (parsed JSON, or raw bytes) to a mount, with a good key by default."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    request = {"method": "POST", "path": PATHS[mount], "headers": KEYS[mount], "body": body}
    return (sandbox or Sandbox()).handle(**{**request, **change})


def read(reply: Reply) -> Any:
    return json.loads(reply.body)


def message_of(reply: Reply) -> str:
    """The text of a refusal, whichever envelope it comes in."""
    said = read(reply)
    said = said[0] if isinstance(said, list) else said
    error = said.get("error", said)
    return error if isinstance(error, str) else error["message"]


# Anthropic

IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
IMAGE_URL = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": [text(b) if isinstance(b, str) else b for b in blocks]}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {**user(*blocks), "role": "assistant"}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(name: str, /, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "tide", "input": {}, **more}


def result(name: str, content: Any = "12", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": content, **more}


def claude(*messages: Any, **more: Any) -> dict[str, Any]:
    tools = [{"name": "tide", "input_schema": SCHEMA}]
    body = {"model": "claude-sonnet-5", "max_tokens": 99, "messages": list(messages)}
    return {**body, "tools": tools, **more}


# OpenAI


def u(words: Any = "tide?") -> dict[str, Any]:
    return {"role": "user", "content": words}


def a(*names: str, **more: Any) -> dict[str, Any]:
    calls = [
        {"id": name, "type": "function", "function": {"name": "tide", "arguments": "{}"}}
        for name in names
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def t(name: str, content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": content}


def gpt(*messages: Any, **more: Any) -> dict[str, Any]:
    tools = [{"type": "function", "function": {"name": "tide", "parameters": SCHEMA}}]
    return {"model": "gpt-5.6", "messages": list(messages), "tools": tools, **more}


# Gemini


def asks(words: str = "tide?") -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": words}]}


def calls(*names: str) -> dict[str, Any]:
    return {"role": "model", "parts": [{"functionCall": {"name": n, "args": {}}} for n in names]}


def answers(*names: str, **response: Any) -> dict[str, Any]:
    said = response or {"output": "ok"}
    parts = [{"functionResponse": {"name": name, "response": said}} for name in names]
    return {"role": "user", "parts": parts}


def gemini(*contents: Any, **more: Any) -> dict[str, Any]:
    declared = [{"name": "tide", "parameters": SCHEMA}]
    return {"contents": list(contents), "tools": [{"functionDeclarations": declared}], **more}


# One conversation for all mounts


def conversation(
    mount: str,
    prompt: str,
    *,
    tools: Any = (),
    choice: Any = None,
    rounds: Any = (),
) -> dict[str, Any]:
    """The same conversation on each wire.

    `tools` are (name, schema), `choice` is "none", "required" or a tool's name, and a round is a
    list of (tool, arguments, content) or (tool, arguments, content, failed); ids are made by
    position.
    """
    return {"anthropic": _claude, "openai": _gpt, "compat": _gpt, "gemini": _gemini}[mount](
        prompt, tools, choice, rounds
    )


def _claude(prompt: str, tools: Any, choice: Any, rounds: Any) -> dict[str, Any]:
    messages = [user(prompt)]
    for n, one in enumerate(rounds):
        uses = [use(f"r{n}c{i}", name=c[0], input=c[1]) for i, c in enumerate(one)]
        results = [
            result(f"r{n}c{i}", c[2], is_error=len(c) > 3 and c[3]) for i, c in enumerate(one)
        ]
        messages += [assistant(*uses), user(*results)]
    body = claude(*messages, tools=[{"name": n, "input_schema": s} for n, s in tools])
    modes = {"none": {"type": "none"}, "required": {"type": "any"}}
    return (
        {**body, "tool_choice": modes.get(choice, {"type": "tool", "name": choice})}
        if choice
        else body
    )


def _gpt(prompt: str, tools: Any, choice: Any, rounds: Any) -> dict[str, Any]:
    messages = [u(prompt)]
    for n, one in enumerate(rounds):
        turn = a(*(f"r{n}c{i}" for i in range(len(one))))
        for call, (name, arguments, *_) in zip(turn["tool_calls"], one, strict=True):
            call["function"] = {"name": name, "arguments": json.dumps(arguments)}
        messages += [turn, *(t(f"r{n}c{i}", c[2]) for i, c in enumerate(one))]
    declared = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in tools]
    body = gpt(*messages, tools=declared)
    forced = {"type": "function", "function": {"name": choice}}
    return (
        {**body, "tool_choice": choice if choice in ("none", "required") else forced}
        if choice
        else body
    )


def _gemini(prompt: str, tools: Any, choice: Any, rounds: Any) -> dict[str, Any]:
    contents = [asks(prompt)]
    for one in rounds:
        turn = calls(*(c[0] for c in one))
        for part, (_, arguments, *_) in zip(turn["parts"], one, strict=True):
            part["functionCall"]["args"] = arguments
        parts = [
            {
                "functionResponse": {
                    "name": c[0],
                    "response": {"error" if len(c) > 3 and c[3] else "output": c[2]},
                }
            }
            for c in one
        ]
        contents += [turn, {"role": "user", "parts": parts}]
    body = gemini(
        *contents,
        tools=[{"functionDeclarations": [{"name": n, "parameters": s} for n, s in tools]}],
    )
    modes = {"none": {"mode": "NONE"}, "required": {"mode": "ANY"}}
    config = modes.get(choice, {"mode": "ANY", "allowedFunctionNames": [choice]})
    return {**body, "toolConfig": {"functionCallingConfig": config}} if choice else body


def text_of(mount: str, reply: Reply) -> str:
    """The text of an answer, `""` if it has none."""
    said = read(reply)
    if mount == "anthropic":
        return "".join(b["text"] for b in said["content"] if b["type"] == "text")
    if mount == "gemini":
        parts = said["candidates"][0]["content"]["parts"]
        return "".join(part.get("text", "") for part in parts)
    return said["choices"][0]["message"]["content"] or ""


def calls_of(mount: str, reply: Reply) -> list[tuple[str, Any]]:
    """The calls of an answer: names and arguments."""
    said = read(reply)
    if mount == "anthropic":
        return [(b["name"], b["input"]) for b in said["content"] if b["type"] == "tool_use"]
    if mount == "gemini":
        parts = said["candidates"][0]["content"]["parts"]
        made = [part["functionCall"] for part in parts if "functionCall" in part]
        return [(call["name"], call["args"]) for call in made]
    made = said["choices"][0]["message"].get("tool_calls", [])
    return [(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in made]
