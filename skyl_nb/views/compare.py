"""One tool result on four wires: what each provider would receive, and what is left of a failure.

`comparison` computes what the view shows, as plain data; `CompareWires` is the view.
"""

from collections.abc import Mapping
from difflib import unified_diff
from typing import Any, NamedTuple

from traitlets import Bool, HasTraits, Unicode

from skyl_nb.conversation import Message, ToolResult
from skyl_nb.data import facts
from skyl_nb.errors import SkylError
from skyl_nb.signal import SignalTrace, trace_signal
from skyl_nb.views import html, markdown, text
from skyl_nb.views.answers import Answer, answer, headers
from skyl_nb.views.controls import (
    ControlledView,
    control,
    flag,
    given,
    listed,
    one_of,
    one_result,
    tool_result,
)
from skyl_nb.views.copying import cell, curl
from skyl_nb.views.visible import Line, json_lines
from skyl_nb.wires import WIRES

CONTENT_LABEL = "Content of the tool result"
CALL_ID_LABEL = "Call id"
DIFF_LABEL = "The difference, line by line"

DEFAULT = ToolResult(call_id="call_1", content="no such city", is_error=True)

COPIES = {
    "": "Nothing",
    "cell": "This view, for a cell",
    **{name: f"{wire.title}: curl, for the local sandbox" for name, wire in WIRES.items()},
}
"""What can be copied, and what each is called."""

NO_DIFFERENCE = "No difference: a success sends the same bytes."


class Stop(NamedTuple):
    """One station on the way of the flag: who, a mark, and what became of the flag there."""

    station: str
    mark: str
    word: str


SET_OFF = (Stop("your code", "⚑", "sets it"), Stop("skyl", "⚑", "keeps it"))
"""The first half of the way: the flag is a field of skyl's ToolResult, on every wire."""


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
        way: what becomes of the flag of a failure, from your code to the model.
        diff: the fragment of a failure (-) against that of a success (+), as lines.
    """

    wire: str
    title: str
    fate: str
    verdict: str
    lines: tuple[Line, ...]
    pointer: str
    sentence: str
    way: tuple[Stop, ...] = ()
    diff: tuple[str, ...] = ()


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
        way=_way(trace, content),
        diff=_diff(trace),
    )


def verdict(fate: str) -> str:
    """Return a fate as a symbol and a word: its meaning never hangs on a colour."""
    known = facts("fates.json")[fate]
    return f"{known['symbol']} {known['word']}"


def _inside(trace: SignalTrace) -> str:
    """Return the pointer of the difference within the tool-result fragment."""
    return trace.pointer.removeprefix(trace.result_pointer)


def _known(trace: SignalTrace, content: str) -> Mapping[str, Any]:
    """Return what is known of a fate; without a text a model has nothing to go by."""
    kind = "dropped-empty" if trace.fate == "dropped" and not content.strip() else trace.fate
    known: Mapping[str, Any] = facts("fates.json")[kind]
    return known


def _way(trace: SignalTrace, content: str) -> tuple[Stop, ...]:
    way = _known(trace, content)["way"]
    return (*SET_OFF, Stop("wire", *way["wire"]), Stop("model", *way["model"]))


def _diff(trace: SignalTrace) -> tuple[str, ...]:
    failure, success = (
        [line.text for line in json_lines(one)] for one in (trace.failure, trace.success)
    )
    _, _, *changed = [*unified_diff(failure, success, n=0, lineterm="")] or [""] * 2
    return tuple([line for line in changed if not line.startswith("@@")]) or (NO_DIFFERENCE,)


def _sentence(trace: SignalTrace, content: str, is_error: bool) -> str:
    template = _known(trace, content)["failure" if is_error else "success"]
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
    answer = Bool()
    diff = Bool()
    copy = Unicode()


class CompareWires(ControlledView):
    """The view of `compare_wires`."""

    __slots__ = ()

    content = control("content", "The content of the tool result, a string.")
    is_error = control("is_error", "Whether the tool failed.")
    call_id = control("call_id", "The id of the call that the result answers.")
    answer = control("answer", "Whether what the provider answers is open to see.")
    diff = control("diff", "Whether the difference between failure and success is shown.")
    copy = control("copy", f"What `code` holds: {listed(COPIES)}.")

    def __init__(self, values: dict[str, Any]) -> None:
        self.controls = Controls(**self.checked(values))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy what is shown, not the widget: that belongs to one place in one notebook."""
        return type(self), (self.controls.trait_values(),)

    def checked(self, values: dict[str, Any]) -> dict[str, Any]:
        """See `ControlledView.checked`."""
        result = {name: values[name] for name in ToolResult.model_fields}
        return {
            **tool_result(**result).model_dump(),
            "answer": flag("answer", values["answer"]),
            "diff": flag("diff", values["diff"]),
            "copy": one_of("copy", values["copy"], COPIES),
        }

    @property
    def comparison(self) -> Comparison:
        """What the view shows, as data."""
        return comparison(self.content, self.is_error, self.call_id)

    @property
    def answers(self) -> tuple[Answer | None, ...]:
        """What each provider answers, in the order of the panes; None where nothing is sent."""
        return tuple(
            [
                answer(pane.wire, self.content, self.is_error) if pane.fate else None
                for pane in self.comparison.panes
            ]
        )

    @property
    def code(self) -> str:
        """Code to take away, as `copy` says; `""` for none."""
        if self.copy in WIRES:
            sent = answer(self.copy, self.content, self.is_error)
            return curl(sent.path, headers(self.copy), sent.body)
        shown = self.controls.trait_values()
        values = {name: value for name, value in shown.items() if name != "copy"}
        return cell("compare_wires", values) if self.copy else ""

    def to_html(self) -> str:
        """See `View.to_html`."""
        return html.comparison(self)

    def to_markdown(self) -> str:
        """See `View.to_markdown`."""
        return markdown.comparison(self)

    def to_text(self) -> str:
        """See `View.to_text`."""
        return text.comparison(self)

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
    answer: bool = False,
    diff: bool = False,
    copy: str = "",
) -> CompareWires:
    """Show one tool result as each of the four providers would receive it from skyl.

    Args:
        result_or_message: the result to begin with, or a message that holds one; a small failure
            if left out.
        content: the content to begin with, instead of the result's.
        is_error: whether the tool failed, instead of what the result says.
        call_id: the id of the call, instead of the result's.
        answer: whether what the provider answers is open to see from the beginning.
        diff: whether each pane shows how a failure and a success differ, line by line.
        copy: code to show as well: `"cell"` for that of this view, or a wire's name for a `curl`
            command that sends its request to `skyl-nb sandbox`.

    Returns:
        A view: live in a notebook, and with `to_html()`, `to_markdown()` and `to_text()`.

    Raises:
        BadRequestError: a value of a wrong type, or a message without exactly one tool result.
    """
    result = (
        DEFAULT if result_or_message is None else one_result(result_or_message, "compare_wires")
    )
    changes = given(content=content, is_error=is_error, call_id=call_id)
    more = {"answer": answer, "diff": diff, "copy": copy}
    return CompareWires({**result.model_dump(), **changes, **more})
