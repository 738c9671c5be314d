"""A browser for the tests, and what must hold on every page: nothing leaves this machine."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, sync_playwright

from tests.browser import jupyter

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
NOT_OURS = re.compile(r"reading 'schema'\).*/static/notebook/notebook_core\.", re.DOTALL)
"""What Notebook 7.6 itself raises when it starts, also without a notebook of ours."""

REQUIRED = os.environ.get("SKYL_NB_BROWSER") == "required"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = program()
    if found is None:
        missing(f"no browser is installed: none of {', '.join(NAMES)} is in the path")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(
            executable_path=found,
            args=["--no-sandbox", "--disable-background-networking", "--disable-gpu"],
        )
        yield opened
        opened.close()


@pytest.fixture
def quiet_kernel(page: Page) -> Iterator[None]:
    """Watch what the kernel tells the page: at the end it has told of no error, seen or not."""
    errors: list[bytes] = []

    def hear(frame: bytes | str) -> None:
        told = frame if isinstance(frame, bytes) else frame.encode()
        if b'"msg_type": "error"' in told:
            errors.append(told)

    page.on("websocket", lambda opened: opened.on("framereceived", hear))
    yield
    assert errors == []


def program() -> str | None:
    """Return the path of the browser that the machine has, None if it has none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def missing(reason: str) -> NoReturn:
    """Skip a test, or fail it where nothing may be skipped."""
    pytest.fail(reason) if REQUIRED else pytest.skip(reason)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from _served(tmp_path_factory, "lab")


@pytest.fixture(scope="session")
def notebook7(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from _served(tmp_path_factory, "notebook")


def _served(factory: pytest.TempPathFactory, program: str) -> Iterator[str]:
    """Serve the notebooks; at the end no code of ours has failed in a kernel."""
    place = factory.mktemp(program)
    with jupyter.serving(place, program) as url:
        yield url
    log = (place / "server.log").read_text(encoding="utf-8")
    # The server itself complains when a page is closed that is still told something.
    assert "[IPKernelApp] ERROR" not in log, log
    assert "skyl_nb" not in log, log


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, which finds what keeps people from using a page."""
    file = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
    if not file.exists():
        missing("axe-core is not installed: run npm ci in tests/browser")
    return file.read_text(encoding="utf-8")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new page; at its end nothing was asked for elsewhere, and no script has failed."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    opened = context.new_page()
    elsewhere: list[str] = []
    failed: list[str] = []

    def stay(route: Route) -> None:
        if urlsplit(route.request.url).hostname in ("127.0.0.1", None):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error":
            failed.append(message.text)

    opened.route("**/*", stay)
    opened.on("console", listen)
    opened.on("pageerror", lambda error: failed.append(f"{error} {error.stack}"))
    opened.set_default_timeout(20_000)
    yield opened
    context.close()
    assert elsewhere == []
    assert [one for one in failed if not NOT_OURS.search(one)] == []
