"""What a person does with a notebook in JupyterLab or Notebook: open it, run it."""

from playwright.sync_api import Page

_READY = """async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.context.ready;
    await panel.sessionContext.ready;
    await panel.revealed;
}"""
_ALL_RAN = """() => {
    const prompts = [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')];
    return prompts.length > 0 && prompts.every(one => /[0-9]/.test(one.innerText));
}"""


def command(page: Page, name: str) -> None:
    """Do what a menu entry of JupyterLab does."""
    page.evaluate("name => { window.jupyterapp.commands.execute(name) }", name)


def opened(page: Page, url: str, lesson: str, place: str = "lab/tree") -> None:
    """Open a notebook, and wait for it and its kernel; `place` is that of the front end."""
    page.goto(f"{url}/{place}/{lesson}?reset")
    page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell")
    page.evaluate(_READY)


def run(page: Page) -> None:
    """Clear the outputs, run all cells, and wait until the last one is done."""
    command(page, "notebook:clear-all-cell-outputs")
    page.wait_for_function("() => !document.querySelector('.jp-OutputArea-output')")
    command(page, "notebook:run-all-cells")
    page.wait_for_function(_ALL_RAN)


def use_theme(page: Page, name: str) -> None:
    """Let JupyterLab have another theme, and wait until it has."""
    change = "name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})"
    page.evaluate(change, name)
    page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)
    page.wait_for_timeout(300)  # colours fade over
