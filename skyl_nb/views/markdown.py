"""Views as Markdown, for documents and for pull requests."""

import re
from collections.abc import Iterable, Sequence
from textwrap import indent
from typing import TYPE_CHECKING

from skyl_nb.views import text

if TYPE_CHECKING:
    from skyl_nb.views.answers import Answer
    from skyl_nb.views.compare import CompareWires, Pane
    from skyl_nb.views.play import Lane, Play, Step

_SPECIAL = re.compile(r"([\\`*_\[\]<>!|&~^$])")


def comparison(view: "CompareWires") -> str:
    """Write `compare_wires` as Markdown."""
    shown = view.comparison
    panes = [
        _pane(pane, answer, with_diff=view.diff)
        for pane, answer in zip(shown.panes, view.answers, strict=True)
    ]
    return _document(text.header(shown), panes, view.code)


def play(shown: "Play", copied: str) -> str:
    """Write `play_loop` as Markdown, with the code to copy, if any."""
    return _document(text.play_header(shown), map(_lane, shown.lanes), copied)


def escape(plain: str) -> str:
    """Return text so that Markdown shows it as it is, in one paragraph."""
    return _SPECIAL.sub(r"\\\1", plain).replace("\n", " ")


def fence(code: str, language: str) -> str:
    """Return a fenced block that no run of backticks in `code` can close."""
    longest = max(map(len, re.findall("`+", code)), default=0)
    marks = "`" * max(3, longest + 1)
    return f"{marks}{language}\n{code}\n{marks}"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table."""
    lines = [headers, ["---"] * len(headers), *[[escape(cell) for cell in row] for row in rows]]
    return "\n".join([f"| {' | '.join(line)} |" for line in lines]) + "\n"


def _document(header: Iterable[str], sections: Iterable[str], copied: str) -> str:
    taken = [f"{text.CODE}:", fence(text.visible_code(copied), "")] if copied else []
    return "\n\n".join([*map(escape, header), *sections, *taken]) + "\n"


def _heading(title: str, verdict: str) -> str:
    return f"### {escape(title)}: {verdict}"


def _lane(lane: "Lane") -> str:
    parts = [_heading(lane.title, lane.verdict), escape(lane.sentence)]
    for name, steps in text.rounds(lane.steps):
        parts += [f"#### {name}", "\n".join([_step(step) for step in steps])]
    return "\n\n".join(parts)


def _step(step: "Step") -> str:
    """Write a step as an item of a list; what stands on the wire is a block within it."""
    if not step.code:
        return f"- {text.who(step)} {escape(text.said(step))}"
    return f"- {text.who(step)}\n\n" + indent(fence(text.said(step), "json"), "  ")


def _pane(pane: "Pane", answer: "Answer | None", *, with_diff: bool) -> str:
    parts = [_heading(pane.title, pane.verdict)]
    if pane.way:
        parts.append(escape(text.way(pane.way)))
    if pane.lines:
        parts.append(fence(text.code(pane.lines), "json"))
    if pane.diff and with_diff:
        parts += [f"{escape(text.DIFF)}:", fence("\n".join(pane.diff), "diff")]
    parts.append(escape(pane.sentence))
    if answer:
        parts += [f"{text.ANSWER}:", *map(escape, text.answered(answer))]
    return "\n\n".join(parts)
