"""The lines before of the official Python clients, each in an environment of its own.

python -m tests.clients.old_python
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from skyl_nb.sandbox import Sandbox

PROGRAM = Path(__file__).parent / "python_clients.py"
LINES: Mapping[str, tuple[str, ...]] = {
    "previous": ("anthropic==1.17.0", "openai==2.54.0", "google-genai==2.34.0"),
    "oldest": ("anthropic==0.125.0", "openai==1.109.1", "google-genai==1.75.0"),
}
Results = dict[tuple[str, str], str]


def ask(python: str, url: str) -> Results:
    """Run the program with a Python; return what was wrong with each case, or nothing."""
    # PYTHONPATH would bring the current clients back.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = subprocess.run(
        [python, str(PROGRAM)],
        env={**env, "SKYL_SANDBOX_URL": url, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,  # the lines run side by side, maybe on a busy machine
    )
    if ran.returncode:
        raise RuntimeError(ran.stdout + ran.stderr)
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    return {(line["client"], line["case"]): line["why"] for line in lines}


def install(folder: Path, packages: tuple[str, ...]) -> str:
    """Make an environment with these packages and nothing of ours; return its Python."""
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    # This Python's own pip does it: a copy of pip would take longer than the packages.
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    command = [*pip, "install", "--quiet", "--no-compile", *packages]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(ran.stdout + ran.stderr)
    return str(python)


def run() -> dict[str, Results]:
    """Run every line at the same time against one sandbox."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Sandbox().serving() as url,
        ThreadPoolExecutor() as pool,
    ):
        made = {
            line: pool.submit(lambda at, what: ask(install(at, what), url), Path(folder, line), one)
            for line, one in LINES.items()
        }
        return {line: future.result() for line, future in made.items()}


def main() -> int:
    faults = 0
    for line, results in run().items():
        sys.stdout.write(f"{line}: {', '.join(LINES[line])}\n")
        for (client, case), why in results.items():
            sys.stdout.write(f"  {'failed' if why else 'ok    '}  {client}: {case}\n{why}")
            faults += bool(why)
    return faults


if __name__ == "__main__":
    sys.exit(min(main(), 1))
