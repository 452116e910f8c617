"""Ends traces of code that calls function after function and computes nothing: Python runs it in a hundredth of the
time, and later calls would save nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from ...errors import UnsupportedFunctionError, message
from ...ir.graph import Node
from ...trace.origin import user_source, where
from ...trace.recording.recorder import Recorder

MANY, PATIENCE_NS = 100, 250_000_000
"""A trace ends if it has no operation after `MANY` calls of functions and `PATIENCE_NS` of processor time. The check
runs once every `MANY` calls."""


class WhileItComputes:
    """`copy(function)`, the stand-in for a function in calls, while the trace comes to operations now and then."""

    def __init__(self, trace: Recorder, copy: Callable[[Any], Any]) -> None:
        self._trace, self._copy = trace, copy
        self._calls, self._start = 0, time.thread_time_ns()

    def function(self, function: Any) -> Any:
        """The stand-in for a function in calls. Raises `UnsupportedFunctionError` where the trace has no operation
        yet."""
        self._calls += 1
        if not self._calls % MANY and time.thread_time_ns() - self._start >= PATIENCE_NS and not self._computes():
            raise UnsupportedFunctionError(
                message(
                    f"its first {self._calls} calls of functions compute nothing with arrays",
                    where(user_source(3)),
                    "Decorate the functions that do the array work.",
                )
            )
        return self._copy(function)

    def _computes(self) -> bool:
        bodies = [body for known in self._trace.bodies if (body := known()) is not None]
        return any(_compute(vars(trace).get("nodes", ())) for trace in (self._trace, *bodies))


def _compute(nodes: Iterable[Node]) -> bool:
    """True if one of the nodes, or of those in bodies, is an operation."""
    return any(
        any(_compute(body.graph.nodes) for body in n.bodies) if n.bodies else n.op.style != "leaf" for n in nodes
    )
