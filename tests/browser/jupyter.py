"""A real JupyterLab or Notebook on a free port, with a copy of the notebooks, for a browser."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat

from skyl_nb.data import folder

WAIT = 90.0
"""Seconds for a server to come up on a busy machine."""

MODULES = {"lab": "jupyterlab", "notebook": "notebook"}

VIEWS = "views.ipynb"
"""A notebook of the tests that holds each view with controls, and nothing else."""

VIEWS_CODE = ("import skyl_nb as skyl", "skyl.compare_wires()", "skyl.play_loop()")

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    # All cells are in the page, not only those that can be seen.
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@contextmanager
def serving(place: Path, program: str = "lab", code: Iterable[str] = VIEWS_CODE) -> Iterator[str]:
    """Serve a copy of the notebooks, and `VIEWS`; yield the base URL.

    `place` becomes the server's whole home.

    Args:
        place: an empty folder.
        program: `lab` or `notebook`.
        code: the cells of `VIEWS`.
    """
    copied = place / "notebooks"
    shutil.copytree(
        folder("notebooks"), copied, ignore=shutil.ignore_patterns(".ipynb_checkpoints")
    )
    cells = [nbformat.v4.new_code_cell(one) for one in code]
    kernel = {"name": "python3", "display_name": "Python 3"}
    views = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(views, copied / VIEWS)
    for name, setting in SETTINGS.items():
        file = place / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(setting), encoding="utf-8")
    port = _free_port()
    log = (place / "server.log").open("w", encoding="utf-8")
    server = subprocess.Popen(
        [
            sys.executable, "-m", MODULES[program],
            "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0",
            "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=", "--expose-app-in-browser",
            f"--ServerApp.root_dir={copied}",
        ],
        stdout=log,
        stderr=log,
        env=_environment(place),
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(url, server, log.name)
        yield url
    finally:
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


def _environment(place: Path) -> dict[str, str]:
    """Return an environment in which no setting of this machine's user counts."""
    own = {
        "JUPYTER_CONFIG_DIR": place / "config",
        "JUPYTER_DATA_DIR": place / "data",
        "JUPYTER_RUNTIME_DIR": place / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": place / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": place / "workspaces",
        "IPYTHONDIR": place / "ipython",
    }
    return {**os.environ, **{name: str(path) for name, path in own.items()}}


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def _wait_for(url: str, server: subprocess.Popen[bytes], log: str) -> None:
    until = time.monotonic() + WAIT
    while time.monotonic() < until and server.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/api/status", timeout=5).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise RuntimeError(f"no server came up: {Path(log).read_text(encoding='utf-8')[-2000:]}")
