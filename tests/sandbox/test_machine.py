"""Conversations built by legal steps are accepted on every mount; one step wrong, and they are not.

The machine keeps a conversation as steps that belong to no wire, and writes it on each. A break
changes one place of what was written, and the refusal has to name that place.
"""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from skyl_nb.sandbox import Sandbox
from tests.sandbox.wire import (
    MOUNTS,
    SCHEMA,
    a,
    answers,
    asks,
    assistant,
    calls,
    claude,
    gemini,
    gpt,
    message_of,
    read,
    result,
    send,
    t,
    u,
    use,
    user,
)

NAMES = ("get_weather", "find_tide")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9)
CONTENTS = st.one_of(TEXTS, st.sampled_from(["", "error: down", '{"error": "x"}']))
ROUNDS = st.lists(st.tuples(st.sampled_from(NAMES), CONTENTS), min_size=1, max_size=3)
Turn = tuple[str, Any]
# Where a round stands: its calls, and the first of its results.
Places = list[tuple[int, int]]


def anthropic_of(turns: list[Turn]) -> tuple[dict[str, Any], Places]:
    messages: list[Any] = []
    places: Places = []
    for kind, said in turns:
        if kind != "round":
            messages.append({"user": user, "model": assistant}[kind](said))
            continue
        places.append((len(messages), len(messages) + 1))
        messages.append(assistant("wait", *(use(one["id"], name=one["name"]) for one in said)))
        messages.append(user(*(result(one["id"], one["content"]) for one in _told(said))))
    tools = [{"name": name, "input_schema": SCHEMA} for name in NAMES]
    return claude(*messages, tools=tools), places


def openai_of(turns: list[Turn]) -> tuple[dict[str, Any], Places]:
    messages: list[Any] = []
    places: Places = []
    for kind, said in turns:
        if kind != "round":
            messages.append(u(said) if kind == "user" else {"role": "assistant", "content": said})
            continue
        places.append((len(messages), len(messages) + 1))
        messages.append(a(*(one["id"] for one in said)))
        messages += [t(one["id"], one["content"]) for one in _told(said)]
    return gpt(*messages), places


def gemini_of(turns: list[Turn]) -> tuple[dict[str, Any], Places]:
    contents: list[Any] = []
    places: Places = []
    for kind, said in turns:
        if kind != "round":
            role = {"role": "model"} if kind == "model" else {}
            contents.append({**asks(said), **role})
            continue
        places.append((len(contents), len(contents) + 1))
        contents.append(calls(*(one["name"] for one in said)))
        parts = [answers(one["name"], output=one["content"])["parts"][0] for one in _told(said)]
        contents.append({"role": "user", "parts": parts})
    return gemini(*contents), places


WRITES: dict[str, Callable[[list[Turn]], tuple[dict[str, Any], Places]]] = {
    "anthropic": anthropic_of,
    "openai": openai_of,
    "compat": openai_of,
    "gemini": gemini_of,
}


def _told(said: list[Any]) -> list[Any]:
    """Results in an order of their own: they need not follow the calls'."""
    return sorted(said, key=lambda one: one["order"])


# Breaks: each changes a written conversation and returns what the refusal has to hold.

UNANSWERED = (
    "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}"
)
COUNT = "number of function response parts is equal to the number of function call parts"
Break = Callable[[Any, int, int, int], str]


def anthropic_drop(messages: Any, i: int, r: int, n: int) -> str:
    gone = messages[r]["content"].pop(n)
    if not messages[r]["content"]:
        messages[r] = user("well?")
    return UNANSWERED.format(r, f"{gone['tool_use_id']}.")


def anthropic_mistype(messages: Any, i: int, r: int, n: int) -> str:
    messages[r]["content"][n]["tool_use_id"] = "toolu_zz"
    found = "unexpected `tool_use_id` found in `tool_result` blocks: toolu_zz."
    return f"messages.{r}.content.{n}: {found}"


def anthropic_twice(messages: Any, i: int, r: int, n: int) -> str:
    blocks = messages[r]["content"]
    blocks.append(blocks[n])
    return f"messages.{r}.content.{len(blocks) - 1}: each tool_use must have a single result."


def anthropic_no_call(messages: Any, i: int, r: int, n: int) -> str:
    del messages[i]
    return f"messages.{i}.content.0: unexpected `tool_use_id`"


def anthropic_empty_error(messages: Any, i: int, r: int, n: int) -> str:
    messages[r]["content"][n] |= {"content": " ", "is_error": True}
    return f"messages.{r}.content.{n}.tool_result: content cannot be empty if `is_error` is true"


def anthropic_text_first(messages: Any, i: int, r: int, n: int) -> str:
    messages[r]["content"].insert(0, {"type": "text", "text": "note"})
    return UNANSWERED.format(r, "")


def anthropic_extra(messages: Any, i: int, r: int, n: int) -> str:
    messages[r]["content"][n]["name"] = "tide"
    return f"messages.{r}.content.{n}.tool_result.name: Extra inputs are not permitted"


def anthropic_input(messages: Any, i: int, r: int, n: int) -> str:
    messages[i]["content"][n + 1]["input"] = "{}"
    return f"messages.{i}.content.{n + 1}.tool_use.input: Input should be a valid dictionary"


def anthropic_same_id(messages: Any, i: int, r: int, n: int) -> str:
    messages[i]["content"].append(messages[i]["content"][n + 1])
    return f"messages.{i}.content.{len(messages[i]['content']) - 1}: `tool_use` ids must be unique"


def openai_drop(messages: Any, i: int, r: int, n: int) -> str:
    gone = messages.pop(r + n)
    after = next(
        (k for k in range(r, len(messages)) if messages[k]["role"] != "tool"), len(messages)
    )
    return f"did not have response messages: {gone['tool_call_id']} messages.[{after}].role"


def openai_mistype(messages: Any, i: int, r: int, n: int) -> str:
    messages[r + n]["tool_call_id"] = "call_zz"
    return (
        "Invalid parameter: 'tool_call_id' of 'call_zz' not found in 'tool_calls' of previous"
        f" message. messages.[{r + n}].tool_call_id"
    )


def openai_twice(messages: Any, i: int, r: int, n: int) -> str:
    messages.insert(r + n + 1, messages[r + n])
    return f"in messages[{r + n}] and messages[{r + n + 1}]. messages.[{r + n + 1}].tool_call_id"


def openai_no_call(messages: Any, i: int, r: int, n: int) -> str:
    del messages[i]
    return f" messages.[{i}]."


def openai_null(messages: Any, i: int, r: int, n: int) -> str:
    messages[r + n]["content"] = None
    return f"expected a string, got null. messages.[{r + n}].content"


def openai_arguments(messages: Any, i: int, r: int, n: int) -> str:
    messages[i]["tool_calls"][n]["function"]["arguments"] = {}
    return (
        f"'messages[{i}].tool_calls[{n}].function.arguments': expected a string, but got an object"
    )


def gemini_drop(contents: Any, i: int, r: int, n: int) -> str:
    del contents[r]["parts"][n]
    if not contents[r]["parts"]:
        contents[r] = asks("well?")
    return COUNT


def gemini_twice(contents: Any, i: int, r: int, n: int) -> str:
    contents[r]["parts"].append(contents[r]["parts"][n])
    return COUNT


def gemini_mistype(contents: Any, i: int, r: int, n: int) -> str:
    contents[r]["parts"][n]["functionResponse"]["name"] = "call_1"
    return "Request contains an invalid argument."


def gemini_nameless(contents: Any, i: int, r: int, n: int) -> str:
    del contents[r]["parts"][n]["functionResponse"]["name"]
    place = f"contents[{r}].parts[{n}].function_response.name"
    return f"* GenerateContentRequest.{place}: Name cannot be empty.\n"


def gemini_no_call(contents: Any, i: int, r: int, n: int) -> str:
    del contents[i]
    return "Please ensure that function response turn comes immediately after a function call turn."


def gemini_model_before(contents: Any, i: int, r: int, n: int) -> str:
    contents.insert(i, {"role": "model", "parts": [{"text": "wait"}]})
    return "Please ensure that function call turn comes immediately after a user turn"


def gemini_string(contents: Any, i: int, r: int, n: int) -> str:
    contents[r]["parts"][n]["functionResponse"]["response"] = "12"
    return f"Invalid value at 'contents[{r}].parts[{n}].function_response.response'"


def gemini_extra(contents: Any, i: int, r: int, n: int) -> str:
    contents[r]["parts"][n]["functionResponse"]["call_id"] = "12"
    place = f"contents[{r}].parts[{n}].function_response"
    return f"Unknown name \"call_id\" at '{place}': Cannot find field."


BREAKS: dict[str, list[Break]] = {
    "anthropic": [
        anthropic_drop,
        anthropic_mistype,
        anthropic_twice,
        anthropic_no_call,
        anthropic_empty_error,
        anthropic_text_first,
        anthropic_extra,
        anthropic_input,
        anthropic_same_id,
    ],
    "openai": [
        openai_drop,
        openai_mistype,
        openai_twice,
        openai_no_call,
        openai_null,
        openai_arguments,
    ],
    "gemini": [
        gemini_drop,
        gemini_twice,
        gemini_mistype,
        gemini_nameless,
        gemini_no_call,
        gemini_model_before,
        gemini_string,
        gemini_extra,
    ],
}
BREAKS["compat"] = BREAKS["openai"]


class Conversations(RuleBasedStateMachine):
    """Builds one conversation, and breaks copies of it."""

    def __init__(self) -> None:
        super().__init__()
        self.sandbox = Sandbox()
        self.turns: list[Turn] = []
        self.made = 0

    @rule(said=TEXTS)
    def the_user_says(self, said: str) -> None:
        self.turns.append(("user", said))

    @precondition(lambda self: self.turns)
    @rule(said=TEXTS)
    def the_model_says(self, said: str) -> None:
        self.turns.append(("model", said))

    @precondition(lambda self: self.turns and self.turns[-1][0] != "model")
    @rule(round_=ROUNDS, data=st.data())
    def the_model_calls_and_is_answered(self, round_: list[tuple[str, str]], data: Any) -> None:
        order = data.draw(st.permutations(range(len(round_))))
        made = []
        for place, (name, content) in enumerate(round_):
            self.made += 1
            made.append(
                {"id": f"call_{self.made}", "name": name, "content": content, "order": order[place]}
            )
        self.turns.append(("round", made))

    @precondition(lambda self: any(kind == "round" for kind, _ in self.turns))
    @rule(data=st.data())
    def one_step_wrong_is_refused_with_its_place(self, data: Any) -> None:
        rounds = [said for kind, said in self.turns if kind == "round"]
        which = data.draw(st.integers(0, len(rounds) - 1))
        n = data.draw(st.integers(0, len(rounds[which]) - 1))
        for mount in MOUNTS:
            for broken in BREAKS[mount]:
                payload, places = WRITES[mount](self.turns)
                payload = json.loads(json.dumps(payload))
                written = payload["contents" if mount == "gemini" else "messages"]
                told = broken(written, *places[which], n)
                reply = send(mount, payload, self.sandbox)
                assert reply.status == 400, broken
                said = f"{message_of(reply)} {read(reply)['error'].get('param')}"
                assert told in said, broken
                assert self.sandbox.explain(reply).rule == reply.rule

    @invariant()
    def what_is_legal_is_accepted_everywhere(self) -> None:
        for mount in MOUNTS if self.turns else ():
            payload, _ = WRITES[mount](self.turns)
            reply = send(mount, payload, self.sandbox)
            assert (reply.status, reply.rule) == (200, None), (mount, reply.body)
            if mount != "gemini":
                streamed = send(mount, {**payload, "stream": True}, self.sandbox)
                assert b"".join(streamed.frames or ())


TestConversations = Conversations.TestCase
TestConversations.settings = settings(max_examples=30, stateful_step_count=12, deadline=None)
