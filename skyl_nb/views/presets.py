"""Contents to begin with: what tools return when they fail, well and badly."""

from functools import cache

from skyl_nb.data import facts

OWN = "A text of your own"


@cache
def presets() -> dict[str, str]:
    """Return the contents by their labels, in the order in which they are offered."""
    return {row["label"]: row.get("content", _filled(row)) for row in facts("presets.json")}


def label_of(content: str) -> str:
    """Return the label of a content, `OWN` if it is none of the presets."""
    known = (label for label, preset in presets().items() if preset == content)
    return next(known, OWN)


def _filled(row: dict[str, str | int]) -> str:
    """Return a text of so many characters, made of one that is repeated."""
    unit, characters = str(row.get("unit", "")), int(row.get("characters", 0))
    return (unit * (characters // max(1, len(unit)) + 1))[:characters]
