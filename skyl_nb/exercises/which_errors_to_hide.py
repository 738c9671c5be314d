"""Decide which failures a model should be told of; each decision is run with `fatal`."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from skyl_nb.client import sandbox_client
from skyl_nb.conversation import user_text
from skyl_nb.exercises.exercise import Exercise, FaultError, Finding
from skyl_nb.request import Request
from skyl_nb.sandbox import Sandbox
from skyl_nb.signal import PROMPT, WEATHER
from skyl_nb.toolloop import FatalToolError, run_tools
from skyl_nb.views.visible import shorten, visible
from skyl_nb.wires import WIRES

TELL, HIDE, OPEN = "tell", "hide", "..."


class FailureError(Exception):
    """What the tool of this exercise raises."""


class WhichErrorsToHide(Exercise):
    """The answer maps each failure to `tell` or `hide`."""

    name = "which-errors-to-hide"

    def judge(self, answer: Any) -> Mapping[str, Finding]:
        """See `Exercise.judge`."""
        failures: Mapping[str, Mapping[str, Any]] = self._texts["failures"]
        choices = _choices(answer, failures)
        return {wire: _finding(wire, choices, failures) for wire in WIRES}


def _finding(
    wire: str, choices: Mapping[str, str], failures: Mapping[str, Mapping[str, Any]]
) -> Finding:
    """Let the tool fail in each way, and look at what the model was told."""
    told = {name: _reaches(wire, failures[name]["text"], choices[name]) for name in choices}
    read = [name for name, row in failures.items() if row["hide"] and told[name]]
    kept = [name for name, row in failures.items() if not row["hide"] and not told[name]]
    if not read and not kept:
        return Finding("", "told of what it can act on, and of nothing else")
    if len(set(told.values())) == 1:
        fault, first = ("everything-told", read[0]) if read else ("everything-hidden", kept[0])
    else:
        first = (read or kept)[0]
        fault = f"{failures[first]['kind']}-{'told' if read else 'hidden'}"
    text = failures[first]["text"]
    seen = f"the model read “{text}”" if read else f"the request failed: “{text}”"
    return Finding(fault, seen, {"name": first, "text": text})


def _reaches(wire: str, text: str, choice: str) -> bool:
    """Run a tool that fails; say whether the text of its failure was sent to the provider."""
    sandbox = Sandbox()
    client = sandbox_client(wire, sandbox)
    request = Request(model=client.model, messages=(user_text(PROMPT),), tools=(WEATHER,))

    def fails(**_: Any) -> str:
        raise FailureError(text)

    with suppress(FatalToolError):
        tools = {WEATHER.name: fails}
        run_tools(client, request, tools, fatal=FailureError if choice == HIDE else ())
    return any(text in str(entry.request) for entry in sandbox.journal)


def _choices(answer: Any, failures: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the answer if each failure has a choice, or say what is missing."""
    if not isinstance(answer, dict) or set(answer) != set(failures):
        raise FaultError("not-the-failures", names=", ".join(failures))
    for name, choice in answer.items():
        if choice == OPEN or choice is None:
            raise FaultError("half-done", name=name)
        if choice not in (TELL, HIDE):
            raise FaultError("no-choice", name=name, choice=visible(shorten(repr(choice))))
    return answer
