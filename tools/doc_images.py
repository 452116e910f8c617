"""Makes the pictures in docs/images, one of them animated: `python tools/doc_images.py`, after `make build`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import chromium

if TYPE_CHECKING:
    from browser.lab import Lab
    from browser.panel import Panel

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path.append(str(ROOT / "tests"))

CELL = """\
import numpy as np
import tracefn

@tracefn.function
def layer(x, w):
    return np.maximum(x @ w, 0)

@tracefn.function
def network(x, weights, rate):
    for w in weights:
        x = layer(x, w) * 1
    return rate * x.mean(axis=0)

for depth in (1, 2, 4):
    network(np.ones((8, 3)), [np.eye(3)] * depth, 0.5)
network(np.ones((16, 3)), [np.eye(3)] * 4, 0.5)
network(np.ones((16, 3), np.float32), [np.eye(3)] * 2, 0.25)
network(np.ones((8, 3)), [np.eye(3)] * 2, np.float64(0.5));
"""
TIME = "tracefn.timing.compare(network, np.ones((8, 3)), [np.eye(3)] * 4, 0.5);"


def main() -> None:
    """Runs notebooks in a browser and takes a picture of each view."""
    from browser.lab import Lab
    from browser.panel import Panel
    from browser.server import JupyterServer
    from playwright.sync_api import sync_playwright

    path = chromium.find()
    if path is None:
        sys.exit("There is no Chromium: `make test` installs one.")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        server = JupyterServer(Path(folder))
        try:
            server.start()
            browser = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
            page = browser.new_page(viewport={"width": 1500, "height": 760}, device_scale_factor=1.5)
            page.set_default_timeout(60_000)
            lab = Lab(page, server)
            _views(lab, Panel(lab))
        finally:
            server.stop()
    _animation()


def _views(lab: Lab, panel: Panel) -> None:
    notebook = lab.new_notebook(CELL, TIME)
    panel.open()
    notebook.run_all()
    panel.signatures.nth(1).click()
    panel.nodes.filter(has_text="maximum").first.click()
    panel.property("op").wait_for()
    lab.page.mouse.move(0, 0)
    lab.page.wait_for_timeout(1000)  # the end of transitions
    lab.page.screenshot(path=IMAGES / "panel.png")
    panel.region.screenshot(path=IMAGES / "graph.png")
    for tab in ("Retraces", "Size", "Timing", "Session"):
        shown = panel.show(tab)
        if tab == "Timing":
            panel.signatures.nth(2).click()
            shown.locator(".main-svg").first.wait_for()
        elif tab == "Retraces":
            panel.hook("retrace").nth(1).locator('[data-tracefn="cause"]').click()
            panel.hook("difference").first.wait_for()
        lab.page.wait_for_timeout(1000)
        panel.region.screenshot(path=IMAGES / f"{tab.lower()}.png")


def _animation() -> None:
    """The way from retraces to none, as the test of it goes it."""
    environment = {**os.environ, "TRACEFN_FILM": str(IMAGES / "inspector.png")}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/browser/test_story.py"], env=environment, cwd=ROOT, check=True
    )


if __name__ == "__main__":
    main()
