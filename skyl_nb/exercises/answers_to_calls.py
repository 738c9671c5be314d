"""Exercises in which a learner answers several calls of one turn; the wires take it, or do not."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skyl_nb.conversation import Message, Role, ToolCall, ToolResult
from skyl_nb.exercises.exercise import Exercise, FaultError, Finding
from skyl_nb.exercises.learner import LearnersError, call
from skyl_nb.exercises.talk import Heard, Talk
from skyl_nb.wires import WIRES

FINISHED = ((2, 0, 1), (1, 2, 0))
"""Orders in which the tools finish; two, so that no answer is right by accident."""

PROMPT = "What is the weather in Kampala, in Nairobi and in Paris?"
CITIES = ("Kampala", "Nairobi", "Paris")
FAILING = "Nairobi"


class AnswerEveryCall(Exercise):
    """The answer is a function that runs the calls and returns what to append."""

    name = "answer-every-call"
    function = "answer"

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
            return f"22C in {city}"

        turns = _turns(_called(answer, calls, run, broken))
        results = [result for turn in turns for result in turn.tool_results]
        heard = talk.answered(turns)
        fault = _refused(turns, results, calls) if heard.entry.rule else _misread(heard, results)
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
        said = [f"22C in {city}" for city in CITIES]
        said[CITIES.index(FAILING)] = "ERROR: get_weather failed: timed out."
        finished = [(position, said[position]) for position in order]
        results = _results(call(answer, calls, list(finished)))
        heard = talk.answered([Message(role=Role.tool, parts=tuple(results))])
        if heard.entry.rule:
            return Finding("refused", heard.seen, {"words": heard.words})
        fault = _mispaired(calls, results, said, [text for _, text in finished])
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


def _misread(heard: Heard, results: Sequence[ToolResult]) -> str:
    """Return what a model gets wrong that was given the turns."""
    said = {result.content for result in results}
    lost = any(f"22C in {city}" not in said for city in CITIES if city != FAILING)
    wrong = {"makes-up": "invented", "quotes": "believed"}.get(heard.ending.name, "")
    return wrong or ("lost" if lost else "")


def _mispaired(
    calls: Sequence[ToolCall],
    results: Sequence[ToolResult],
    said: Sequence[str],
    finished: Sequence[str],
) -> str:
    """Return what is wrong with the pairs that a provider makes: by id, or by place."""
    ids = [call.id for call in calls]
    contents = [result.content for result in results]
    unique = len(set(ids)) == len(ids)
    if unique:
        by_id = {result.call_id: result.content for result in results}
        contents = [by_id.get(one, "") for one in ids]
    if contents == list(said):
        return ""
    if contents == list(finished):
        return "ignores-position" if unique else "as-they-finish"
    return "by-id" if len(set(contents)) < len(contents) else "mixed"
