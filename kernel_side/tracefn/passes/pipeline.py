"""The whole order of passes, and the node counts before and after each."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache

from ..events import PassCount
from ..ir.graph import Graph, Node
from ..ir.op import CONSTANT
from .algebra import simplify
from .fold import fold_constants
from .hoist import hoist_invariants
from .inline import inline_calls
from .merge import drop_dead, merge_common
from .outputs import separate_outputs
from .repeated import without_repeats
from .rewrite import rewrite, with_bodies


def optimize_bodies(graph: Graph) -> Graph:
    """Every body of a branch or loop, optimised as a graph of its own."""
    return rewrite(graph, _with_optimized_bodies) if "control" in graph.styles else graph


def _with_optimized_bodies(node: Node) -> Node | None:
    return with_bodies(node, _optimized) if node.op.style == "control" and node.bodies else None


PASSES: tuple[tuple[str, Callable[[Graph], Graph]], ...] = (
    ("inline calls", inline_calls),
    ("bodies", optimize_bodies),
    ("repeated numbers", without_repeats),
    ("fold constants", fold_constants),
    ("simplify", simplify),
    ("hoist invariants", hoist_invariants),
    ("merge common", merge_common),
    ("drop dead", drop_dead),
)

SEPARATE = "separate outputs"


def _optimized(body: Graph) -> Graph:
    graph = body
    for _, run in PASSES:
        graph = run(graph)
    return separate_outputs(inline_calls(body), graph)


def steps(traced: Graph) -> tuple[tuple[str, Callable[[Graph], Graph]], ...]:
    """All passes over a traced graph, in order, with their names."""
    return (*PASSES, (SEPARATE, lambda graph: separate_outputs(inline_calls(traced), graph)))


def optimize(traced: Graph) -> tuple[Graph, tuple[PassCount, ...]]:
    """The graph after all passes, and a record of each."""
    graph = traced
    counts = []
    after = graph.total()
    for name, run in steps(traced):
        start = time.perf_counter_ns()
        before, rewritten = after, run(graph)
        if rewritten is not graph:
            graph, after = rewritten, rewritten.total()
        counts.append(PassCount(name, before, after, time.perf_counter_ns() - start))
    return graph, tuple(counts)


def optimize_like(traced: Graph) -> tuple[Graph, tuple[PassCount, ...]]:
    """The same for a graph that differs in lengths alone from one which the passes have left as it is: they go by
    calls, dtypes, and which types are equal. But of constants they ask the values, and of dead code whether it may
    raise, which lengths may decide."""
    if CONSTANT in traced.ops or drop_dead(traced) is not traced:
        return optimize(traced)
    return traced, _nothing_done(traced.total())


@lru_cache(maxsize=256)
def _nothing_done(nodes: int) -> tuple[PassCount, ...]:
    names = [*[name for name, _ in PASSES], SEPARATE]
    return tuple([PassCount(name, nodes, nodes, 0) for name in names])
