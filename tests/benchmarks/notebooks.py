"""What the notebooks cost as tests, beside as many kernels that start and run one cell."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

from skyl_nb.data import folder
from skyl_nb.notebooks import find

COMMAND = [
    sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-current-env", "--numprocesses=2",
    "--dist=loadscope", "--override-ini=addopts=", "-p", "no:cacheprovider",
]  # fmt: skip
ROUNDS = 3


def suite():
    """Return the least seconds that our notebooks and the bare kernels took, by turns."""
    ours = folder("notebooks")
    with tempfile.TemporaryDirectory() as name:
        bare = Path(name)
        for number in range(len(find([ours]))):
            nbformat.write(_bare(), bare / f"bare-{number}.ipynb")
        took = [(_seconds(ours), _seconds(bare)) for _ in range(ROUNDS)]
    return min(one for one, _ in took), min(other for _, other in took)


def _bare():
    output = new_output("execute_result", data={"text/plain": "1"}, execution_count=1)
    cell = new_code_cell("1", id="one", execution_count=1, outputs=[output])
    return new_notebook(cells=[cell])


def _seconds(notebooks):
    begun = time.perf_counter()
    subprocess.run(
        [*COMMAND, f"--rootdir={notebooks}", str(notebooks)],
        check=True,
        capture_output=True,
        env={**os.environ, "SKYL_NB_PROGRESS": "off"},
    )
    return time.perf_counter() - begun
