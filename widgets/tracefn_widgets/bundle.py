"""The base of the widgets: reads the front-end code that `npm run build` makes when a widget is made."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets
from tracefn.errors import WidgetBundleMissingError, message

STATIC = Path(__file__).parent / "static"
STYLE = "tracefn.css"
SAVED = "application/vnd.tracefn.saved+json"
"""Says to the labextension that the HTML beside it shows the same as the widget (`labextension/src/saved.ts`)."""

WIDGET = "application/vnd.jupyter.widget-view+json"
WITHOUT_FRONT_END = "--HistoryManager.hist_file=:memory:"
"""The argument by which nbclient starts kernels of `nbconvert --execute` and papermill: they have no front end."""


def read_bundle(name: str) -> str:
    """The text of a built file. Raises WidgetBundleMissingError where it was not built."""
    path = STATIC / name
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WidgetBundleMissingError(
            message(
                f"The widgets' front-end code is missing: {name} was not built.",
                str(STATIC),
                "Run `npm ci` and `npm run build` in the checkout, or install the wheel, which has it.",
            )
        ) from None


class BundledWidget(anywidget.AnyWidget):
    """An anywidget whose code is the built file `bundle`, read when the first instance is made, not at import."""

    bundle: ClassVar[str]

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(_esm=read_bundle(self.bundle), _css=read_bundle(STYLE), **traits)

    def saved_html(self) -> str:
        """What shows in the place of the widget where no kernel is: HTML without scripts."""
        raise NotImplementedError

    def saved_text(self) -> str:
        """The same as text."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **options: Any) -> Any:
        shown = super()._repr_mimebundle_(**options)
        if shown is None:
            return None
        data, metadata = shown
        saved = {"text/plain": self.saved_text(), "text/html": self.saved_html(), SAVED: {}}
        if WITHOUT_FRONT_END in sys.argv:
            # Pages of nbconvert prefer the widget, whose code they fetch from the network: offline they are blank.
            data = {kind: value for kind, value in data.items() if kind != WIDGET}
        return data | saved, metadata
