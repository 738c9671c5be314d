"""How a conversation about a tool ended, in words that a lesson can use.

What the model did is known from the sandbox's journal, not guessed from what it said: a tool's own
text may say anything. The names are the model's acts (`acts` in `sandbox_data/model_sheet.json`)
and `refused`.
"""

from typing import NamedTuple

from skyl_nb.data import facts
from skyl_nb.sandbox.journal import Entry

MOST_TELLING_FIRST = ("calls-again", "gives-up", "makes-up", "quotes", "calls", "answers")
"""Of several acts in one answer (one for each result), the first of these names the ending."""


class Ending(NamedTuple):
    """How it ended.

    Attributes:
        name: `gives-up`, `calls-again`, `quotes`, `makes-up`, `answers`, `calls` or `refused`.
        symbol: a mark for it.
        word: a word or two for it.
        sentence: what the model knew, and what it did.
    """

    name: str
    symbol: str
    word: str
    sentence: str

    @property
    def verdict(self) -> str:
        """The symbol and the word: the meaning never hangs on one of them."""
        return f"{self.symbol} {self.word}"


def ending(entry: Entry, *, failed: bool) -> Ending:
    """Return how a conversation ended whose last exchange is `entry`.

    Args:
        entry: an exchange of the sandbox's journal in which a model was asked.
        failed: whether the tool did fail: a model that quotes a success is right to do so.
    """
    name = "refused" if entry.rule else next(act for act in MOST_TELLING_FIRST if act in entry.acts)
    known = facts("endings.json")[name]
    row = known["failure" if failed else "success"]
    return Ending(name, row.get("symbol", known["symbol"]), row["word"], row["sentence"])
