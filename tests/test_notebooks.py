import copy
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyl_nb.errors import SkylError
from skyl_nb.notebook_rules import RULES, SHAPE_RULES
from skyl_nb.notebooks import find, lint, normalised, rebuild, serialised
from tests.notebooks import make_fixtures
from tests.notebooks.make_fixtures import code, counted, good, markdown, printed, result, with_cell

HERE = Path(__file__).parent / "notebooks"
GOOD = HERE / "good.ipynb"
ALL_RULES = [*SHAPE_RULES, *RULES]


def rules_broken(notebook):
    return {finding.rule for finding in lint(notebook)}


def write(path, *cells):
    notebook = {**good(), "cells": list(cells)}
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def stored(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


# Lint: the fixtures.


def test_the_fixtures_are_what_their_generator_writes():
    wanted = make_fixtures.files()
    there = {path: path.read_text(encoding="utf-8") for path in HERE.rglob("*.ipynb")}
    assert there == wanted


def test_each_rule_has_its_fixture_and_each_fixture_its_rule():
    assert sorted(make_fixtures.BAD) == sorted(ALL_RULES)


@pytest.mark.parametrize("rule", ALL_RULES)
def test_a_bad_notebook_breaks_exactly_its_rule(rule):
    assert rules_broken(HERE / "bad" / f"{rule}.ipynb") == {rule}


def test_the_good_notebook_breaks_none():
    assert lint(GOOD) == []
    assert lint(json.loads(GOOD.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("rule", ALL_RULES)
def test_a_finding_says_where_what_and_how_to_mend_it(rule):
    path = HERE / "bad" / f"{rule}.ipynb"
    for finding in lint(path):
        assert str(finding).startswith(f"{path}:")
        assert f": {rule}: " in str(finding)
        assert ";" in finding.message, "what is wrong; how to mend it"
        assert "\n" not in finding.message


# Lint: what counts as a use, and what does not.


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        ("wall-clock", "import time\nt0 = time.perf_counter()"),
        ("wall-clock", "from time import *\nsleep(1)"),
        ("wall-clock", "from time import monotonic as clock"),
        ("wall-clock", "from datetime import datetime as dt\nx = dt.now().isoformat()"),
        ("wall-clock", "import datetime\nx = datetime.date.today()"),
        ("wall-clock", "def later():\n    import time\n    return time.time()"),
        ("wall-clock", "%time x = 1"),
        ("wall-clock", "%timeit -n1 1"),
        ("wall-clock", "%%time\nx = 1"),
        ("wall-clock", "x = %time 1"),
        ("randomness", "from random import choice"),
        ("randomness", "import numpy as np\nx = np.random.rand()"),
        ("randomness", "import numpy.random as r"),
        ("randomness", "import uuid\nx = uuid.uuid4().hex"),
        ("randomness", "from os import urandom\nx = urandom(4)"),
        ("randomness", "import secrets"),
        ("output-widget", "from ipywidgets.widgets import Output"),
        ("output-widget", "from ipywidgets import *\nbox = Output()"),
        ("interact", "import ipywidgets\n@ipywidgets.interact.options(manual=True)\ndef f(x): ..."),
        ("interact", "from ipywidgets import widgets\nwidgets.interactive_output(print, {})"),
        ("clear-output", "import IPython\nIPython.display.clear_output(wait=True)"),
        ("display-update", "from IPython.display import update_display"),
        ("display-update", "from IPython import display as d\nd.display(1, display_id=True)"),
        ("display-update", "handle = display(1, display_id=True)\nhandle.update(2)"),
        ("input", "x = [input('name') for _ in range(2)]"),
        ("input", "import builtins\nx = builtins.input()"),
        ("input", "from getpass import getpass as ask"),
        ("asyncio-run", "import asyncio as a\na.run(main())"),
        ("progress-bar", "from rich.progress import track"),
        ("progress-bar", "from rich import progress"),
        ("progress-bar", "from alive_progress import alive_bar"),
        ("progress-bar", "import ipywidgets as w\nbar = w.FloatProgress()"),
        ("semicolon", "x = 1; y = 2;"),
        ("semicolon", "x = 1;  # quiet"),
        ("semicolon", "x = 1;\ny = 2"),
        ("python", "x = = 1"),
        ("python", "x = '\0'"),
        ("python", "x = '\ud800'"),
        ("python", "-" * 200_000 + "1"),
        ("python", "x" + ".y" * 200_000),
        ("output-stored", "x = 1\nx"),
        ("output-stored", "print('hello')"),
        ("output-stored", "display([1])"),
        ("output-stored", "[1, 2]"),
    ],
)
def test_a_banned_use_is_found_whatever_it_is_called(rule, source):
    assert rule in rules_broken(with_cell(source))


@pytest.mark.parametrize(
    "source",
    [
        "note = 'time.sleep(1); input()'",
        "x = 1  # tqdm, random.random(), a trailing ;",
        "def input(prompt): return prompt\nx = input('a')",
        "def twice(display): return display(1, display_id=2)",
        "import datetime\nday = datetime.datetime(2026, 3, 1)",
        "import uuid\nname = uuid.uuid5(uuid.NAMESPACE_URL, 'a')",
        "import time\nzone = time.struct_time",
        "import asyncio\nx = await asyncio.gather()",
        "x = 1; y = 2",
        "%pip list",
        "len?",
        "# a comment alone",
        "print('a', end='')",
        "import sys\nprint('a', file=None)",
        "None",
        "work()",
        "pattern = '\\d'",
        "",
        "  \n",
    ],
)
def test_what_is_no_banned_use_is_left_alone(source):
    notebook = with_cell(source)
    if not source.strip():
        notebook["cells"][-1]["execution_count"] = None
    assert lint(notebook) == []


def test_an_import_counts_in_later_cells():
    notebook = good()
    notebook["cells"] += [
        code("first", "import time as t, json"),
        code("second", "then = t.time()"),
        code("third", "json.loads('1')", result("1")),
    ]
    found = lint(counted(notebook))
    assert [(f.cell_id, f.rule) for f in found] == [("second", "wall-clock")]


def test_the_update_of_a_display_is_found_where_it_happens():
    notebook = good()
    notebook["cells"] += [
        code("first", "shown = display(1, display_id=True)", result("1")),
        code("second", "shown.update(2)"),
        code("third", "{}.update(a=1)"),
    ]
    assert [(f.cell_id, f.rule) for f in lint(counted(notebook))] == [
        ("first", "display-update"),
        ("second", "display-update"),
    ]


def test_an_output_has_the_count_of_its_cell():
    notebook = counted(good())
    notebook["cells"][1]["outputs"][0]["execution_count"] = 9
    assert rules_broken(notebook) == {"execution-count"}


def test_a_use_is_told_once_and_in_full():
    (finding,) = lint(with_cell("import random\nx = random.random() + random.choice([1])"))
    assert finding.message.startswith("the code uses random.choice, random.random; ")


def test_invalid_code_may_be_shown_when_it_is_tagged():
    notebook = with_cell("this is no Python")
    notebook["cells"][-1]["metadata"]["tags"] = ["raises-exception"]
    assert lint(notebook) == []


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("absolute-path", "in /root/work/x.py"),
        ("absolute-path", "'/Users/ada/x'"),
        ("absolute-path", "file:///home/ada/x"),
        ("absolute-path", r"C:\Users\ada\x.py"),
        ("absolute-path", r"'D:\\work\\x.py'"),
        ("absolute-path", "D:/work/x.py"),
        ("memory-address", "<function f at 0x7F12>"),
        ("time-stamp", "took 0:00:01"),
        ("time-stamp", "Sun Mar  1 12:30:59 2026"),
        ("time-stamp", "2026-03-01 12:30"),
        ("time-stamp", "datetime.date(2026, 3, 1)"),
        ("time-stamp", "datetime.datetime(2026, 3, 1, 0, 0)"),
        ("loopback-port", "localhost:8888"),
        ("loopback-port", "[::1]:8099"),
        ("uuid", "0B6A3F2E-8F53-4C0E-9C43-6A1D3F5B7E21"),
    ],
)
@pytest.mark.parametrize("kind", ["stream", "text", "html", "json", "error"])
def test_what_differs_between_machines_is_found_in_every_kind_of_output(rule, text, kind):
    outputs = {
        "stream": printed(f"x {text}"),
        "text": result(text),
        "html": {**result(""), "data": {"text/html": [f"<b>{text}</b>"]}},
        "json": {**result(""), "data": {"application/json": {"a": [1, {"b": text}]}}},
        "error": {"output_type": "error", "ename": "E", "evalue": text, "traceback": []},
    }
    notebook = with_cell("work()", outputs[kind])
    notebook["cells"][-1]["metadata"]["tags"] = ["raises-exception"]
    assert rules_broken(notebook) == {rule}


@pytest.mark.parametrize(
    "text",
    [
        "/messages/2/content/0/is_error",
        "/v1beta/models/gemini:generateContent",
        "https://api.example/home/ada",
        "anthropic-version: 2023-06-01",
        "gpt-4o-2024-08-06",
        "{'usr': 'tmp/x', 'ratio': 'a/b'}",
        "https://skyl.example:8080/usr/x",
        "sent to 127.0.0.1",
        "0x10",
        "toolu_01A09q90qw90lq917835lq9",
        "a: b\n",
    ],
)
def test_what_is_the_same_everywhere_is_left_alone(text):
    assert lint(with_cell("work()", printed(text))) == []


def test_a_picture_is_no_text():
    picture = {**result(""), "data": {"image/png": " /tmp/x"}}
    assert lint(with_cell("work()", picture)) == []


@pytest.mark.parametrize("cell_id", ["a", "signal-table", "step-2", "gpt4-case", "a-b-c"])
def test_hand_written_ids_are_accepted(cell_id):
    notebook = with_cell("x = 1")
    notebook["cells"][-1]["id"] = cell_id
    assert lint(notebook) == []


@pytest.mark.parametrize(
    "cell_id",
    [
        "deadbeef",
        "f3a9c1d2",
        "0b6a3f2e-8f53-4c0e-9c43-6a1d3f5b7e21",
        "aabbccdd-1111-2222-3333-444455556666",
        "Signal-Table",
        "signal_table",
        "signal--table",
        "-table",
        "table-",
        "2-tables",
        "kf8Qz0pLmN4x",
        "x7qk2p9z",
    ],
)
def test_ids_that_a_tool_made_up_are_refused(cell_id):
    notebook = with_cell("x = 1")
    notebook["cells"][-1]["id"] = cell_id
    assert rules_broken(notebook) == {"cell-id"}


# Lint: the text.


def with_opening(*cells):
    notebook = good()
    notebook["cells"][:1] = cells
    return counted(notebook)


SECTION = (
    "## What you will learn\n\nMuch, in 5 minutes. Mirrors the page `reference/skyl/tool-result`."
)


@pytest.mark.parametrize(
    "cells",
    [
        (markdown("opening", f"# Title\n\n{SECTION}"),),
        (markdown("opening", "# Title"), markdown("learn", SECTION)),
        (markdown("opening", f"Title\n=====\n\n{SECTION}"),),
    ],
)
def test_an_opening_may_have_a_section_on_what_is_learnt(cells):
    assert lint(with_opening(*cells)) == []


def test_a_notebook_may_say_that_it_mirrors_no_page():
    opening = "# Title\n\nWhat you will learn: much, in 5 minutes. This notebook mirrors no page."
    assert lint(with_opening(markdown("opening", opening))) == []


def test_what_stands_in_the_first_section_is_no_opening():
    late = "## The work\n\nYou will learn much, in 5 minutes, of the page a/b."
    notebook = with_opening(markdown("opening", "# Title"), markdown("late", late))
    assert rules_broken(notebook) == {"opening-learn", "opening-minutes", "opening-page"}


def test_a_heading_inside_code_is_no_heading():
    notebook = with_opening(
        markdown("opening", make_fixtures.OPENING + "\n\n```\n# a comment\n```\n\n    # another")
    )
    assert lint(notebook) == []


def test_a_notebook_without_cells_lacks_its_opening():
    assert rules_broken({**good(), "cells": []}) == {
        "title",
        "opening-learn",
        "opening-minutes",
        "opening-page",
    }


def test_a_title_below_the_first_cell_is_no_title():
    notebook = counted(good())
    notebook["cells"].insert(0, markdown("before", "Some words."))
    assert rules_broken(notebook) == {"title"}


# Lint: bad input.


def deep(levels):
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"cells": deep(3_000)}, "deeper than 100 levels"),
        ({"cells": deep(300)}, "deeper than 100 levels"),
        ({"metadata": {"a": deep(3_000)}}, "deeper than 100 levels"),
        ({"nbformat": 10**5_000}, "4300 digits"),
        ({"metadata": {"a": {1, 2}}}, "not JSON serializable"),
    ],
)
def test_parsed_json_that_no_check_can_read_is_one_finding(change, words):
    (finding,) = lint({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [], **change})
    assert finding.rule == "readable"
    assert words in finding.message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"<<<<<<< HEAD\n{}", "no JSON"),
        (b"[]", "no notebook"),
        (b"null", "no notebook"),
        (b'{"cells": []}', "no notebook"),
        (b"\xff\xfe\xfa", "no text"),
        (b"[" * 200_000, "no text"),
        (b'"\\ud800"', "no text"),
        (b"[" * 400 + b"]" * 400, "deeper than 100 levels"),
    ],
)
def test_a_broken_file_is_one_finding_and_no_rebuild(tmp_path, data, words):
    path = tmp_path / "broken.ipynb"
    path.write_bytes(data)
    (finding,) = lint(path)
    assert finding.rule == "readable"
    assert words in finding.message
    with pytest.raises(SkylError, match=words):
        rebuild(path)
    assert path.read_bytes() == data


@pytest.mark.parametrize("name", ["missing.ipynb", "", "nul\0byte"])
def test_a_file_that_cannot_be_read_is_one_finding(tmp_path, name):
    (finding,) = lint(str(tmp_path / name))
    assert finding.rule == "readable"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(json_values | json_values.map(lambda value: {**good(), "cells": value}))
def test_lint_never_raises_on_any_json(value):
    if not isinstance(value, str):
        lint(value)


@given(st.data())
def test_lint_never_raises_on_a_notebook_with_one_odd_value(data):
    notebook = counted(good())
    place = notebook
    while isinstance(place, dict | list) and place:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(keys))
        if data.draw(st.booleans()):
            place[key] = data.draw(json_values)
            break
        place = place[key]
    lint(notebook)


@given(st.text(alphabet="abt =;%!?()[]'\"\\\n\t#:.{}0\0é") | st.text())
def test_lint_never_raises_on_any_code_or_text(source):
    lint(with_cell(source))
    lint(with_opening(markdown("opening", source)))


def test_lint_does_not_change_what_it_reads():
    notebook = counted(good())
    before = copy.deepcopy(notebook)
    lint(notebook)
    assert notebook == before


# Find.


def test_find_walks_folders_sorted_without_hidden_ones(tmp_path):
    for name in ("b.ipynb", "a/c.ipynb", ".ipynb_checkpoints/b.ipynb", "a/.venv/d.ipynb", "x.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    wanted = [tmp_path / "a" / "c.ipynb", tmp_path / "b.ipynb"]
    assert find([tmp_path]) == wanted
    assert find([str(tmp_path / "b.ipynb"), tmp_path, tmp_path / "a"]) == wanted


def test_find_refuses_what_holds_no_notebook(tmp_path):
    (tmp_path / "x.py").touch()
    for path in (tmp_path, tmp_path / "x.py", tmp_path / "missing.ipynb"):
        with pytest.raises(SkylError, match=path.name):
            find([path])


# Rebuild.


def test_the_good_notebook_is_in_the_normal_form():
    assert not rebuild(GOOD, check=True).changed


@pytest.fixture(scope="module")
def varied(tmp_path_factory):
    """A notebook of every kind of output, in no normal form, rebuilt once."""
    tagged = code("raising", "def f():\n    raise ValueError('no é')\nf()")
    tagged["metadata"] = {"tags": ["raises-exception"], "collapsed": True}
    path = write(
        tmp_path_factory.mktemp("varied") / "varied.ipynb",
        markdown("opening", make_fixtures.OPENING),
        code("printing", "for n in range(3): print(n, flush=True)", printed("old")),
        code("nothing", "x = 1"),
        code("value", "{'a': 'é'}"),
        code("showing", "from IPython.display import HTML\ndisplay(HTML('<b>hi</b>'))"),
        code("widget", "import ipywidgets\nipywidgets.Text('typed')"),
        tagged,
        code("blank", " "),
        code("where", "from pathlib import Path\nPath('varied.ipynb').exists()"),
        code("python", f"import sys\nsys.executable == {sys.executable!r}"),
    )
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"] = {
        "widgets": {},
        "language_info": {"name": "python", "version": "3.1"},
        "mine": 1,
    }
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert rebuild(path).changed
    return path


def test_a_second_rebuild_changes_no_byte(varied):
    before = varied.read_bytes()
    assert not rebuild(varied, check=True).changed
    assert not rebuild(varied).changed
    assert varied.read_bytes() == before


def test_a_rebuilt_notebook_passes_lint(varied):
    assert lint(varied) == []


def test_a_rebuilt_notebook_holds_what_a_reader_needs_and_no_more(varied):
    notebook = json.loads(varied.read_text(encoding="utf-8"))
    assert notebook["metadata"] == good()["metadata"]
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    assert cells["printing"]["outputs"] == [printed("0\n1\n2\n")]
    assert cells["nothing"]["outputs"] == []
    assert cells["value"]["outputs"][0]["data"] == {"text/plain": ["{'a': 'é'}"]}
    assert "text/html" in cells["showing"]["outputs"][0]["data"]
    assert cells["widget"]["outputs"][0]["data"] == {"text/plain": ["Text(value='typed')"]}
    assert cells["raising"]["metadata"] == {"tags": ["raises-exception"]}
    assert cells["raising"]["outputs"][0]["traceback"] == ["ValueError: no é"]
    assert cells["blank"]["execution_count"] is None
    assert cells["where"]["outputs"][0]["data"] == {"text/plain": ["True"]}
    assert cells["python"]["outputs"][0]["data"] == {"text/plain": ["True"]}


def test_a_rebuilt_file_is_utf8_with_line_feeds(varied):
    data = varied.read_bytes()
    assert b"\r" not in data
    assert data.endswith(b"}\n")
    assert "é".encode() in data
    assert data.startswith(b'{\n "cells"')
    assert nbformat.validate(json.loads(data)) is None


def nbval(path):
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q"]
    command += ["-p", "no:cacheprovider", "-p", "no:xdist", "--override-ini=addopts="]
    return subprocess.run(
        [*command, f"--rootdir={path.parent}", str(path)],
        capture_output=True,
        text=True,
        cwd=path.parent,
        check=False,
    )


def test_a_rebuilt_notebook_passes_nbval_and_one_changed_character_does_not(varied):
    ran = nbval(varied)
    assert ran.returncode == 0, ran.stdout
    changed = varied.with_name("changed.ipynb")
    text = varied.read_text(encoding="utf-8")
    changed.write_text(text.replace("{'a': 'é'}\"\n      ]", "{'a': 'e'}\"\n      ]"), "utf-8")
    assert changed.read_text(encoding="utf-8") != text
    ran = nbval(changed)
    assert ran.returncode == 1, ran.stdout
    assert "1 failed" in ran.stdout


def test_check_writes_nothing(tmp_path):
    path = write(tmp_path / "x.ipynb", code("sum", "1 + 1"))
    before = path.read_bytes()
    assert rebuild(path, check=True).changed
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise ValueError('two\\nlines')", "raised ValueError: two lines"),
        ("input()", "raised StdinNotImplementedError"),
        ("x = = 1", "raised SyntaxError"),
        ("import time\ntime.sleep(60)", "more than 1 seconds"),
        ("import os\nos._exit(1)", "the kernel died"),
    ],
)
def test_a_cell_that_fails_is_one_sentence_and_nothing_is_written(tmp_path, source, words):
    path = write(tmp_path / "x.ipynb", code("fine", "1"), code("faulty", source))
    before = path.read_bytes()
    with pytest.raises(SkylError) as caught:
        rebuild(path, timeout=1)
    assert str(caught.value).startswith(f"{path}, cell faulty: the ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_kernel_is_told_to_keep_quiet_about_frozen_modules(tmp_path):
    path = write(tmp_path / "x.ipynb", code("asks", "%env PYDEVD_DISABLE_FILE_VALIDATION"))
    rebuild(path)
    assert stored(path)[0]["outputs"][0]["data"] == {"text/plain": ["'1'"]}


def test_a_slow_cell_is_told(tmp_path):
    path = write(
        tmp_path / "x.ipynb", code("quick", "1"), code("slow", "import time\ntime.sleep(1.1)")
    )
    ((cell_id, seconds),) = rebuild(path).slow
    assert cell_id == "slow"
    assert 1 < seconds < 5


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError("disk full")])
def test_an_interrupted_write_keeps_the_old_file(tmp_path, monkeypatch, failure):
    path = write(tmp_path / "x.ipynb", code("sum", "1 + 1"))
    before = path.read_bytes()

    def fail(self, target):
        raise failure

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises((KeyboardInterrupt, SkylError)):
        rebuild(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes, and links need a privilege")
def test_a_rebuilt_file_keeps_its_mode_and_its_link(tmp_path):
    path = write(tmp_path / "x.ipynb", code("sum", "1 + 1"))
    path.chmod(0o640)
    link = tmp_path / "link.ipynb"
    link.symlink_to(path)
    assert rebuild(link).changed
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert stored(path)[0]["outputs"]


def test_a_kernel_that_does_not_start_is_one_sentence(tmp_path, monkeypatch):
    path = write(tmp_path / "x.ipynb", code("sum", "1 + 1"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(SkylError, match=r"no kernel starts in .*no-python"):
        rebuild(path)


@pytest.mark.parametrize("rule", ["nbformat", "schema"])
def test_a_notebook_of_another_shape_is_not_rebuilt(tmp_path, rule):
    path = tmp_path / "x.ipynb"
    path.write_bytes((HERE / "bad" / f"{rule}.ipynb").read_bytes())
    with pytest.raises(SkylError, match=r"x\.ipynb: "):
        rebuild(path)


def test_normalising_does_not_change_its_input_and_twice_is_once():
    notebook = with_cell("x", printed("a"), result("1"), printed("b"), printed("c", "stderr"))
    before = copy.deepcopy(notebook)
    once = normalised(notebook)
    assert notebook == before
    assert normalised(once) == once
    assert serialised(normalised(json.loads(serialised(once)))) == serialised(once)
    assert [o.get("text") for o in once["cells"][-1]["outputs"]] == ["ab", None, "c"]


def test_an_output_that_was_a_widget_alone_is_left_out():
    view = {**result(""), "data": {make_fixtures.VIEW: {"model_id": "x"}}}
    assert normalised(with_cell("x", view))["cells"][-1]["outputs"] == []


def test_an_error_without_words_is_its_name():
    error = {"output_type": "error", "ename": "SkylError", "evalue": "", "traceback": ["\x1b[31mx"]}
    (output,) = normalised(with_cell("x", error))["cells"][-1]["outputs"]
    assert output["traceback"] == ["SkylError"]


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("import time\nt = time\nt.sleep(1)", "wall-clock"),
        ("import datetime\nd = datetime.datetime\nd.now()", "wall-clock"),
        ("import pandas as pd\npd.Timestamp.now()", "wall-clock"),
        ("!ls", "shell"),
        ("files = !ls", "shell"),
        ("%%bash\nls", "shell"),
        ("%%capture\nprint(1)", "shell"),
        ("import sys\nsys.stdin.readline()", "input"),
    ],
)
def test_a_use_by_another_road_is_found(source, rule):
    assert [finding.rule for finding in lint(with_cell(source))] == [rule]


@pytest.mark.parametrize(
    "output",
    ["'Step A:\\n1\\n2'", '{"text": "a:\\nfoo\\nbar"}', "/messages/2/content", "2026-11", "/v1/x"],
)
def test_an_honest_output_is_no_path(output):
    assert lint(with_cell("value", result(output))) == []


@pytest.mark.parametrize(
    "output", ["/work/play/x.py", "/nix/store/a/b", r"'C:\\Users\\x\\y'", r"C:\Users\x\y", "D:/a/b"]
)
def test_a_path_of_a_machine_is_found(output):
    found = lint(with_cell("value", result(output)))
    assert [finding.rule for finding in found] == ["absolute-path"]


def test_an_output_of_a_blank_cell_is_looked_at():
    notebook = with_cell("", printed("/home/user/x\n"))
    assert "absolute-path" in [finding.rule for finding in lint(notebook)]
