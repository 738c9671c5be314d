"""Views as HTML that needs no style sheet and no script, and loses no meaning where both are taken.

Every text goes through `html.escape`: what a tool returned is untrusted. Colours come from the
notebook's own theme; what they say stands there in words too.
"""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from skyl_nb.views import text

if TYPE_CHECKING:
    from skyl_nb.views.compare import Comparison, Pane
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
_REMARK = "font-style: italic"


def comparison(shown: "Comparison") -> str:
    """Write `compare_wires` as HTML."""
    result, summary = text.header(shown)
    panes = "".join([pane(one) for one in shown.panes])
    return (
        f"<div><p>{escape(result)}</p><p>{escape(summary)}</p>"
        f'<div style="{_PANES}">{panes}</div></div>'
    )


def pane(one: "Pane") -> str:
    """Write one wire's pane: a region with the wire's name."""
    title = escape(one.title)
    code = f'<pre style="{_CODE}">{_code(one.lines)}</pre>' if one.lines else ""
    return (
        f'<section aria-label="{title}" style="{PANE}">'
        f'<h4 style="{_TITLE}">{title}: {escape(one.verdict)}</h4>'
        f"{code}<p>{escape(one.sentence)}</p></section>"
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
