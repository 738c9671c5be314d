"""An exercise with ipywidgets: its hints one by one, and its solution, where a learner asks."""

from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from skyl_nb.exercises import show
from skyl_nb.views import html

if TYPE_CHECKING:
    from skyl_nb.exercises.exercise import Exercise


def hints(one: "Exercise") -> Any:
    """Build the live widget of an exercise: the question, and buttons that reveal more."""
    question = widgets.HTML(show.exercise_html(one))
    more = widgets.Button(description="Show a hint", layout={"width": "auto"})
    solution = widgets.Button(description="Show the solution", layout={"width": "auto"})
    revealed = widgets.HTML()
    shown: list[str] = []

    def reveal(text: str) -> None:
        shown.append(text)
        revealed.value = html.live_region("".join(shown))

    def reveal_hint(_: Any) -> None:
        number = len(shown) + 1
        reveal(show.hint_html(one, number))
        more.description = "Show another hint"
        more.disabled = number >= len(one.hints)

    def reveal_solution(_: Any) -> None:
        more.disabled = solution.disabled = True
        reveal(show.solution_html(one))

    more.on_click(reveal_hint)
    solution.on_click(reveal_solution)
    return widgets.VBox([question, widgets.HBox([more, solution]), revealed])
