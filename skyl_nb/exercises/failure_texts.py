"""Exercises in which a learner writes the text of a failure; the text is run in the loop.

What is wrong with a text shows in what the model does with it, on each wire.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from skyl_nb.conversation import Message, Role, ToolResult
from skyl_nb.exercises.exercise import Exercise, FaultError, Finding
from skyl_nb.exercises.learner import call, described
from skyl_nb.exercises.talk import Heard, Talk
from skyl_nb.request import Tool
from skyl_nb.signal import PROMPT, WEATHER
from skyl_nb.views.visible import shorten, visible
from skyl_nb.wires import WIRES

ROUNDS = 3
"""After so many rounds a model that still calls will call for ever: its rules know no number."""

TIDES = Tool(name="find_tide_table", parameters=WEATHER.parameters)
TIDES_PROMPT = "When is high tide in Lima? Use find_tide_table."

FAULTS = {
    "refused": "refused",
    "calls-again": "loops",
    "makes-up": "invented",
    "quotes": "believed",
    "gives-up": "",
}


class NeverEmpty(Exercise):
    """The answer is a function from an error to a text that no model takes for a success."""

    name = "never-empty"
    function = "failure_text"

    def judge(self, answer: Any) -> Mapping[str, Finding]:
        """See `Exercise.judge`."""
        texts = [(described(error), _text(call(answer, error))) for error in _errors()]
        return {wire: self._finding(wire, texts) for wire in WIRES}

    def _finding(self, wire: str, texts: Iterable[tuple[str, str]]) -> Finding:
        for error, text in texts:
            heard = failing(Talk(wire), text)
            fault = FAULTS[heard.ending.name]
            if fault and fault != "loops":  # a model that tries again knows that the tool failed
                blank = "blank" if text else "empty"
                return _finding(fault if text.strip() else blank, text, heard, error=error)
        return Finding("", "The model knows that the tool failed, whatever the error.")


class PortableError(Exercise):
    """The answer is a function from a tool's name and an error to a text that works everywhere."""

    name = "portable-error"
    function = "portable_text"

    def judge(self, answer: Any) -> Mapping[str, Finding]:
        """See `Exercise.judge`."""
        cases = [
            (tool, prompt, error, _text(call(answer, tool.name, error)))
            for error in _errors()
            for tool, prompt in ((WEATHER, PROMPT), (TIDES, TIDES_PROMPT))
        ]
        found = {
            wire: _first_fault(
                _run(Talk(wire, prompt, tool), text) for tool, prompt, _, text in cases
            )
            for wire in WIRES
        }
        if all(not one.fault for one in found.values()):
            for tool, _, error, text in cases:
                _check_name(text, tool.name)
                _check_reason(text, error)
        return found


class StopTheRetryLoop(Exercise):
    """The answer is the text itself."""

    name = "stop-the-retry-loop"

    def judge(self, answer: Any) -> Mapping[str, Finding]:
        """See `Exercise.judge`."""
        text = _text(answer)
        found = {wire: _run(Talk(wire), text) for wire in WIRES}
        if all(not one.fault for one in found.values()):
            _check_name(text, WEATHER.name)
        return found


def failing(talk: Talk, text: str, rounds: int = 1) -> Heard:
    """Report the same failure in each round, while the model calls; return what came last."""
    messages = [talk.question]
    heard = talk.first
    for _ in range(rounds):
        results = [
            ToolResult(call_id=one.id, content=text, is_error=True) for one in heard.turn.tool_calls
        ]
        messages += [heard.turn, Message(role=Role.tool, parts=tuple(results))]
        heard = talk.send(messages)
        if not heard.turn.tool_calls:
            break
    return heard


def _run(talk: Talk, text: str) -> Finding:
    """Run a text in the loop, and return what became of it."""
    heard = failing(talk, text, ROUNDS)
    return _finding(FAULTS[heard.ending.name], text, heard)


def _finding(fault: str, text: str, heard: Heard, **values: str) -> Finding:
    shown = visible(shorten(text))
    return Finding(fault, heard.seen, {"text": shown, "words": heard.words, **values})


def _first_fault(found: Iterable[Finding]) -> Finding:
    """Return the first finding that is a fault, else the first."""
    all_of_them = list(found)
    return next((one for one in all_of_them if one.fault), all_of_them[0])


def _errors() -> tuple[Exception, ...]:
    """Return errors as a tool raises them; the text of the second is empty, as it often is."""
    return ConnectionError("HTTP 503"), TimeoutError()


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise FaultError("no-text", kind="None" if value is None else type(value).__name__)
    return value


def _check_name(text: str, name: str) -> None:
    if not re.search(rf"\b{re.escape(name)}\b", text):
        raise FaultError("no-name", name=name, text=visible(shorten(text)))


def _check_reason(text: str, error: Exception) -> None:
    reason = str(error) or type(error).__name__
    if reason not in text:
        raise FaultError("no-reason", reason=reason, text=visible(shorten(text)))
