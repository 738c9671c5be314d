"""Put the turns of a conversation in order; the providers say what they think of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from skyl_nb.conversation import Message, assistant_text, tool_result_message, user_text
from skyl_nb.exercises.exercise import Exercise, FaultError, Finding
from skyl_nb.exercises.talk import Talk
from skyl_nb.views.visible import shorten, visible
from skyl_nb.wires import WIRES

ORDER = ("question", "call", "result", "answer", "next question")


class OrderTheTurns(Exercise):
    """The answer is a list of the names of the turns."""

    name = "order-the-turns"

    def judge(self, answer: Any) -> Mapping[str, Finding]:
        """See `Exercise.judge`."""
        names = _names(answer)
        fault, turn = _fault(names)
        return {wire: _finding(wire, names, fault, turn) for wire in WIRES}


def _finding(wire: str, names: Sequence[str], fault: str, turn: str) -> Finding:
    talk = Talk(wire)
    turns = _turns(talk)
    heard = talk.send([turns[name] for name in names])
    seen = f"refused: {heard.words}" if heard.entry.rule else "accepted"
    if fault and not heard.entry.rule:
        seen += ", but this is not what happened"
    return Finding(fault or ("refused" if heard.entry.rule else ""), seen, {"turn": turn})


def _turns(talk: Talk) -> dict[str, Message]:
    (call,) = talk.first.turn.tool_calls
    return {
        "question": talk.question,
        "call": talk.first.turn,
        "result": tool_result_message(call.id, "22C and sunny"),
        "answer": assistant_text("It is 22C and sunny in Kampala."),
        "next question": user_text("Thank you. What is the capital of France?"),
    }


def _names(answer: Any) -> list[str]:
    if not isinstance(answer, list | tuple):
        raise FaultError("no-list", kind=type(answer).__name__)
    for name in answer:
        if name not in ORDER:
            raise FaultError("no-turn", name=visible(shorten(repr(name))), names=", ".join(ORDER))
    if not answer:
        raise FaultError("missing", turn=ORDER[0])
    return list(answer)


def _fault(names: Sequence[str]) -> tuple[str, str]:
    """Return what is wrong with an order, and the turn that shows it."""
    for name in ORDER:
        if names.count(name) > 1:
            return "twice", name
        if name not in names:
            return "missing", name
    gap = names.index("result") - names.index("call")
    if gap < 0:
        return "result-first", "result"
    if gap > 1:
        return "between", names[names.index("call") + 1]
    wrong = next((name for name, right in zip(names, ORDER, strict=True) if name != right), "")
    return ("other-order" if wrong else ""), wrong
