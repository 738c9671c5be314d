"""The survival table: what is left of a failure on each wire, computed from the encoders."""

from skyl_nb.signal import survival
from skyl_nb.views import html, markdown, text
from skyl_nb.views.compare import verdict
from skyl_nb.views.view import View
from skyl_nb.wires import WIRES

HEADERS = ("Wire", "A failure with text", "Where it shows", "A failure without text")


class SurvivalTable(View):
    """The view of `survival_table`: `rows` holds its cells as text."""

    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows = [
            (
                WIRES[row.wire].title,
                verdict(row.with_text.fate),
                row.with_text.pointer or "nowhere",
                verdict(row.when_empty.fate),
            )
            for row in survival()
        ]

    def to_html(self) -> str:
        """See `View.to_html`."""
        return html.table(HEADERS, self.rows)

    def to_markdown(self) -> str:
        """See `View.to_markdown`."""
        return markdown.table(HEADERS, self.rows)

    def to_text(self) -> str:
        """See `View.to_text`."""
        return text.table(HEADERS, self.rows)


def survival_table() -> SurvivalTable:
    """Show what is left of a failure on each wire. Every cell is measured by comparing bodies."""
    return SurvivalTable()
