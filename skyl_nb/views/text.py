"""Views as plain text, for a terminal and for readers that show nothing else."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skyl_nb.views.visible import Line, shorten, visible

if TYPE_CHECKING:
    from skyl_nb.views.compare import Comparison, Pane

MARK = "  <- failure and success differ here"


def comparison(shown: "Comparison") -> str:
    """Write `compare_wires` as text."""
    return "\n\n".join([*header(shown), *[_pane(pane) for pane in shown.panes]]) + "\n"


def header(shown: "Comparison") -> tuple[str, str]:
    """Return the two lines above the panes: the result itself, and the fates at a glance."""
    content = visible(shorten(shown.content)) or "(empty)"
    call_id = visible(shorten(shown.call_id)) or "(empty)"
    result = f"Tool result: content: {content}; is_error: {shown.is_error}; call id: {call_id}"
    return result, shown.summary


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


def _pane(pane: "Pane") -> str:
    title = f"{pane.title}: {pane.verdict}"
    parts = [title, "-" * len(title)]
    if pane.lines:
        parts.append(code(pane.lines))
    return "\n".join([*parts, pane.sentence])
