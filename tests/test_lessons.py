"""The lessons: each section of a page has its cell, and a notebook that is not true goes red."""

import json
import os
import subprocess
import sys

import pytest

from skyl_nb import data

NOTEBOOKS = data.folder("notebooks")
SECTIONS = data.facts("sections.json")
FIRST = NOTEBOOKS / "reference" / "tool-result.ipynb"

# Each fault is put into the package before the notebook runs, as a change of one character would.
FAULTS = {
    "a prefix with a capital": "import skyl_nb.wires.openai as w; w.ERROR_PREFIX = 'Error: '",
    "a flag that is turned over": (
        "import skyl_nb.wires.anthropic as w\n"
        "from skyl_nb.conversation import ToolResult\n"
        "write = w._BLOCKS[ToolResult]\n"
        "w._BLOCKS[ToolResult] = lambda p: {**write(p), 'is_error': not p.is_error}"
    ),
}


def cells(path):
    return {cell["id"]: cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}


@pytest.mark.parametrize("row", SECTIONS, ids=lambda row: f"{row['page']}: {row['section']}")
def test_each_section_of_a_page_has_its_cell(row):
    assert row["cell"] in cells(NOTEBOOKS / row["notebook"])


def test_no_section_is_listed_twice():
    named = [(row["page"], row["section"]) for row in SECTIONS]
    assert len(set(named)) == len(named)


def run_as_a_test(notebook, folder, site=""):
    """Run nbval on a notebook; `site` is Python that every process runs first."""
    (folder / "sitecustomize.py").write_text(site, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q"]
    command += ["--override-ini=addopts=", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return subprocess.run(
        [*command, f"--rootdir={folder}", str(notebook)],
        capture_output=True,
        check=False,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_an_encoder_that_is_wrong_makes_a_notebook_red(fault, tmp_path):
    notebook = tmp_path / FIRST.name
    notebook.write_bytes(FIRST.read_bytes())
    ran = run_as_a_test(notebook, tmp_path, FAULTS[fault])
    assert ran.returncode == 1, ran.stdout
    assert "mismatch" in ran.stdout


def test_one_changed_character_of_an_output_makes_a_notebook_red(tmp_path):
    notebook = tmp_path / FIRST.name
    stored = FIRST.read_text(encoding="utf-8")
    assert stored.count("The tool said: HTTP 503") == 1
    changed = stored.replace("The tool said: HTTP 503", "The tool said: HTTP 504")
    notebook.write_text(changed, encoding="utf-8")
    ran = run_as_a_test(notebook, tmp_path)
    assert ran.returncode == 1, ran.stdout
    assert ran.stdout.count("FAILED") == 1
