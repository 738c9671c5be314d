"""Views with ipywidgets: the same model and the same HTML, with controls above it.

Core widgets only: each control has a real label, Tab order is reading order, and the summary is
read out when it changes. Panes are replaced one by one, and only those that changed.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
from traitlets import HasTraits, dlink

from skyl_nb.views import compare, html, text
from skyl_nb.views import play as loop
from skyl_nb.views.controls import IS_ERROR_LABEL
from skyl_nb.views.presets import OWN, label_of, presets

if TYPE_CHECKING:
    from skyl_nb.views.compare import CompareWires
    from skyl_nb.views.play import PlayLoop

Shown = tuple[str, list[str]]
"""The line that is read out, and the panes as HTML."""

PRESET_LABEL = "Begin with"
COPY_LABEL = text.CODE
CODE_LABEL = "Select all of it, and copy"

_LABEL = {"description_width": "initial"}
_WIDE = {"width": "auto"}
_CHOICES = (("True: the tool failed", True), ("False: the tool succeeded", False))


def comparison(view: "CompareWires") -> Any:
    """Build the live widget of `compare_wires`, tied to the view's controls both ways."""
    fields = {
        "content": widgets.Textarea(description=compare.CONTENT_LABEL, rows=2, **_look()),
        "is_error": _is_error(),
        "call_id": widgets.Text(description=compare.CALL_ID_LABEL, **_look()),
        "answer": _checkbox(text.ANSWER),
        "diff": _checkbox(compare.DIFF_LABEL),
    }

    def shown() -> Shown:
        now = view.comparison
        answers = view.answers if view.answer else [None] * len(now.panes)
        panes = [
            html.pane(one, html.answer(answer), with_diff=view.diff)
            for one, answer in zip(now.panes, answers, strict=True)
        ]
        return now.summary, panes

    return _live(view, fields, shown, compare.COPIES)


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

    return _live(view, fields, shown, loop.COPIES)


def _live(
    view: "CompareWires | PlayLoop",
    fields: dict[str, Any],
    shown: Callable[[], Shown],
    copies: dict[str, str],
) -> Any:
    """Build a widget: the fields, tied to the controls of their names, and the panes below."""
    controls = view.controls
    status = widgets.HTML()
    panes = [widgets.HTML(layout={"margin": "0"}) for _ in shown()[1]]
    choices = [(label, value) for value, label in copies.items()]
    copy = widgets.Dropdown(description=COPY_LABEL, options=choices, **_look())
    code = widgets.Textarea(description=CODE_LABEL, rows=6, **_look())

    def show(_: Any = None) -> None:
        summary, regions = shown()
        status.value = html.status(summary)
        for pane, region in zip(panes, regions, strict=True):
            pane.value = region
        code.value = _sendable(view.code)
        code.layout.display = None if view.copy else "none"

    for name, field in {**fields, "copy": copy}.items():
        _tie(controls, name, field)
    controls.observe(show)
    show()
    pairs = [_grid(html.COLUMNS, pair) for pair in html.in_pairs(panes)]
    return widgets.VBox(
        [_preset(view), *fields.values(), status, _grid(html.PAIRS, pairs), copy, code]
    )


def _grid(columns: str, inside: Iterable[Any]) -> Any:
    layout = {
        "grid_template_columns": columns,
        "grid_gap": html.GAP,
        "min_width": "0",
        "margin": "0",
        "overflow": "visible",
    }
    return widgets.GridBox(list(inside), layout=layout)


def _preset(view: "CompareWires | PlayLoop") -> Any:
    """Build the choice of a content to begin with; it follows what is typed into the content."""
    choice = widgets.Dropdown(description=PRESET_LABEL, options=[OWN, *presets()], **_look())
    dlink((view.controls, "content"), (choice, "value"), transform=label_of)

    def chosen(change: Any) -> None:
        if change.new in presets():  # a text of one's own is typed, not chosen
            view.content = presets()[change.new]
        else:
            choice.value = label_of(view.content)

    choice.observe(chosen, "value")
    return choice


def _is_error() -> Any:
    return widgets.Dropdown(description=IS_ERROR_LABEL, options=_CHOICES, **_look())


def _checkbox(label: str) -> Any:
    return widgets.Checkbox(description=label, indent=False, **_look())


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
