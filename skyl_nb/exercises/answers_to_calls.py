"""Exercises in which a learner answers several calls of one turn; the wires take it, or do not.

What the wires take is then looked at call by call: which text reached which call, and, each call
alone, what a model makes of its result.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from skyl_nb.conversation import Message, Role, ToolCall, ToolResult
from skyl_nb.exercises.exercise import Exercise, FaultError, Finding
from skyl_nb.exercises.learner import LearnersError, call
from skyl_nb.exercises.talk import Talk
from skyl_nb.wires import WIRES

FINISHED = ((2, 0, 1), (1, 2, 0))
"""Orders in which the tools finish; two, so that no answer is right by accident."""

PROMPT = "What is the weather in Kampala, in Nairobi and in Paris?"
CITIES = ("Kampala", "Nairobi", "Paris")
FAILING = "Nairobi"
WORKED = {city: f"22C in {city}" for city in CITIES if city != FAILING}
"""What the tools say that work."""


class AnswerEveryCall(Exercise):
    """The answer is a function that runs the calls and returns what to append."""

    name = "answer-every-call"
    function = "answer_calls"

    def judge(self, answer: Any) -> Mapping[str, Finding]:
        """See `Exercise.judge`."""
        return {wire: self._finding(Talk(wire, PROMPT), answer) for wire in WIRES}

    def _finding(self, talk: Talk, answer: Callable[..., Any]) -> Finding:
        calls = talk.first.turn.tool_calls
        broken = ConnectionError("HTTP 503")

        def run(call: ToolCall) -> str:
            city = json.loads(call.arguments)["city"]
            if city == FAILING:
                raise broken
            return WORKED[city]

        turns = _turns(_called(answer, calls, run, broken))
        results = [result for turn in turns for result in turn.tool_results]
        heard = talk.answered(turns)
        if heard.entry.rule:
            fault = _refused(turns, results, calls)
        elif not all(turn.tool_results for turn in turns):
            fault = "beside"
        else:
            given = _by_call(calls, results)
            fault = _misplaced(given, WORKED) or _misread(talk.wire, given)
        return Finding(fault, heard.seen, {"words": heard.words})


class PairByPosition(Exercise):
    """The answer is a function that makes results of what the tools said, as they finished."""

    name = "pair-by-position"
    function = "pair"

    def judge(self, answer: Any) -> Mapping[str, Finding]:
        """See `Exercise.judge`."""
        return {wire: self._first_fault(wire, answer) for wire in WIRES}

    def _first_fault(self, wire: str, answer: Callable[..., Any]) -> Finding:
        found = [self._finding(Talk(wire, PROMPT), answer, order) for order in FINISHED]
        return next((one for one in found if one.fault), found[0])

    def _finding(self, talk: Talk, answer: Callable[..., Any], order: Sequence[int]) -> Finding:
        calls = talk.first.turn.tool_calls
        said = {**WORKED, FAILING: "ERROR: get_weather failed: timed out."}
        finished = [(position, said[CITIES[position]]) for position in order]
        results = _results(call(answer, calls, list(finished)))
        heard = talk.answered([Message(role=Role.tool, parts=tuple(results))])
        if heard.entry.rule:
            fault = "refused"
        else:
            given = _by_call(calls, results)
            fault = _misplaced(given, said) or _misread(talk.wire, given)
        if fault == "mixed":
            finish = dict(zip(CITIES, [text for _, text in finished], strict=True))
            fault = _why_mixed(given, finish, has_ids=_tells_apart(calls))
        return Finding(fault, heard.seen, {"words": heard.words})


def _called(
    answer: Callable[..., Any],
    calls: Sequence[ToolCall],
    run: Callable[[ToolCall], str],
    broken: Exception,
) -> Any:
    try:
        return call(answer, calls, run)
    except LearnersError as error:
        if error.__cause__ is broken:
            raise FaultError("escapes") from None
        raise


def _turns(value: Any) -> list[Message]:
    turns = [value] if isinstance(value, Message) else value
    if not isinstance(turns, list | tuple) or not all(isinstance(one, Message) for one in turns):
        raise FaultError("no-message", kind=_kind(value))
    return list(turns)


def _results(value: Any) -> list[ToolResult]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, ToolResult) for one in value):
        raise FaultError("no-results", kind=_kind(value))
    return list(value)


def _kind(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {', '.join({type(one).__name__ for one in value})}"
    return "None" if value is None else type(value).__name__


def _refused(
    turns: Sequence[Message], results: Sequence[ToolResult], calls: Sequence[ToolCall]
) -> str:
    """Return why a provider refuses the turns."""
    if len(results) < len(calls):
        return "skipped"
    if len(results) > len(calls):
        return "twice"
    if sum(bool(turn.tool_results) for turn in turns) > 1:
        return "apart"
    return "empty" if any(not result.content.strip() for result in results) else "refused"


def _tells_apart(calls: Sequence[ToolCall]) -> bool:
    """Say whether the calls have ids of their own; on Gemini the id is the tool's name."""
    return len({call.id for call in calls}) == len(calls)


def _by_call(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> list[ToolResult]:
    """Return the results in the order of the calls, as a provider pairs them: by id, or by place.

    The provider has taken them, so there is one for each call.
    """
    if not _tells_apart(calls):
        return list(results)
    by_id = {result.call_id: result for result in results}
    return [by_id[call.id] for call in calls]


def _misplaced(given: Iterable[ToolResult], said: Mapping[str, str]) -> str:
    """Return what is wrong with where the tools' texts stand; a text may stand within another."""
    contents = [result.content for result in given]
    for city, content in zip(CITIES, contents, strict=True):
        if any(text in content for other, text in said.items() if other != city):
            return "mixed"
    for city, content in zip(CITIES, contents, strict=True):
        if said.get(city, "") not in content:
            return "lost"
    return ""


def _why_mixed(given: Sequence[ToolResult], finish: Mapping[str, str], *, has_ids: bool) -> str:
    """Return why a text stands with the wrong call, where that can be seen."""
    if not _misplaced(given, finish):
        return "ignores-position" if has_ids else "as-they-finish"
    return "by-id" if not has_ids and len({one.content for one in given}) < len(given) else "mixed"


def _misread(wire: str, given: Iterable[ToolResult]) -> str:
    """Return what a model gets wrong that is shown each result alone."""
    for city, result in zip(CITIES, given, strict=True):
        taken = _taken(wire, city, result)
        if city == FAILING and taken in ("makes-up", "quotes"):
            return "invented" if taken == "makes-up" else "believed"
        if city != FAILING and taken != "quotes":
            return "flagged"
    return ""


def _taken(wire: str, city: str, result: ToolResult) -> str:
    """Return the name of what a model does with one result."""
    talk = Talk(wire, f"What is the weather in {city}?")
    (call,) = talk.first.turn.tool_calls
    alone = result.model_copy(update={"call_id": call.id})
    return talk.answered([Message(role=Role.tool, parts=(alone,))]).ending.name
