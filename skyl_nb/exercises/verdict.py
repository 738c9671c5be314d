"""What a check found, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from skyl_nb.exercises import show
from skyl_nb.views.view import View

Outcome = Literal["not-attempted", "wrong", "right", "error-in-your-code"]


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen on one wire; it counts as true if it is as it should be."""

    right: bool
    text: str

    def __bool__(self) -> bool:
        return self.right


@dataclass(slots=True, repr=False)
class Verdict(View):
    """What `check` found. A notebook shows it; in a condition look at `outcome`.

    Attributes:
        outcome: `not-attempted`, `wrong`, `right` or `error-in-your-code`.
        diagnosis: what was seen, why it is so, and what to try, in a few sentences.
        wires: what was seen on each wire, by the wire's name; empty where nothing was sent.
    """

    outcome: Outcome
    diagnosis: str
    wires: Mapping[str, Seen] = field(default_factory=dict)

    def to_html(self) -> str:
        """See `View.to_html`."""
        return show.verdict_html(self)

    def to_markdown(self) -> str:
        """See `View.to_markdown`."""
        return show.verdict_markdown(self)

    def to_text(self) -> str:
        """See `View.to_text`."""
        return show.verdict_text(self)
