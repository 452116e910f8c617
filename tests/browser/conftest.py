"""Fixtures of the browser tests: one server and one browser for all, pages that complain about their errors.

`TRACEFN_FIREFOX` names a Firefox that runs them instead of Chromium.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import chromium
import patience
import pytest
from browser.lab import Lab
from browser.panel import Panel
from browser.server import JupyterServer
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]

#: How long to wait for what should show, in ms: long, since a test that passes does not wait.
PATIENCE = 60_000

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[JupyterServer]:
    server = JupyterServer(tmp_path_factory.mktemp("jupyter"), Path(patience.__file__))
    try:
        server.start()
        yield server
    finally:
        server.stop()


class Chromium:
    """The browser of all tests. One that has died is started anew: the test that it took with it runs again
    (`test-browser` in the Makefile), and the others do not fail with it."""

    def __init__(self, playwright: Playwright, path: str) -> None:
        self._playwright = playwright
        self._path = path
        self._browser: Browser | None = None

    def _launch(self) -> Browser:
        return self._playwright.chromium.launch(executable_path=self._path, args=chromium.FLAGS)

    def context(self) -> BrowserContext:
        """A new profile, in a browser that runs."""
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._launch()
        return self._browser.new_context(viewport={"width": 1440, "height": 900})

    def close(self) -> None:
        if self._browser is not None:
            self._browser.close()


class Firefox(Chromium):
    """Firefox as it is shipped, over WebDriver BiDi."""

    def _launch(self) -> Browser:
        return self._playwright.firefox.launch(executable_path=self._path, channel="moz-firefox")


@pytest.fixture(scope="session")
def browser() -> Iterator[Chromium]:
    firefox = os.environ.get("TRACEFN_FIREFOX")
    path = firefox or chromium.find()
    if path is None:
        pytest.fail("The browser tests need Chromium: `make test` installs it, or set TRACEFN_CHROMIUM to its path.")
    with sync_playwright() as playwright:
        browser = Firefox(playwright, path) if firefox else Chromium(playwright, path)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def errors() -> list[str]:
    """What went wrong in the pages: uncaught exceptions, and requests to anywhere but the server."""
    return []


JUPYTERLABS = {"Error: Canceled future for create_subshell_request message before replies were done"}
"""Errors of JupyterLab itself: its comms ask for a subshell, and nothing handles that a restart of the kernel ends this
(`_maybeStartSubshell` in @jupyterlab/services, kernel/comm.js)."""


@pytest.fixture(scope="session")
def new_lab(browser, server, errors) -> Callable[..., Lab]:
    """Makes a page with JupyterLab in it; the arguments are those of `Lab` after the server."""

    def make(*arguments: str) -> Lab:
        page: Page = browser.context().new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: str(error) in JUPYTERLABS or errors.append(str(error)))
        page.on("request", lambda request: request.url.startswith("http") and check(request.url))
        return Lab(page, server, *arguments)

    def check(url: str) -> None:
        if not url.startswith(server.url):
            errors.append(f"a request left the machine: {url}")

    return make


@pytest.fixture(scope="session")
def labs() -> list[Lab]:
    """The page that the tests share: the last one, while it lives."""
    return []


@pytest.fixture
def lab(new_lab, labs, errors) -> Iterator[Lab]:
    """JupyterLab, without open notebooks, in a page that the tests share: opening one costs seconds."""
    if not labs or labs[-1].page.is_closed():
        labs.append(new_lab())
    errors.clear()
    yield labs[-1]
    if not labs[-1].page.is_closed():
        labs[-1].close_all()
    assert errors == []


@pytest.fixture
def screenshot() -> Callable[[Lab, str], None]:
    """Saves a picture of the page under build/screenshots."""
    return save_picture


def save_picture(lab: Lab, name: str) -> None:
    path = ROOT / "build" / "screenshots" / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    lab.page.screenshot(path=path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Function) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails leaves a picture of its page."""
    report = yield
    lab = item.funcargs.get("lab")
    if report.when == "call" and report.failed and isinstance(lab, Lab) and not lab.page.is_closed():
        save_picture(lab, f"failed-{item.name}")
    return report


@pytest.fixture
def panel(lab) -> Iterator[Panel]:
    """The open panel."""
    panel = Panel(lab)
    panel.open()
    yield panel
    if panel.region.get_by_role("tab").count():  # hidden until something is there to show
        panel.show("Graph")
