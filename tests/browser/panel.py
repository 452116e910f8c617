"""The tracefn panel as a test sees it: by roles, and by the `data-tracefn` hooks of the front end."""

from __future__ import annotations

from browser.lab import Lab
from playwright.sync_api import Locator


class Panel:
    """The panel of a page."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.region = lab.page.get_by_role("region", name="tracefn")

    def open(self) -> None:
        self._lab.command("tracefn:open-panel")
        self.region.wait_for()

    def close(self) -> None:
        self._lab.evaluate("jupyterapp.shell.collapseRight()")
        self.region.wait_for(state="hidden")

    def hook(self, name: str) -> Locator:
        """The elements with that `data-tracefn` hook, as far as they are shown."""
        return self.region.locator(f'[data-tracefn="{name}"]').locator("visible=true")

    @property
    def functions(self) -> Locator:
        return self.hook("function")

    @property
    def signatures(self) -> Locator:
        return self.hook("signature")

    @property
    def nodes(self) -> Locator:
        """The boxes of the drawn graph."""
        return self.hook("node")

    @property
    def message(self) -> Locator:
        return self.hook("message")

    def show(self, tab: str) -> Locator:
        """Shows a tab by its label and gives its page."""
        self.region.get_by_role("tab", name=tab).click()
        return self.hook(f"page-{tab.lower()}")

    def property(self, name: str) -> Locator:
        """A property in the detail of the chosen node."""
        return self.hook("detail").locator(f'[data-property="{name}"]')
