"""Gemini generateContent: how the mount reads a request, what it refuses, how it answers.

Calls and results pair across two neighbouring contents, by count and then by name; ids are not
needed.

- A content with calls comes right after one that is not the model's: after a user's turn or
  after responses (REPORTS 42).
- The next content holds exactly as many responses as there were calls (REPORTS 41); responses
  spread over several contents are a wrong count (REPORTS 113), and so are calls in the last
  content.
- Responses come right after calls (REPORTS 43).
- Each response names a call; equal names pair in their order (REPORTS 47).

Every field may be spelled in camel case or in snake case, null means that a field is not set, and
a single object stands for a list of one: so Google's own parser reads JSON. `_get` and `_list`
undo all three.
"""

import json
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from typing import Any

from skyl_nb.sandbox import ids, streams
from skyl_nb.sandbox.call import Call
from skyl_nb.sandbox.fields import Fault as FieldFault
from skyl_nb.sandbox.fields import Table, bracketed, plain, table
from skyl_nb.sandbox.jsonbody import Fault
from skyl_nb.sandbox.model import Answer, Choice, Mode, Result, Tool, ToolUse, View, joined
from skyl_nb.sandbox.rules import Refusal, fits, refuse, refuse_each
from skyl_nb.sandbox.schema import any_snake, snake

ROLES = ("", "user", "model", "function", "tool")
# What a part may be made of: one of these must be set.
DATA = {
    spelling
    for name in (
        "text",
        "inlineData",
        "fileData",
        "functionCall",
        "functionResponse",
        "executableCode",
        "codeExecutionResult",
        "toolCall",
        "toolResponse",
    )
    for spelling in (name, snake(name))
}
# Of these parts later checks read the fields; and what they are called in texts.
MESSAGES = {"functionCall": "function_call", "functionResponse": "function_response"}
SCALARS = {
    "string": "TYPE_STRING",
    "integer": "TYPE_INT32",
    "number": "TYPE_FLOAT",
    "boolean": "TYPE_BOOL",
    "enum": "TYPE_ENUM",
}
JSON = "application/json"
STRUCT = "type.googleapis.com/google.protobuf.Struct"
# These words, as they are or as base64, ask a real provider not to look at signatures.
SKIPS = ("skip_thought_signature_validator", "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I")
URL_SAFE = str.maketrans("+/", "-_")
SERVICE = "type.googleapis.com/google.ai.generativelanguage"
NO_CALL = {"name": ""}  # what a response answers that no rule refused
MODES: Mapping[str, Mode] = {"NONE": "none", "ANY": "required"}


# Reading


def _get(data: Any, name: str) -> Any:
    """Return a field in either spelling; None if it is not set, or `data` has no fields."""
    if not isinstance(data, dict):
        return None
    found = data.get(name)
    return data.get(snake(name)) if found is None else found


def _list(value: Any) -> list[Any]:
    """Return a repeated field: a single object stands for a list of one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _contents(call: Call) -> list[Any]:
    return _list(call.payload.get("contents"))


def _parts(content: Any) -> list[Any]:
    return _list(_get(content, "parts"))


def _of_kind(content: Any, kind: str) -> list[Any]:
    """Return what the parts of a content hold of one kind, e.g. its function calls."""
    return [found for part in _parts(content) if (found := _get(part, kind)) is not None]


# Checks


def credential(call: Call) -> Iterator[Refusal]:
    """One good key is enough, in `x-goog-api-key`, as a Bearer token or in the query."""
    given = [*call.header("x-goog-api-key"), *call.bearers, *call.query.get("key", ())]
    if not given:
        yield refuse("gemini-no-key")
    elif call.api_key not in given:
        yield refuse("gemini-bad-key")


def bad_json(fault: Fault) -> Refusal:
    """Word a body that is no JSON, with the text around the fault."""
    return refuse("gemini-json", context=fault.context())


def shape(call: Call) -> Iterator[Refusal]:
    """Check that there are contents, each an object."""
    payload = call.parsed.value
    if not isinstance(payload, dict):
        yield refuse("gemini-not-object")
        return
    contents = _contents(call)
    if not contents:
        yield refuse("gemini-no-contents")
    yield from _declared(_table().faults(payload, leave=["contents"]), call)
    for i, content in enumerate(contents):
        if not isinstance(content, dict):
            place = ("contents", i) if isinstance(payload["contents"], list) else ("contents",)
            yield from _declared(iter([FieldFault(place, ("#Content",), content)]), call)
    yield from _tool_rules(payload)


def _table() -> Table:
    return table("gemini", lenient=True)


def _declared(faults: Iterator[FieldFault], call: Call) -> Iterator[Refusal]:
    """Word the faults that the table of fields finds; paths are in snake case."""
    for fault in faults:
        field = fault.path[-1]
        steps = [any_snake(one) if isinstance(one, str) else one for one in fault.path]
        parent, path = bracketed((*steps[:-1],)), bracketed((*steps,))
        if fault.expected is None:
            at = f" at '{parent}'" if parent else ""
            yield refuse("gemini-unknown-field", field=field, at=at, path=parent)
        elif isinstance(fault.value, list):
            yield refuse("gemini-not-repeating", field=field, path=parent)
        else:
            shown = fault.value if isinstance(fault.value, str) else ids.compact(fault.value)
            kind = _type_name(fault.expected, call)
            yield refuse("gemini-invalid-value", path=path, type=kind, value=shown[:200])


def _type_name(expected: tuple[Any, ...], call: Call) -> str:
    """Return how Google calls a type: a message of its own, a struct, or a scalar."""
    kinds = [one for kind in expected for one in (kind if isinstance(kind, list) else [kind])]
    messages = [kind[1:] for kind in kinds if kind.startswith("#")]
    if messages:
        return f"{SERVICE}.{call.version}.{messages[0]}"
    return SCALARS.get(plain(kinds)[0], STRUCT)


def _tool_rules(payload: Mapping[str, Any]) -> Iterator[Refusal]:
    declared = [
        (t, k, one)
        for t, tool in enumerate(_list(_get(payload, "tools")))
        for k, one in enumerate(_list(_get(tool, "functionDeclarations")))
    ]
    bad = [{"t": t, "k": k} for t, k, one in declared if not fits("gemini-tool-name", _name(one))]
    yield from _each("gemini-tool-name", bad)
    if declared and _get(_get(payload, "generationConfig"), "responseMimeType") == JSON:
        yield refuse("gemini-json-with-tools")


def unknown_model(call: Call) -> Refusal:
    """Word a model that there is not."""
    return refuse("gemini-unknown-model", model=call.model, version=call.version)


def schema(call: Call) -> Iterator[Refusal]:
    """Check each content by itself: its role, its parts, the names in them."""
    yield from _declared(_table().faults_in(call.payload, "contents"), call)
    contents = _contents(call)
    if any((_get(content, "role") or "") not in ROLES for content in contents):
        yield refuse("gemini-role")
    partless = [{"i": i} for i, content in enumerate(contents) if not _parts(content)]
    yield from _each("gemini-empty-parts", partless)
    parts = [
        ({"i": i, "j": j}, part)
        for i, content in enumerate(contents)
        for j, part in enumerate(_parts(content))
    ]
    empty = [at for at, part in parts if not any(_is_data(part, name) for name in part or ())]
    yield from _each("gemini-empty-part", empty)
    for _, part in parts:
        response = _get(_get(part, "functionResponse"), "response") or {}
        for name in (name for name, value in response.items() if value is None):
            yield refuse("gemini-typeless-value", field=name)
    nameless = [
        {**at, "kind": label}
        for at, part in parts
        for kind, label in MESSAGES.items()
        if _get(part, kind) is not None and not _get(_get(part, kind), "name")
    ]
    yield from _each("gemini-empty-name", nameless)


def _each(rule_id: str, places: list[dict[str, Any]]) -> Iterator[Refusal]:
    """Refuse all places of one fault together: the provider says a line for each."""
    if places:
        yield refuse_each(rule_id, places)


def _is_data(part: Mapping[str, Any], name: str) -> bool:
    """Say whether a field of a part is data; a blank text is only beside a signature."""
    if name not in DATA or part[name] is None:
        return False
    return part[name] != "" or _get(part, "thoughtSignature") is not None


def sequence(call: Call) -> Iterator[Refusal]:
    """Check calls against responses, content by content."""
    contents = _contents(call)
    yield from _signatures(contents, call)
    calls = [_of_kind(content, "functionCall") for content in contents]
    responses = [_of_kind(content, "functionResponse") for content in contents]
    for i in range(len(contents)):
        if calls[i]:
            if i == 0 or calls[i - 1] or _get(contents[i - 1], "role") == "model":
                yield refuse("gemini-call-place")
            yield from _paired(calls[i], responses[i + 1] if i + 1 < len(contents) else [])
        if responses[i] and (i == 0 or not calls[i - 1]):
            yield refuse("gemini-response-place")


def _signatures(contents: list[Any], call: Call) -> Iterator[Refusal]:
    """Check that the first call of each turn brings its signature back, since the last prompt."""
    if call.row.get("gives") != "signatures":
        return
    asked = [i for i, content in enumerate(contents) if _is_prompt(content)]
    for i, content in enumerate(contents[asked[-1] :] if asked else [], asked[-1] if asked else 0):
        parts = [part for part in _parts(content) if _get(part, "functionCall") is not None]
        for part in parts[:1]:
            made, given = _get(part, "functionCall"), _get(part, "thoughtSignature")
            if not given:
                yield refuse("gemini-no-signature", name=_name(made), position=i + 1)
            elif str(given).translate(URL_SAFE).rstrip("=") not in (_signature(made), *SKIPS):
                yield refuse("gemini-foreign-signature")


def _is_prompt(content: Any) -> bool:
    return _get(content, "role") != "model" and not _of_kind(content, "functionResponse")


def _signature(made: Any) -> str:
    """Return the signature of a call; it depends on the call alone, so it can be checked."""
    said = ids.canonical([_name(made), _get(made, "args") or {}])
    return ids.make(ids.seed(said), "", 0, 40)


def _paired(calls: list[Any], responses: list[Any]) -> Iterator[Refusal]:
    if len(calls) != len(responses):
        yield refuse("gemini-count")
    if Counter(map(_name, responses)) - Counter(map(_name, calls)):
        yield refuse("gemini-name-mismatch")


def _name(data: Any) -> str:
    return str(_get(data, "name") or "")


# What the model sees, and what it answers


def view(call: Call) -> View:
    """Return what the model sees; responses count if the last content has one."""
    contents = _contents(call)
    responses = _of_kind(contents[-1], "functionResponse")
    calls = _of_kind(contents[-2], "functionCall") if responses and len(contents) > 1 else []
    users_from_end = (one for one in reversed(contents) if _get(one, "role") != "model")
    texts_from_end = (joined(_of_kind(content, "text")) for content in users_from_end)
    declared = _get(call.payload, "tools")
    return View(
        prompt=next(filter(None, texts_from_end), ""),
        tools=tuple(_tools(declared)),
        choice=_choice(_get(_get(call.payload, "toolConfig"), "functionCallingConfig")),
        results=tuple(_results(calls, responses)),
    )


def _results(calls: list[Any], responses: list[Any]) -> Iterator[Result]:
    """Pair each response with the first call left that has its id and name, else its name."""
    waiting: dict[tuple[str, ...], deque[int]] = {}
    for place, call in enumerate(calls):
        for key in _keys(call):
            waiting.setdefault(key, deque()).append(place)
    taken: set[int] = set()
    for response in responses:
        queues = (waiting.get(key, deque()) for key in _keys(response))
        found = next((place for queue in queues for place in _left(queue, taken)), None)
        call = NO_CALL if found is None else calls[found]
        taken.add(-1 if found is None else found)
        said = _get(response, "response") or {}
        use = ToolUse(_name(call), ids.compact(_get(call, "args") or {}))
        yield Result(use, _text(said), failed=said.get("error") is not None)


def _keys(data: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Return by what a call and its response find each other, the surest first."""
    return (_name(data), repr(_get(data, "id"))), (_name(data),)


def _left(queue: deque[int], taken: set[int]) -> Iterator[int]:
    """Take the places from a queue that no response has yet."""
    while queue:
        place = queue.popleft()
        if place not in taken:
            yield place


def _text(said: Mapping[str, Any]) -> str:
    """Return what stands under `content`, else under `output`, else the whole object."""
    named = [said[key] for key in ("content", "output") if key in said]
    value = next((one for one in named if one is not None), None) if named else said
    if isinstance(value, str):
        return value
    return "" if value is None or value in ({}, []) else ids.compact(value)


def _tools(tools: Any) -> Iterator[Tool]:
    for tool in _list(tools):
        for declared in _list(_get(tool, "functionDeclarations")):
            if isinstance(declared, dict):
                schema_of = _get(declared, "parametersJsonSchema")
                yield Tool(_name(declared), schema_of or _get(declared, "parameters"))


def _choice(config: Any) -> Choice:
    if config is None:
        return Choice()
    names = _list(_get(config, "allowedFunctionNames"))
    mode = str(_get(config, "mode") or "").upper()
    return Choice(MODES.get(mode, "auto"), tuple(name for name in names if isinstance(name, str)))


def reply(call: Call, answer: Answer, seed: bytes) -> dict[str, Any]:
    """Write a `GenerateContentResponse`; calls have no ids but those of one model of ours."""
    parts: list[dict[str, Any]] = [
        {"functionCall": {"name": use.name, "args": json.loads(use.arguments)}}
        for use in answer.calls
    ]
    gives = call.row.get("gives")
    if parts and gives == "signatures":
        parts[0]["thoughtSignature"] = _signature(parts[0]["functionCall"])
    for place, part in enumerate(parts if gives == "call-ids" else ()):
        part["functionCall"]["id"] = ids.make(seed, "call_", place, 8)
    if answer.text:
        parts.insert(0, {"text": answer.text})
    sent, made = ids.tokens_of(call.canonical), ids.tokens(parts)
    return {
        "candidates": [
            {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": sent,
            "candidatesTokenCount": made,
            "totalTokenCount": sent + made,
        },
        "modelVersion": call.model,
        "responseId": ids.make(seed, ""),
    }


def frames(call: Call, payload: dict[str, Any]) -> Iterator[bytes]:
    """Cut an answer into partial responses: events with `alt=sse`, else a JSON array."""
    return streams.gemini(payload, sse=_sse(call))


def stream_type(call: Call) -> str:
    """Return the content type of a stream."""
    return "text/event-stream" if _sse(call) else "application/json; charset=UTF-8"


def _sse(call: Call) -> bool:
    return call.query.get("alt", ("",))[-1] == "sse"


def error(call: Call, refusal: Refusal, _request_id: str) -> Any:
    """Write a refusal, with the details that Google gives to its programs.

    A stream that is a JSON array is one also when it is refused (REPORTS 60 saw such lists).
    """
    inner = {
        "code": refusal.status,
        "message": refusal.message,
        "status": call.mount.error_type(refusal),
    }
    if refusal.rule.details is not None:
        inner["details"] = refusal.details
    envelope = {"error": inner}
    return [envelope] if call.does == "stream" and not _sse(call) else envelope


def error_frame(call: Call, _refusal: Refusal, payload: Any) -> bytes:
    """Write the frame of a refusal in a stream; there a list needs no other list around it."""
    sse = _sse(call)
    return streams.gemini_error(payload if sse else payload[0], sse=sse)


def headers(_seed: bytes) -> dict[str, str]:
    """Return nothing: answers of this provider carry no id."""
    return {}


def model_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Write a `Model`."""
    return {
        "name": f"models/{row['id']}",
        "version": "001",
        "displayName": row["name"],
        "description": row["name"],
        "supportedGenerationMethods": ["generateContent"],
    }


def model_list(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Write a page of models, which is the only one."""
    return {"models": rows}
