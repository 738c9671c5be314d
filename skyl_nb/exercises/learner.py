"""A learner's code: found, called and stopped, with whatever it does taken as data.

A function that never ends is stopped by the number of its steps, not by time: the same code gets
the same verdict on every machine. Only steps in the learner's own code count, and only there is it
stopped: a library may take many steps (an import does), and may hold a lock that others need.
"""

import ast
import os
import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from inspect import iscoroutine, isgenerator, signature
from pathlib import Path
from threading import Event, Thread
from types import CodeType, FrameType, FunctionType
from typing import Any

from skyl_nb.caught import Caught
from skyl_nb.views.visible import shorten, visible

MOST_STEPS = 200_000
"""Instructions that one call may take in the learner's own code, helper functions included."""

SOURCE_NAME = "<your answer>"

_FOLDERS = (
    str(Path(__file__).parents[1]),
    *(sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")),
)
LIBRARIES = ("<frozen ", *(f"{folder}{os.sep}" for folder in _FOLDERS))
"""What a library's files begin with: Python's own, an installed one, this package."""

HAS_THREADS = sys.platform != "emscripten"
"""Python in a browser has none."""


class LearnersError(Exception):
    """The learner's code stopped; the message says where, why, and how to mend it."""


class _TooManyStepsError(BaseException):
    """Not an Exception, so that `except Exception` in a loop does not swallow it."""


def function_named(name: str, answer: Any) -> Callable[..., Any]:
    """Return a learner's function, given as such or as the text that defines it.

    Raises:
        LearnersError: the text is no Python, or defines no such function; or it is no function.
    """
    if isinstance(answer, str):
        answer = _defined(name, answer)
    if not callable(answer):
        kind = type(answer).__name__
        raise LearnersError(
            f"The answer is {kind}, and a function is needed. Write check({name}), without "
            "brackets after the name."
        )
    function: Callable[..., Any] = answer
    return function


def _defined(name: str, source: str) -> Any:
    names: dict[str, Any] = {}
    with Caught(BaseException) as caught:
        _bounded(FunctionType(compile(source, SOURCE_NAME, "exec"), names), ())
        if name in names:
            return names[name]
        raise LearnersError(f"The text defines no function called {name}.")
    raise _told(caught.error, SOURCE_NAME)


def same_code(answer: Any, source: str, name: str) -> bool:
    """Say whether an answer is the code of `source`, however it is laid out and commented."""
    if isinstance(answer, str):
        with Caught(SyntaxError, ValueError, RecursionError):
            return ast.dump(ast.parse(answer)) == ast.dump(ast.parse(source))
        return False
    if not isinstance(answer, FunctionType):
        return False
    starter = _defined(name, source).__code__
    return _essence(answer.__code__) == _essence(starter)


def _essence(code: CodeType) -> tuple[Any, ...]:
    constants = [repr(one) for one in code.co_consts if not isinstance(one, CodeType)]
    return code.co_code, code.co_names, code.co_argcount, constants


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a learner's function.

    Raises:
        LearnersError: it takes other arguments, raises, or takes too many steps.
    """
    name = getattr(function, "__name__", "the function")
    with Caught(TypeError, ValueError):
        taken = signature(function)
        try:
            taken.bind(*arguments)
        except TypeError:
            raise LearnersError(
                f"{name}{visible(str(taken))} cannot be called with {len(arguments)} arguments. "
                "Keep the first line of the starter as it is."
            ) from None
    with Caught(BaseException) as caught:
        value = _bounded(function, arguments)
        _check_is_ordinary(name, value)
        return value
    raise _told(caught.error, _file_of(function)) from caught.error


def _check_is_ordinary(name: str, value: Any) -> None:
    """Raise LearnersError if a function returned the promise of a value."""
    if iscoroutine(value):
        value.close()
        raise LearnersError(f"{name} is async. Write def, without async before it.")
    if isgenerator(value):
        raise LearnersError(f"{name} holds yield, so it returns no value. Write return instead.")


def _bounded(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function; once it has taken too many steps, raise here and leave it behind.

    It runs in a thread, which then waits for ever: an exception raised inside it would be caught
    by a loop that catches everything. Where there are no threads, it is raised inside.
    """
    left = MOST_STEPS
    done: Future[Any] = Future()

    def enter(frame: FrameType, event: str, value: Any) -> Any:
        return None if _is_foreign(frame) else step(frame, event, value)

    def step(frame: FrameType, _: str, __: Any) -> Any:
        nonlocal left
        left -= 1
        frame.f_trace_opcodes = True  # a loop on one line has no other events
        if left < 0:
            if not HAS_THREADS:
                raise _TooManyStepsError
            if not done.done():
                done.set_exception(_TooManyStepsError())
            Event().wait()
        return step

    def run() -> None:
        with Caught(BaseException) as caught:
            done.set_result(_traced(function, arguments, enter))
            return
        done.set_exception(caught.error)

    if HAS_THREADS:
        Thread(target=copy_context().run, args=(run,), daemon=True).start()
    else:
        run()
    try:
        return done.result()
    finally:
        left = 0  # if we are interrupted here, the thread stops at its next step


def _is_foreign(frame: FrameType) -> bool:
    """Say whether a library's code is entered. Code made on the way is that of who calls it."""
    while frame.f_code.co_filename == "<string>" and frame.f_back is not None:
        if frame.f_back.f_code is _traced.__code__:
            return False
        frame = frame.f_back
    return frame.f_code.co_filename.startswith(LIBRARIES)


def _traced(function: Callable[..., Any], arguments: tuple[Any, ...], trace: Any) -> Any:
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return function(*arguments)
    finally:
        sys.settrace(before)


def _file_of(function: Callable[..., Any]) -> str:
    code = getattr(function, "__code__", None)
    return code.co_filename if isinstance(code, CodeType) else ""


def _told(error: BaseException, file: str) -> BaseException:
    """Return what to raise for an error in a learner's code; pressing stop stays what it is."""
    if isinstance(error, KeyboardInterrupt | LearnersError):
        return error
    if isinstance(error, _TooManyStepsError):
        return LearnersError(
            f"It was stopped after {MOST_STEPS:,} steps: does it hold a loop that never ends? "
            "Look at what should end it."
        )
    if isinstance(error, RecursionError):
        return LearnersError("It calls itself without an end. Look at what should end that.")
    line = _line(error, file)
    where = f" in line {line}" if line else ""
    return LearnersError(f"It raised {described(error)}{where}. Mend that, then check again.")


def _line(error: BaseException, file: str) -> int:
    """Return the line of the learner's cell or text where an error arose, 0 if it is unknown."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 0
    found, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def described(error: BaseException) -> str:
    """Return an exception's class and text, also where its text cannot be had."""
    kind = type(error).__name__
    with Caught(Exception, SystemExit):
        text = visible(shorten(" ".join(str(error).split())))
        return f"{kind}: {text}" if text else kind
    return kind
