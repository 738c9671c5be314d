"""OpenAI Chat Completions, and the hosts that copy it: reading, refusing, answering.

Calls and results pair by neighbourhood: the run of tool messages right after an assistant message
answers that message's calls, in any order, so an id may come again in a later round. A tool
message outside such a run answers nothing (REPORTS 25), an id that was not called is unknown
(REPORTS 27), a second answer is one too many (REPORTS 28), and a call without an answer in the
run is unanswered (REPORTS 26). Of an unanswered call the message after the run is named, because
its role is what is wrong; that index is not evidenced.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, takewhile
from typing import Any

from skyl_nb.sandbox import ids, streams
from skyl_nb.sandbox.call import Call
from skyl_nb.sandbox.fields import Fault as FieldFault
from skyl_nb.sandbox.fields import bracketed, dotted, plain, table
from skyl_nb.sandbox.jsonbody import Fault
from skyl_nb.sandbox.model import Answer, Choice, Mode, Result, Tool, ToolUse, View, joined
from skyl_nb.sandbox.rules import Refusal, fits, refuse, shaped

ROLES = ("system", "assistant", "user", "function", "tool", "developer")
CREATED = 1_767_225_600  # one moment for all answers: there is no clock here
# What an assistant message may hold instead of a content.
INSTEAD_OF_CONTENT = ("tool_calls", "function_call", "refusal", "audio")
NAMES: Mapping[type, str] = {
    type(None): "null",
    bool: "a boolean",
    int: "an integer",
    float: "a decimal",
    str: "a string",
    list: "an array",
    dict: "an object",
}
TYPE_NAMES = {
    "array": "an array",
    "object": "an object",
    "string": "a string",
    "integer": "an integer",
    "number": "a decimal",
    "boolean": "a boolean",
}
# Which roles do not follow which, for hosts that mind.
MISPLACED = (("tool", "user"), ("tool", "system"), ("user", "tool"))
REASONING = "The sheet was read from its first rule on."
NO_CALL = ToolUse("", "{}")  # what an answer is to that no rule refused
MODES: Mapping[str, Mode] = {"none": "none", "required": "required"}


# Checks


def credential(call: Call) -> Iterator[Refusal]:
    """Check the Bearer token. The provider echoes a bad key in part; we never do."""
    if not call.bearers:
        yield refuse("openai-no-key")
    elif call.api_key not in call.bearers:
        yield refuse("openai-bad-key", masked="*" * 8)


def bad_json(_fault: Fault) -> Refusal:
    """Word a body that is no JSON; the provider does not say where."""
    return refuse("openai-json")


def shape(call: Call) -> Iterator[Refusal]:
    """Check that there are messages, each an object, and a model."""
    payload = call.parsed.value
    if not isinstance(payload, dict):
        yield refuse("openai-not-object", got=_name(payload))
        return
    model = payload.get("model")
    if not model:
        yield refuse("openai-no-model")
    yield from _typed(model, str, "model", "a string")
    call.model = str(model)
    if "messages" not in payload:
        yield refuse("openai-missing", path="messages")
    messages = payload["messages"]
    yield from _typed(messages, list, "messages", "an array of objects")
    if not messages:
        yield refuse("openai-empty-messages")
    for i, message in enumerate(messages):
        yield from _typed(message, dict, f"messages[{i}]", "an object")
    yield from _declared(table("openai").faults(payload, leave=["messages"]))


def _declared(faults: Iterator[FieldFault]) -> Iterator[Refusal]:
    """Word the faults that the table of fields finds."""
    for fault in faults:
        path, field = bracketed(fault.path), fault.path[-1]
        if fault.expected is None:
            place, loc = dotted(fault.path[:-1]), ["body", *fault.path]
            yield refuse("openai-unknown-field", path=path, field=field, place=place, loc=loc)
        else:
            names = [TYPE_NAMES[kind] for kind in plain(fault.expected)]
            expected = names[0] if len(names) == 1 else f"one of {' or '.join(names)}"
            got = _name(fault.value)
            yield refuse("openai-invalid-type", path=path, expected=expected, got=got)


def unknown_model(call: Call) -> Refusal:
    """Word a model that there is not."""
    return refuse("openai-unknown-model", model=call.model)


def schema(call: Call) -> Iterator[Refusal]:
    """Check what the model takes, then each message by itself."""
    avoids = call.row.get("refuses_max_tokens_on", ())
    if call.mount.name in avoids and call.payload.get("max_tokens") is not None:
        yield refuse("openai-max-tokens")
    for i, message in enumerate(call.payload["messages"]):
        yield from _role(i, message)
        yield from _content(i, message, call)
        if message.get("tool_calls") is not None:
            yield from _tool_calls(i, message, call)
        if message["role"] == "tool":
            if message.get("tool_call_id") is None:
                yield refuse("openai-no-call-id", i=i, role="tool")
            path = f"messages[{i}].tool_call_id"
            yield from _typed(message["tool_call_id"], str, path, "a string")
        yield from _leftovers(i, message)
        yield from _echo(i, message)
    faults = table("openai").faults_in(call.payload, "messages")
    objects = call.mount.arguments == "object"
    yield from _declared(one for one in faults if not (objects and one.path[-1] == "arguments"))


def _role(i: int, message: Mapping[str, Any]) -> Iterator[Refusal]:
    path = f"messages[{i}].role"
    if message.get("role") is None:
        yield refuse("openai-missing", path=path)
    yield from _typed(message["role"], str, path, "a string")
    if message["role"] not in ROLES:
        yield refuse("openai-role", path=path, role=message["role"])


def _content(i: int, message: Mapping[str, Any], call: Call) -> Iterator[Refusal]:
    content = message.get("content")
    path = f"messages[{i}].content"
    if content is None:
        if message["role"] != "assistant" or not any(map(message.get, INSTEAD_OF_CONTENT)):
            yield refuse("openai-null-content", i=i, role=message["role"])
        yield refuse("openai-null-call-content", i=i)
        if "content" not in message:
            yield refuse("openai-content-key", i=i)
        return
    if isinstance(content, str):
        yield from _short("openai-long-content", content, path, call)
        return
    yield from _typed(content, list, path, "one of a string or array of objects")
    if message["role"] == "tool":
        yield refuse("openai-list-tool-content", i=i)
    for j, part in enumerate(content):
        yield from _typed(part, dict, f"{path}[{j}]", "an object")
        if part.get("type") == "text":
            yield from _field(part, "text", str, f"{path}[{j}]", "a string")
            yield from _short("openai-long-content", part["text"], f"{path}[{j}].text", call)
        if part.get("type") == "image_url" and message["role"] == "tool":
            yield refuse("openai-image-in-tool", i=i)


def _leftovers(i: int, message: Mapping[str, Any]) -> Iterator[Refusal]:
    for field, value in message.items():
        if value is None and field != "content":
            yield refuse("openai-null-leftover", i=i, role=message["role"], field=field)


def _echo(i: int, message: Mapping[str, Any]) -> Iterator[Refusal]:
    """Check that calls come back with what their model gave them, and with ids that fit."""
    made = message.get("tool_calls") or ()
    for one in made:
        if not one["id"]:
            yield refuse("openai-empty-id")
        if not fits("openai-call-id-shape", one["id"]):
            yield refuse("openai-call-id-shape", id=one["id"])
    if message.get("reasoning_content"):
        yield refuse("openai-reasoning", i=i)
    elif made:
        yield refuse("openai-no-reasoning")


def _short(rule_id: str, text: str, path: str, call: Call) -> Iterable[Refusal]:
    most = call.mount.book[rule_id].limit
    if most is None or len(text) <= most:
        return ()
    return (refuse(rule_id, path=path, most=most, n=len(text)),)


def _tool_calls(i: int, message: Mapping[str, Any], call: Call) -> Iterator[Refusal]:
    calls = message["tool_calls"]
    path = f"messages[{i}].tool_calls"
    yield from _typed(calls, list, path, "an array of objects")
    for j, made in enumerate(calls):
        where = f"{path}[{j}]"
        yield from _typed(made, dict, where, "an object")
        yield from _field(made, "id", str, where, "a string")
        yield from _short("openai-long-id", made["id"], f"{where}.id", call)
        if made.get("type", "function") == "function":
            yield from _field(made, "function", dict, where, "an object")
            yield from _field(made["function"], "name", str, f"{where}.function", "a string")
            yield from _arguments(made["function"], f"{where}.function", call)


def _arguments(function: Mapping[str, Any], path: str, call: Call) -> Iterator[Refusal]:
    """Check arguments: a text, but an object where the host keeps them so."""
    if isinstance(function.get("arguments"), str):
        yield refuse("openai-arguments-text")
        yield refuse("openai-template-arguments")
    elif call.mount.arguments == "object":
        yield from _field(function, "arguments", dict, path, "an object")
        return
    yield from _field(function, "arguments", str, path, "a string")


def _field(
    data: Mapping[str, Any], name: str, kind: type, path: str, expected: str
) -> Iterable[Refusal]:
    if name not in data:
        return (refuse("openai-missing", path=f"{path}.{name}"),)
    return _typed(data[name], kind, f"{path}.{name}", expected)


def _typed(value: Any, kind: type, path: str, expected: str) -> Iterable[Refusal]:
    if isinstance(value, kind):
        return ()
    return (refuse("openai-invalid-type", path=path, expected=expected, got=_name(value)),)


def _name(value: Any) -> str:
    return NAMES[type(value)]


def sequence(call: Call) -> Iterator[Refusal]:
    """Check calls against results, run by run."""
    messages = call.payload["messages"]
    for before, after in pairwise(message["role"] for message in messages):
        if (before, after) in MISPLACED:
            yield refuse("openai-role-order", role=after, before=before)
    after_run = 0
    for i, message in enumerate(messages):
        if message["role"] == "tool" and i >= after_run:
            yield refuse("openai-orphan-result", i=i)
        called = _called(message)
        if called:
            after_run = i + 1
            while after_run < len(messages) and _is_result(messages[after_run]):
                after_run += 1
            yield from _run(called, messages[i + 1 : after_run], i + 1)


def _run(called: list[str], run: list[Mapping[str, Any]], start: int) -> Iterator[Refusal]:
    """Check the run of tool messages that starts at index `start` against the ids called."""
    known = set(called)
    answered: dict[str, int] = {}
    for i, message in enumerate(run, start):
        name = message["tool_call_id"]
        if name not in known:
            yield refuse("openai-foreign-id", i=i, id=name)
        if name in answered:
            yield refuse("openai-double-result", id=name, a=answered[name], b=i)
        answered[name] = i
    missing = [name for name in called if name not in answered]
    if missing:
        yield refuse("openai-unanswered-call", i=start + len(run), ids=", ".join(missing))


def _called(message: Mapping[str, Any]) -> list[str]:
    calls = message.get("tool_calls") if message["role"] == "assistant" else None
    return [call["id"] for call in calls or ()]


def _is_result(message: Mapping[str, Any]) -> bool:
    return bool(message["role"] == "tool")


# What the model sees, and what it answers


def view(call: Call) -> View:
    """Return what the model sees; results count if tool messages come last."""
    messages = call.payload["messages"]
    results = list(takewhile(_is_result, reversed(messages)))[::-1]
    asked = messages[: len(messages) - len(results)]
    caller = asked[-1] if results and asked else {}
    uses = {one["id"]: _use(one) for one in caller.get("tool_calls") or ()}
    texts_from_end = (_text(one) for one in reversed(messages) if one["role"] == "user")
    return View(
        prompt=next(filter(None, texts_from_end), ""),
        tools=tuple(_tools(call.payload.get("tools"))),
        choice=_choice(call.payload.get("tool_choice")),
        results=tuple(
            Result(uses.get(one["tool_call_id"], NO_CALL), _text(one)) for one in results
        ),
    )


def _use(call: Mapping[str, Any]) -> ToolUse:
    function = call.get("function")
    function = function if isinstance(function, dict) else {}  # a custom call has none
    arguments = function.get("arguments") or "{}"
    said = arguments if isinstance(arguments, str) else ids.compact(arguments)
    return ToolUse(str(function.get("name") or ""), said)


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else joined(part.get("text") for part in content)


def _tools(tools: Any) -> Iterator[Tool]:
    for tool in tools if isinstance(tools, list) else []:
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict):
            yield Tool(str(function.get("name") or ""), function.get("parameters"))


def _choice(choice: Any) -> Choice:
    """Read a mode, one tool that is forced, or a mode with the tools that are allowed."""
    if isinstance(choice, str):
        return Choice(MODES.get(choice, "auto"))
    if not isinstance(choice, dict):
        return Choice()
    allowed = choice.get("allowed_tools")
    if isinstance(allowed, dict):
        names = tuple(tool.name for tool in _tools(allowed.get("tools")))
        return Choice(MODES.get(str(allowed.get("mode")), "auto"), names)
    return Choice("required", tuple(tool.name for tool in _tools([choice])))


def reply(call: Call, answer: Answer, seed: bytes) -> dict[str, Any]:
    """Write a `ChatCompletion` of one choice."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": answer.text or None,
        "refusal": None,
    }
    if call.mount.reasons:
        message["reasoning_content"] = REASONING
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": _call_id(call, use, seed, place),
                "type": "function",
                "function": {"name": use.name, "arguments": _written(call, use.arguments)},
            }
            for place, use in enumerate(answer.calls)
        ]
    sent, made = ids.tokens_of(call.canonical), ids.tokens(message)
    return {
        "id": ids.make(seed, "chatcmpl-"),
        "object": "chat.completion",
        "created": CREATED,
        "model": call.model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": "tool_calls" if answer.calls else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": sent,
            "completion_tokens": made,
            "total_tokens": sent + made,
        },
    }


def _call_id(call: Call, use: ToolUse, seed: bytes, place: int) -> str:
    """Return the id of a call, as the host makes them."""
    shape = call.mount.call_id
    if shape.get("counts"):
        return f"{use.name}:{place}"
    return ids.make(seed, shape["prefix"], place, shape["length"])


def _written(call: Call, arguments: str) -> Any:
    return json.loads(arguments) if call.mount.arguments == "object" else arguments


def frames(call: Call, payload: dict[str, Any]) -> Iterator[bytes]:
    """Cut an answer into the chunks of a stream."""
    options = call.payload.get("stream_options")
    usage = isinstance(options, dict) and options.get("include_usage") is True
    return streams.openai(payload, include_usage=usage)


def stream_type(_call: Call) -> str:
    """Return the content type of a stream."""
    return "text/event-stream; charset=utf-8"


def error(call: Call, refusal: Refusal, _request_id: str) -> Any:
    """Write a refusal in the envelope of the host, or of the rule where it has its own."""
    values = {
        **refusal.values,
        "message": refusal.message,
        "type": call.mount.error_type(refusal),
        "param": refusal.param,
        "code": refusal.rule.code,
        "status": refusal.status,
    }
    plainly = shaped(call.mount.envelope, values)
    if refusal.rule.envelope is not None:
        plainly = shaped(refusal.rule.envelope, values)
    if call.mount.around is None:
        return plainly
    return shaped(call.mount.around, {**values, "raw": ids.compact(plainly)})


def error_frame(call: Call, _refusal: Refusal, payload: Any) -> bytes:
    """Write the frame of a refusal in a stream; some hosts name it an event."""
    return streams.openai_error(payload, named=call.mount.stream_error == "sse_event")


def headers(seed: bytes) -> dict[str, str]:
    """Return the id of the request."""
    return {"x-request-id": ids.request(seed)}


def model_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Write a `Model`."""
    return {"id": row["id"], "object": "model", "created": CREATED, "owned_by": "skyl-sandbox"}


def model_list(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Write the list of models."""
    return {"object": "list", "data": rows}
