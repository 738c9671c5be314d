"""The command `skyl-nb`: what a learner, an author and CI do with the notebooks.

What is wrong is said in one line on stderr, never as a traceback: exit code 1 if a command found
something or could not do its work, 2 if it was called wrongly, 130 on Ctrl-C. A command returns its
exit code, or nothing for 0, and imports what it needs when it runs, so that `--help` is quick.
"""

import importlib
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

import skyl_nb
from skyl_nb import data
from skyl_nb.errors import SkylError

FIRST_NOTEBOOK = "00-start-here.ipynb"

_INTERRUPTED = 130  # what a shell expects after Ctrl-C

# JupyterLab's names for the two options that we set, and refuses to hear twice.
_ROOT_OPTIONS = ("--ServerApp.root_dir", "--notebook-dir", "--ServerApp.notebook_dir")
_URL_OPTIONS = ("--LabApp.default_url", "--ServerApp.default_url")


class _OneLineErrors(click.Group):
    """A group of commands whose errors are one line each."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command and exit with its code."""
        sys.exit(self._exit_code(*args, **{**kwargs, "standalone_mode": False}))

    def _exit_code(self, *args: Any, **kwargs: Any) -> int:
        try:
            return super().main(*args, **kwargs) or 0
        except click.Abort:
            return _INTERRUPTED
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "skyl-nb"
            _complain(f"{command}: {error.format_message()} (see {command} --help)")
            return error.exit_code
        except click.ClickException as error:
            _complain(f"skyl-nb: {error.format_message()}")
            return error.exit_code
        except SkylError as error:
            _complain(f"skyl-nb: {error}")
            return 1


class _PassesOptionsOn(click.Command):
    """A command that hands on what stands after `--`, in the context's `args`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command's own arguments only."""
        end = args.index("--") if "--" in args else len(args)
        try:
            super().parse_args(ctx, args[:end])
        except click.NoSuchOption as error:
            raise click.UsageError(
                f"{error.format_message()} JupyterLab's own options go after --, "
                f"as in: skyl-nb lab -- {error.option_name}",
                ctx,
            ) from error
        ctx.args = args[end + 1 :]
        return ctx.args


def _complain(message: str) -> None:
    click.echo(" ".join(message.split()), err=True)


def _examples(*commands: str) -> str:
    """Return the end of a help page; click keeps the lines of a paragraph that begins so."""
    return _listing("Examples:", *commands)


def _listing(title: str, *lines: str) -> str:
    return "\n".join(("\b", title, *(f"  {line}" for line in lines)))


# The smallest conversation of a client, here anthropic's own, that `trace` can read.
_TWICE = """
import anthropic
client = anthropic.Anthropic(api_key="sandbox-key", base_url="http://127.0.0.1:8099/anthropic")
call = {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {}}
for failed in (True, False):
    result = {"type": "tool_result", "tool_use_id": "call_1",
              "content": "no such city", "is_error": failed}
    client.messages.create(
        model="claude-sonnet-5", max_tokens=64,
        tools=[{"name": "get_weather", "input_schema": {"type": "object"}}],
        messages=[{"role": "user", "content": "Weather?"},
                  {"role": "assistant", "content": [call]},
                  {"role": "user", "content": [result]}])
""".strip().splitlines()

_TRACED = """
Wire       Fate of the failure  Where it shows
---------  -------------------  ------------------------------
Anthropic  intact               /messages/2/content/0/is_error
""".strip().splitlines()


@click.group(
    cls=_OneLineErrors,
    invoke_without_command=True,
    epilog=_examples("skyl-nb lab"),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(skyl_nb.__version__, prog_name="skyl-nb")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Learn what each provider's wire keeps of a tool's failure, in notebooks."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@main.command(
    cls=_PassesOptionsOn,
    options_metavar="[NOTEBOOK] [-- JUPYTERLAB OPTIONS]",
    epilog=_examples(
        "skyl-nb lab",
        "skyl-nb lab reference/tool-result.ipynb",
        "skyl-nb lab -- --no-browser --port 9000",
    ),
)
@click.argument("notebook", required=False, metavar="")
@click.pass_context
def lab(ctx: click.Context, notebook: str | None) -> None:
    """Open JupyterLab on a notebook.

    NOTEBOOK is a path, from here or from the notebooks folder; without it, the first notebook is
    opened. What stands after -- goes to JupyterLab.
    """
    folder = _notebooks_folder()
    path = _notebook(notebook or FIRST_NOTEBOOK, folder)
    root = folder if path.is_relative_to(folder) else path.parent
    _jupyterlab().launch_instance(lab_arguments(path, root, ctx.args))


@main.command(
    epilog=_examples(
        "skyl-nb rebuild", "skyl-nb rebuild --check notebooks/reference/tool-result.ipynb"
    )
)
@click.argument("paths", nargs=-1)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if something would change.")
def rebuild(paths: tuple[str, ...], check: bool) -> int:
    """Run notebooks and store their outputs.

    The bytes are the same on every run and machine. A cell that fails leaves its notebook as it
    was. PATHS are notebooks or folders; without any, the project's own notebooks.
    """
    from skyl_nb.notebooks import SLOW_SECONDS
    from skyl_nb.notebooks import rebuild as rebuild_notebook

    failed = changed = 0
    for path in _found(paths):
        try:
            result = rebuild_notebook(path, check=check)
        except SkylError as error:
            _complain(f"skyl-nb rebuild: {error}")
            failed += 1
            continue
        changed += result.changed
        word = ("would change" if check else "rebuilt") if result.changed else "unchanged"
        click.echo(f"{path}: {word}")
        for cell_id, seconds in result.slow:
            click.echo(
                f"{path}:{cell_id}: note: took {seconds:.1f} s, more than {SLOW_SECONDS:g} s"
            )
    return int(bool(failed or (check and changed)))


@main.command(
    epilog=_examples("skyl-nb lint", "skyl-nb lint notebooks/reference/tool-result.ipynb")
)
@click.argument("paths", nargs=-1)
@click.option(
    "--rules", is_flag=True, help="Check nothing; list the rules, and why they are there."
)
def lint(paths: tuple[str, ...], rules: bool) -> int:
    """Check notebooks by the project's rules.

    A finding is path:cell-id: rule: message, and says how to fix it; with one, the exit code is 1.
    PATHS are notebooks or folders; without any, the project's own notebooks.
    """
    from skyl_nb.notebook_rules import reasons
    from skyl_nb.notebooks import lint as lint_notebook

    if rules:
        click.echo("\n".join(f"{name}: {why}" for name, why in reasons().items()))
        return 0

    notebooks = _found(paths)
    findings = [finding for path in notebooks for finding in lint_notebook(path)]
    for finding in findings:
        click.echo(str(finding))
    click.echo(f"{_counted(len(notebooks), 'notebook')}, {_counted(len(findings), 'finding')}")
    return int(bool(findings))


@main.command(
    epilog=_examples("skyl-nb sandbox", "skyl-nb sandbox --port 9000 --journal sent.jsonl")
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8099, show_default=True, help="The port; 0 for any free one.")
@click.option("--profile", default="openai", show_default=True, help="The host that /compat is.")
@click.option(
    "--toggle",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change one thing about that host, as in error_shape=nested_raw. May be repeated.",
)
@click.option("--journal", type=click.Path(), help="Append each exchange to this file, as JSON.")
@click.option("--explain", is_flag=True, help="Explain each refusal below its line.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--allow-remote", is_flag=True, help="Let a HOST be reached from other machines.")
def sandbox(
    host: str,
    port: int,
    profile: str,
    toggle: tuple[str, ...],
    journal: str | None,
    explain: bool,
    quiet: bool,
    allow_remote: bool,
) -> None:
    """Serve the sandbox: four provider wires on this machine, for a client in any language.

    It answers and refuses as the providers do, and stops on Ctrl-C. The key is sandbox-key.
    """
    from skyl_nb import foreground
    from skyl_nb.sandbox import Sandbox

    if not allow_remote and not foreground.is_loopback(host):
        raise click.UsageError(
            f"{host} can be reached from other machines; add --allow-remote if that is meant",
            click.get_current_context(),
        )
    try:
        served = Sandbox(profile=profile, toggles=_toggles(toggle))
    except ValueError as error:
        raise click.UsageError(str(error), click.get_current_context()) from error
    show = _nothing if quiet else click.echo
    foreground.run(served, host, port, show=show, journal=journal, explain=explain)


@main.command(
    epilog="\n\n".join(
        (
            _examples("skyl-nb sandbox --journal sent.jsonl"),
            _listing("Then, in Python or in a notebook:", *_TWICE),
            _listing("Then, in a terminal:", "skyl-nb trace sent.jsonl"),
            _listing("It prints:", *_TRACED),
        )
    )
)
@click.argument("file", type=click.Path())
def trace(file: str) -> None:
    """Show what of a tool's failure another client let through, on each wire that it used.

    FILE is a journal of skyl-nb sandbox. Let your client have one conversation twice: first with
    a tool that fails, then with a tool that returns the same text and does not fail.
    """
    from skyl_nb.tracing import read_journal, table, traces

    click.echo(table(traces(read_journal(Path(file)))), nl=False)


def _toggles(given: Sequence[str]) -> dict[str, str]:
    """Return toggles by their names; what they may be is the sandbox's business."""
    pairs = [one.partition("=") for one in given]
    return {name.strip(): value.strip() for name, _, value in pairs}


def _nothing(_: str) -> None:
    pass


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


# Paths.


def _notebooks_folder() -> Path:
    try:
        return data.folder("notebooks")
    except FileNotFoundError as error:
        raise SkylError(str(error)) from error


def _found(paths: Sequence[str]) -> list[Path]:
    """Return the notebooks that a command is for; a wrong path is a wrong call."""
    from skyl_nb.notebooks import find

    places = paths or [str(_from_here(_notebooks_folder()))]
    try:
        return find(places)
    except SkylError as error:
        raise click.UsageError(error.message, click.get_current_context()) from error


def _from_here(path: Path) -> Path:
    """Return a path as a reader would type it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _notebook(name: str, folder: Path) -> Path:
    """Return the notebook that `name` means: from here, or from the notebooks folder."""
    for place in (Path(name), folder / name):
        if place.is_file() and place.suffix == ".ipynb":
            return place.resolve()
    raise click.UsageError(f"there is no notebook {name}, here or in {folder}")


# JupyterLab.


def _jupyterlab() -> Any:
    """Return JupyterLab's application.

    It runs in our process, so Ctrl-C and the exit code are its own on every system.
    """
    try:
        return importlib.import_module("jupyterlab.labapp").LabApp
    except ModuleNotFoundError as error:
        raise SkylError(
            "JupyterLab is not installed in this Python; install it with "
            f"{shlex.quote(sys.executable)} -m pip install jupyterlab"
        ) from error


def lab_arguments(notebook: Path, root: Path, passed: Sequence[str]) -> list[str]:
    """Return JupyterLab's arguments: ours, unless the user gave their own, then the user's.

    Args:
        notebook: what to open, absolute.
        root: the folder to show, absolute.
        passed: what the user hands on to JupyterLab.
    """
    ours = []
    own_root = _value(passed, _ROOT_OPTIONS)
    if own_root is None:
        ours.append(f"--ServerApp.root_dir={root}")
    else:
        root = Path(own_root).resolve()
    if _value(passed, _URL_OPTIONS) is None and notebook.is_relative_to(root):
        page = quote(notebook.relative_to(root).as_posix())
        ours.append(f"--LabApp.default_url=/lab/tree/{page}")
    return [*ours, *passed]


def _value(arguments: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the value of an option under any of its names, None if it is not given."""
    for index, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name in names:
            return value if equals else "".join(arguments[index + 1 : index + 2])
    return None
