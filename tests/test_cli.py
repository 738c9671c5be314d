import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

import skyl_nb
from skyl_nb import cli, data
from skyl_nb.cli import lab_arguments, main
from tests.notebooks.make_fixtures import code, good

FIXTURES = Path(__file__).parent / "notebooks"
GOOD = FIXTURES / "good.ipynb"
BAD = FIXTURES / "bad" / "input.ipynb"
COMMAND = [sys.executable, "-m", "skyl_nb"]
# A shell starts what runs in its background deaf to Ctrl-C, and so would these tests be there.
LISTEN = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "runpy.run_module('skyl_nb', run_name='__main__', alter_sys=True)"
)
LISTENING = [sys.executable, "-c", LISTEN]


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def write(path, source):
    path.write_text(json.dumps({**good(), "cells": [code("one-cell", source)]}), encoding="utf-8")
    return path


# Help and wrong calls.


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("command", [(), *((name,) for name in main.commands)])
def test_each_command_explains_itself_with_an_example(command, flag):
    told = run(*command, flag)
    assert told.exit_code == 0
    assert "\n    skyl-nb " in told.output
    assert told.stderr == ""


def test_without_a_command_the_help_is_shown():
    assert run().output == run("--help").output


def test_version():
    assert run("--version").output == f"skyl-nb, version {skyl_nb.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], "frobnicate"),
        (["--frobnicate"], "--frobnicate"),
        (["lint", "--frobnicate"], "--frobnicate"),
        (["rebuild", "--chekc"], "--chekc"),
        (["lint", "nowhere"], "nowhere"),
        (["rebuild", "nowhere.ipynb"], "nowhere.ipynb"),
        (["lint", __file__], "no notebook"),
        (["lab", "nowhere.ipynb"], "nowhere.ipynb"),
        (["lab", "a.ipynb", "b.ipynb"], "b.ipynb"),
        (["lab", "--no-browser"], "skyl-nb lab -- --no-browser"),
        (["lab", "--port=9000", "--", "--no-browser"], "go after --"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(arguments, words):
    told = run(*arguments)
    assert told.exit_code == 2
    assert told.stdout == ""
    assert told.stderr.count("\n") == 1
    assert words in told.stderr


@pytest.mark.parametrize("command", ["lint", "rebuild"])
def test_a_folder_without_notebooks_is_a_wrong_call(command, tmp_path):
    told = run(command, tmp_path)
    assert told.exit_code == 2
    assert told.stderr.count("\n") == 1
    assert "holds no notebook" in told.stderr


@pytest.mark.parametrize("command", ["lab", "lint", "rebuild"])
def test_an_installation_without_notebooks_is_one_line(command, monkeypatch):
    def missing(name):
        raise FileNotFoundError(f"the folder {name} is missing")

    monkeypatch.setattr(data, "folder", missing)
    told = run(command)
    assert told.exit_code == 1
    assert told.stderr == "skyl-nb: the folder notebooks is missing\n"


def test_help_is_quick_because_it_loads_no_jupyter():
    code = "import sys, skyl_nb.cli\nprint(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"nbformat", "nbclient", "IPython", "jupyterlab", "pydantic", "httpx"} & set(loaded)


# Lint.


def test_lint_prints_findings_and_a_count():
    told = run("lint", BAD, GOOD)
    finding, count = told.stdout.splitlines()
    assert finding.startswith(f"{BAD}:one-more: input: the code uses input; ")
    assert count == "2 notebooks, 1 finding"
    assert told.exit_code == 1


def test_lint_lists_its_rules_with_their_reasons():
    told = run("lint", "--rules")
    assert told.exit_code == 0
    listed = dict(line.split(": ", 1) for line in told.stdout.splitlines())
    assert {"nbformat", "input", "stderr"} <= set(listed)
    assert {path.stem for path in (FIXTURES / "bad").glob("*.ipynb")} <= set(listed)
    assert all(listed.values())


def test_lint_of_a_clean_notebook_is_exit_0():
    told = run("lint", GOOD)
    assert (told.exit_code, told.stdout) == (0, "1 notebook, 0 findings\n")


@pytest.mark.parametrize("command", ["lint", "rebuild"])
def test_without_paths_it_is_the_notebooks_of_the_project(command, tmp_path, monkeypatch):
    path = tmp_path / "notebooks" / "one.ipynb"
    path.parent.mkdir()
    path.write_bytes(GOOD.read_bytes())
    monkeypatch.setattr(data, "folder", lambda name: tmp_path / name)
    monkeypatch.chdir(tmp_path)
    told = run(command)
    assert told.exit_code == 0
    assert "1 notebook, 0 findings" in told.stdout or "one.ipynb: unchanged" in told.stdout


# Rebuild.


def test_rebuild_then_check(tmp_path):
    path = write(tmp_path / "x.ipynb", "import time\ntime.sleep(1.1)\n1")
    told = run("rebuild", "--check", path)
    assert told.exit_code == 1
    assert f"{path}: would change" in told.stdout
    told = run("rebuild", path)
    assert told.exit_code == 0
    assert told.stdout.splitlines()[0] == f"{path}: rebuilt"
    assert re.search(r":one-cell: note: took 1\.\d s, more than 1 s", told.stdout)
    told = run("rebuild", "--check", path)
    assert told.exit_code == 0
    assert f"{path}: unchanged" in told.stdout


def test_a_failing_notebook_is_one_line_and_the_next_is_rebuilt(tmp_path):
    faulty = write(tmp_path / "a.ipynb", "1 / 0")
    fine = write(tmp_path / "b.ipynb", "1")
    told = run("rebuild", tmp_path)
    assert told.exit_code == 1
    assert told.stderr.count("\n") == 1
    assert f"{faulty}, cell one-cell: the code raised ZeroDivisionError" in told.stderr
    assert told.stdout == f"{fine}: rebuilt\n"


# The process.


def test_python_m_skyl_nb_is_the_command():
    told = subprocess.run(
        [*COMMAND, "lint", "nowhere"], capture_output=True, text=True, check=False
    )
    assert told.returncode == 2
    assert told.stderr == (
        "skyl-nb lint: there is no file or folder nowhere (see skyl-nb lint --help)\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to whole consoles only")
def test_ctrl_c_during_a_rebuild_is_quiet_and_keeps_the_file(tmp_path):
    path = write(tmp_path / "x.ipynb", "open('begun', 'w').close()\nimport time\ntime.sleep(60)")
    before = path.read_bytes()
    with subprocess.Popen(
        [*LISTENING, "rebuild", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        wait_for((tmp_path / "begun").exists)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert (out + err).strip() == ""
    assert path.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
def test_a_closed_pipe_is_quiet():
    many = [str(BAD)] * 2 + [str(path) for path in (FIXTURES / "bad").glob("*.ipynb")]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        told = subprocess.run(
            [*COMMAND, "lint", *many], stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )
    assert told.stderr == ""


# Lab.


ROOT = Path("/lessons").resolve()
FIRST = ROOT / "reference" / "tool result.ipynb"
OUR_ROOT = f"--ServerApp.root_dir={ROOT}"
OUR_URL = "--LabApp.default_url=/lab/tree/reference/tool%20result.ipynb"


@pytest.mark.parametrize(
    ("passed", "wanted"),
    [
        ([], [OUR_ROOT, OUR_URL]),
        (["--port", "9000"], [OUR_ROOT, OUR_URL, "--port", "9000"]),
        (["--notebook-dir", str(ROOT)], [OUR_URL, "--notebook-dir", str(ROOT)]),
        (
            [f"--ServerApp.root_dir={ROOT / 'reference'}"],
            [
                "--LabApp.default_url=/lab/tree/tool%20result.ipynb",
                f"--ServerApp.root_dir={ROOT / 'reference'}",
            ],
        ),
        (["--notebook-dir=/elsewhere"], ["--notebook-dir=/elsewhere"]),
        (["--LabApp.default_url=/lab"], [OUR_ROOT, "--LabApp.default_url=/lab"]),
    ],
)
def test_an_option_that_the_user_gives_takes_the_place_of_ours(passed, wanted):
    assert lab_arguments(FIRST, ROOT, passed) == wanted


class FakeLab:
    arguments = None

    @classmethod
    def launch_instance(cls, arguments):
        cls.arguments = arguments


@pytest.fixture
def lessons(tmp_path, monkeypatch):
    folder = tmp_path / "notebooks"
    (folder / "reference").mkdir(parents=True)
    (folder / "reference" / "tool-result.ipynb").touch()
    (folder / "00-start-here.ipynb").touch()
    (folder / "other.ipynb").touch()
    (tmp_path / "mine.ipynb").touch()
    monkeypatch.setattr(data, "folder", lambda name: tmp_path / name)
    monkeypatch.setattr(cli, "_jupyterlab", lambda: FakeLab)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize(
    ("arguments", "root", "page", "passed"),
    [
        ([], "notebooks", "00-start-here.ipynb", []),
        (["other.ipynb"], "notebooks", "other.ipynb", []),
        (["notebooks/other.ipynb"], "notebooks", "other.ipynb", []),
        (["mine.ipynb"], ".", "mine.ipynb", []),
        (["--", "--port", "9"], "notebooks", "00-start-here.ipynb", ["--port", "9"]),
        (["other.ipynb", "--", "--help"], "notebooks", "other.ipynb", ["--help"]),
        (["--", "a", "--", "b"], "notebooks", "00-start-here.ipynb", ["a", "--", "b"]),
    ],
)
def test_lab_opens_the_notebook_in_its_folder(lessons, arguments, root, page, passed):
    told = run("lab", *arguments)
    assert told.exit_code == 0, told.output
    assert FakeLab.arguments == [
        f"--ServerApp.root_dir={(lessons.parent / root).resolve()}",
        f"--LabApp.default_url=/lab/tree/{page}",
        *passed,
    ]


def test_without_jupyterlab_the_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", None)
    told = run("lab", GOOD)
    assert told.exit_code == 1
    assert told.stderr.count("\n") == 1
    assert "-m pip install jupyterlab" in told.stderr


def test_the_first_notebook_is_there():
    assert (data.folder("notebooks") / cli.FIRST_NOTEBOOK).is_file()


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to whole consoles only")
def test_jupyterlab_starts_on_the_notebook_and_stops_at_ctrl_c(tmp_path):
    log = tmp_path / "log"
    passed = ["--no-browser", "--port=0", "--allow-root", "--IdentityProvider.token="]
    with (
        log.open("w") as out,
        subprocess.Popen(
            [*LISTENING, "lab", str(GOOD), "--", *passed],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        ) as process,
    ):
        try:
            page = re.compile(r"(http://127\.0\.0\.1:\d+)/lab/tree/good\.ipynb")
            wait_for(lambda: page.search(log.read_text()))
            base = page.search(log.read_text()).group(1)
            with urllib.request.urlopen(f"{base}/api/status") as answer:
                assert answer.status == 200
            with urllib.request.urlopen(f"{base}/api/contents/good.ipynb?content=0") as answer:
                assert json.load(answer)["type"] == "notebook"
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()


def wait_for(condition, seconds=40):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)
