"""Our own notebooks: find them, rebuild them, and lint them by the rules of `notebook_rules`.

`rebuild` runs a notebook and stores its outputs in one normal form, so that running it twice gives
the same bytes and a diff shows only what a learner would see change. What the kernel adds and no
reader needs is left out: versions, widget state, call stacks.

The kernel is the Python that runs us, whatever kernels are installed beside it. A notebook is
written whole or not at all: an interruption must never cost a learner their work.
"""

import asyncio
import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from skyl_nb.errors import SkylError
from skyl_nb.notebook_rules import is_widget_mime, joined, problems, shape_problems

CELL_SECONDS = 60  # a cell that takes longer hangs; pyproject gives nbval the same limit
SLOW_SECONDS = 1.0
DEEPEST = 100  # levels of JSON, far below what Python's own call stack takes
START_SECONDS = 60

_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Finding:
    """One broken rule. `cell_id` is `""` when the notebook as a whole breaks it."""

    path: str
    cell_id: str
    rule: str
    message: str

    def __str__(self) -> str:
        where = f"{self.path}:{self.cell_id}" if self.cell_id else self.path
        return f"{where}: {self.rule}: {self.message}"


@dataclass(frozen=True)
class Rebuilt:
    """What a rebuild did, or would do: `slow` holds (cell id, seconds) of cells above a second."""

    path: Path
    changed: bool
    slow: tuple[tuple[str, float], ...]


def find(paths: Iterable[str | Path]) -> list[Path]:
    """Return the notebooks among `paths`, sorted; folders are walked, hidden ones left out.

    Raises:
        SkylError: a path does not exist or is no notebook, or a folder holds none.
    """
    return sorted({notebook for path in paths for notebook in _find_one(Path(path))})


def _find_one(path: Path) -> list[Path]:
    if path.is_file():
        if path.suffix != ".ipynb":
            raise SkylError(f"{path} is no notebook: its name does not end in .ipynb")
        return [path]
    if not path.is_dir():
        raise SkylError(f"there is no file or folder {path}")
    found = [
        notebook
        for notebook in path.rglob("*.ipynb")
        if notebook.is_file() and not _is_hidden(notebook.relative_to(path))
    ]
    if not found:
        raise SkylError(f"the folder {path} holds no notebook (.ipynb)")
    return found


def _is_hidden(path: Path) -> bool:
    """Tell whether a path leads through a hidden folder, such as .ipynb_checkpoints."""
    return any(part.startswith(".") for part in path.parts)


def lint(notebook: str | Path | Any) -> list[Finding]:
    """Return what is wrong with a notebook by the rules of `notebook_rules`.

    Args:
        notebook: a path, or a notebook as parsed JSON.

    Returns:
        A finding for each fault; a file that cannot be read is one finding of the rule `readable`.
    """
    is_file = isinstance(notebook, str | Path)
    path = str(notebook) if is_file else "notebook"
    try:
        raw = _parsed(_bytes(Path(notebook))) if is_file else notebook
        _check_json(raw)
        return _findings(path, raw)
    except _UnreadableError as error:
        return [Finding(path, "", "readable", error.message)]


def _findings(path: str, raw: Any) -> list[Finding]:
    return [Finding(path, cell_id, rule, message) for rule, cell_id, message in problems(raw)]


def rebuild(path: str | Path, check: bool = False, timeout: int = CELL_SECONDS) -> Rebuilt:
    """Run a notebook and store its outputs in the normal form.

    Args:
        path: the notebook. Its folder is the working directory of its code.
        check: write nothing, only say whether something would change.
        timeout: the seconds that one cell may take.

    Raises:
        SkylError: the file is no notebook of format 4.5 or cannot be written, a cell raised without
            the tag `raises-exception` or took too long, or the kernel died. The file is then as it
            was.
    """
    path = Path(path)
    try:
        old = _bytes(path)
        raw = _parsed(old)
        _check_json(raw)
    except _UnreadableError as error:
        raise SkylError(f"{path}: {error.message}") from error
    fault = next(shape_problems(raw), None)
    if fault:
        raise SkylError(f"{path}: {fault[-1]}")
    notebook = nbformat.reads(json.dumps(raw), as_version=4)
    slow = asyncio.run(_run(notebook, path, timeout))
    new = serialised(normalised(notebook))
    if new != old and not check:
        _replace(path, new)
    return Rebuilt(path, new != old, slow)


# Files.


class _UnreadableError(SkylError):
    """A file is no JSON; the message does not name the file."""


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise _UnreadableError(f"the file cannot be read: {reason}") from error


def _parsed(data: bytes) -> Any:
    """Return the JSON value of a file's bytes, which can also be written again."""
    if not data.strip():
        raise _UnreadableError("the file is empty; save the notebook from JupyterLab again")
    try:
        value = json.loads(data)
        json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair cannot be written
    except json.JSONDecodeError as error:
        raise _UnreadableError(
            f"the file is no JSON ({error.msg} in line {error.lineno}); fix that line, "
            "or save the notebook from JupyterLab again"
        ) from error
    except (ValueError, RecursionError) as error:
        raise _UnreadableError("the file holds no text that can be read as JSON") from error
    return value


def _check_json(value: Any) -> None:
    """Refuse what is no JSON, or so deep that a check would get lost in it."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
    if level:
        raise _UnreadableError(
            f"this is nested deeper than {DEEPEST} levels, so no Jupyter wrote it; "
            "save it from JupyterLab again"
        )
    try:
        json.dumps(value)
    except (TypeError, ValueError) as error:
        raise _UnreadableError(f"this cannot be written as JSON: {error}") from error


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: beside it first, then in its place."""
    target = path.resolve()  # a link stays a link
    temporary: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(data)
        shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        raise SkylError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        if temporary:
            temporary.unlink(missing_ok=True)


# The normal form.


def normalised(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook that was run, without what differs between runs and machines.

    Args:
        notebook: a valid notebook of format 4.5. It is not changed.
    """
    counts = itertools.count(1)
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": _METADATA,
        "cells": [_normal_cell(cell, counts) for cell in notebook["cells"]],
    }


def serialised(notebook: dict[str, Any]) -> bytes:
    """Return the bytes of a notebook file: sorted keys, a line of text in a line, LF."""
    text: str = nbformat.writes(nbformat.from_dict(notebook))
    return (text + "\n").encode()


def _normal_cell(cell: dict[str, Any], counts: Iterator[int]) -> dict[str, Any]:
    tags = cell["metadata"].get("tags")
    kept = ("id", "cell_type", "source", "attachments")
    normal: dict[str, Any] = {key: cell[key] for key in kept if key in cell}
    normal["metadata"] = {"tags": tags} if tags else {}
    if cell["cell_type"] != "code":
        return normal
    if not joined(cell["source"]).strip():  # a blank cell is never run
        return {**normal, "execution_count": None, "outputs": []}
    count = next(counts)
    outputs = [_normal_output(output, count) for output in _coalesced(cell["outputs"])]
    return {
        **normal,
        "execution_count": count,
        "outputs": [output for output in outputs if output.get("data") != {}],
    }


def _coalesced(outputs: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the outputs, with the pieces of a stream in one: where a kernel cuts it is chance."""
    outputs = list(outputs)
    pieces: dict[str, str] = {}
    for output in outputs:
        if output["output_type"] == "stream":
            name = output["name"]
            pieces[name] = pieces.get(name, "") + joined(output["text"])
    for output in outputs:
        if output["output_type"] != "stream":
            yield output
        elif output["name"] in pieces:
            yield {**output, "text": pieces.pop(output["name"])}


def _normal_output(output: dict[str, Any], count: int) -> dict[str, Any]:
    match output["output_type"]:
        case "error":
            # The call stack holds paths and colours; the sentence is what a learner needs.
            line = " ".join(f"{output['ename']}: {output['evalue']}".split()).removesuffix(":")
            return {**output, "traceback": [_ANSI.sub("", line)]}
        case "execute_result":
            return {**_without_widget(output), "execution_count": count}
        case "display_data":
            return _without_widget(output)
    return output


def _without_widget(output: dict[str, Any]) -> dict[str, Any]:
    kept = {
        part: {mime: value for mime, value in output[part].items() if not is_widget_mime(mime)}
        for part in ("data", "metadata")
    }
    return {**output, **kept}


# The run.


class _ThisPython(AsyncKernelManager):
    """A kernel of the Python that runs us."""

    @property
    def kernel_spec(self) -> KernelSpec:
        return KernelSpec(
            argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            display_name="Python 3 (ipykernel)",
            language="python",
            env={"PYDEVD_DISABLE_FILE_VALIDATION": "1"},  # else a notice on stderr (REPORTS 106)
        )


async def _run(
    notebook: nbformat.NotebookNode, path: Path, timeout: int
) -> tuple[tuple[str, float], ...]:
    """Run all cells; the outputs go into `notebook`. Return (cell id, seconds) of the slow ones.

    `NotebookClient.execute` is not used: it catches Ctrl-C and then reports a dead kernel.
    """
    manager = _ThisPython(kernel_name="python3")
    client = NotebookClient(notebook, km=manager, timeout=timeout)
    slow = []
    try:
        await _start(client, manager, path)
        for index, cell in enumerate(notebook.cells):
            started = time.monotonic()
            await _run_cell(client, index, path)
            seconds = time.monotonic() - started
            if seconds > SLOW_SECONDS:
                slow.append((cell.id, seconds))
    finally:
        if client.kc:
            client.kc.stop_channels()
        if manager.has_kernel:
            await manager.shutdown_kernel(now=True)
    return tuple(slow)


async def _start(client: NotebookClient, manager: AsyncKernelManager, path: Path) -> None:
    # The kernel's own stderr holds notices about itself; what the code writes comes as outputs.
    try:
        await manager.start_kernel(cwd=str(path.resolve().parent), stderr=subprocess.DEVNULL)
        client.kc = manager.client()
        client.kc.start_channels()
        await client.kc.wait_for_ready(timeout=START_SECONDS)
    except (RuntimeError, OSError) as error:
        raise SkylError(
            f"{path}: no kernel starts in {sys.executable}; install ipykernel there"
        ) from error
    client.kc.allow_stdin = False


async def _run_cell(client: NotebookClient, index: int, path: Path) -> None:
    cell = client.nb.cells[index]
    where = f"{path}, cell {cell.id}"
    try:
        await client.async_execute_cell(cell, index)
    except CellExecutionError as error:
        what = " ".join(f"{error.ename}: {error.evalue}".split())
        raise SkylError(
            f"{where}: the code raised {what}; fix it, or tag the cell raises-exception"
        ) from None
    except CellTimeoutError:
        raise SkylError(
            f"{where}: the code ran for more than {client.timeout} seconds; make it quicker"
        ) from None
    except DeadKernelError:
        task = asyncio.current_task()
        if task and task.cancelling():  # nbclient takes Ctrl-C for the kernel's death
            raise asyncio.CancelledError from None
        raise SkylError(
            f"{where}: the kernel died while it ran this cell; look for os._exit or a crash"
        ) from None
