"""Predict what becomes of a failure on each wire; the truth is measured by comparing bodies."""

from collections.abc import Mapping
from typing import Any

from skyl_nb.exercises.exercise import Exercise, FaultError, Finding
from skyl_nb.signal import survival
from skyl_nb.views.visible import shorten, visible
from skyl_nb.wires import WIRES

FATES = ("intact", "prefixed", "dropped", "altered")
OPEN = "..."


class PredictTheWire(Exercise):
    """The answer maps each wire to two fates: with a text, and without."""

    name = "predict-the-wire"

    def judge(self, answer: Any) -> Mapping[str, Finding]:
        """See `Exercise.judge`."""
        guessed = _guesses(answer)
        found = {}
        for row in survival():
            measured = row.with_text.fate, row.when_empty.fate
            seen = f"with text {measured[0]}, without text {measured[1]}"
            fault = self._fault(row.wire, guessed[row.wire], measured)
            found[row.wire] = Finding(fault, seen)
        return found

    def _fault(self, wire: str, guessed: tuple[str, str], measured: tuple[str, str]) -> str:
        """Return the misconception behind a guess: the most exact one that the texts know."""
        if guessed == measured:
            return ""
        column = "text" if guessed[0] != measured[0] else "empty"
        guess = guessed[0 if column == "text" else 1]
        family = "openai" if wire == "openaicompat" else wire
        exact = f"{family}-{column}-{guess}"
        return exact if exact in self._texts["diagnoses"] else "other"


def _guesses(answer: Any) -> dict[str, tuple[str, str]]:
    """Return the guesses by wire, or say what is missing or no fate."""
    if not isinstance(answer, dict) or set(answer) != set(WIRES):
        raise FaultError("not-four-wires", names=", ".join(WIRES))
    for wire, guess in answer.items():
        if not isinstance(guess, list | tuple) or len(guess) != 2:
            raise FaultError("not-two-words", wire=WIRES[wire].title)
        for word in guess:
            if word == OPEN or word is None:
                raise FaultError("half-done", wire=WIRES[wire].title)
            if word not in FATES:
                raise FaultError(
                    "no-fate", wire=WIRES[wire].title, word=visible(shorten(repr(word)))
                )
    return {wire: (guess[0], guess[1]) for wire, guess in answer.items()}
