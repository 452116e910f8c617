"""The tracefn panel as a test sees it: by roles, and by the `data-tracefn` hooks of the front end."""

from __future__ import annotations

from dataclasses import dataclass

from browser.lab import Lab
from playwright.sync_api import Locator

#: The relative luminance of a text's colour and of what lies behind it, after WCAG 2.2.
LUMINANCE = """
element => {
  const parts = color => {
    const most = color.startsWith('color(') ? 1 : 255;  // what color-mix() gives counts to 1
    const [r, g, b, alpha = 1] = color.match(/[\\d.]+/g).map(Number);
    return { rgb: [r, g, b].map(v => v / most), alpha };
  };
  const over = ({ rgb, alpha }, below) => rgb.map((v, i) => v * alpha + below[i] * (1 - alpha));
  const luminance = rgb => {
    const [r, g, b] = rgb.map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.unshift(parts(getComputedStyle(at).backgroundColor));
  const back = layers.reduce((below, layer) => over(layer, below), [1, 1, 1]);
  return [luminance(over(parts(getComputedStyle(element).color), back)), luminance(back)];
}
"""


@dataclass(frozen=True)
class Colors:
    """The luminance of a text and its background, from 0 (black) to 1 (white)."""

    text: float
    background: float

    def contrast(self) -> float:
        """The contrast ratio, from 1 to 21; text that is easy to read has 4.5 and more."""
        low, high = sorted((self.text, self.background))
        return (high + 0.05) / (low + 0.05)


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

    def colors(self) -> Colors:
        """The colours of the first function's name."""
        return Colors(*self.functions.first.locator(".tracefn-function-name").evaluate(LUMINANCE))
