"""The limit of a trace's operations: a longer trace takes as long as hundreds of eager calls, and may serve one."""

from __future__ import annotations

import math
from typing import Any

from ...errors import ControlFlowError, message
from ...ir.place import Scope, Source
from ..origin import where
from .own_time import OwnTime

MAX_RECORDED = 60_000
"""The operations of a first attempt, those of bodies that are traced again and of trials included: 3 to 5 s. The way
back of derivatives counts for nothing."""

MAX_ROUNDS = 10_000
"""The rounds of unrolled loops in bodies of the graph, be there operations in them or not: 2 to 3 s. Calls may never
come there, and the loop need not end there."""

LONGER = 4
"""The factor of the limit of a second attempt. It is made when eager calls have taken as long as that many first ones:
so waiting costs no more than the trace does."""


ASKS = 32
"""The clock is read once for this many operations."""


class Budget:
    """The operations that one attempt to trace may record, and has recorded. Unlike its time they are the same on any
    machine. Where the time is limited as well, to `most_ns` of the processor, `took` is that of the attempt. `loop` is
    the outermost loop that was unrolled where they came to an end. `is_given_up` is set where another limit of long
    traces was met, at which all further tries of the attempt would end as well."""

    __slots__ = ("_most_ns", "_rounds", "_took", "is_given_up", "loop", "most", "spent")

    def __init__(self, most: float = math.inf, most_ns: float = math.inf, took: OwnTime | None = None) -> None:
        self.most, self.spent, self._rounds = most, 0, 0
        self._most_ns, self._took = most_ns, took
        self.loop: Source | None = None
        self.is_given_up = False

    @property
    def is_spent(self) -> bool:
        """True where it was too small for the trace."""
        return self.spent > self.most

    @property
    def is_over(self) -> bool:
        """True where the attempt was given up."""
        return self.is_spent or self.is_given_up

    def spend(self, source: Source | None, scope: Any) -> None:
        """Counts an operation. Raises `ControlFlowError` for one too many, and for all later ones."""
        self.spent += 1
        if not self.spent % ASKS and self._took is not None and self._took.so_far_ns > self._most_ns:
            self.most = min(self.most, self.spent - 1)
        if self.spent > self.most:
            self.loop, rounds = _unrolled(scope)
            much = "" if self.loop is None else f", in {rounds} rounds of a loop"
            raise ControlFlowError(
                message(
                    f"its trace has more than {self.most} operations{much}: making it takes as long as many calls",
                    where(self.loop or source),
                    "Decorate the functions that do the array work, or loop over an array, so that the loop stays in "
                    "the graph. Calls are traced when they have taken longer than a trace.",
                )
            )

    def spend_round(self, loop: Source | None) -> None:
        """Counts a round of an unrolled loop in a body. Raises `ControlFlowError` for one too many, and later ones."""
        self._rounds += 1
        if self._rounds > MAX_ROUNDS:
            raise ControlFlowError(
                message(
                    f"a loop where a traced value leads has more than {MAX_ROUNDS} rounds, which run while tracing",
                    where(loop),
                    "Give the loop a limit, or decide by a Python value whether it runs.",
                )
            )


def _unrolled(scope: Any) -> tuple[Source | None, str]:
    """The outermost unrolled loop around a scope, and its rounds so far."""
    found: tuple[Source | None, str] = None, ""
    while isinstance(scope, Scope):
        name, _, number = scope.rpartition("/")[2].partition("#")
        if name == "round" and number:
            found = scope.site, number
        scope = getattr(scope, "outer", None)
    return found
