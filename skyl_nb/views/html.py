"""Views as HTML that needs no style sheet and no script, and loses no meaning where both are taken.

Every text goes through `html.escape`: what a tool returned is untrusted. Colours come from the
notebook's own theme; what they say stands there in words too.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from skyl_nb.views import text

if TYPE_CHECKING:
    from skyl_nb.views.compare import Comparison, Pane
    from skyl_nb.views.play import Lane, Play, Step
    from skyl_nb.views.visible import Line

GAP = "0.75em"
COLUMNS = "repeat(auto-fit, minmax(min(17em, 100%), 1fr))"
"""As many panes side by side as fit, one below the other on a phone."""

_PANES = f"display: grid; gap: {GAP}; grid-template-columns: {COLUMNS}"
PANE = (
    "border: 1px solid var(--jp-border-color1, #767676); padding: 0.5em 0.75em; min-width: 0; "
    "line-height: 1.4"
)
_TITLE = "margin: 0 0 0.5em"
_CODE = "white-space: pre-wrap; overflow-wrap: anywhere; word-break: normal; margin: 0.5em 0"
_BREAKS = "overflow-wrap: anywhere"
_ROUNDS = f"list-style: none; margin: 0; padding: 0; {_BREAKS}"
_STEPS = "margin: 0 0 0.5em; padding-left: 1.5em"
_REMARK = "font-style: italic"


def comparison(shown: "Comparison") -> str:
    """Write `compare_wires` as HTML."""
    return _side_by_side(text.header(shown), map(pane, shown.panes))


def pane(one: "Pane") -> str:
    """Write one wire's pane: a region with the wire's name."""
    code = f'<pre style="{_CODE}">{_code(one.lines)}</pre>' if one.lines else ""
    return _region(one.title, one.verdict, f"{code}<p>{escape(one.sentence)}</p>")


def play(shown: "Play") -> str:
    """Write `play_loop` as HTML."""
    return _side_by_side(text.play_header(shown), map(lane, shown.lanes))


def lane(one: "Lane") -> str:
    """Write one wire's lane: a region with the wire's name, a list of rounds, each of its steps."""
    rounds = "".join([_round(name, steps) for name, steps in text.rounds(one.steps)])
    # A list without marks is no list for some screen readers, unless its role says so.
    return _region(
        one.title,
        one.verdict,
        f'<p>{escape(one.sentence)}</p><ol role="list" style="{_ROUNDS}">{rounds}</ol>',
    )


def _round(name: str, steps: "Sequence[Step]") -> str:
    items = "".join([f"<li>{_step(step)}</li>" for step in steps])
    return f'<li><strong>{escape(name)}</strong><ol style="{_STEPS}">{items}</ol></li>'


def _step(step: "Step") -> str:
    said = escape(text.said(step))
    return f"{escape(text.who(step))} {f'<code>{said}</code>' if step.code else said}"


def _side_by_side(header: Iterable[str], regions: Iterable[str]) -> str:
    lines = "".join([f"<p>{escape(line)}</p>" for line in header])
    return f'<div style="{_BREAKS}">{lines}<div style="{_PANES}">{"".join(regions)}</div></div>'


def _region(title: str, verdict: str, body: str) -> str:
    title = escape(title)
    return (
        f'<section aria-label="{title}" style="{PANE}">'
        f'<h4 style="{_TITLE}">{title}: {escape(verdict)}</h4>{body}</section>'
    )


def status(summary: str) -> str:
    """Write the line that is read out when the panes change."""
    return live_region(f"<p>{escape(summary)}</p>")


def live_region(content: str) -> str:
    """Wrap HTML that is read out when it changes."""
    return f'<div role="status" aria-live="polite">{content}</div>'


def code(content: str) -> str:
    """Write code."""
    return f'<pre style="{_CODE}">{escape(content)}</pre>'


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table."""
    head = "".join([f'<th scope="col">{escape(cell)}</th>' for cell in headers])
    body = "".join([f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(content: str) -> str:
    return f'<td style="text-align: left">{escape(content)}</td>'


def _code(lines: "Sequence[Line]") -> str:
    return "\n".join([_line(line) for line in lines])


def _line(line: "Line") -> str:
    if not line.marked:
        return escape(line.text)
    remark = f'<span style="{_REMARK}">{escape(text.MARK)}</span>'
    return f"<mark>{escape(line.text)}</mark>{remark}"
