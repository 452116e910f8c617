"""Eager against graph as a widget."""

from __future__ import annotations

from typing import Any

import traitlets
from tracefn.timing import Comparison

from tracefn_widgets.bundle import BundledWidget


class TimingView(BundledWidget):
    """Shows a comparison made by `tracefn.timing.compare`. Raises TypeError for anything else."""

    bundle = "timing.js"

    event: traitlets.Dict[Any, Any] = traitlets.Dict().tag(sync=True)

    def __init__(self, comparison: Comparison) -> None:
        if not isinstance(comparison, Comparison):
            raise TypeError(
                f"TimingView shows what tracefn.timing.compare(f, …) returns, not {type(comparison).__name__}."
            )
        self._comparison = comparison
        super().__init__(event=comparison.event().to_json())

    def saved_html(self) -> str:
        return self._comparison._repr_html_()

    def saved_text(self) -> str:
        return str(self._comparison)
