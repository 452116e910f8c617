"""What axe-core finds in the panel, in JupyterLab's two themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from browser.lab import Lab
from playwright.sync_api import Page

AXE = (Path(__file__).resolve().parents[2] / "node_modules/axe-core/axe.min.js").read_text()

FINDINGS = """
axe.run(PLACE).then(({ violations }) =>
  violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`))
"""

# JupyterLab's body has no height, and hides what is out of it: axe-core takes all texts for hidden, and checks none.
SHOWN = "document.body.style.height = '100vh';"

THEMES = ("JupyterLab Dark", "JupyterLab Light")


def themes(lab: Lab) -> Iterator[str]:
    """Sets one theme after the other and gives their names, `dark` and `light`. The page then has axe-core."""
    lab.page.evaluate(AXE)
    for theme in THEMES:
        lab.set_theme(theme)
        yield theme.split()[-1].lower()


def findings(lab: Lab) -> list[str]:
    """The rules that the panel breaks now, and the elements that break them."""
    found: list[str] = lab.evaluate(f"{SHOWN} return await {FINDINGS.replace('PLACE', repr('.jp-TracefnPanel'))}")
    return found


def findings_of(page: Page) -> list[str]:
    """The same of a whole page, which has axe-core."""
    found: list[str] = page.evaluate(FINDINGS.replace("PLACE", ""))
    return found


def findings_of_view(lab: Lab, screenshot: Callable[..., Any], name: str) -> dict[str, list[str]]:
    """The findings by theme, of which there are any, and a picture `name-dark` and `name-light`."""
    found = {}
    for theme in themes(lab):
        found[theme] = findings(lab)
        screenshot(lab, f"{name}-{theme}")
    return {theme: rules for theme, rules in found.items() if rules}
