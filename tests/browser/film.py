"""The pictures of a flow as one animated picture, for the docs: `TRACEFN_FILM` names its file, and no picture is taken
where it does not."""

from __future__ import annotations

import io
import os
from pathlib import Path

from browser.lab import Lab
from PIL import Image

#: How long the page is let to end its transitions, in ms.
SETTLING_MS = 500

#: Colours of a picture.
COLORS = 128


class Film:
    """The pictures taken so far, each with the time that it shows, in ms."""

    def __init__(self) -> None:
        self._path = os.environ.get("TRACEFN_FILM")
        self._taken: list[tuple[Image.Image, int]] = []

    def take(self, lab: Lab, shown_ms: int) -> None:
        """Takes a picture of the page."""
        if self._path:
            lab.page.mouse.move(0, 0)
            lab.page.wait_for_timeout(SETTLING_MS)
            picture = Image.open(io.BytesIO(lab.page.screenshot())).convert("RGB")
            self._taken.append((picture.quantize(COLORS), shown_ms))

    def save(self) -> None:
        """Writes what was taken, as a PNG that repeats."""
        if self._path and self._taken:
            (first, *others), times = zip(*self._taken, strict=True)
            first.save(
                Path(self._path), save_all=True, append_images=others, duration=list(times), loop=0, optimize=True
            )
