"""Views as plain text, for a terminal and for readers that show nothing else."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from skyl_nb.views.visible import Line, shorten, visible

if TYPE_CHECKING:
    from skyl_nb.views.answers import Answer
    from skyl_nb.views.compare import CompareWires, Comparison, Pane, Stop
    from skyl_nb.views.play import Lane, Play, Step

MARK = "  <- failure and success differ here"
ANSWER = "What the provider answers"
DIFF = "A failure (-) and a success (+) on this wire"
CODE = "Code to copy"


def comparison(view: "CompareWires") -> str:
    """Write `compare_wires` as text."""
    shown = view.comparison
    panes = [
        _pane(pane, answer, with_diff=view.diff)
        for pane, answer in zip(shown.panes, view.answers, strict=True)
    ]
    return _document(header(shown), panes, view.code)


def header(shown: "Comparison") -> tuple[str, str]:
    """Return the two lines above the panes: the result itself, and the fates at a glance."""
    content, call_id = _shown(shown.content), _shown(shown.call_id)
    result = f"Tool result: content: {content}; is_error: {shown.is_error}; call id: {call_id}"
    return result, shown.summary


def play(shown: "Play", copied: str) -> str:
    """Write `play_loop` as text, with the code to copy, if any."""
    return _document(play_header(shown), [_lane(lane) for lane in shown.lanes], copied)


def play_header(shown: "Play") -> tuple[str, str]:
    """Return the two lines above the lanes: what is played, and the endings at a glance."""
    played = (
        f"The tool returns: {_shown(shown.content)}; is_error: {shown.is_error}; "
        f"the user asks: {_shown(shown.prompt)}; rounds: {shown.max_rounds} at most"
    )
    return played, shown.summary


def rounds(steps: "Sequence[Step]") -> "list[tuple[str, list[Step]]]":
    """Return the steps round by round, each round with its name."""
    grouped = groupby(steps, key=lambda step: step.round)
    return [(f"Round {number}", list(some)) for number, some in grouped]


def who(step: "Step") -> str:
    """Return who speaks to whom."""
    return f"{step.speaker} → {step.listener}:"


def said(step: "Step") -> str:
    """Return what is said in a step, in one line."""
    return _shown(step.text)


def way(stops: "Sequence[Stop]") -> str:
    """Return the way of the flag in a line."""
    return "The flag of a failure: " + " → ".join(
        [f"{stop.station} {stop.mark} {stop.word}" for stop in stops]
    )


def answered(answer: "Answer") -> tuple[str, str]:
    """Return what came back, and what it means, each in a line."""
    who = f"{answer.speaker} → {answer.listener}"
    return f"Status {answer.status} from the sandbox. {who}: {_shown(answer.said)}", (
        f"{answer.verdict}. {answer.sentence}"
    )


def code(lines: Sequence[Line]) -> str:
    """Return JSON lines as one text, with a remark on those where failure and success differ."""
    return "\n".join([f"{line.text}{MARK if line.marked else ''}" for line in lines])


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table with columns of equal width. Cells are shown as they are."""
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    lines = [headers, ["-" * width for width in widths], *rows]
    padded = [
        "  ".join([cell.ljust(width) for cell, width in zip(line, widths, strict=True)]).rstrip()
        for line in lines
    ]
    return "\n".join(padded) + "\n"


def _document(header: Sequence[str], sections: Sequence[str], copied: str) -> str:
    taken = [f"{CODE}:\n{visible_code(copied)}"] if copied else []
    return "\n\n".join([*header, *sections, *taken]) + "\n"


def visible_code(copied: str) -> str:
    """Return code of ours, with nothing hidden in it, and its lines kept apart."""
    return "\n".join(map(visible, copied.split("\n")))


def _pane(pane: "Pane", answer: "Answer | None", *, with_diff: bool) -> str:
    parts = _heading(pane.title, pane.verdict)
    if pane.way:
        parts.append(way(pane.way))
    if pane.lines:
        parts.append(code(pane.lines))
    if pane.diff and with_diff:
        parts += [f"{DIFF}:", *pane.diff]
    parts.append(pane.sentence)
    if answer:
        parts += [f"{ANSWER}:", *answered(answer)]
    return "\n".join(parts)


def _lane(lane: "Lane") -> str:
    parts = [*_heading(lane.title, lane.verdict), lane.sentence]
    for name, steps in rounds(lane.steps):
        parts += [name, *[f"  {who(step)} {said(step)}" for step in steps]]
    return "\n".join(parts)


def _heading(title: str, verdict: str) -> list[str]:
    heading = f"{title}: {verdict}"
    return [heading, "-" * len(heading)]


def _shown(untrusted: str) -> str:
    return visible(shorten(untrusted)) or "(empty)"
