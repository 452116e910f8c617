"""Finds a Chromium that starts, or installs one: `python tools/chromium.py` prints its path.

It looks at `TRACEFN_CHROMIUM`, then on the PATH, then for Playwright's own. If there is none, it installs one: with apt
where it runs as root, else with Playwright. If none can be had, one line says so and the exit status is 1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

#: For a browser in a container, under test, that talks to nobody.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]


def find() -> str | None:
    """The path of a Chromium that starts, or None."""
    return next((path for path in _candidates() if _starts(path)), None)


def _candidates() -> list[str]:
    asked = os.environ.get("TRACEFN_CHROMIUM")
    if asked:
        return [asked]
    return [path for path in [*map(shutil.which, NAMES), _playwrights_own()] if path]


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if path and Path(path).exists() else None


def _starts(path: str) -> bool:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            path,
            "--headless",
            *FLAGS,
            f"--user-data-dir={profile}",
            "--dump-dom",
            "data:text/html,<p>ready</p>",
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            return False
    return "ready" in done.stdout


def _install() -> None:
    if os.geteuid() == 0 and shutil.which("apt-get"):
        apt = ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"]
        subprocess.run([*apt, "update"], check=True, stdout=sys.stderr)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        packages = ["chromium", "fonts-dejavu-core"]
        command = [*apt, "install", "-y", "--no-install-recommends", *packages]
        subprocess.run(command, check=True, stdout=sys.stderr, env=environment)
    else:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True, stdout=sys.stderr)


def main() -> int:
    """Prints the path of a Chromium that starts, installed first if need be."""
    path = find()
    if path is None and "TRACEFN_CHROMIUM" not in os.environ:
        print("No Chromium that starts was found: installing one.", file=sys.stderr)
        try:
            _install()
            path = find()
        except (OSError, subprocess.CalledProcessError) as error:
            print(error, file=sys.stderr)
    if path is None:
        print(
            "The browser tests need a Chromium that starts, and none was found or could be installed. "
            "Install one, or set TRACEFN_CHROMIUM to its path.",
            file=sys.stderr,
        )
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
