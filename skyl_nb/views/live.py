"""Views with ipywidgets: the same model and the same HTML, with controls above it.

Core widgets only: each control has a real label, Tab order is reading order, and the summary is
read out when it changes. Panes are replaced one by one, and only those that changed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
from traitlets import HasTraits, dlink

from skyl_nb.views import compare, html
from skyl_nb.views import play as loop
from skyl_nb.views.controls import IS_ERROR_LABEL

if TYPE_CHECKING:
    from skyl_nb.views.compare import CompareWires
    from skyl_nb.views.play import PlayLoop

Shown = tuple[str, list[str]]
"""The line that is read out, and the panes as HTML."""

_LABEL = {"description_width": "initial"}
_WIDE = {"width": "auto"}
_CHOICES = (("True: the tool failed", True), ("False: the tool succeeded", False))


def comparison(view: "CompareWires") -> Any:
    """Build the live widget of `compare_wires`, tied to the view's controls both ways."""
    fields = {
        "content": widgets.Textarea(description=compare.CONTENT_LABEL, rows=2, **_look()),
        "is_error": _is_error(),
        "call_id": widgets.Text(description=compare.CALL_ID_LABEL, **_look()),
    }

    def shown() -> Shown:
        now = view.comparison
        return now.summary, [html.pane(one) for one in now.panes]

    return _live(view.controls, fields, shown)


def play(view: "PlayLoop") -> Any:
    """Build the live widget of `play_loop`, tied to the view's controls both ways."""
    fields = {
        "content": widgets.Textarea(description=loop.CONTENT_LABEL, rows=2, **_look()),
        "is_error": _is_error(),
        "prompt": widgets.Text(description=loop.PROMPT_LABEL, **_look()),
    }

    def shown() -> Shown:
        now = view.play
        return now.summary, [html.lane(one) for one in now.lanes]

    return _live(view.controls, fields, shown)


def _live(controls: HasTraits, fields: dict[str, Any], shown: Callable[[], Shown]) -> Any:
    """Build a widget: the fields, tied to the controls of their names, and the panes below."""
    status = widgets.HTML()
    panes = [widgets.HTML() for _ in shown()[1]]

    def show(_: Any = None) -> None:
        summary, regions = shown()
        status.value = html.status(summary)
        for pane, region in zip(panes, regions, strict=True):
            pane.value = region

    for name, field in fields.items():
        _tie(controls, name, field)
    controls.observe(show)
    show()
    grid = widgets.GridBox(
        panes, layout={"grid_template_columns": html.COLUMNS, "grid_gap": html.GAP}
    )
    return widgets.VBox([*fields.values(), status, grid])


def _is_error() -> Any:
    return widgets.Dropdown(description=IS_ERROR_LABEL, options=_CHOICES, **_look())


def _tie(controls: HasTraits, name: str, control: Any) -> None:
    """Let a control show a value of the view, and the view follow what is typed into it."""
    dlink((controls, name), (control, "value"), transform=_sendable)

    def typed(change: Any) -> None:
        if change.new != _sendable(getattr(controls, name)):
            controls.set_trait(name, change.new)

    control.observe(typed, "value")


def _sendable(value: Any) -> Any:
    """Return a value that a browser can be sent: half a surrogate pair becomes its escape."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-8", "backslashreplace").decode()


def _look() -> dict[str, Any]:
    return {"style": _LABEL, "layout": _WIDE}
