"""Anthropic Messages: how the mount reads a request, what it refuses, how it answers.

Calls and results pair across two neighbouring turns. A turn is a run of messages of one role: the
provider reads such neighbours as one message (REPORTS 5, 6). Indexes in texts count the request's
own messages.

- A call must stand in the trailing run of calls of its turn, a result in the leading run of
  results of the next turn; a call without such a result is unanswered, and the message after it
  is named (REPORTS 1, 2, 4, 5; that texts come after results is a rule of its own, because one
  report says otherwise). When there is no next message the index is the one that it would
  have; that is not evidenced.
- A result must answer a call of the turn before it (REPORTS 3), each call once (REPORTS 8).
- No id may stand on two calls of a request (REPORTS 7).

A mistyped id breaks two rules, the call's and the result's. Which one is reported first is not
evidenced; we report the result, because its index is the place of the mistake.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, takewhile
from typing import Any, NamedTuple

from skyl_nb.sandbox import ids, streams
from skyl_nb.sandbox.call import Call
from skyl_nb.sandbox.fields import Fault as FieldFault
from skyl_nb.sandbox.fields import Table, dotted, plain, table
from skyl_nb.sandbox.jsonbody import Fault
from skyl_nb.sandbox.model import Answer, Choice, Result, Tool, ToolUse, View, joined
from skyl_nb.sandbox.rules import Refusal, fits, refuse

ROLES = ("user", "assistant")
BLOCK_ROLES = {"tool_result": "user", "tool_use": "assistant"}
# The fields that later checks read, with pydantic's words for their types.
BODY = {"model": "string", "max_tokens": "integer", "messages": "list"}
MESSAGE = {"role": "string", "content": "list"}
BLOCKS = {
    "text": {"text": "string"},
    "tool_use": {"id": "string", "name": "string"},
    "tool_result": {"tool_use_id": "string"},
}
TYPES: Mapping[str, type] = {"string": str, "integer": int, "list": list, "dictionary": dict}
TYPE_NAMES = {
    "array": "list",
    "object": "dictionary",
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
}
NO_CALL = ToolUse("", "{}")  # what an answer is to that no rule refused
MODES: Mapping[Any, Choice] = {"none": Choice("none"), "any": Choice("required")}


class Block(NamedTuple):
    """A content block, its place (message `i`, block `j`) and its type."""

    i: int
    j: int
    type: str
    data: Mapping[str, Any]


# Checks


def credential(call: Call) -> Iterator[Refusal]:
    """One good key is enough, in `x-api-key` or as a Bearer token; a version must be named."""
    given = call.header("x-api-key") + call.bearers
    if not given:
        yield refuse("anthropic-no-key")
    elif call.api_key not in given:
        yield refuse("anthropic-bad-key")
    if not call.header("anthropic-version"):
        yield refuse("anthropic-no-version")


def bad_json(fault: Fault) -> Refusal:
    """Word a body that is no JSON, as orjson does."""
    return refuse("anthropic-json", fault=fault)


def shape(call: Call) -> Iterator[Refusal]:
    """Check the fields of the body itself, and that every message is an object."""
    payload = call.parsed.value
    if not isinstance(payload, dict):
        yield refuse("anthropic-type", path="body", expected="dictionary")
        return
    yield from _thread(payload)
    yield from _fields(payload, BODY, "")
    if not payload["messages"]:
        yield refuse("anthropic-no-messages")
    for i, message in enumerate(payload["messages"]):
        if not isinstance(message, dict):
            yield refuse("anthropic-type", path=f"messages.{i}", expected="dictionary")
    yield from _declared(_table().faults(payload, leave=["messages"]))
    yield from _tool_names(payload.get("tools"))
    call.model = payload["model"]


def _table() -> Table:
    return table("anthropic", tagged=True)


def _declared(faults: Iterator[FieldFault]) -> Iterator[Refusal]:
    """Word the faults that the table of fields finds."""
    for fault in faults:
        path = dotted(fault.path)
        if fault.expected is None:
            yield refuse("anthropic-unknown-field", path=path)
        else:
            yield refuse("anthropic-type", path=path, expected=TYPE_NAMES[plain(fault.expected)[0]])


def _tool_names(tools: Any) -> Iterator[Refusal]:
    declared = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    names = [ids.compact(tool["name"]) for tool in declared if "name" in tool]
    if len(names) > len(set(names)):
        yield refuse("anthropic-tool-names")


def _thread(payload: Mapping[str, Any]) -> Iterator[Refusal]:
    # We keep no state; upon these answers the provider's own clients send whole histories.
    thread = payload.get("thread")
    if isinstance(thread, dict) and thread.get("type") == "continue":
        yield refuse("anthropic-thread-unknown")
    elif thread is not None:
        yield refuse("anthropic-thread-unsupported")


def unknown_model(call: Call) -> Refusal:
    """Word a model that there is not."""
    return refuse("anthropic-unknown-model", model=call.model)


def schema(call: Call) -> Iterator[Refusal]:
    """Check each message by itself: role, content, blocks, the error results without a text."""
    messages = call.payload["messages"]
    for i, message in enumerate(messages):
        yield from _message(i, message, is_last=i == len(messages) - 1)
    yield from _declared(_table().faults_in(call.payload, "messages"))
    for i, message in enumerate(messages):
        for block in _blocks(i, message):
            yield from _misplaced(block, message["role"])
            if block.type == "tool_use":
                yield from _call_id(block)
            elif block.type == "tool_result" and _is_error(block.data):
                yield from _error_content(block)


def _message(i: int, message: Mapping[str, Any], *, is_last: bool) -> Iterator[Refusal]:
    path = f"messages.{i}"
    fields = {"role": "string"} if isinstance(message.get("content"), str) else MESSAGE
    yield from _fields(message, fields, path)
    if message["role"] not in ROLES:
        yield refuse("anthropic-role", role=message["role"])
    if not message["content"] and not (is_last and message["role"] == "assistant"):
        yield refuse("anthropic-empty-message", i=i)
    if isinstance(message["content"], list):
        for j, block in enumerate(message["content"]):
            place = f"{path}.content.{j}"
            yield from _block(block, place)
            if block["type"] == "text" and not block["text"]:
                yield refuse("anthropic-empty-text")
            if block["type"] == "tool_result":
                yield from _result(block, f"{place}.tool_result")


def _block(block: Any, path: str) -> Iterator[Refusal]:
    if not isinstance(block, dict):
        yield refuse("anthropic-type", path=path, expected="dictionary")
        return
    yield from _fields(block, {"type": "string"}, path)
    yield from _fields(block, BLOCKS.get(block["type"], {}), f"{path}.{block['type']}")
    if block["type"] == "tool_use":
        if "input" not in block:
            yield refuse("anthropic-required", path=f"{path}.tool_use.input")
        if not isinstance(block["input"], dict):
            yield refuse("anthropic-input-not-object", path=f"{path}.tool_use.input")


def _result(block: Mapping[str, Any], path: str) -> Iterator[Refusal]:
    """Check a result's flag and its content: a text, blocks, or nothing at all (REPORTS 13).

    A flag that is the text "true" must not be read as a success.
    """
    flag, content = block.get("is_error"), block.get("content")
    if flag is not None and not isinstance(flag, bool):
        yield refuse("anthropic-type", path=f"{path}.is_error", expected="boolean")
    if isinstance(content, list):
        for k, inner in enumerate(content):
            yield from _block(inner, f"{path}.content.{k}")
    elif content is not None and not isinstance(content, str):
        yield refuse("anthropic-type", path=f"{path}.content", expected="string")


def _fields(data: Mapping[str, Any], fields: Mapping[str, str], path: str) -> list[Refusal]:
    return [
        refuse("anthropic-type", path=f"{path}.{name}".lstrip("."), expected=expected)
        if name in data
        else refuse("anthropic-required", path=f"{path}.{name}".lstrip("."))
        for name, expected in fields.items()
        if type(data.get(name)) is not TYPES[expected]
    ]


def _misplaced(block: Block, role: str) -> Iterable[Refusal]:
    wanted = BLOCK_ROLES.get(block.type, role)
    if role == wanted:
        return ()
    return (refuse("anthropic-misplaced-block", i=block.i, block=block.type, role=wanted),)


def _call_id(block: Block) -> Iterator[Refusal]:
    if block.type == "tool_use" and not fits("anthropic-id-characters", block.data["id"]):
        yield refuse("anthropic-id-characters", i=block.i, j=block.j)


def _error_content(block: Block) -> Iterator[Refusal]:
    """Check that a failing result says something, and in words alone."""
    content = block.data.get("content") or ""
    texts = (
        [content]
        if isinstance(content, str)
        else [inner["text"] if inner["type"] == "text" else inner["type"] for inner in content]
    )
    if not any(text.strip() for text in texts):
        yield refuse("anthropic-empty-error", i=block.i, j=block.j)
    if isinstance(content, list) and any(inner["type"] != "text" for inner in content):
        yield refuse("anthropic-error-not-text", i=block.i, j=block.j)


def sequence(call: Call) -> Iterator[Refusal]:
    """Check calls against results: unique ids, then turn by turn, then that there are tools."""
    yield from _server_orphans(call.payload["messages"])
    turns = _turns(call.payload["messages"])
    blocks = [block for _, turn in turns for block in turn]
    if BLOCK_ROLES.keys().isdisjoint([block.type for block in blocks]):
        return
    seen: set[str] = set()
    for block in blocks:
        if block.type == "tool_use":
            if block.data["id"] in seen:
                yield refuse("anthropic-duplicate-call", i=block.i, j=block.j)
            seen.add(block.data["id"])
    after = len(call.payload["messages"])
    for (_, before), (first, turn) in pairwise([(0, []), *turns, (after, [])]):
        called = {block.data["id"] for block in before if block.type == "tool_use"}
        yield from _orphans(called, turn)
        if called:
            yield from _unanswered(before, turn, first)
    if not call.payload.get("tools"):
        yield refuse("anthropic-undeclared-tools")


def _orphans(called: set[str], turn: list[Block]) -> Iterator[Refusal]:
    """Find results that answer no call of the turn before, or one that is answered already."""
    answered: set[str] = set()
    for block in turn:
        if block.type != "tool_result":
            continue
        name = block.data["tool_use_id"]
        if name not in called:
            yield refuse("anthropic-orphan-result", i=block.i, j=block.j, id=name)
        elif name in answered:
            yield refuse("anthropic-double-result", i=block.i, j=block.j, id=name)
        answered.add(name)


def _server_orphans(messages: list[Any]) -> Iterator[Refusal]:
    """Find results of the provider's own tools without their call anywhere before (REPORTS 3).

    A tool of an MCP server has calls of another type; those are left alone.
    """
    called: set[str] = set()
    for i, message in enumerate(messages):
        content = message["content"]
        for j, block in enumerate(content if isinstance(content, list) else ()):
            kind = block["type"]
            if kind == "server_tool_use":
                called.add(str(block.get("id")))
            elif kind.endswith("_tool_result") and kind != "mcp_tool_result":
                name = str(block.get("tool_use_id"))
                if name not in called:
                    yield refuse("anthropic-orphan-server-result", i=i, j=j, block=kind, id=name)


def _unanswered(before: list[Block], turn: list[Block], first: int) -> Iterator[Refusal]:
    """Find calls without a result where it belongs, in the turn whose first message is `first`.

    A result counts if it stands anywhere in the turn, in its leading run of results, or in that
    part of the run which the first message holds: each is narrower, and each is a rule.
    """
    leading = list(takewhile(lambda block: block.type == "tool_result", turn))
    in_one = [block for block in leading if block.i == first]
    unanswered, late, split = (_missing(before, results) for results in (turn, leading, in_one))
    if len(split) > len(late):
        yield refuse("anthropic-split-results", i=first, ids=", ".join(split))
    if len(late) > len(unanswered):
        yield refuse("anthropic-text-before-result", i=first, ids=", ".join(late))
    if unanswered:
        yield refuse("anthropic-unanswered-call", i=first, ids=", ".join(unanswered))


def _missing(before: list[Block], results: list[Block]) -> list[str]:
    """Return the ids of the calls that have no result; only calls at the turn's end can have."""
    answered = {block.data["tool_use_id"] for block in results if block.type == "tool_result"}
    from_end = reversed(range(len(before)))
    answerable = set(takewhile(lambda n: before[n].type == "tool_use", from_end))
    return [
        block.data["id"]
        for n, block in enumerate(before)
        if block.type == "tool_use" and not (n in answerable and block.data["id"] in answered)
    ]


def _turns(messages: list[Any]) -> list[tuple[int, list[Block]]]:
    """Return the turns, each with the index of its first message and its blocks."""
    turns: list[tuple[int, list[Block]]] = []
    role = None
    for i, message in enumerate(messages):
        if message["role"] != role:
            role = message["role"]
            turns.append((i, []))
        turns[-1][1].extend(_blocks(i, message))
    return turns


def _blocks(i: int, message: Mapping[str, Any]) -> list[Block]:
    content = message["content"]
    if isinstance(content, str):
        return [Block(i, 0, "text", {"type": "text", "text": content})] if content else []
    return [Block(i, j, block["type"], block) for j, block in enumerate(content)]


# What the model sees, and what it answers


def view(call: Call) -> View:
    """Return what the model sees; results count if the last message has one."""
    messages = call.payload["messages"]
    last = list(takewhile(_results, reversed(messages)))
    uses = _uses(messages) if last else {}
    said_from_end = (_said(one) for one in reversed(messages) if one["role"] == "user")
    return View(
        prompt=next(filter(None, said_from_end), ""),
        tools=tuple(_tools(call.payload.get("tools"))),
        choice=_choice(call.payload.get("tool_choice")),
        results=tuple(
            Result(_use(uses.get(one["tool_use_id"])), _text(one), failed=_is_error(one))
            for message in reversed(last)
            for one in _results(message)
        ),
    )


def _of_type(message: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    content = message["content"]
    blocks = [] if isinstance(content, str) else content
    return [block for block in blocks if block["type"] == kind]


def _results(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return _of_type(message, "tool_result")


def _uses(messages: list[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {one["id"]: one for message in messages for one in _of_type(message, "tool_use")}


def _said(message: Mapping[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return joined(block.get("text") for block in _of_type(message, "text"))


def _use(block: Mapping[str, Any] | None) -> ToolUse:
    return ToolUse(block["name"], ids.compact(block["input"])) if block else NO_CALL


def _is_error(result: Mapping[str, Any]) -> bool:
    return result.get("is_error") is True


def _text(result: Mapping[str, Any]) -> str:
    content = result.get("content") or ""
    return content if isinstance(content, str) else joined(part.get("text") for part in content)


def _tools(tools: Any) -> Iterator[Tool]:
    """Yield the client's own tools; a tool of another type is run by the provider."""
    for tool in tools if isinstance(tools, list) else []:
        if isinstance(tool, dict) and tool.get("type") in (None, "custom"):
            yield Tool(str(tool.get("name") or ""), tool.get("input_schema"))


def _choice(choice: Any) -> Choice:
    if not isinstance(choice, dict):
        return Choice()
    if choice.get("type") == "tool":
        return Choice("required", (str(choice.get("name")),))
    return MODES.get(str(choice.get("type")), Choice())


def reply(call: Call, answer: Answer, seed: bytes) -> dict[str, Any]:
    """Write a `Message`."""
    content: list[dict[str, Any]] = [
        {
            "type": "tool_use",
            "id": ids.make(seed, "toolu_", place),
            "name": use.name,
            "input": json.loads(use.arguments),
        }
        for place, use in enumerate(answer.calls)
    ]
    if answer.text:
        content.insert(0, {"type": "text", "text": answer.text})
    return {
        "id": ids.make(seed, "msg_"),
        "type": "message",
        "role": "assistant",
        "model": call.model,
        "content": content,
        "stop_reason": "tool_use" if answer.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": ids.tokens_of(call.canonical),
            "output_tokens": ids.tokens(content),
        },
    }


def frames(_call: Call, payload: dict[str, Any]) -> Iterator[bytes]:
    """Cut an answer into the events of a stream."""
    return streams.anthropic(payload)


def stream_type(_call: Call) -> str:
    """Return the content type of a stream."""
    return "text/event-stream; charset=utf-8"


def error(call: Call, refusal: Refusal, request_id: str) -> dict[str, Any]:
    """Write a refusal; the id of the request stands in the body too."""
    inner: dict[str, Any] = {"type": call.mount.error_type(refusal), "message": refusal.message}
    if refusal.rule.details is not None:
        inner["details"] = refusal.details
    return {"type": "error", "error": inner, "request_id": request_id}


def error_frame(_call: Call, _refusal: Refusal, payload: dict[str, Any]) -> bytes:
    """Write the frame of a refusal in a stream."""
    return streams.anthropic_error(payload)


def headers(seed: bytes) -> dict[str, str]:
    """Return the id of the request: it is on every answer."""
    return {"request-id": ids.request(seed)}


def model_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Write a `ModelInfo`."""
    return {
        "type": "model",
        "id": row["id"],
        "display_name": row["name"],
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
    }


def model_list(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Write a page of models, which is the only one."""
    first, last = rows[0]["id"], rows[-1]["id"]
    return {"data": rows, "has_more": False, "first_id": first, "last_id": last}
