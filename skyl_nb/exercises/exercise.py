"""What every exercise has: its texts, and a check that never raises at the learner.

A subclass holds the rule, in `judge`; `sandbox_data/exercises/` holds the texts, and `show` how
they look.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from skyl_nb.caught import Caught
from skyl_nb.data import facts
from skyl_nb.exercises import progress, show
from skyl_nb.exercises.learner import LearnersError, described, function_named, same_code
from skyl_nb.exercises.verdict import Seen, Verdict
from skyl_nb.views.view import View
from skyl_nb.wires import WIRES

NOT_ATTEMPTED = "This is still the starter. Change it, then check again."


class FaultError(Exception):
    """An answer that is wrong before anything can be sent: a key of `diagnoses`, and values."""

    def __init__(self, fault: str, **values: Any) -> None:
        super().__init__(fault)
        self.fault = fault
        self.values = values


class Finding(NamedTuple):
    """What was found on one wire.

    Attributes:
        fault: a key of the exercise's `diagnoses`, `""` if all is right.
        seen: what was seen, in a sentence.
        values: what the diagnosis is filled with, beside the names of the wires.
    """

    fault: str
    seen: str
    values: Mapping[str, Any] = {}


class Exercise(View):
    """One exercise.

    Attributes:
        name: its name, as in `exercises()`.
        function: the name of the function that the answer is, `""` where it is a value.
    """

    __slots__ = ("_texts",)

    name: ClassVar[str]
    function: ClassVar[str] = ""

    def __init__(self) -> None:
        self._texts: Mapping[str, Any] = facts(f"exercises/{self.name}.json")

    @abstractmethod
    def judge(self, answer: Any) -> Mapping[str, Finding]:
        """Run an answer on each wire, and return what was found, by the wire's name.

        Args:
            answer: the learner's answer; a function where `function` is set.

        Raises:
            FaultError: it is wrong before anything can be sent.
            LearnersError: it is code that stopped.
        """

    @property
    def title(self) -> str:
        """What the exercise is called, for people."""
        return str(self._texts["title"])

    @property
    def question(self) -> str:
        """What is asked; paragraphs have an empty line between them."""
        return "\n\n".join(self._texts["question"])

    @property
    def starter(self) -> Any:
        """What an answer begins with: a value, or the text of a function."""
        return self._answer(self._texts["starter"])

    @property
    def hints(self) -> tuple[str, ...]:
        """The hints, each a step further. None of them holds the solution."""
        return tuple(self._texts["hints"])

    @property
    def wrong_answers(self) -> Mapping[str, Any]:
        """Answers that people give, by the name of the misconception behind them."""
        known = self._texts["wrong_answers"]
        return {name: self._answer(answer) for name, answer in known.items()}

    def hint(self, n: int = 1) -> str:
        """Return the hint with the number `n`, counted from 1, or a sentence on which there are."""
        if type(n) is int and 1 <= n <= len(self.hints):
            return self.hints[n - 1]
        return f"There are {len(self.hints)} hints: hint(1) to hint({len(self.hints)})."

    def solution(self) -> Any:
        """Return an answer that is right: a value, or the text of a function."""
        return self._answer(self._texts["solution"])

    def check(self, answer: Any = None) -> Verdict:
        """Say whether an answer is right, and if not, what was seen and what to try.

        Args:
            answer: your answer. For a function the function itself, or the text that defines it.

        Returns:
            A verdict. Nothing that an answer is or does raises here, but for a KeyboardInterrupt.
        """
        with Caught(BaseException) as caught:
            return self._verdict(answer)
        if isinstance(caught.error, KeyboardInterrupt):
            raise caught.error
        said = f"The check could not read the answer: {described(caught.error)}."
        return Verdict("error-in-your-code", f"{said} Start again from the starter.")

    def _verdict(self, answer: Any) -> Verdict:
        if self._is_untouched(answer):
            return Verdict("not-attempted", NOT_ATTEMPTED)
        try:
            findings = self.judge(
                function_named(self.function, answer) if self.function else answer
            )
        except LearnersError as error:
            return Verdict("error-in-your-code", str(error))
        except FaultError as error:
            everywhere = {"wires": _listed(WIRES)}
            return Verdict("wrong", self._diagnosis(error.fault, {**everywhere, **error.values}))
        wires = {wire: Seen(not found.fault, found.seen) for wire, found in findings.items()}
        if all(wires.values()):
            progress.record(self.name)
            return Verdict("right", self._texts["right"], wires)
        return Verdict("wrong", self._diagnoses(findings), wires)

    def _is_untouched(self, answer: Any) -> bool:
        if answer is None or answer is ...:
            return True
        if self.function:
            return same_code(answer, self.starter, self.function)
        return bool(answer == self.starter)

    def _diagnoses(self, findings: Mapping[str, Finding]) -> str:
        """Say what is wrong, each fault once, with the wires that showed it."""
        found = {finding.fault for finding in findings.values()}
        said = []
        for fault in self._texts["diagnoses"]:
            if fault in found:
                showing = {w: one for w, one in findings.items() if one.fault == fault}
                values = {**next(iter(showing.values())).values, "wires": _listed(showing)}
                said.append(self._diagnosis(fault, values))
        return " ".join(said)

    def _diagnosis(self, fault: str, values: Mapping[str, Any]) -> str:
        return str(self._texts["diagnoses"][fault].format(**values))

    def _answer(self, stored: Any) -> Any:
        """Return an answer as it stands in the data: of code the lines are kept apart."""
        return "\n".join(stored) + "\n" if self.function else _copied(stored)

    def to_html(self) -> str:
        """See `View.to_html`."""
        return show.exercise_html(self)

    def to_markdown(self) -> str:
        """See `View.to_markdown`."""
        return show.exercise_markdown(self)

    def to_text(self) -> str:
        """See `View.to_text`."""
        return show.exercise_text(self)

    def build_widget(self) -> Any:
        """See `View.build_widget`."""
        from skyl_nb.exercises import live

        return live.hints(self)


def _copied(stored: Any) -> Any:
    """Return a value that a learner may change without changing the facts."""
    if isinstance(stored, dict):
        return {key: _copied(value) for key, value in stored.items()}
    return list(stored) if isinstance(stored, list) else stored


def _listed(wires: Mapping[str, Any]) -> str:
    """Return the names of wires as people write a list."""
    *others, last = [WIRES[wire].title for wire in wires]
    return f"{', '.join(others)} and {last}" if others else last
