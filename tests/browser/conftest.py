"""A browser for the tests, and what must hold on every page: nothing leaves this machine."""

import os
import shutil
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, sync_playwright

from tests.browser import jupyter

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
REQUIRED = os.environ.get("SKYL_NB_BROWSER") == "required"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        reason = f"no browser is installed: none of {', '.join(NAMES)} is in the path"
        pytest.fail(reason) if REQUIRED else pytest.skip(reason)
    with sync_playwright() as driver:
        found = driver.chromium.launch(
            executable_path=program,
            args=["--no-sandbox", "--disable-background-networking", "--disable-gpu"],
        )
        yield found
        found.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with jupyter.serving(tmp_path_factory.mktemp("lab")) as url:
        yield url


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
    opened.on("pageerror", lambda error: failed.append(str(error)))
    opened.set_default_timeout(60_000)
    yield opened
    context.close()
    assert elsewhere == []
    assert failed == []
