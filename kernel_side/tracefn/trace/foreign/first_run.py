"""The first run of a program takes the results of its steps while tracing, so that nothing runs twice."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from ...ir.graph import Graph
from ...ops.foreign import foreign, foreign_pure
from ..state.taken import put_back

_STEPS = frozenset({foreign, foreign_pure})


def steps_of(graph: Graph) -> list[Any]:
    """The steps of a graph. Bodies of branches and loops have none."""
    if _STEPS.isdisjoint(graph.ops):
        return []
    return [node.args[0] for node in graph.nodes if node.op in _STEPS]


@contextlib.contextmanager
def first_run(graph: Graph) -> Iterator[None]:
    """Around the run of a program by the call that was traced. Results of steps that it does not reach are given
    back."""
    steps = steps_of(graph)
    for step in steps:
        step.arm(threading.get_ident())
    try:
        yield
    finally:
        unused = [step.function for step in steps if step.recorded is not None]
        put_back([pair for function in unused for pair in getattr(function, "taken", ())], _nowhere)
        forget(steps)


def forget(steps: Iterable[Any]) -> None:
    """Drops the steps' results from tracing."""
    for step in steps:
        step.recorded = None


def _nowhere(iterator: Any) -> None: ...
