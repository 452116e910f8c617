"""Nodes that a kernel computes together with the nodes needed for them alone, on elements of another shape."""

from __future__ import annotations

from ....ir.graph import Graph, Node
from ....records import dataclass
from .masked import MaskedReduction, masked_reductions, masked_writes
from .reduction import is_short
from .unrolled import needed_alone


@dataclass(frozen=True, slots=True)
class Unit:
    """A node with the nodes that belong to it: `inner` nodes, in order, and the arrays that they all `read`. `tables`
    must be computed before the kernel. One that is `alone` is a kernel of its own."""

    inner: tuple[Node, ...]
    read: tuple[Node, ...]
    tables: tuple[Node, ...] = ()
    is_alone: bool = False


def units(graph: Graph, precise: bool) -> dict[Node, Unit]:
    """The units of a graph, each by the last of its nodes."""
    found = {n: Unit(m.picked, m.read) for n, m in masked_writes(graph, precise).items()}
    if not precise:
        found |= {n: _of_reduction(m) for n, m in masked_reductions(graph).items()}
    if precise or not any(map(is_short, graph.nodes)):
        return found
    users, taken = graph.users(), {n for unit in found.values() for n in unit.inner}
    for node in reversed(graph.nodes):
        if node in taken or not is_short(node):
            continue
        inner = needed_alone(node, graph, users)
        if not taken.isdisjoint(inner):
            inner = ()
        taken |= {node, *inner}
        outer = [s for n in (node, *inner) for s in n.inputs if s not in inner]
        found[node] = Unit(inner, tuple(dict.fromkeys(outer)), tuple(s for s in outer if s.type.ndim))
    return found


def _of_reduction(masked: MaskedReduction) -> Unit:
    outer = dict.fromkeys(s for n in masked.picked for s in n.inputs if s not in masked.picked)
    return Unit(masked.picked, tuple(outer), is_alone=True)
