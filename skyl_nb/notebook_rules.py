"""What a notebook of this project must be like: a table of rules, each a small function.

A stored output is compared, character by character, with a new run on another machine (nbval). So
whatever can differ there is refused: times, paths, addresses, random ids, redrawn outputs (REPORTS
96 to 110). The other rules are for the reader: one idea a cell, and an opening that says what is
learnt, in how many minutes, and which page is mirrored.

`SHAPE_RULES` look at parsed JSON of any kind, and the first that finds something ends the check. So
the `RULES` after them can rely on the shape, and get a `Notebook`. To add a rule, write a function
that yields (cell id, message) and add its row; tests/notebooks needs one notebook that breaks it.
A message says what is wrong and how to fix it.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import mistune
from nbformat.validator import iter_validate

from skyl_nb import notebook_code
from skyl_nb.notebook_code import Code

MAX_LINES = 25  # of a code cell; more is more than one idea

Problem = tuple[str, str]
"""A cell's id (`""` for the notebook as a whole) and a message."""


@dataclass(frozen=True)
class Cell:
    """A cell, with its text in one piece. `code` is None in a code cell that is no valid Python."""

    id: str
    kind: str
    source: str
    tags: frozenset[str]
    count: int | None
    outputs: tuple[dict[str, Any], ...]
    code: Code | None
    uses: frozenset[str]

    @cached_property
    def headings(self) -> list[tuple[int, str]]:
        """The (level, text) of each heading of a Markdown cell."""
        return _headings(self.source) if self.kind == "markdown" else []


@dataclass(frozen=True)
class Notebook:
    """A notebook of the right shape."""

    metadata: dict[str, Any]
    cells: tuple[Cell, ...]

    @property
    def code_cells(self) -> list[Cell]:
        """The cells that hold code, or outputs; blank ones are never run."""
        return [
            cell
            for cell in self.cells
            if cell.kind == "code" and (cell.source.strip() or cell.outputs)
        ]


@dataclass(frozen=True)
class ShapeRule:
    """Why a shape is asked for, and what finds its faults in parsed JSON of any kind."""

    why: str
    check: Callable[[Any], Iterable[Problem]]


@dataclass(frozen=True)
class Rule:
    """Why something is asked of a notebook, and what finds the faults."""

    why: str
    check: Callable[[Notebook], Iterable[Problem]]


def reasons() -> dict[str, str]:
    """Return why each rule is there, by its name."""
    shapes = {name: rule.why for name, rule in SHAPE_RULES.items()}
    return shapes | {name: rule.why for name, rule in RULES.items()}


def problems(raw: Any) -> Iterator[tuple[str, str, str]]:
    """Yield (rule, cell id, message) for each fault of a notebook.

    Args:
        raw: parsed JSON of any kind.
    """
    faults = list(shape_problems(raw))
    if faults:
        yield from faults
        return
    notebook = _notebook(raw)
    for name, rule in RULES.items():
        yield from ((name, *problem) for problem in rule.check(notebook))


def shape_problems(raw: Any) -> Iterator[tuple[str, str, str]]:
    """Yield (rule, cell id, message) for each fault of the first shape rule that finds one."""
    for name, rule in SHAPE_RULES.items():
        faults = [(name, *problem) for problem in rule.check(raw)]
        if faults:
            yield from faults
            return


# The shape.


def _is_notebook(raw: Any) -> Iterator[Problem]:
    if not isinstance(raw, dict) or not {"nbformat", "cells"} <= raw.keys():
        yield "", "this is JSON but no notebook; save it from JupyterLab again"


def _version(raw: dict[str, Any]) -> Iterator[Problem]:
    version, minor = raw["nbformat"], raw.get("nbformat_minor")
    if (version, minor) != (4, 5):
        yield (
            "",
            f"the notebook format is {version}.{minor}, not 4.5; save it from JupyterLab again",
        )


def _schema(raw: dict[str, Any]) -> Iterator[Problem]:
    try:
        errors = list(iter_validate(raw, version=4, version_minor=5))
    except TypeError:  # nbformat words a fault by the cell's type, and fails if that is no text
        yield "", "a cell has a type that is no text; save the notebook from JupyterLab again"
        return
    for error in errors:
        place = "/".join(str(step) for step in error.absolute_path) or "the top"
        fault = error.message if len(error.message) < 200 else "this is not allowed here"
        yield "", f"at {place}: {fault}; fix it there, or save it from JupyterLab again"


SHAPE_RULES: dict[str, ShapeRule] = {
    "readable": ShapeRule("a file that is no notebook teaches nobody", _is_notebook),
    "nbformat": ShapeRule("only format 4.5 keeps cell ids (REPORTS 109)", _version),
    "schema": ShapeRule("GitHub shows nothing of a notebook that breaks the schema", _schema),
}


def _notebook(raw: dict[str, Any]) -> Notebook:
    names = notebook_code.Names()
    return Notebook(raw["metadata"], tuple(_cell(cell, names) for cell in raw["cells"]))


def _cell(raw: dict[str, Any], names: notebook_code.Names) -> Cell:
    source = joined(raw["source"])
    code = notebook_code.parse(source) if raw["cell_type"] == "code" else None
    return Cell(
        id=raw["id"],
        kind=raw["cell_type"],
        source=source,
        tags=frozenset(raw["metadata"].get("tags", [])),
        count=raw.get("execution_count"),
        outputs=tuple(raw.get("outputs", [])),
        code=code,
        uses=notebook_code.uses(code, names) if code else frozenset(),
    )


def joined(text: str | list[str]) -> str:
    """Return text that a notebook file may hold as a list of its lines, in one piece."""
    return text if isinstance(text, str) else "".join(text)


# Ids, counts and outputs.

# Words and numbers joined by `-`. What tools make up has digits amid its letters, or is 8 hex
# digits.
_HAND_WRITTEN = re.compile(r"[a-z]+[0-9]*(-([a-z]+[0-9]*|[0-9]+))*")
_MADE_UP = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8}")


def _id_is_hand_written(notebook: Notebook) -> Iterator[Problem]:
    for cell in notebook.cells:
        if not _HAND_WRITTEN.fullmatch(cell.id) or _MADE_UP.fullmatch(cell.id):
            yield (
                cell.id,
                "this id is not hand-written; say the cell's idea in words, such as signal-table",
            )


def _id_is_unique(notebook: Notebook) -> Iterator[Problem]:
    ids = [cell.id for cell in notebook.cells]
    for cell_id in dict.fromkeys(ids):
        if ids.count(cell_id) > 1:
            yield cell_id, f"{ids.count(cell_id)} cells have this id; give each its own"


def _counts_run_from_one(notebook: Notebook) -> Iterator[Problem]:
    for expected, cell in enumerate(notebook.code_cells, start=1):
        shown = [o["execution_count"] for o in cell.outputs if "execution_count" in o]
        if any(count != expected for count in (cell.count, *shown)):
            yield (
                cell.id,
                f"the execution count is {cell.count}, not {expected}; run skyl-nb rebuild",
            )


def _has_one_output(notebook: Notebook) -> Iterator[Problem]:
    for cell in notebook.code_cells:
        if len(cell.outputs) > 1:
            yield (
                cell.id,
                f"the cell has {len(cell.outputs)} outputs; split it so that each cell shows one",
            )


def _has_its_output(notebook: Notebook) -> Iterator[Problem]:
    for cell in notebook.code_cells:
        if cell.code and notebook_code.shows_something(cell.code) and not cell.outputs:
            yield (
                cell.id,
                "the cell shows something but no output is stored; run skyl-nb rebuild",
            )


def _no_widget_state(notebook: Notebook) -> Iterator[Problem]:
    if "widgets" in notebook.metadata:
        yield "", "metadata.widgets is stored; run skyl-nb rebuild, which leaves it out"


def _no_widget_view(notebook: Notebook) -> Iterator[Problem]:
    for cell in notebook.code_cells:
        if any(is_widget_mime(mime) for output in cell.outputs for mime in output.get("data", {})):
            yield cell.id, "a widget view is stored; run skyl-nb rebuild, which leaves it out"


def _no_untagged_error(notebook: Notebook) -> Iterator[Problem]:
    for cell in notebook.code_cells:
        raised = any(output.get("output_type") == "error" for output in cell.outputs)
        if raised and "raises-exception" not in cell.tags:
            yield (
                cell.id,
                "an error is stored; fix the code, or tag the cell raises-exception",
            )


def _no_stderr(notebook: Notebook) -> Iterator[Problem]:
    for cell in notebook.code_cells:
        if any(output.get("name") == "stderr" for output in cell.outputs):
            yield (
                cell.id,
                "an output went to stderr; fix the warning, or print what it says to stdout",
            )


def is_widget_mime(mime: str) -> bool:
    """Tell whether a MIME type is a widget's view or state, which no other kernel can show."""
    return mime.startswith("application/vnd.jupyter.widget-")


# What a stored output must not hold, since it differs on the next run or machine: a name for the
# reader, and the pattern. A date alone is allowed: providers use dates as versions.
_POSIX_ROOTS = (
    "home|work|workspace|nix|builds|Users|root|tmp|usr|var|opt|etc|mnt|srv|private|Library|"
    "Applications"
)
_UNSTABLE = {
    "absolute-path": (
        "an absolute path",
        re.compile(
            rf"(?:file://|(?<![\w./:]))/(?:{_POSIX_ROOTS})/[^\s'\"<>]+"
            r"|(?<!\w)[A-Za-z]:(?:\\{2}|\\(?![nrt])|/)[\w .-]+[\\/][^\s'\"<>]*"
        ),
    ),
    "memory-address": ("a memory address", re.compile(r"\bat 0x[0-9A-Fa-f]+")),
    "time-stamp": (
        "a time",
        re.compile(
            r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d{1,2}:\d\d:\d\d\b|\bdatetime\.(?:date)?(?:time)?\("
        ),
    ),
    "loopback-port": (
        "a port of this machine",
        re.compile(r"(?:127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1\]):\d+"),
    ),
    "uuid": (
        "a random id",
        re.compile(r"\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b"),
    ),
}


def _no_unstable(notebook: Notebook, *, what: str, pattern: re.Pattern[str]) -> Iterator[Problem]:
    for cell in notebook.code_cells:
        found = next(filter(None, map(pattern.search, _stored_texts(cell))), None)
        if found:
            yield (
                cell.id,
                f"the output holds {what} ({found.group()[:60]}); show what is the same everywhere",
            )


def _stored_texts(cell: Cell) -> Iterator[str]:
    for output in cell.outputs:
        for key in ("text", "evalue", "traceback"):
            yield joined(output.get(key, ""))
        for mime, value in output.get("data", {}).items():
            if _is_text(mime):
                yield from _strings(value)


def _is_text(mime: str) -> bool:
    return mime.startswith(("text/", "application/")) or mime == "image/svg+xml"


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings of a JSON value, its keys as well; a list of strings counts as one text."""
    match value:
        case str():
            yield value
        case list():
            if all(isinstance(item, str) for item in value):
                yield "".join(value)
            else:
                for item in value:
                    yield from _strings(item)
        case dict():
            for key, item in value.items():
                yield key
                yield from _strings(item)


# Code that cannot give the same output twice, or that nbval cannot follow.


@dataclass(frozen=True)
class Ban:
    """A banned use: any name of `parts` in the package `root`, or the whole package without."""

    root: str
    parts: frozenset[str] = frozenset()

    def matches(self, use: str) -> bool:
        """Tell whether a dotted name is this use."""
        root, *rest = use.split(".")
        return root == self.root and (not self.parts or not self.parts.isdisjoint(rest))


def _ban(root: str, parts: str = "") -> Ban:
    return Ban(root, frozenset(parts.split()))


# Rule, why, what to do instead, and the uses.
_BANS: tuple[tuple[str, str, str, tuple[Ban, ...]], ...] = (
    (
        "output-widget",
        "nbval does not see what an Output widget shows (REPORTS 100)",
        "return the value, or print it",
        (_ban("ipywidgets", "Output"),),
    ),
    (
        "interact",
        "interact draws twice, and nbval counts the outputs (REPORTS 100)",
        "use a view of skyl_nb, or plain functions",
        (_ban("ipywidgets", "interact interactive interact_manual interactive_output"),),
    ),
    (
        "clear-output",
        "nbval keeps what was cleared (REPORTS 99)",
        "show the final result only",
        (_ban("IPython", "clear_output"), _ban("ipywidgets", "clear_output")),
    ),
    (
        "display-update",
        "nbval keeps what was updated as well (REPORTS 99)",
        "show the final result only",
        (_ban("IPython", "update_display DisplayHandle display_id display_handle"),),
    ),
    (
        "input",
        "no test can answer a prompt (REPORTS 107)",
        "write the value in the cell, so that a learner can change it",
        (_ban("builtins", "input"), _ban("getpass"), _ban("sys", "stdin")),
    ),
    (
        "asyncio-run",
        "a notebook has a running event loop (REPORTS 108)",
        "write await in the cell",
        (_ban("asyncio", "run Runner"),),
    ),
    (
        "progress-bar",
        "a progress bar shows times and redraws itself (REPORTS 97)",
        "leave it out: a cell takes under a second",
        (
            _ban("tqdm"),
            _ban("alive_progress"),
            _ban("progressbar"),
            _ban("rich", "progress"),
            _ban("ipywidgets", "IntProgress FloatProgress"),
        ),
    ),
    (
        "wall-clock",
        "a time differs on every run",
        "leave the time out, or use a fixed one",
        (
            _ban(
                "time",
                "clock_gettime clock_gettime_ns thread_time_ns time time_ns perf_counter "
                "perf_counter_ns monotonic monotonic_ns process_time "
                "process_time_ns thread_time sleep localtime gmtime ctime asctime strftime",
            ),
            _ban("timeit"),
            _ban("datetime", "now today utcnow"),
            _ban("pandas", "now today"),
            _ban("magic", "time timeit"),
        ),
    ),
    (
        "shell",
        "what a shell prints differs between machines, and %%capture hides outputs",
        "write it in Python",
        (_ban("magic", "! bash sh script sx system cmd run capture javascript js"),),
    ),
    (
        "randomness",
        "a random value differs on every run",
        "write fixed values",
        (
            _ban("random"),
            _ban("secrets"),
            _ban("uuid", "uuid1 uuid4 uuid6 uuid7"),
            _ban("os", "urandom"),
            _ban("numpy", "random"),
        ),
    ),
)


def _no_use(notebook: Notebook, *, bans: tuple[Ban, ...], instead: str) -> Iterator[Problem]:
    for cell in notebook.code_cells:
        found = [use for use in sorted(cell.uses) if any(ban.matches(use) for ban in bans)]
        # `random.choice` says it all; the `random` before its dot is no news.
        told = [use for use in found if not any(more.startswith(f"{use}.") for more in found)]
        if told:
            yield cell.id, f"the code uses {', '.join(map(_spoken, told))}; {instead}"


# How a reader knows what has no dotted name of its own.
_SPOKEN = {
    "magic.": "%",
    "builtins.": "",
    "IPython.display_id": "display(display_id=...)",
    "IPython.display_handle": "a display's handle",
}


def _spoken(use: str) -> str:
    for name, words in _SPOKEN.items():
        if use.startswith(name):
            return words + use.removeprefix(name)
    return use


def _is_python(notebook: Notebook) -> Iterator[Problem]:
    for cell in notebook.code_cells:
        if cell.code is None and "raises-exception" not in cell.tags:
            yield (
                cell.id,
                "the code is no valid Python; fix it, or tag the cell raises-exception",
            )


def _no_semicolon(notebook: Notebook) -> Iterator[Problem]:
    for cell in notebook.code_cells:
        if cell.code and notebook_code.has_trailing_semicolon(cell.code):
            yield cell.id, "a line ends in ;, which hides the output; leave the ; out"


def _is_short(notebook: Notebook) -> Iterator[Problem]:
    for cell in notebook.code_cells:
        lines = len(cell.source.splitlines())
        if lines > MAX_LINES:
            yield (
                cell.id,
                f"the cell has {lines} lines, more than {MAX_LINES}; split it: one idea a cell",
            )


# The text.

_markdown = mistune.create_markdown(renderer=None)
_LEARN = "you will learn"
_MINUTES = re.compile(r"\b\d+\s+minutes\b", re.IGNORECASE)
_PAGE_PATH = re.compile(r"[a-z][\w-]*/[a-z][\w-]*", re.IGNORECASE)
_NO_PAGE = "mirrors no page"
_PAGE_WORD = re.compile(r"\b(page|mirrors)\b", re.IGNORECASE)


def _headings(source: str) -> list[tuple[int, str]]:
    return list(_headings_of(_markdown(source)))


def _headings_of(tokens: Any) -> Iterator[tuple[int, str]]:
    """Yield (level, text) of the headings in Mistune's tokens, those inside quotes as well."""
    for token in tokens:
        if token["type"] == "heading":
            yield token["attrs"]["level"], "".join(_strings(token["children"]))
        else:
            yield from _headings_of(token.get("children", []))


def _has_one_title(notebook: Notebook) -> Iterator[Problem]:
    first = notebook.cells[0] if notebook.cells else None
    titles = [cell for cell in notebook.cells for level, _ in cell.headings if level == 1]
    if first is None or first not in titles:
        yield (
            first.id if first else "",
            "the notebook does not begin with its title; put a heading of level 1 first",
        )
    for cell in titles[1:]:
        yield cell.id, "a second heading of level 1; use level 2 for a section"


def _levels_do_not_skip(notebook: Notebook) -> Iterator[Problem]:
    headings = [(cell.id, *heading) for cell in notebook.cells for heading in cell.headings]
    for (_, before, _), (cell_id, level, _) in itertools.pairwise(headings):
        if level > before + 1:
            yield (
                cell_id,
                f"a heading of level {level} follows one of level {before}; use {before + 1}",
            )


def _opening(notebook: Notebook) -> str:
    """Return the text before the first code and the first section.

    What you will learn may be a section of its own: it still belongs to the opening.
    """
    text = ""
    for index, cell in enumerate(notebook.cells):
        sections = [text for level, text in cell.headings if level > 1]
        starts_section = any(_LEARN not in section.casefold() for section in sections)
        if cell.kind != "markdown" or (index and starts_section):
            break
        text += cell.source + "\n"
    return text


def _opening_says(
    notebook: Notebook, *, said: Callable[[str], bool], missing: str
) -> Iterator[Problem]:
    if not said(_opening(notebook)):
        yield notebook.cells[0].id if notebook.cells else "", f"the opening does not say {missing}"


def _says_learn(text: str) -> bool:
    return _LEARN in text.casefold()


def _says_minutes(text: str) -> bool:
    return bool(_MINUTES.search(text))


def _says_page(text: str) -> bool:
    return bool(_PAGE_PATH.search(text) and _PAGE_WORD.search(text)) or _NO_PAGE in text.lower()


RULES: dict[str, Rule] = {
    "cell-id": Rule("a hand-written id says what a cell is for", _id_is_hand_written),
    "cell-id-unique": Rule("an id names one cell", _id_is_unique),
    "execution-count": Rule("counts 1..n prove a run from top to bottom", _counts_run_from_one),
    "one-output": Rule("one idea a cell", _has_one_output),
    "output-stored": Rule("a reader on GitHub sees the stored outputs only", _has_its_output),
    "widget-state": Rule("GitHub refuses some of them as invalid (REPORTS 96)", _no_widget_state),
    "widget-view": Rule("without a kernel it shows an error (REPORTS 102)", _no_widget_view),
    "untagged-error": Rule("nobody knows if it was meant", _no_untagged_error),
    "stderr": Rule("warnings hold paths and fail every new run (REPORTS 98)", _no_stderr),
    **{
        rule: Rule(
            f"{what} differs on the next run (REPORTS 110)",
            partial(_no_unstable, what=what, pattern=pattern),
        )
        for rule, (what, pattern) in _UNSTABLE.items()
    },
    **{
        rule: Rule(why, partial(_no_use, bans=bans, instead=instead))
        for rule, why, instead, bans in _BANS
    },
    "python": Rule("a learner must be able to run each cell", _is_python),
    "semicolon": Rule("a hidden output is an output that nobody compares", _no_semicolon),
    "cell-length": Rule("one idea a cell", _is_short),
    "title": Rule("a reader must know where they are", _has_one_title),
    "heading-level": Rule("screen readers move by heading level", _levels_do_not_skip),
    "opening-learn": Rule(
        "a learner decides by it",
        partial(
            _opening_says,
            said=_says_learn,
            missing="what is learnt; add a line or heading 'You will learn'",
        ),
    ),
    "opening-minutes": Rule(
        "a workshop is planned by it",
        partial(
            _opening_says,
            said=_says_minutes,
            missing="how long it takes; add it, such as '20 minutes'",
        ),
    ),
    "opening-page": Rule(
        "the page and the notebook are read together",
        partial(
            _opening_says,
            said=_says_page,
            missing="which page it mirrors; add a line such as 'Mirrors the page "
            "reference/skyl/tool-result', or 'mirrors no page'",
        ),
    ),
}
