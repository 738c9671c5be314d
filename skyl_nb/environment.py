"""Is this machine ready for the lessons? Each check has a verdict, and says how to mend it."""

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from skyl_nb.caught import Caught
from skyl_nb.client import sandbox_client
from skyl_nb.conversation import user_text
from skyl_nb.request import Request
from skyl_nb.views import html, markdown, text
from skyl_nb.views.view import View
from skyl_nb.views.visible import shorten, visible
from skyl_nb.wires import WIRES

PACKAGE = "skyl-notebooks"
HEADERS = ("Check", "Verdict", "How to mend it")
INSTALL = "in the folder of this project: python -m pip install -e . (then restart the kernel)"


class Check(NamedTuple):
    """One check: what is looked at, whether it is fine, and how to mend it if not."""

    what: str
    fine: bool
    mend: str


class EnvironmentCheck(View):
    """The view of `check_environment`: `checks` holds what was found."""

    __slots__ = ("checks",)

    def __init__(self) -> None:
        self.checks = tuple(_checks())

    @property
    def fine(self) -> bool:
        """Whether all is as it should be."""
        return all(check.fine for check in self.checks)

    @property
    def summary(self) -> str:
        """The verdict on the whole, in a line."""
        if self.fine:
            return "✓ All is ready."
        return "✗ Something is missing: mend it from the top, then run this cell again."

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """The cells of the table, as text."""
        return [
            (check.what, "✓ fine" if check.fine else "✗ not yet", "" if check.fine else check.mend)
            for check in self.checks
        ]

    def to_html(self) -> str:
        """See `View.to_html`."""
        return f"<p>{self.summary}</p>{html.table(HEADERS, self.rows)}"

    def to_markdown(self) -> str:
        """See `View.to_markdown`."""
        return f"{self.summary}\n\n{markdown.table(HEADERS, self.rows)}"

    def to_text(self) -> str:
        """See `View.to_text`."""
        return f"{self.summary}\n\n{text.table(HEADERS, self.rows)}"


def check_environment() -> EnvironmentCheck:
    """Check whether the lessons can run here. It sends nothing over a network."""
    return EnvironmentCheck()


def _checks() -> Iterator[Check]:
    what = "The package is installed"
    try:
        python, needs = metadata(PACKAGE)["Requires-Python"], _needs()
    except PackageNotFoundError:
        yield Check(what, fine=False, mend=INSTALL)
        return
    yield Check(what, fine=True, mend="")
    new_enough = SpecifierSet(python).contains(".".join(map(str, sys.version_info[:3])))
    oldest = python.removeprefix(">=")
    yield Check(
        f"Python is {oldest} or newer", new_enough, "install a newer Python, then this package"
    )
    missing = [str(need) for need in needs if not _is_met(need)]
    what = "The packages it needs are there"
    yield Check(what, not missing, f"{INSTALL}; not there: {', '.join(missing)}")
    for wire in WIRES:
        said = _answer(wire)
        what = f"The sandbox answers as {WIRES[wire].title}"
        yield Check(what, said == "Paris", f"it said: {said}; install this package again")


def _needs() -> list[Requirement]:
    """Return what the package needs without its extras, on this machine."""
    needs = [Requirement(line) for line in requires(PACKAGE) or ()]
    return [need for need in needs if not need.marker or need.marker.evaluate({"extra": ""})]


def _is_met(need: Requirement) -> bool:
    try:
        return need.specifier.contains(version(need.name), prereleases=True)
    except PackageNotFoundError:
        return False


def _answer(wire: str) -> str:
    with Caught(Exception) as caught:
        client = sandbox_client(wire)
        question = user_text("What is the capital of France?")
        return client.complete(Request(model=client.model, messages=(question,))).text
    return visible(shorten(str(caught.error)))
