"""Code to take away: a view as a line for a cell, a request as a command for a terminal.

It is shown to be selected and copied, since no script of ours runs in a notebook.
"""

import shlex
from collections.abc import Mapping

ADDRESS = "http://127.0.0.1:8099"
"""Where `skyl-nb sandbox` serves when it is told nothing else."""

LONGEST = 20_000
"""Characters that are shown: a terminal takes no more than some ten thousand at once."""


def cell(function: str, values: Mapping[str, object]) -> str:
    """Return code for a cell that shows a view.

    Args:
        function: the name of the function that makes the view.
        values: its keyword arguments.
    """
    arguments = ", ".join([f"{name}={value!r}" for name, value in values.items()])
    return _bounded(f"import skyl_nb as skyl\n\nskyl.{function}({arguments})")


def curl(path: str, headers: Mapping[str, str], body: str) -> str:
    """Return a command for a POSIX shell that sends a request to the sandbox on this machine.

    Args:
        path: the path, with its mount.
        headers: the headers, the credential among them.
        body: the body, as JSON.
    """
    words = [f"{name}: {value}" for name, value in headers.items()]
    options = [f"-H {shlex.quote(word)}" for word in words] + [f"-d {shlex.quote(body)}"]
    return _bounded(" \\\n  ".join([f"curl -s {shlex.quote(ADDRESS + path)}", *options]))


def _bounded(code: str) -> str:
    if len(code) <= LONGEST:
        return code
    return f"# This is too long to be copied: {len(code):,} characters. Use a shorter text."
