"""The model: five rules instead of a language model, printed by `sandbox.rules()`.

It works on a small neutral view of the request, which each mount reads from its own wire, so it
knows about a failure only what that wire carried. Rules 3 to 5 are tried in order for all results
together: if one failed result forbids another attempt, or its tool is gone, the model stops for
all of them.

The cities, the words that forbid another attempt, and every sentence it says are data
(`sandbox_data/model_sheet.json`).
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress, zip_longest
from typing import Any, Literal

from skyl_nb.data import facts
from skyl_nb.sandbox.arguments import make_arguments, name_city, words
from skyl_nb.sandbox.ids import compact

Mode = Literal["auto", "none", "required"]

_SENTENCE_END = re.compile(r"[.!?;\n]")


@dataclass(frozen=True, slots=True)
class Tool:
    """A declared tool: its name and its parameters as they stand on the wire."""

    name: str
    parameters: Any = None


@dataclass(frozen=True, slots=True)
class Choice:
    """What the request says about calling: a mode, and the only tools that may be called.

    `names` is empty where all may. A tool that is forced is mode `required` with its one name.
    """

    mode: Mode = "auto"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call: the tool's name, and the arguments as JSON text."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Result:
    """A tool result, with the call that it answers.

    Attributes:
        call: what was called.
        text: what the model can read of the result, `""` for none.
        failed: whether a field of the wire says that the tool failed.
    """

    call: ToolUse
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """What the model sees of a request.

    Attributes:
        prompt: the last text of the user, `""` if there is none.
        tools: the declared tools, in order.
        choice: the tool choice.
        results: the tool results, if they come last; else empty.
    """

    prompt: str = ""
    tools: tuple[Tool, ...] = ()
    choice: Choice = Choice()
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model answers: a text, or calls.

    Attributes:
        text: the text, `""` for none.
        calls: the calls, in order.
        acts: what it did, by the names in `acts` of the sheet, each once.
    """

    text: str = ""
    calls: tuple[ToolUse, ...] = ()
    acts: tuple[str, ...] = ()


def answer(view: View) -> Answer:
    """Answer a request by the sheet; the same view always gets the same answer."""
    return _after_results(view) if view.results else _at_first(view)


def plain() -> str:
    """Return what the model says when it knows nothing better."""
    return _say("plain")


def sheet() -> str:
    """Return the rules as text, to be printed."""
    stop = _sheet()["stop"]
    lists = {name: _or(stop[name]) for name in ("forbids", "what", "phrases")}
    lists |= {"cities": ", ".join(_sheet()["cities"]), "unless": stop["unless"]}
    rules = [rule.format(**lists) for rule in _sheet()["rules"]]
    numbered = [f"{number}. {rule}" for number, rule in enumerate(rules, 1)]
    return "\n".join([_sheet()["title"], "", *numbered])


def _or(words: Sequence[str]) -> str:
    """Write words as a reader says them: `a, b or c`."""
    *some, last = words
    return f"{', '.join(some)} or {last}" if some else last


def joined(texts: Iterable[Any]) -> str:
    """Join the texts of one message or result as the model reads them, without what is none."""
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _sheet() -> dict[str, Any]:
    found: dict[str, Any] = facts("model_sheet.json")
    return found


def _say(name: str, **values: str) -> str:
    return str(_sheet()["answers"][name]).format(**values)


# Rule 1: no results


def _at_first(view: View) -> Answer:
    tool = _wanted_tool(view)
    if tool is not None:
        return Answer(calls=tuple(_calls(tool, view.prompt)), acts=("calls",))
    prompt = " ".join(view.prompt.lower().split())
    for question in _sheet()["questions"]:
        if any(asked in prompt for asked in question["asks"]):
            return Answer(question["answer"], acts=("answers",))
    return Answer(_say("plain"), acts=("answers",))


def _wanted_tool(view: View) -> Tool | None:
    """Return the tool to call: the one that the prompt names, else the first if one is demanded."""
    names = view.choice.names
    allowed = [tool for tool in view.tools if tool.name and (not names or tool.name in names)]
    if view.choice.mode == "none" or not allowed:
        return None
    whole = (tool for tool in allowed if _has(view.prompt, tool.name))
    partly = (tool for tool in allowed if any(_has(view.prompt, word) for word in _telling(tool)))
    first = allowed[0] if view.choice.mode == "required" else None
    return next(whole, None) or next(partly, None) or first


def _telling(tool: Tool) -> list[str]:
    return [word for word in words(tool.name) if len(word) >= 4]


def _has(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _calls(tool: Tool, prompt: str) -> list[ToolUse]:
    named = (name_city(tool.parameters, city) for city in _cities(tool, prompt))
    made = [arguments for arguments in named if arguments is not None]
    made = made or [make_arguments(tool.parameters)]
    return [ToolUse(tool.name, compact(arguments)) for arguments in made]


def _cities(tool: Tool, prompt: str) -> Sequence[str]:
    """Return the known cities in the order in which the prompt names them, or the default."""
    found = {city: re.search(rf"(?<!\w){city}(?!\w)", prompt, re.I) for city in _sheet()["cities"]}
    places = {city: match.start() for city, match in found.items() if match}
    if not places and not {*_sheet()["default_city_tools"]}.isdisjoint(words(tool.name)):
        return [_sheet()["default_city"]]
    return sorted(places, key=lambda city: places[city])


# Rules 2 to 5: results


def _after_results(view: View) -> Answer:
    failures = [_has_failed(result) for result in view.results]
    failed = list(compress(view.results, failures))
    declared = {tool.name for tool in view.tools}
    over = [one for one in failed if _forbids(one.text) or one.call.name not in declared]
    if failed and not over and view.choice.mode != "none":
        calls = tuple(result.call for result in failed)
        return Answer(calls=calls, acts=("calls-again",))
    told = [_tell(one) for one, fails in zip(view.results, failures, strict=True) if not fails]
    if failed:
        tools = ", ".join(dict.fromkeys(result.call.name for result in failed))
        told.append(("gives-up", _say("unavailable", tools=tools)))
    acts = dict.fromkeys(act for act, _ in told)
    return Answer("\n".join([text for _, text in told]), acts=tuple(acts))


def explained(acts: Iterable[str]) -> str:
    """Return what the model did, and why, in one sentence for each act."""
    return " ".join(_sheet()["acts"][act] for act in acts)


def _has_failed(result: Result) -> bool:
    if result.failed or result.text.lstrip().lower().startswith("error"):
        return True
    said = _read(result.text)
    return isinstance(said, dict) and said.get("error") is not None


def _tell(result: Result) -> tuple[str, str]:
    """Return what the model does with a success, and what it says."""
    if result.text.strip():
        return "quotes", _say("quote", texts=result.text)
    return "makes-up", _say("made_up", tool=result.call.name)


def _forbids(text: str) -> bool:
    """Say whether a text forbids another attempt; of JSON, whether one of its strings does."""
    said = _read(text)
    return any(_forbids_plainly(one) for one in (text, *_strings(said)))


def _strings(value: Any) -> Iterator[str]:
    """Yield every string in parsed JSON, however deep."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _read(text: str) -> Any:
    """Return what a text says if it is JSON of a kind that can hold strings, else None."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@cache
def _forbidding() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what forbids another attempt, and what takes that back later in the sentence."""
    stop = _sheet()["stop"]
    forbids, what, phrases = (_any_of(stop[name]) for name in ("forbids", "what", "phrases"))
    forbids = forbids.replace("'", f"[{stop['apostrophes']}]")
    forbidding = rf"\b(?:{forbids}\s+{what}|{phrases})\b"
    unless = rf"\b{_spaced(stop['unless'])}\b"
    return re.compile(forbidding, re.IGNORECASE), re.compile(unless, re.IGNORECASE)


def _forbids_plainly(text: str) -> bool:
    """Say whether words that forbid stand in a sentence without an exception after them.

    Of several such words in one sentence the last decides: what takes it back takes back all. So
    each piece of the text is looked at once, however long it is.
    """
    forbidding, unless = _forbidding()
    found = list(forbidding.finditer(text))
    for match, following in zip_longest(found, found[1:]):
        until = following.start() if following else len(text)
        end = _SENTENCE_END.search(text, match.end(), until)
        if following and not end:
            continue
        if not unless.search(text, match.end(), end.start() if end else until):
            return True
    return False


def _any_of(phrases: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(_spaced, phrases))})"


def _spaced(phrase: str) -> str:
    return r"\s+".join(phrase.split())
