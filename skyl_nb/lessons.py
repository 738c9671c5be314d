"""The lessons as a map: what each is called, how long it takes, which exercises it holds.

All of it is read from the notebooks themselves, so the map cannot be out of date.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from skyl_nb.data import folder
from skyl_nb.exercises import exercises, progress
from skyl_nb.views import html, markdown, text
from skyl_nb.views.view import View

ORDER = (
    "00-start-here.ipynb",
    "learn/reporting-tool-errors.ipynb",
    "reference/tool-result.ipynb",
    "reference/tool-error-message.ipynb",
)
HEADERS = ("Lesson", "File", "Minutes", "Exercises", "Solved by you")

_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_MINUTES = re.compile(r"^\*\*Time:\*\* (\d+) minutes", re.MULTILINE)
_EXERCISE = re.compile(r'^skyl\.exercise\("([\w-]+)"\)$', re.MULTILINE)
"""A lesson has the exercises that it shows; a check alone may be an example."""


class Lesson(NamedTuple):
    """One lesson.

    Attributes:
        path: its file, below `notebooks/`, with `/` between folders.
        title: what it is called.
        minutes: how long it takes.
        exercises: the names of its exercises, in order.
    """

    path: str
    title: str
    minutes: int
    exercises: tuple[str, ...]


class LessonMap(View):
    """The view of `lesson_map`: `lessons` holds what it shows."""

    __slots__ = ("lessons",)

    def __init__(self) -> None:
        self.lessons = lessons()

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells of the table, as text."""
        solved = progress.solved()
        return [
            (
                lesson.title,
                lesson.path,
                str(lesson.minutes),
                ", ".join(lesson.exercises) or "-",
                _solved(lesson, solved),
            )
            for lesson in self.lessons
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


def lesson_map() -> LessonMap:
    """Show the lessons in their order, with minutes, exercises, and what you have solved."""
    return LessonMap()


def _solved(lesson: Lesson, solved: frozenset[str]) -> str:
    if not lesson.exercises:
        return "-"
    return f"{len(solved & set(lesson.exercises))} of {len(lesson.exercises)}"


def lessons() -> tuple[Lesson, ...]:
    """Return the lessons in the order in which they are meant to be read."""
    return tuple(_lesson(folder("notebooks") / path, path) for path in ORDER)


def _lesson(file: Path, path: str) -> Lesson:
    sources = list(_sources(file))
    prose = "\n".join(source for kind, source in sources if kind == "markdown")
    code = "\n".join(source for kind, source in sources if kind == "code")
    title, minutes = _TITLE.search(prose), _MINUTES.search(prose)
    known = set(exercises())
    found = dict.fromkeys(name for name in _EXERCISE.findall(code) if name in known)
    return Lesson(
        path, title[1] if title else path, int(minutes[1]) if minutes else 0, tuple(found)
    )


def _sources(file: Path) -> Iterator[tuple[str, str]]:
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        yield cell["cell_type"], "".join(cell["source"])
