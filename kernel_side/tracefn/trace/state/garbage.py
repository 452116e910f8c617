"""Objects that a trace has made and nothing reaches: traces that were given up hold them in cycles, and Python does not
look for garbage while tracing."""

from __future__ import annotations

import gc


class MadeSince:
    """The objects that were made since a moment, that of its own making."""

    def __init__(self) -> None:
        self._looks = _looks()

    def collect(self) -> None:
        """Has Python let go of those that nothing reaches. Where it has not looked for garbage meanwhile, they are all
        young: to look through the old ones as well takes half a second in a process with large libraries."""
        looked = [now != before for now, before in zip(_looks(), self._looks, strict=True)]
        gc.collect(2 if any(looked[1:]) else 1 if looked[0] else 0)


def _looks() -> list[int]:
    """How often Python has looked for garbage in each generation: objects that are left count to the next one."""
    return [generation["collections"] for generation in gc.get_stats()]
