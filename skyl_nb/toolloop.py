"""The tool loop: asks the model, runs the tools that it calls, reports what came of them; again.

Three rules of the wires decide how it is built:

- every call is answered, whatever became of its tool: a provider refuses a turn with an open call;
- the answers to one turn stand in **one** message, in the order of the calls: Gemini refuses them
  in several (REPORTS 113), and pairs by position where ids are names;
- the loop is bounded: a model that is told nothing useful about a failure calls for ever.

A failure is reported by its text (`portable_error`), which every wire carries, and by `is_error`.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from inspect import iscoroutine, signature
from typing import Any

from skyl_nb.caught import Caught
from skyl_nb.client import Client
from skyl_nb.conversation import Message, Role, ToolCall, ToolResult
from skyl_nb.errors import BadRequestError, SkylError, check_number
from skyl_nb.request import Request, Response, validate

ADVICE = "Do not retry; tell the user that the data is unavailable."
UNKNOWN_ADVICE = "Do not call it again; the tools there are: {names}."
ARGUMENTS_ADVICE = (
    "Do not retry with the same arguments: correct them, or tell the user what is missing."
)
INTERRUPTED_ADVICE = "Do not retry; the user stopped it."

LONGEST_REASON = 2_000
"""Characters of an error that the model is told; a stack trace of pages would hide the advice."""

MOST_AT_ONCE = 4
"""How many tools of one turn may run at the same time."""

ToolFunction = Callable[..., str]


class ToolLoopError(SkylError):
    """The loop ended without an answer: the model still called tools in the last round.

    Attributes:
        messages: the conversation so far, every call answered: it can be sent again.
        rounds: what happened in each round.
    """

    def __init__(
        self, message: str, *, messages: tuple[Message, ...], rounds: "tuple[Round, ...]"
    ) -> None:
        super().__init__(message)
        self.messages = messages
        self.rounds = rounds


class FatalToolError(ToolLoopError):
    """A tool raised an error that is `fatal`. The model was not told; `__cause__` is the error.

    `messages` ends before the turn with that call, so it can be sent again; the turn itself, and
    the results that it had before, are the last of `rounds`.
    """


class ToolLoopInterrupt(KeyboardInterrupt):
    """The loop was interrupted. `messages` and `rounds` are as in `ToolLoopError`."""

    def __init__(self, messages: tuple[Message, ...], rounds: "tuple[Round, ...]") -> None:
        super().__init__("the tool loop was interrupted; .messages holds the conversation so far")
        self.messages = messages
        self.rounds = rounds


@dataclass(frozen=True, slots=True)
class Round:
    """One round: what the model answered, and what its calls came to.

    Attributes:
        response: the model's answer.
        results: one result for each call, in the order of the calls; empty if there was none.
        errors: for each result what made it a failure, None for a success.
    """

    response: Response
    results: tuple[ToolResult, ...] = ()
    errors: tuple[BaseException | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A loop that ended with an answer.

    Attributes:
        messages: the whole conversation: the request's messages, then what was said since.
        rounds: what happened in each round.
    """

    messages: tuple[Message, ...]
    rounds: tuple[Round, ...]

    @property
    def response(self) -> Response:
        """The model's last answer."""
        return self.rounds[-1].response

    @property
    def text(self) -> str:
        """The text of the model's last answer."""
        return self.response.text


def portable_error(tool_name: str, error: BaseException | str, advice: str = ADVICE) -> str:
    """Return a text that tells a model of a failure on every wire.

    Args:
        tool_name: the tool that failed: a turn may hold several calls.
        error: what went wrong, as an exception or a text. It is shown to the model: hand over
            nothing that must stay secret.
        advice: what the model should do next. Without it, many models call the tool again.

    Raises:
        BadRequestError: a name or an advice that is not a text, or is blank.
    """
    for name, value in (("tool_name", tool_name), ("advice", advice)):
        if not isinstance(value, str) or not value.strip():
            raise BadRequestError(f"{name} must be a text that is not blank")
    text = f"ERROR: {tool_name} failed: {_reason(error)}. {advice.strip()}"
    return text.encode("utf-8", "backslashreplace").decode()  # no wire takes half a surrogate pair


def run_tools(
    client: Client,
    request: Request,
    tools: Mapping[str, ToolFunction],
    max_rounds: int = 5,
    fatal: type[BaseException] | Iterable[type[BaseException]] = (),
    *,
    concurrency: int = 1,
) -> ToolRun:
    """Ask the model, run the tools that it calls, report what came of them, until it answers.

    A tool is called with the arguments of the call as keyword arguments, and returns text. If it
    raises, is unknown, gets bad arguments, or returns something else, the model is told so by
    `portable_error`. A tool choice that forces a call holds for the first round alone: else it
    would force one for ever.

    Args:
        client: whom to ask.
        request: the conversation so far, and the tools that are declared.
        tools: the function of each tool, by the tool's name.
        max_rounds: how often the model is asked at most.
        fatal: exceptions that end the loop and are never shown to the model: a missing
            credential, a bug.
        concurrency: how many tools of one turn run at once, 1 to 4. With more than 1 each runs in
            a thread; one that runs when the loop ends early runs on. The order of the results is
            that of the calls in any case.

    Raises:
        BadRequestError: an argument of a wrong kind, or a request that `validate` refuses.
        ToolLoopError: the model still called tools in the last round.
        FatalToolError: a tool raised a `fatal` error; the message names the tool.
        ToolLoopInterrupt: a KeyboardInterrupt; it carries the conversation, every call answered.
        SkylError: what the client raises.
    """
    if not callable(getattr(client, "complete", None)):
        kind = type(client).__name__
        raise BadRequestError(f'client is {kind}; make one with sandbox_client("openai")')
    validate(request)
    _check_tools(tools)
    check_number("max_rounds", max_rounds)
    check_number("concurrency", concurrency, most=MOST_AT_ONCE)
    return _Loop(client, request, tools, max_rounds, _checked(fatal), concurrency).run()


class _CannotRunError(Exception):
    """A call whose tool could not be run, or whose value cannot be sent; says what to advise."""

    def __init__(self, reason: str, advice: str = ADVICE) -> None:
        super().__init__(reason)
        self.advice = advice


class _FatalError(Exception):
    """Carries a fatal error past the handlers of the others."""

    def __init__(self, call: ToolCall, error: BaseException) -> None:
        super().__init__()
        self.call = call
        self.error = error


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a call came to: the text for the model, and the error if it failed."""

    content: str
    error: BaseException | None = None


@dataclass(slots=True)
class _Loop:
    """One run: what does not change in it, and the conversation as it grows."""

    client: Client
    request: Request
    tools: Mapping[str, ToolFunction]
    max_rounds: int
    fatal: tuple[type[BaseException], ...]
    concurrency: int
    messages: list[Message] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)

    def run(self) -> ToolRun:
        self.messages += self.request.messages
        try:
            for _ in range(self.max_rounds):
                response = self._ask()
                if not response.tool_calls:
                    self.messages.append(response.message)
                    self.rounds.append(Round(response))
                    return ToolRun(tuple(self.messages), tuple(self.rounds))
                self._answer(response)
        except KeyboardInterrupt as interrupt:
            raise ToolLoopInterrupt(tuple(self.messages), tuple(self.rounds)) from interrupt
        raise self._error(ToolLoopError, _out_of_rounds(self.rounds))

    def _ask(self) -> Response:
        changes: dict[str, Any] = {"messages": tuple(self.messages)}
        if self.rounds and _forces(self.request):
            changes["tool_choice"] = None
        return self.client.complete(self.request.model_copy(update=changes))

    def _answer(self, response: Response) -> None:
        """Run the calls of one turn, and append the turn and **one** message with the results."""
        outcomes: list[_Outcome] = []
        try:
            self._run_calls(response.tool_calls, outcomes)
        except _FatalError as fatal:
            self.rounds.append(_round(response, outcomes))
            message = f"the tool {_name(fatal.call)} failed: {_reason(fatal.error)}"
            raise self._error(FatalToolError, message) from fatal.error
        except BaseException as stop:
            still_open = response.tool_calls[len(outcomes) :]
            outcomes += [_interrupted(call, stop) for call in still_open]
            self._append(_round(response, outcomes))
            raise
        self._append(_round(response, outcomes))

    def _append(self, done: Round) -> None:
        self.rounds.append(done)
        self.messages += [done.response.message, Message(role=Role.tool, parts=done.results)]

    def _run_calls(self, calls: Sequence[ToolCall], outcomes: list[_Outcome]) -> None:
        """Run the tools of one turn; each outcome is appended once those before it are there."""
        if self.concurrency == 1 or len(calls) == 1:
            for call in calls:
                outcomes.append(self._outcome(call))
            return
        pool = ThreadPoolExecutor(self.concurrency)
        running = [pool.submit(copy_context().run, self._outcome, call) for call in calls]
        try:
            for one in running:
                outcomes.append(one.result())
        except _FatalError:
            raise
        except BaseException as stop:
            for call, one in zip(calls[len(outcomes) :], running[len(outcomes) :], strict=True):
                outcomes.append(_finished(one) or _interrupted(call, stop))
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _outcome(self, call: ToolCall) -> _Outcome:
        with Caught(Exception, SystemExit, *self.fatal) as caught:
            return _Outcome(_text_of(_value(call, self.tools)))
        error = caught.error
        if isinstance(error, self.fatal):
            raise _FatalError(call, error) from error
        if isinstance(error, _CannotRunError):
            return _Outcome(portable_error(_name(call), str(error), error.advice), error)
        return _Outcome(portable_error(_name(call), error), error)

    def _error(self, kind: type[ToolLoopError], message: str) -> ToolLoopError:
        return kind(message, messages=tuple(self.messages), rounds=tuple(self.rounds))


def _round(response: Response, outcomes: list[_Outcome]) -> Round:
    results = [
        ToolResult(call_id=call.id, content=outcome.content, is_error=outcome.error is not None)
        for call, outcome in zip(response.tool_calls, outcomes, strict=False)
    ]
    return Round(response, tuple(results), tuple([outcome.error for outcome in outcomes]))


def _value(call: ToolCall, tools: Mapping[str, ToolFunction]) -> Any:
    """Call a tool with the arguments that the model wrote."""
    if call.name not in tools:
        names = ", ".join(tools) or "none"
        raise _CannotRunError("there is no such tool", UNKNOWN_ADVICE.format(names=names))
    function, arguments = tools[call.name], _arguments(call)
    try:
        signature(function).bind(**arguments)
    except TypeError as error:
        raise _CannotRunError(f"its arguments do not fit: {error}", ARGUMENTS_ADVICE) from None
    except ValueError:
        pass  # a function written in C may not tell its parameters
    return function(**arguments)


def _arguments(call: ToolCall) -> dict[str, Any]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise _CannotRunError(f"its arguments are no JSON: {error}", ARGUMENTS_ADVICE) from None
    if not isinstance(arguments, dict):
        raise _CannotRunError("its arguments are no JSON object", ARGUMENTS_ADVICE)
    return arguments


def _text_of(value: Any) -> str:
    """Return what a tool returned, if it is text that can be sent."""
    if iscoroutine(value):
        value.close()
        raise _CannotRunError("it is an async function, and this loop runs ordinary ones")
    if not isinstance(value, str):
        kind = type(value).__name__
        raise _CannotRunError(f"it returned {kind} where a text is needed; use json.dumps or str")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _CannotRunError("its text is no Unicode: it holds half a surrogate pair") from None
    return value


def _finished(running: "Future[_Outcome]") -> _Outcome | None:
    """Return what a tool came to that is done already, None if it is not."""
    if running.done() and not running.cancelled() and running.exception() is None:
        return running.result()
    return None


def _interrupted(call: ToolCall, stop: BaseException) -> _Outcome:
    return _Outcome(portable_error(_name(call), "it was interrupted", INTERRUPTED_ADVICE), stop)


def _reason(error: BaseException | str) -> str:
    """Return what went wrong as text, never blank: the text of many exceptions is empty."""
    said = ""
    with Caught(Exception, SystemExit):  # an exception may fail at telling what it is
        said = str(error).strip()
    if isinstance(error, BaseException) and not isinstance(error, _CannotRunError):
        kind = type(error).__name__
        said = f"{kind}: {said}" if said else kind
    said = said.rstrip(".") or "it gave no reason"
    if len(said) > LONGEST_REASON:
        cut = len(said) - LONGEST_REASON
        said = f"{said[:LONGEST_REASON]} … ({cut:,} characters left out)"
    return said


def _name(call: ToolCall) -> str:
    return call.name if call.name.strip() else "a tool without a name"


def _forces(request: Request) -> bool:
    return request.tool_choice is not None and request.tool_choice.mode in ("required", "tool")


def _out_of_rounds(rounds: Sequence[Round]) -> str:
    """Say which calls the model made, so that a reader sees what it repeats."""
    lines = [
        f"round {number}: "
        + ", ".join([f"{call.name}({call.arguments})" for call in one.response.tool_calls])
        for number, one in enumerate(rounds, start=1)
    ]
    return (
        f"the model still calls tools after {len(rounds)} rounds ({'; '.join(lines)}); "
        "does the text of the failure tell it to stop?"
    )


def _check_tools(tools: Any) -> None:
    if not isinstance(tools, Mapping):
        raise BadRequestError(
            'tools maps each name to a function, as in {"get_weather": get_weather}, '
            f"and this is {type(tools).__name__}"
        )
    for name, function in tools.items():
        if not isinstance(name, str) or not callable(function):
            raise BadRequestError(f"tools[{name!r:.50}] is {type(function).__name__}, no function")


def _checked(fatal: Any) -> tuple[type[BaseException], ...]:
    """Return the fatal exceptions as a tuple of classes."""
    kinds = tuple(fatal) if isinstance(fatal, Iterable) else (fatal,)
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise BadRequestError(
                f"fatal holds exception classes, such as KeyError, and {kind!r:.50} is none"
            )
    return kinds
