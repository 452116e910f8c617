"""The clock of a first call: how long each of its phases takes."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...trace.autograph import REWRITING


class Clock:
    """Tells `on_phase(name, ns)` when a phase ends. `phases` has them all, in ns.

    AutoGraph's rewriting, of the function and of its callees, happens in other phases; it is a phase of its own,
    which is there only where something had to be rewritten.
    """

    def __init__(self, on_phase: Callable[[str, int], None]) -> None:
        self.phases: dict[str, int] = {}
        self._on_phase = on_phase
        self._last = time.perf_counter_ns()
        self._rewriting = REWRITING.ns

    def ends(self, phase: str) -> None:
        now = time.perf_counter_ns()
        rewriting, self._rewriting = REWRITING.ns - self._rewriting, REWRITING.ns
        if rewriting:
            self._took("rewrite", self.phases.get("rewrite", 0) + rewriting)
        self._took(phase, now - self._last - rewriting)
        self._last = now

    def _took(self, phase: str, ns: int) -> None:
        self.phases[phase] = ns
        self._on_phase(phase, ns)
