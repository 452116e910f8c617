"""The steps from a graph to one with kernels, in order: each gives a graph that verifies, prints and evaluates."""

from __future__ import annotations

from collections.abc import Callable

from ...ir.graph import Graph, Node
from ...passes.rewrite import rewrite, with_bodies
from .fusion.regions import KERNEL, with_regions
from .fusion.rows import with_rows
from .loops.regions import with_loops
from .rewrites.contract import contracted
from .rewrites.medians import without_medians
from .rewrites.moments import expanded
from .rewrites.triangles import without_triangles

Step = tuple[str, Callable[[Graph], Graph]]


def steps(precise: bool = False, by_rows: bool = True) -> tuple[Step, ...]:
    """All steps, with their names. `precise` leaves out those that round in another way than NumPy; without `by_rows`
    no kernel goes row by row."""
    rounding: tuple[Step, ...] = (
        ("contraction order", _everywhere(contracted)),
        ("split moments", _everywhere(expanded)),
    )
    rows: tuple[Step, ...] = (("row kernels", _everywhere(with_rows)),)
    return (
        *(() if precise else rounding),
        ("medians", _everywhere(without_medians)),
        ("triangles", _everywhere(without_triangles)),
        ("loop kernels", _everywhere(lambda graph: with_loops(graph, precise))),
        *(rows if by_rows and not precise else ()),
        ("kernels", _everywhere(lambda graph: with_regions(graph, precise))),
    )


def with_kernels(graph: Graph, precise: bool = False, by_rows: bool = True) -> Graph:
    """The graph after all steps."""
    for _, run in steps(precise, by_rows):
        graph = run(graph)
    return graph


def is_reordered(graph: Graph) -> bool:
    """True if its products are computed in another order: that is worth a program without any kernel."""
    return _everywhere(contracted)(graph) is not graph


def _everywhere(run: Callable[[Graph], Graph]) -> Callable[[Graph], Graph]:
    """The step on a graph and then on the bodies of its branches and loops, but not of its kernels."""

    def rule(node: Node) -> Node | None:
        return with_bodies(node, everywhere) if node.bodies and node.op is not KERNEL else None

    def everywhere(graph: Graph) -> Graph:
        return rewrite(run(graph), rule)

    return everywhere
