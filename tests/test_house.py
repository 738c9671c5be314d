"""The house: which room may import which, what an import costs, what the project says of itself."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import skyl_nb as skyl

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "skyl_nb"

# A room imports only from the rooms above it.
ROOMS = [
    "data",
    "errors",
    "envelopes",
    "caught",
    "conversation",
    "request",
    "wires",
    "signal",
    "sandbox",
    "client",
    "endings",
    "toolloop",
    "views",
    "exercises",
    "environment",
    "lessons",
    "foreground",
    "tracing",
    "notebook_code",
    "notebook_rules",
    "notebooks",
    "cli",
]
FORBIDDEN = {"sandbox": {"conversation", "request", "wires", "signal"}}


def room(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("skyl_nb."):
                yield name.split(".")[1]


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(PACKAGE.rglob("*.py")) if "__" not in path.parent.name],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_a_room_imports_only_from_the_rooms_above_it(path):
    here = room(path)
    if here in ("__init__", "__main__"):
        return
    above = set(ROOMS[: ROOMS.index(here) + 1]) - FORBIDDEN.get(here, set())
    below = set(imported_rooms(path)) - above - {"__version__"}
    assert not below, f"{here} imports {below}"


def test_every_room_is_in_the_list():
    assert {room(path) for path in PACKAGE.rglob("*.py")} - {"__init__", "__main__"} == set(ROOMS)


def loaded_after(statement):
    code = f"import sys\n{statement}\nprint(*sorted(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return set(ran.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    loaded = loaded_after("import skyl_nb as skyl")
    heavy = {"httpx", "ipywidgets", "pydantic", "asyncio", "threading", "socket", "anthropic"}
    assert not loaded & {*heavy, "openai", "google.genai", "skyl_nb.sandbox", "IPython"}


def test_comparing_loads_neither_client_nor_widgets():
    loaded = loaded_after("import skyl_nb as skyl; skyl.compare_wires().to_html(); skyl.Sandbox()")
    assert not loaded & {"httpx", "ipywidgets", "IPython", "skyl_nb.client"}


def test_importing_costs_no_more_modules_than_pydantic():
    ours = loaded_after("import skyl_nb as skyl")
    assert len(ours) <= len(loaded_after("import pydantic"))


def test_every_public_name_is_there():
    for name in skyl.__all__:
        assert getattr(skyl, name) is not None
    assert set(skyl.__all__) <= set(dir(skyl))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = skyl.no_such_name


def test_the_conda_environment_is_in_step_with_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    *conda, pip = environment["dependencies"]
    assert f"python{project['requires-python']}" in conda
    assert {"pip", *project["dependencies"]} == {one for one in conda if one[:6] != "python"}
    assert pip == {"pip": ["-e .[test]"]}


def test_each_dependency_says_why_it_is_there():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    for extra in (project["dependencies"], *project["optional-dependencies"].values()):
        for dependency in extra:
            line = next(line for line in text.splitlines() if f'"{dependency}"' in line)
            assert ", # " in line, dependency


def test_the_python_of_the_readme_runs_and_says_what_it_says():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = readme.partition("```python\n")[2].partition("```")[0]
    names = {}
    for statement in ast.parse(block).body:
        code = ast.get_source_segment(block, statement)
        line = block.splitlines()[statement.end_lineno - 1]
        if isinstance(statement, ast.Expr):
            value = eval(code, names)
            if "  # " in line:
                assert repr(value) == line.partition("  # ")[2]
        else:
            exec(code, names)


def test_the_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == skyl.__version__
