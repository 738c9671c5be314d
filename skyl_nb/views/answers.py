"""What a provider answers to one tool result: asked of the sandbox, never guessed.

The conversation has come as far as the result: the user asked, the model called `get_weather`, and
the call has the id that this provider gave it.
"""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from skyl_nb.conversation import Message, Role, ToolCall, ToolResult, user_text
from skyl_nb.data import facts
from skyl_nb.endings import ending
from skyl_nb.envelopes import provider_message
from skyl_nb.request import Request
from skyl_nb.sandbox import Sandbox
from skyl_nb.sandbox.journal import Entry
from skyl_nb.signal import PROMPT, WEATHER
from skyl_nb.wires import WIRES

USER, MODEL, TOOL = "user", "model", "tool"
PROGRAM, PROVIDER = "your program", "provider"


class Answer(NamedTuple):
    """What came back for one tool result.

    Attributes:
        wire: the wire's name.
        status: the HTTP status.
        verdict: how the conversation ended, as a symbol and a word.
        speaker: `model`, or `provider` if it refused.
        listener: `user`, `tool` or `your program`.
        said: what is said. Untrusted: it may quote the tool.
        sentence: what the model knew, and what it did.
        path: where the request was sent, as a path of the sandbox.
        body: the whole request, as JSON.
    """

    wire: str
    status: int
    verdict: str
    speaker: str
    listener: str
    said: str
    sentence: str
    path: str
    body: str


@lru_cache(maxsize=8)  # the widget, the HTML and the text of a view ask for the same
def answer(wire: str, content: str, is_error: bool) -> Answer:
    """Send a conversation that ends with a tool result to the sandbox, and return what it says.

    Args:
        wire: a name in `WIRES`.
        content: the content of the tool result.
        is_error: whether the tool failed.
    """
    asked = _asked(wire)
    (call,) = asked.tool_calls
    result = ToolResult(call_id=call.id, content=content, is_error=is_error)
    path, body = _written(wire, asked, Message(role=Role.tool, parts=(result,)))
    entry = _sent(wire, path, body)
    end = ending(entry, failed=is_error)
    speaker, listener, said = _said(wire, entry)
    return Answer(
        wire, entry.status, end.verdict, speaker, listener, said, end.sentence, path, body
    )


def call_text(call: ToolCall) -> str:
    """Return a call as people write one."""
    return f"{call.name}({call.arguments})"


@cache
def headers(wire: str) -> Mapping[str, str]:
    """Return the headers of a request to the sandbox on this wire, its key among them."""
    return {**WIRES[wire].headers(Sandbox().api_key), "content-type": "application/json"}


@cache
def _asked(wire: str) -> Message:
    """Return the turn in which this provider's model calls the tool."""
    entry = _sent(wire, *_written(wire))
    return WIRES[wire].decode(entry.reply).message


def _written(wire: str, *turns: Message) -> tuple[str, str]:
    """Return the path and the body of a request."""
    provider = facts("providers.json")[wire]
    messages = (user_text(PROMPT), *turns)
    request = Request(model=provider["model"], messages=messages, tools=(WEATHER,))
    path = provider["sandbox"] + WIRES[wire].path(request.model)
    return path, json.dumps(WIRES[wire].encode(request))


def _sent(wire: str, path: str, body: str) -> Entry:
    # A new sandbox: it would keep what was sent, and a content may be long.
    return Sandbox().exchange("POST", path, headers(wire), body)[1]


def _said(wire: str, entry: Entry) -> tuple[str, str, str]:
    """Return who says what to whom."""
    reply: Any = entry.reply
    if entry.rule:
        return PROVIDER, PROGRAM, provider_message(reply).strip()
    response = WIRES[wire].decode(reply)
    if response.tool_calls:
        return MODEL, TOOL, ", ".join(map(call_text, response.tool_calls))
    return MODEL, USER, response.text
