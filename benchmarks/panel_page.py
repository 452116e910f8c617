"""A page with JupyterLab in a real Chromium, for measurements on the screen."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import chromium

if TYPE_CHECKING:
    from browser.lab import Lab

Found = TypeVar("Found")


def report(text: str) -> None:
    """Says on stderr how far a long measurement is."""
    print(f"\n  {time.strftime('%H:%M:%S')} {text}", end=" ", file=sys.stderr, flush=True)


def in_lab(measure: Callable[[Lab], Found]) -> Found | str:
    """The findings of `measure` in a JupyterLab of its own. Names the missing part where there is no browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return "Playwright is not installed"
    path = chromium.find()
    if path is None:
        return "there is no Chromium"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        from browser.lab import Lab
        from browser.server import JupyterServer

        server = JupyterServer(Path(folder))
        try:
            server.start()
            browser = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(60_000)
            return measure(Lab(page, server))
        finally:
            server.stop()
