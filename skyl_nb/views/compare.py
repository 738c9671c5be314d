"""One tool result on four wires: what each provider would receive, and what is left of a failure.

`comparison` computes what the view shows, as plain data; `CompareWires` is the view.
"""

from typing import Any, NamedTuple

from traitlets import Bool, HasTraits, Unicode

from skyl_nb.conversation import Message, ToolResult
from skyl_nb.data import facts
from skyl_nb.errors import SkylError
from skyl_nb.signal import SignalTrace, trace_signal
from skyl_nb.views import html, markdown, text
from skyl_nb.views.controls import ControlledView, control, given, one_result, tool_result
from skyl_nb.views.visible import Line, json_lines
from skyl_nb.wires import WIRES

CONTENT_LABEL = "Content of the tool result"
CALL_ID_LABEL = "Call id"

DEFAULT = ToolResult(call_id="call_1", content="no such city", is_error=True)


class Pane(NamedTuple):
    """What one wire makes of the result.

    Attributes:
        wire: the wire's name.
        title: the wire's name for people.
        fate: the fate of the failure (see `skyl_nb.signal`), `""` if nothing can be sent.
        verdict: the fate as a symbol and a word.
        lines: the tool-result fragment as pretty JSON; lines where failure and success differ are
            marked.
        pointer: where they differ in the whole body, as a JSON pointer, `""` for nowhere.
        sentence: what the model can know.
    """

    wire: str
    title: str
    fate: str
    verdict: str
    lines: tuple[Line, ...]
    pointer: str
    sentence: str


class Comparison(NamedTuple):
    """The whole view as data: the result that is shown, one line about it, and its panes."""

    content: str
    is_error: bool
    call_id: str
    summary: str
    panes: tuple[Pane, ...]


def comparison(content: str, is_error: bool, call_id: str) -> Comparison:
    """Compute what the view shows. A result that skyl refuses gives a view that says so."""
    panes = tuple([_pane(name, content, is_error, call_id) for name in WIRES])
    return Comparison(content, is_error, call_id, _summary(panes, is_error), panes)


def _pane(name: str, content: str, is_error: bool, call_id: str) -> Pane:
    title = WIRES[name].title
    try:
        trace = trace_signal(content, name, call_id)
    except SkylError as error:
        return Pane(name, title, "", "! not sent", (), "", error.message)
    return Pane(
        wire=name,
        title=title,
        fate=trace.fate,
        verdict=verdict(trace.fate),
        lines=tuple(json_lines(trace.failure if is_error else trace.success, _inside(trace))),
        pointer=trace.pointer,
        sentence=_sentence(trace, content, is_error),
    )


def verdict(fate: str) -> str:
    """Return a fate as a symbol and a word: its meaning never hangs on a colour."""
    known = facts("fates.json")[fate]
    return f"{known['symbol']} {known['word']}"


def _inside(trace: SignalTrace) -> str:
    """Return the pointer of the difference within the tool-result fragment."""
    return trace.pointer.removeprefix(trace.result_pointer)


def _sentence(trace: SignalTrace, content: str, is_error: bool) -> str:
    kind = "dropped-empty" if trace.fate == "dropped" and not content.strip() else trace.fate
    template = facts("fates.json")[kind]["failure" if is_error else "success"]
    return str(template.format(field=trace.pointer.rsplit("/", 1)[-1], prefix=trace.prefix))


def _summary(panes: tuple[Pane, ...], is_error: bool) -> str:
    what = "The failure" if is_error else "A failure with this content"
    fates = "; ".join(f"{pane.title}: {pane.verdict}" for pane in panes)
    return f"{what}, on each wire: {fates}."


class Controls(HasTraits):
    """The values of the controls, to be watched by a live widget."""

    content = Unicode()
    is_error = Bool()
    call_id = Unicode()


class CompareWires(ControlledView):
    """The view of `compare_wires`."""

    __slots__ = ()

    content = control("content", "The content of the tool result, a string.")
    is_error = control("is_error", "Whether the tool failed.")
    call_id = control("call_id", "The id of the call that the result answers.")

    def __init__(self, result: ToolResult) -> None:
        self.controls = Controls(**result.model_dump())

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy what is shown, not the widget: that belongs to one place in one notebook."""
        return type(self), (tool_result(**self.controls.trait_values()),)

    def checked(self, values: dict[str, Any]) -> dict[str, Any]:
        """See `ControlledView.checked`."""
        return tool_result(**values).model_dump()

    @property
    def comparison(self) -> Comparison:
        """What the view shows, as data."""
        return comparison(self.content, self.is_error, self.call_id)

    def to_html(self) -> str:
        """See `View.to_html`."""
        return html.comparison(self.comparison)

    def to_markdown(self) -> str:
        """See `View.to_markdown`."""
        return markdown.comparison(self.comparison)

    def to_text(self) -> str:
        """See `View.to_text`."""
        return text.comparison(self.comparison)

    def build_widget(self) -> Any:
        """See `View.build_widget`."""
        from skyl_nb.views import live

        return live.comparison(self)


def compare_wires(
    result_or_message: ToolResult | Message | None = None,
    *,
    content: str | None = None,
    is_error: bool | None = None,
    call_id: str | None = None,
) -> CompareWires:
    """Show one tool result as each of the four providers would receive it from skyl.

    Args:
        result_or_message: the result to begin with, or a message that holds one; a small failure
            if left out.
        content: the content to begin with, instead of the result's.
        is_error: whether the tool failed, instead of what the result says.
        call_id: the id of the call, instead of the result's.

    Returns:
        A view: live in a notebook, and with `to_html()`, `to_markdown()` and `to_text()`.

    Raises:
        BadRequestError: a value of a wrong type, or a message without exactly one tool result.
    """
    result = (
        DEFAULT if result_or_message is None else one_result(result_or_message, "compare_wires")
    )
    changes = given(content=content, is_error=is_error, call_id=call_id)
    return CompareWires(tool_result(**{**result.model_dump(), **changes}))
