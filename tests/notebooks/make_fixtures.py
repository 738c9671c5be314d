"""Write the notebooks of this folder: one that is clean, and one that breaks each lint rule.

Each bad notebook is the clean one with one change, so that it breaks exactly the rule it is named
after. Run this file after a change; a test holds the files against it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OPENING = """\
# Read a tool result

You will learn what a model can know of a failure. It takes 5 minutes.

Mirrors the page [tool-result](https://skyl.example/reference/skyl/tool-result)."""


def good() -> dict[str, Any]:
    """Return the clean notebook, as parsed JSON."""
    return {
        "cells": [
            markdown("opening", OPENING),
            code("first-sum", "40 + 2", result("42")),
            markdown("second-part", "## The second part\n\nTime and random are words here."),
            code("print-sum", "print(40 + 2)  # not input()", printed("42\n")),
        ],
        "metadata": {
            "kernelspec": {
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def markdown(cell_id: str, source: str) -> dict[str, Any]:
    """Return a Markdown cell."""
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": lines(source)}


def code(cell_id: str, source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    """Return a code cell; its execution count is set when the notebook is written."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": cell_id,
        "metadata": {},
        "outputs": list(outputs),
        "source": lines(source),
    }


def printed(text: str, name: str = "stdout") -> dict[str, Any]:
    """Return a stream output."""
    return {"name": name, "output_type": "stream", "text": lines(text)}


def result(text: str) -> dict[str, Any]:
    """Return the output of a cell that ends in a value."""
    return {
        "data": {"text/plain": lines(text)},
        "execution_count": None,
        "metadata": {},
        "output_type": "execute_result",
    }


def raised(name: str, message: str) -> dict[str, Any]:
    """Return the output of a cell that raised."""
    return {
        "ename": name,
        "evalue": message,
        "output_type": "error",
        "traceback": [f"{name}: {message}"],
    }


def lines(text: str) -> list[str]:
    """Return text as a notebook file holds it."""
    return text.splitlines(keepends=True)


def counted(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with the execution counts of a run from top to bottom."""
    cells = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    for count, cell in enumerate(cells, start=1):
        cell["execution_count"] = count
        for output in cell["outputs"]:
            if "execution_count" in output:
                output["execution_count"] = count
    return notebook


# How each rule is broken: the clean notebook, changed.


def with_cell(source: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    """Return the clean notebook with one more code cell."""
    notebook = good()
    notebook["cells"].append(code("one-more", source, *outputs))
    return counted(notebook)


def without(text: str) -> dict[str, Any]:
    """Return the clean notebook with a text left out of its opening."""
    notebook = counted(good())
    notebook["cells"][0]["source"] = lines(OPENING.replace(text, ""))
    return notebook


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """Return the clean notebook after a change in place."""
    notebook = counted(good())
    change(notebook)
    return notebook


VIEW = "application/vnd.jupyter.widget-view+json"

BAD: dict[str, dict[str, Any] | str] = {
    "readable": "{ this is no JSON\n",
    "nbformat": changed(lambda nb: nb.update(nbformat_minor=4)),
    "schema": changed(lambda nb: nb["cells"][1].pop("outputs")),
    "cell-id": changed(lambda nb: nb["cells"][1].update(id="a1b2c3d4")),
    "cell-id-unique": changed(lambda nb: nb["cells"][3].update(id="first-sum")),
    "execution-count": changed(lambda nb: nb["cells"][3].update(execution_count=7)),
    "one-output": with_cell("print(1)\n2", printed("1\n"), result("2")),
    "output-stored": with_cell("total = 42\ntotal"),
    "widget-state": changed(lambda nb: nb["metadata"].update(widgets={})),
    "widget-view": changed(
        lambda nb: nb["cells"][1]["outputs"][0]["data"].update({VIEW: {"model_id": "slider"}})
    ),
    "stderr": with_cell("import sys\nsys.stderr.write('oh')\nNone", printed("oh", "stderr")),
    "absolute-path": with_cell("print(place)", printed("/home/ada/lessons/one.txt\n")),
    "memory-address": with_cell("object()", result("<object object at 0x7f3a5c0b1230>")),
    "time-stamp": with_cell("print(moment)", printed("2026-03-01T12:30:59\n")),
    "loopback-port": with_cell("print(url)", printed("http://127.0.0.1:49152/healthz\n")),
    "uuid": with_cell("print(name)", printed("0b6a3f2e-8f53-4c0e-9c43-6a1d3f5b7e21\n")),
    "output-widget": with_cell("import ipywidgets as w\nbox = w.Output()"),
    "interact": with_cell("from ipywidgets import interact as play\nplay(print, x=1)"),
    "clear-output": with_cell("from IPython.display import clear_output\nclear_output()"),
    "display-update": with_cell("display(1, display_id='one')", result("1")),
    "input": with_cell("name = input()"),
    "asyncio-run": with_cell("from asyncio import run as go\ngo(work())"),
    "progress-bar": with_cell("from tqdm.auto import tqdm\nsteps = tqdm([1, 2])"),
    "wall-clock": with_cell("import time as t\nt.sleep(0.1)"),
    "shell": with_cell("now = !date"),
    "untagged-error": with_cell("1 / 0", raised("ZeroDivisionError", "division by zero")),
    "randomness": with_cell("import random\nnumber = random.random()"),
    "python": with_cell("this is no Python"),
    "semicolon": with_cell("40 + 2;", result("42")),
    "cell-length": with_cell("\n".join(f"number_{n} = {n}" for n in range(26))),
    "title": changed(lambda nb: nb["cells"].append(markdown("again", "# A second title"))),
    "heading-level": changed(lambda nb: nb["cells"].append(markdown("deep", "#### Too deep"))),
    "opening-learn": without("You will learn"),
    "opening-minutes": without("5 minutes"),
    "opening-page": without("Mirrors the page"),
}


def files() -> dict[Path, str]:
    """Return the text of each fixture, by its path."""
    bad = {HERE / "bad" / f"{rule}.ipynb": text_of(notebook) for rule, notebook in BAD.items()}
    return {HERE / "good.ipynb": text_of(counted(good())), **bad}


def text_of(notebook: dict[str, Any] | str) -> str:
    """Return the text of a notebook file."""
    if isinstance(notebook, str):
        return notebook
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8", newline="\n")
