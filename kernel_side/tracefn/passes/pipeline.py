"""The whole order of passes, and the node counts before and after each."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..events import PassCount
from ..ir.graph import Graph
from .algebra import simplify
from .fold import fold_constants
from .merge import drop_dead, merge_common
from .outputs import separate_outputs

PASSES: tuple[tuple[str, Callable[[Graph], Graph]], ...] = (
    ("fold constants", fold_constants),
    ("simplify", simplify),
    ("merge common", merge_common),
    ("drop dead", drop_dead),
)


def optimize(traced: Graph) -> tuple[Graph, tuple[PassCount, ...]]:
    """The graph after all passes, and what each of them did."""
    graph = traced
    counts = []
    for name, run in (*PASSES, ("separate outputs", lambda g: separate_outputs(traced, g))):
        start = time.perf_counter_ns()
        before = len(graph)
        graph = run(graph)
        counts.append(PassCount(name, before, len(graph), time.perf_counter_ns() - start))
    return graph, tuple(counts)
