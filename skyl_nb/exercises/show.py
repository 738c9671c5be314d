"""Exercises and verdicts written three ways. Each way holds the same facts."""

from collections.abc import Iterator
from html import escape
from pprint import pformat
from typing import TYPE_CHECKING, Any

from skyl_nb.views import html, markdown
from skyl_nb.wires import WIRES

if TYPE_CHECKING:
    from skyl_nb.exercises.exercise import Exercise
    from skyl_nb.exercises.verdict import Verdict

HEADLINES = {
    "not-attempted": "· Not attempted yet",
    "wrong": "✗ Not yet",
    "right": "✓ Right",
    "error-in-your-code": "! Your code stopped",
}
"""An outcome as a symbol and words: its meaning never hangs on a colour."""


def exercise_html(one: "Exercise") -> str:
    """Write an exercise as HTML."""
    title = escape(_title(one))
    question = "".join([f"<p>{escape(text)}</p>" for text in one.question.split("\n\n")])
    return (
        f'<section aria-label="{title}" style="{html.PANE}"><h4>{title}</h4>{question}'
        f"<p>{escape(_start(one))}</p>{html.code(_starter(one))}<p>{escape(_how(one))}</p></section>"
    )


def exercise_markdown(one: "Exercise") -> str:
    """Write an exercise as Markdown."""
    question = [markdown.escape(text) for text in one.question.split("\n\n")]
    starter = markdown.fence(_starter(one).rstrip(), "python")
    start, how = markdown.escape(_start(one)), markdown.escape(_how(one))
    return "\n\n".join([f"### {_title(one)}", *question, start, starter, how]) + "\n"


def exercise_text(one: "Exercise") -> str:
    """Write an exercise as text."""
    title = _title(one)
    starter = "\n".join([f"    {line}" for line in _starter(one).splitlines()])
    parts = [f"{title}\n{'-' * len(title)}", one.question, _start(one), starter, _how(one)]
    return "\n\n".join(parts) + "\n"


def hint_html(one: "Exercise", number: int) -> str:
    """Write one hint as HTML."""
    return f"<p><strong>Hint {number}.</strong> {escape(one.hint(number))}</p>"


def solution_html(one: "Exercise") -> str:
    """Write the solution as HTML."""
    return f"<p><strong>A solution:</strong></p>{html.code(_code(one, one.solution()))}"


def verdict_html(verdict: "Verdict") -> str:
    """Write a verdict as HTML."""
    seen = "".join([f"<li>{escape(line)}</li>" for line in _seen(verdict)])
    wires = f"<ul>{seen}</ul>" if seen else ""
    return (
        f'<section role="status" style="{html.PANE}"><p><strong>'
        f"{escape(HEADLINES[verdict.outcome])}.</strong> {escape(verdict.diagnosis)}</p>"
        f"{wires}</section>"
    )


def verdict_markdown(verdict: "Verdict") -> str:
    """Write a verdict as Markdown."""
    said = f"**{HEADLINES[verdict.outcome]}.** {markdown.escape(verdict.diagnosis)}"
    seen = "\n".join([f"- {markdown.escape(line)}" for line in _seen(verdict)])
    return "\n\n".join(filter(None, [said, seen])) + "\n"


def verdict_text(verdict: "Verdict") -> str:
    """Write a verdict as text."""
    said = f"{HEADLINES[verdict.outcome]}. {verdict.diagnosis}"
    return "\n".join([said, *[f"  {line}" for line in _seen(verdict)]]) + "\n"


def _title(one: "Exercise") -> str:
    return f"Exercise: {one.title}"


def _start(one: "Exercise") -> str:
    what = "this function" if one.function else "this value"
    return f"Start from {what}:"


def _starter(one: "Exercise") -> str:
    return _code(one, one.starter)


def _code(one: "Exercise", answer: Any) -> str:
    return str(answer) if one.function else f"answer = {pformat(answer, sort_dicts=False)}\n"


def _how(one: "Exercise") -> str:
    call = f'skyl.exercise("{one.name}")'
    return (
        f"Then run {call}.check({one.function or 'answer'}). There are {len(one.hints)} hints: "
        f"{call}.hint(1) is the first."
    )


def _seen(verdict: "Verdict") -> Iterator[str]:
    for wire, seen in verdict.wires.items():
        yield f"{'✓' if seen else '✗'} {WIRES[wire].title}: {seen.text}"
