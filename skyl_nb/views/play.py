"""A whole tool loop, round by round, on the wires side by side: who says what to whom.

`play` runs the loop against a sandbox and computes what the view shows, as plain data; `PlayLoop`
is the view. The loop is not `run_tools`: there a tool fails by raising, and the text of a failure
is made for it. Here the text that the tool returns goes out as it is, to see what it does.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from traitlets import Bool, HasTraits, Unicode

from skyl_nb.conversation import Message, Role, ToolCall, ToolResult, user_text
from skyl_nb.endings import ending
from skyl_nb.errors import BadRequestError, SkylError, check_number
from skyl_nb.request import Request, Response
from skyl_nb.sandbox import Sandbox
from skyl_nb.sandbox.ids import compact
from skyl_nb.sandbox.journal import Entry
from skyl_nb.signal import PROMPT, WEATHER, tool_results
from skyl_nb.views import html, markdown, text
from skyl_nb.views.answers import MODEL, PROGRAM, PROVIDER, TOOL, USER, call_text
from skyl_nb.views.controls import (
    ControlledView,
    control,
    given,
    listed,
    one_of,
    one_result,
    tool_result,
)
from skyl_nb.views.copying import cell
from skyl_nb.wires import WIRES, wire_named

CONTENT_LABEL = "Text that the tool returns"
PROMPT_LABEL = "The user's question"

DEFAULT = ToolResult(call_id="call_1", content="503", is_error=True)

COPIES = {"": "Nothing", "cell": "This view, for a cell"}
"""What can be copied, and what each is called."""

MOST_ROUNDS = 20
"""Nobody reads more of them, and each is sent with all before it."""


class Step(NamedTuple):
    """One thing that is said.

    Attributes:
        round: in which round, from 1: the model is asked once in each.
        speaker: `user`, `model`, `tool`, `your program` or `provider`.
        listener: another of them.
        text: what is said. Untrusted.
        code: whether `text` is JSON as it stands on the wire.
    """

    round: int
    speaker: str
    listener: str
    text: str
    code: bool = False


class Lane(NamedTuple):
    """The loop on one wire.

    Attributes:
        wire: the wire's name.
        title: the wire's name for people.
        ending: the name of the ending, as in `skyl_nb.endings`.
        verdict: the ending as a symbol and a word.
        sentence: what the model knew, and what it did.
        steps: what was said, in order.
    """

    wire: str
    title: str
    ending: str
    verdict: str
    sentence: str
    steps: tuple[Step, ...]


class Play(NamedTuple):
    """The whole view as data: what is played, one line about it, and a lane for each wire."""

    content: str
    is_error: bool
    prompt: str
    max_rounds: int
    summary: str
    lanes: tuple[Lane, ...]


class _Round(NamedTuple):
    """One asking of the model: what went over the wire, and the answer or the refusal to it."""

    entry: Entry
    response: Response | None
    refusal: str = ""

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.response.tool_calls if self.response else ()


@lru_cache(maxsize=4)  # what is shown is asked for by the widget, as HTML, and as text
def play(
    content: str, is_error: bool, prompt: str, max_rounds: int, wires: tuple[str, ...]
) -> Play:
    """Play the loop on each wire, each with a sandbox of its own, and return what is shown."""
    lanes = tuple([_lane(name, content, is_error, prompt, max_rounds) for name in wires])
    return Play(content, is_error, prompt, max_rounds, _summary(lanes, content, is_error), lanes)


def _summary(lanes: tuple[Lane, ...], content: str, is_error: bool) -> str:
    what = "A failure" if is_error else "A success"
    text_ = "with this text" if content else "without text"
    endings = "; ".join(f"{lane.title}: {lane.verdict}" for lane in lanes)
    return f"{what} {text_}, on each wire: {endings}."


def _lane(wire: str, content: str, is_error: bool, prompt: str, max_rounds: int) -> Lane:
    rounds = _rounds(wire, content, is_error, prompt, max_rounds)
    end = ending(rounds[-1].entry, failed=is_error)
    steps = [Step(1, USER, MODEL, prompt), *_answer(1, rounds[0])]
    for number, (before, one) in enumerate(pairwise(rounds), start=2):
        steps += [*_report(number, wire, before, one, content), *_answer(number, one)]
    if rounds[-1].calls:
        steps.append(Step(len(rounds), PROGRAM, USER, _stopped(len(rounds))))
    return Lane(wire, WIRES[wire].title, end.name, end.verdict, end.sentence, tuple(steps))


def _rounds(wire: str, content: str, is_error: bool, prompt: str, max_rounds: int) -> list[_Round]:
    """Ask the model and answer its calls until it calls no more, or the bound ends it."""
    from skyl_nb.client import sandbox_client  # loads httpx, which the other views do not need

    sandbox = Sandbox()
    rounds: list[_Round] = []
    messages = [user_text(prompt)]
    with sandbox_client(wire, sandbox) as client:
        while len(rounds) < max_rounds:
            request = Request(model=client.model, messages=tuple(messages), tools=(WEATHER,))
            try:
                response = client.complete(request)
            except SkylError as error:
                rounds.append(_Round(sandbox.journal[-1], None, error.message.strip()))
                break
            rounds.append(_Round(sandbox.journal[-1], response))
            if not response.tool_calls:
                break
            messages += [response.message, _results(response.tool_calls, content, is_error)]
    return rounds


def _results(calls: Iterable[ToolCall], content: str, is_error: bool) -> Message:
    """Return one message with a result for each call, in the order of the calls."""
    parts = [ToolResult(call_id=call.id, content=content, is_error=is_error) for call in calls]
    return Message(role=Role.tool, parts=tuple(parts))


def _report(number: int, wire: str, before: _Round, one: _Round, content: str) -> Iterator[Step]:
    """Yield what the tool says to each call of the round before, as it stood in the body."""
    sent = tool_results(wire, one.entry.request)[-len(before.calls) :]
    for fragment in sent:
        yield Step(number, TOOL, MODEL, compact(fragment), code=True)
    if not sent:  # the provider could not read the body, so it keeps none
        for _ in before.calls:
            yield Step(number, TOOL, MODEL, content)


def _answer(number: int, one: _Round) -> Iterator[Step]:
    if one.response is None:
        yield Step(number, PROVIDER, PROGRAM, one.refusal)
    elif one.calls:
        for call in one.calls:
            yield Step(number, MODEL, TOOL, call_text(call))
    else:
        yield Step(number, MODEL, USER, one.response.text)


def _stopped(rounds: int) -> str:
    if rounds == 1:
        return "stopped after 1 round; the call of the model is not answered"
    return f"stopped after {rounds} rounds; the model would call again"


class Controls(HasTraits):
    """The values of the controls, to be watched by a live widget."""

    content = Unicode()
    is_error = Bool()
    prompt = Unicode()
    copy = Unicode()


class PlayLoop(ControlledView):
    """The view of `play_loop`.

    Attributes:
        wires: the names of the wires, in the order of their lanes.
        max_rounds: how often the model is asked at most.
    """

    __slots__ = ("_max_rounds", "_wires")

    content = control("content", "The text that the tool returns to each call, a string.")
    is_error = control("is_error", "Whether the tool fails.")
    prompt = control("prompt", "The question of the user, a string.")
    copy = control("copy", f"What `code` holds: {listed(COPIES)}.")

    def __init__(self, values: dict[str, Any], wires: tuple[str, ...], max_rounds: int) -> None:
        self.controls = Controls(**self.checked(values))
        self._wires = wires
        self._max_rounds = max_rounds

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy what is shown, not the widget: that belongs to one place in one notebook."""
        return type(self), (self.controls.trait_values(), self.wires, self.max_rounds)

    @property
    def wires(self) -> tuple[str, ...]:
        """The names of the wires, in the order of their lanes."""
        return self._wires

    @property
    def max_rounds(self) -> int:
        """How often the model is asked at most."""
        return self._max_rounds

    @property
    def play(self) -> Play:
        """What the view shows, as data."""
        return play(self.content, self.is_error, self.prompt, self.max_rounds, self.wires)

    @property
    def code(self) -> str:
        """Code to take away, as `copy` says; `""` for none."""
        if not self.copy:
            return ""
        shown = {"content": self.content, "is_error": self.is_error, "prompt": self.prompt}
        return cell("play_loop", {**shown, "wires": self.wires, "max_rounds": self.max_rounds})

    def checked(self, values: dict[str, Any]) -> dict[str, Any]:
        """See `ControlledView.checked`."""
        prompt = values["prompt"]
        if not isinstance(prompt, str):
            kind = type(prompt).__name__
            raise BadRequestError(f"prompt is the question of the user, a string, and not {kind}")
        result = tool_result(
            call_id=DEFAULT.call_id, content=values["content"], is_error=values["is_error"]
        )
        return {
            "content": result.content,
            "is_error": result.is_error,
            "prompt": prompt,
            "copy": one_of("copy", values["copy"], COPIES),
        }

    def to_html(self) -> str:
        """See `View.to_html`."""
        return html.play(self.play, self.code)

    def to_markdown(self) -> str:
        """See `View.to_markdown`."""
        return markdown.play(self.play, self.code)

    def to_text(self) -> str:
        """See `View.to_text`."""
        return text.play(self.play, self.code)

    def build_widget(self) -> Any:
        """See `View.build_widget`."""
        from skyl_nb.views import live

        return live.play(self)


def play_loop(
    result_or_message: ToolResult | Message | None = None,
    *,
    content: str | None = None,
    is_error: bool | None = None,
    wires: str | Iterable[str] | None = None,
    prompt: str | None = None,
    max_rounds: int = 4,
    copy: str = "",
) -> PlayLoop:
    """Show a whole tool loop, round by round: who says what to whom, on each wire.

    The user asks, the model calls `get_weather`, the tool answers each call with this result, and
    the model is asked again. It is the model of the sandbox: see `sandbox.rules()`.

    Args:
        result_or_message: the result to begin with, or a message that holds one; a failure with
            the text 503 if left out. The id of its call is not used: a model makes its own.
        content: the text that the tool returns, instead of the result's content.
        is_error: whether the tool fails, instead of what the result says.
        wires: the names in `WIRES` of the wires to show, or one of them; all if left out.
        prompt: what the user asks.
        max_rounds: how often the model is asked at most, 1 to 20.
        copy: `"cell"` to show the code of this view as well.

    Returns:
        A view: live in a notebook, and with `to_html()`, `to_markdown()` and `to_text()`.

    Raises:
        BadRequestError: a value of a wrong type, an unknown wire, a number of rounds out of
            bounds, or a message without exactly one tool result.
    """
    result = DEFAULT if result_or_message is None else one_result(result_or_message, "play_loop")
    values = {
        "content": result.content,
        "is_error": result.is_error,
        "prompt": PROMPT,
        "copy": copy,
    }
    values |= given(content=content, is_error=is_error, prompt=prompt)
    check_number("max_rounds", max_rounds, most=MOST_ROUNDS)
    return PlayLoop(values, _known(WIRES if wires is None else wires), max_rounds)


def _known(wires: Any) -> tuple[str, ...]:
    """Return the names of wires, each once."""
    names = [wires] if isinstance(wires, str) else wires
    if not isinstance(names, Iterable):
        kind = type(wires).__name__
        raise BadRequestError(f"wires is a name in WIRES or a list of such names, and not {kind}")
    known = tuple(dict.fromkeys([wire_named(name).name for name in names]))
    if not known:
        raise BadRequestError(f"wires is empty: leave it out, or name some of {', '.join(WIRES)}")
    return known
