"""Eager calls of a function: the reason, its line, the fix and the cost."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..events import Location
from ..events.units import count, duration, shortened
from ..function import Function
from ..function.fallback.reasons import ANY
from ..records import dataclass
from .words import place


@dataclass(frozen=True, slots=True)
class EagerCalls:
    """Calls of one signature that ran eagerly ('any': all that no trace fits). Times are in ns: `trace_ns` went into
    the attempt to trace, `eager_ns` is the approximate time of one call."""

    signature: str
    error: str
    reason: str
    fix: str
    location: Location | None
    calls: int
    trace_ns: int
    eager_ns: int

    @property
    def text(self) -> str:
        """The reason with its line."""
        return f"{self.reason}{place(self.location)}"

    @property
    def cost(self) -> str:
        """The number of calls and their time, in words."""
        calls = f"{count(self.calls, 'call')} ran eagerly, {duration(self.eager_ns)} each"
        return f"{calls}; the attempt to trace took {duration(self.trace_ns)}" if self.trace_ns else calls

    def rows(self) -> list[tuple[str, str]]:
        """The lines of the report; the first one has the signature."""
        name = "all that no trace fits" if self.signature == ANY else shortened(self.signature)
        lines = [self.text, *([self.fix] if self.fix else []), self.cost]
        return [(name or "()", lines[0]), *[("", line) for line in lines[1:]]]

    def to_dict(self) -> dict[str, Any]:
        """The same as data for JSON."""
        return dataclasses.asdict(self)


def eager_calls(function: Function) -> tuple[EagerCalls, ...]:
    """All fallbacks of a function, the oldest first."""
    return tuple(
        [
            EagerCalls(
                fallback.signature_text,
                fallback.error,
                fallback.reason,
                fallback.fix,
                fallback.location,
                fallback.calls,
                fallback.trace_ns,
                fallback.spent_ns // fallback.calls if fallback.calls else fallback.eager_ns,
            )
            for fallback in function.fallbacks
        ]
    )
