"""Views as HTML that needs no style sheet and no script, and loses no meaning where both are taken.

Every text goes through `html.escape`: what a tool returned is untrusted. Colours come from the
notebook's own theme; what they say stands there in words too.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, TypeVar

from skyl_nb.views import text

if TYPE_CHECKING:
    from skyl_nb.views.answers import Answer
    from skyl_nb.views.compare import CompareWires, Pane, Stop
    from skyl_nb.views.play import Lane, Play, Step
    from skyl_nb.views.visible import Line

GAP = "0.75em"
COLUMNS = "repeat(auto-fit, minmax(min(17em, 100%), 1fr))"
"""The two panes of a pair: side by side where they fit, one below the other on a phone."""

PAIRS = "repeat(auto-fit, minmax(min(35em, 100%), 1fr))"
"""The pairs, each as wide as two panes: so four panes stand in one row, two by two, or in one
column, and never three beside one."""

_GRID = "display: grid; min-width: 0; gap: {gap}; grid-template-columns: {columns}"
PANE = (
    "border: 1px solid var(--jp-border-color1, #767676); padding: 0.5em 0.75em; min-width: 0; "
    "line-height: 1.4; overflow-wrap: anywhere"
)
_TITLE = "margin: 0 0 0.5em"
_CODE = (
    "font-family: var(--jp-code-font-family, monospace); white-space: pre-wrap; "
    "overflow-wrap: anywhere; word-break: normal; margin: 0.5em 0"
)
_BREAKS = "overflow-wrap: anywhere"
_ROUNDS = f"list-style: none; margin: 0; padding: 0; {_BREAKS}"
_STEPS = "margin: 0 0 0.5em; padding-left: 1.5em"
_REMARK = "font-style: italic"
_FIGURE = "margin: 0 0 0.5em"
_DRAWING = "display: block; width: 100%; max-width: 22em; height: auto"
_LETTERS = 'text-anchor="middle" fill="currentColor"'
_STEP = 66
"""Units of the picture from one station to the next."""

Region = TypeVar("Region")


def comparison(view: "CompareWires") -> str:
    """Write `compare_wires` as HTML."""
    shown = view.comparison
    panes = [
        pane(one, _details(answer, is_open=view.answer), with_diff=view.diff)
        for one, answer in zip(shown.panes, view.answers, strict=True)
    ]
    return _side_by_side(text.header(shown), panes, view.code)


def pane(one: "Pane", below: str, *, with_diff: bool) -> str:
    """Write one wire's pane: a region with the wire's name. `below` is HTML for its end."""
    flow = _flow(one.way) if one.way else ""
    code = f'<pre style="{_CODE}">{_code(one.lines)}</pre>' if one.lines else ""
    diff = f"<p>{escape(text.DIFF)}:</p>{_pre(one.diff)}" if one.diff and with_diff else ""
    body = f"{flow}{code}{diff}<p>{escape(one.sentence)}</p>{below}"
    return _region(one.title, one.verdict, body)


def answer(one: "Answer | None") -> str:
    """Write what a provider answers, for a pane that has it open."""
    return f"<p><strong>{text.ANSWER}:</strong></p>{_answered(one)}" if one else ""


def _details(one: "Answer | None", *, is_open: bool) -> str:
    """Write what a provider answers so that it is one click away, also without a kernel."""
    if not one:
        return ""
    opened = ' open="open"' if is_open else ""
    return f"<details{opened}><summary>{text.ANSWER}:</summary>{_answered(one)}</details>"


def _answered(one: "Answer") -> str:
    return "".join([f"<p>{escape(line)}</p>" for line in text.answered(one)])


def play(shown: "Play", copied: str) -> str:
    """Write `play_loop` as HTML, with the code to copy, if any."""
    return _side_by_side(text.play_header(shown), map(lane, shown.lanes), copied)


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


def _side_by_side(header: Iterable[str], regions: Iterable[str], copied: str) -> str:
    lines = "".join([f"<p>{escape(line)}</p>" for line in header])
    pairs = [_grid(COLUMNS, pair) for pair in in_pairs(list(regions))]
    taken = f"<p>{text.CODE}:</p>{_pre([text.visible_code(copied)])}" if copied else ""
    return f'<div style="{_BREAKS}">{lines}{_grid(PAIRS, pairs)}{taken}</div>'


def in_pairs(regions: list[Region]) -> list[list[Region]]:
    """Return panes two by two."""
    return [regions[k : k + 2] for k in range(0, len(regions), 2)]


def _grid(columns: str, inside: Iterable[str]) -> str:
    return f'<div style="{_GRID.format(gap=GAP, columns=columns)}">{"".join(inside)}</div>'


def _flow(stops: "Sequence[Stop]") -> str:
    """Write the way of the flag as a picture, and as the text that it shows."""
    said = escape(text.way(stops))
    drawn = "".join([_station(k, stop) for k, stop in enumerate(stops)])
    return (
        f'<figure style="{_FIGURE}"><svg role="img" viewBox="0 0 {_STEP * len(stops)} 42" '
        f'style="{_DRAWING}"><title>{said}</title>{drawn}</svg>'
        f"<figcaption>{said}</figcaption></figure>"
    )


def _station(k: int, stop: "Stop") -> str:
    """Draw one station: its mark in a circle, its name below, and the line that leads to it."""
    x = _STEP * k + _STEP / 2
    line = f'<path d="M{x - _STEP + 13:g} 14H{x - 13:g}" stroke="currentColor"/>' if k else ""
    return (
        f'{line}<circle cx="{x:g}" cy="14" r="12" fill="none" stroke="currentColor"/>'
        f'<text x="{x:g}" y="19" {_LETTERS} font-size="14">{escape(stop.mark)}</text>'
        f'<text x="{x:g}" y="39" {_LETTERS} font-size="12">{escape(stop.station)}</text>'
    )


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
    return _pre([content])


def _pre(lines: Iterable[str]) -> str:
    return f'<pre style="{_CODE}">{escape(chr(10).join(lines))}</pre>'


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table."""
    head = "".join(
        [f'<th scope="col" style="text-align: left">{escape(cell)}</th>' for cell in headers]
    )
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
