"""Views with ipywidgets: the same model and the same HTML, with controls above it.

Core widgets only: each control has a real label, Tab order is reading order, and the fates are read
out when they change. Panes are replaced one by one, and only those that changed.
"""

from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
from traitlets import HasTraits, dlink

from skyl_nb.views import compare, html

if TYPE_CHECKING:
    from skyl_nb.views.compare import CompareWires

_LABEL = {"description_width": "initial"}
_WIDE = {"width": "auto"}
_CHOICES = (("True: the tool failed", True), ("False: the tool succeeded", False))


def comparison(view: "CompareWires") -> Any:
    """Build the live widget of `compare_wires`, tied to the view's controls both ways."""
    content = widgets.Textarea(description=compare.CONTENT_LABEL, rows=2, **_look())
    is_error = widgets.Dropdown(description=compare.IS_ERROR_LABEL, options=_CHOICES, **_look())
    call_id = widgets.Text(description=compare.CALL_ID_LABEL, **_look())
    status = widgets.HTML()
    panes = [widgets.HTML() for _ in view.comparison.panes]

    def show(_: Any = None) -> None:
        shown = view.comparison
        status.value = html.status(shown.summary)
        for pane, one in zip(panes, shown.panes, strict=True):
            pane.value = html.pane(one)

    for name, control in (("content", content), ("is_error", is_error), ("call_id", call_id)):
        _tie(view.controls, name, control)
    view.controls.observe(show)
    show()
    grid = widgets.GridBox(
        panes, layout={"grid_template_columns": html.COLUMNS, "grid_gap": html.GAP}
    )
    return widgets.VBox([content, is_error, call_id, status, grid])


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
