"""Views as Markdown, for documents and for pull requests."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from skyl_nb.views import text

if TYPE_CHECKING:
    from skyl_nb.views.compare import Comparison, Pane

_SPECIAL = re.compile(r"([\\`*_\[\]<>!|&~^$])")


def comparison(shown: "Comparison") -> str:
    """Write `compare_wires` as Markdown."""
    parts = [escape(line) for line in text.header(shown)]
    return "\n\n".join([*parts, *[_pane(pane) for pane in shown.panes]]) + "\n"


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


def _pane(pane: "Pane") -> str:
    parts = [f"### {escape(pane.title)}: {pane.verdict}"]
    if pane.lines:
        parts.append(fence(text.code(pane.lines), "json"))
    return "\n\n".join([*parts, escape(pane.sentence)])
