"""How it is practised: questions, checks that run an answer on four wires, hints, solutions.

| module | holds |
|---|---|
| `exercise` | what every exercise has |
| `predict_the_wire`, `failure_texts`, ... | the rule of each |
| `talk` | a conversation to be continued by a learner |
| `learner` | a learner's code: found, called, and stopped |
| `verdict`, `show`, `live` | what a check found, and how it all looks |
| `progress` | which exercises a learner has solved |

Questions, hints, solutions and diagnoses are data, in `sandbox_data/exercises/`.
"""

from difflib import get_close_matches

from skyl_nb.errors import BadRequestError
from skyl_nb.exercises.answers_to_calls import AnswerEveryCall, PairByPosition
from skyl_nb.exercises.exercise import Exercise
from skyl_nb.exercises.failure_texts import NeverEmpty, PortableError, StopTheRetryLoop
from skyl_nb.exercises.order_the_turns import OrderTheTurns
from skyl_nb.exercises.predict_the_wire import PredictTheWire
from skyl_nb.exercises.verdict import Seen, Verdict
from skyl_nb.exercises.which_errors_to_hide import WhichErrorsToHide

__all__ = ["Exercise", "Seen", "Verdict", "exercise", "exercises"]

EXERCISES: dict[str, type[Exercise]] = {
    kind.name: kind
    for kind in (
        PredictTheWire,
        NeverEmpty,
        OrderTheTurns,
        AnswerEveryCall,
        PairByPosition,
        WhichErrorsToHide,
        PortableError,
        StopTheRetryLoop,
    )
}


def exercises() -> tuple[str, ...]:
    """Return the names of the exercises, in the order in which the lessons have them."""
    return tuple(EXERCISES)


def exercise(name: str) -> Exercise:
    """Return an exercise.

    Args:
        name: one of `exercises()`.

    Raises:
        BadRequestError: there is no such exercise; the message lists those there are.
    """
    if type(name) is not str:
        raise BadRequestError(f"an exercise is named by a text, not by {type(name).__name__}")
    if name not in EXERCISES:
        near = get_close_matches(name, EXERCISES, n=1)
        meant = f'; did you mean "{near[0]}"?' if near else "."
        known = ", ".join(EXERCISES)
        raise BadRequestError(f"there is no exercise {name!r:.60}{meant} The exercises: {known}")
    return EXERCISES[name]()
