"""The widgets in marimo, which has no comms of Jupyter: they live by their traits. Skipped where marimo is missing."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.skipif(importlib.util.find_spec("marimo") is None, reason="marimo is not installed")

APP = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    import numpy as np
    import tracefn
    from tracefn_widgets import GraphView, Inspector

    @tracefn.function
    def smooth(x):
        return np.tanh(x) * 2

    smooth(np.ones(3))
    smooth(np.ones(4))
    more = mo.ui.button(label="one more", value=4, on_click=lambda n: n + 1)
    return GraphView, Inspector, mo, more, np, smooth


@app.cell
def _(Inspector, mo, more, smooth):
    mo.vstack([more, mo.ui.anywidget(Inspector(smooth))])
    return


@app.cell
def _(GraphView, mo, smooth):
    mo.ui.anywidget(GraphView(smooth.concrete_functions[0]))
    return


@app.cell
def _(more, np, smooth):
    smooth(np.ones(more.value))
    return


if __name__ == "__main__":
    app.run()
"""


def listens(port: int) -> bool:
    """Whether a server listens at a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def served(tmp_path) -> Iterator[str]:
    """The address of a marimo server that shows the app."""
    (tmp_path / "app.py").write_text(APP)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "run", "app.py", "--headless", "--no-token", "--port", str(port)]
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    with open(tmp_path / "log", "wb") as log:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 60
        while not listens(port):
            assert server.poll() is None and time.monotonic() < deadline, (tmp_path / "log").read_text()
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


def test_widgets_live_in_marimo(browser, served):
    page = browser.context().new_page()
    page.goto(served)
    inspector = page.locator("[data-tracefn=inspector]")
    expect(inspector.locator("[data-tracefn=signature]")).to_have_count(2, timeout=60_000)
    expect(page.locator(".tracefn-box", has_text="tanh").first).to_be_visible()
    page.get_by_role("button", name="one more").click()
    expect(inspector.locator("[data-tracefn=signature]")).to_have_count(3)
    inspector.locator("[data-tracefn=signature]").first.click()
    expect(inspector.locator("[data-tracefn=signature]").first).to_have_attribute("aria-selected", "true")
    inspector.get_by_role("tab", name="Retraces").click()
    expect(inspector.locator("[data-tracefn=retrace]").first).to_contain_text("shape (4,) → (5,)")
    page.screenshot(path=Path("build/screenshots/marimo.png"))
    page.close()
