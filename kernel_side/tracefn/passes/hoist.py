"""Loop-invariant code motion: nodes of a round that read values around the loop alone are computed once, before it.

Only steps that neither raise nor warn, whatever their operands hold: a loop may have no round, and each round that
warns has to do so. And nothing large, which would stay in memory for as long as the loop runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from ..ir.dims import Dim
from ..ir.graph import Graph, Node, fed_by, input_node
from ..ir.infer import may_raise
from ..ir.op import CONSTANT
from ..ir.place import moved_to
from ..ir.template import Body, ListOf, Ref, leaves, renumber
from .outputs import held_by_lists, memory_root
from .rewrite import with_inputs

MAX_BYTES = 1 << 20
"""The largest array that is kept for a loop."""


def hoist_invariants(graph: Graph) -> Graph:
    """Moves loop invariants out of each loop."""
    if "control" not in graph.styles or not any(op.is_loop for op in graph.ops):
        return graph
    new: dict[Node, Node] = {}
    changed = new.keys()
    nodes: dict[Node, None] = {}
    for node in graph.nodes:
        found = (
            node if changed.isdisjoint(node.inputs) else with_inputs(node, tuple([new.get(n, n) for n in node.inputs]))
        )
        if node.op.is_loop:
            before, found = _hoisted(found)
            nodes |= dict.fromkeys(before)
        if found is not node:
            new[node] = found
        nodes[found] = None
    if not new:
        return graph
    outputs = tuple([new.get(n, n) for n in graph.outputs])
    return dataclasses.replace(graph, nodes=tuple(nodes), outputs=outputs)


def _hoisted(loop: Node) -> tuple[list[Node], Node]:
    """The invariants of a loop, and the loop that is given them."""
    *others, operands = loop.args
    outer = [loop.inputs[ref.index] for ref in operands.items]
    moved = {body: _invariants(body.graph, outer, loop.scope) for body in loop.bodies}
    if not any(moved.values()):
        return [], loop
    shown = {body: _shown(body.graph, found) for body, found in moved.items()}
    given = [*outer, *[moved[body][n] for body in moved for n in shown[body]]]
    graphs, first = {}, len(outer)
    for body, found in moved.items():
        added = [input_node(f"invariant{k}", n.type) for k, n in enumerate(given[len(outer) :])]
        start = first - len(outer)
        inside = dict(zip(shown[body], added[start : start + len(shown[body])], strict=True))
        first += len(shown[body])
        graphs[body] = _without(body.graph, found, inside, added)
    needed = [any(found) for found in zip(*[_read(graph, len(given)) for graph in graphs.values()], strict=True)]
    bodies = {body: Body(body.name, _fed(graph, needed), body.results) for body, graph in graphs.items()}
    used = [n for n, keep in zip(given, needed, strict=True) if keep]
    args = [bodies[a] if type(a) is Body else a for a in others]
    read = [loop.inputs[item.index] for item in leaves(tuple(args)) if type(item) is Ref]
    inputs = tuple(dict.fromkeys([*read, *used]))
    index = {n: Ref(k) for k, n in enumerate(inputs)}
    numbers = [index.get(n) for n in loop.inputs]
    args = [renumber(a, numbers) for a in args] + [ListOf(tuple([index[n] for n in used]))]
    before = dict.fromkeys(n for found in moved.values() for n in _with_constants(found.values()))
    return list(before), dataclasses.replace(loop, inputs=inputs, args=tuple(args))


def _invariants(graph: Graph, outer: list[Node], scope: str) -> dict[Node, Node]:
    """The nodes of a body that need not be computed in each round, with the nodes that compute them around the loop.
    `outer` are the values around the loop that are the last inputs of its bodies, `scope` is the loop's."""
    inputs = graph.inputs[len(graph.inputs) - len(outer) :]
    known = {inner: around for inner, around in zip(inputs, outer, strict=True) if inner.types == around.types}
    lasting: set[Node] | None = None
    moved: dict[Node, Node] = {}
    for node in graph.nodes:
        sources = [moved.get(n) or known.get(n) or (n if n.op is CONSTANT else None) for n in node.inputs]
        if None in sources or not _is_quiet(node):
            continue
        lasting = _lasting(graph) if lasting is None else lasting
        if memory_root(node) not in lasting:
            around = with_inputs(node, tuple([n for n in sources if n is not None]))
            moved[node] = dataclasses.replace(around, scope=moved_to(scope, node.scope))
    return moved


def _is_quiet(node: Node) -> bool:
    """True for steps that neither raise nor warn, and take little memory."""
    if node.is_leaf or node.container is not None or not node.pure or node.op.fresh_dims:
        return False
    types = [node.type, *[n.type for n in node.inputs]]
    if any(t.dtype is None or t.dtype.kind not in "biufc" for t in types):
        return False
    if (
        node.op.warns(types[0], types[1:])
        or may_raise(node)
        or any(isinstance(i, Dim) for i in leaves((node.args, node.kwargs)))
    ):
        return False
    return memory_root(node) is not node or (node.type.nbytes or MAX_BYTES + 1) <= MAX_BYTES


def _lasting(graph: Graph) -> set[Node]:
    """The nodes whose memory others may show or write into: of results, of operands that are written into or begin a
    loop."""
    found = list(graph.outputs)
    for node in graph.nodes:
        if node.op.style == "write":
            found.append(node.inputs[node.args[0].index])
        elif node.bodies:
            for body in node.bodies:
                around = fed_by(node, body)
                inner = _lasting(body.graph)
                operands = len(node.args[-1].items)
                state = len(around) - operands
                pairs = zip(body.graph.inputs, around, strict=True)
                found += [o for k, (i, o) in enumerate(pairs) if o is not None and (k < state or i in inner)]
        elif node.op.style == "effect" and node.op.name != "update":
            found += node.inputs
    return {memory_root(node) for node in found} | held_by_lists(graph)


def _shown(graph: Graph, moved: dict[Node, Node]) -> list[Node]:
    """Those of the moved nodes that others read."""
    return list(dict.fromkeys(s for n in graph.nodes if n not in moved for s in n.inputs if s in moved))


def _without(graph: Graph, moved: dict[Node, Node], inside: dict[Node, Node], added: list[Node]) -> Graph:
    """A body without the moved nodes; `inside` are the inputs that stand for it, `added` all that are new."""
    new = dict(inside)
    for node in graph.nodes:
        if node not in moved:
            new[node] = with_inputs(node, tuple([new[n] for n in node.inputs]))
    nodes = [n for n in graph.nodes if n not in moved]
    return dataclasses.replace(
        graph,
        nodes=(*added, *[new[n] for n in nodes]),
        inputs=(*graph.inputs, *added),
        outputs=tuple([new[n] for n in graph.outputs]),
    )


def _read(graph: Graph, count: int) -> list[bool]:
    """For each of the last inputs of a body whether it is read, or others read their lengths from it."""
    read = {*graph.outputs, *[n for node in graph.nodes for n in node.inputs]}
    return [n in read or not n.type.is_static for n in graph.inputs[len(graph.inputs) - count :]]


def _fed(graph: Graph, needed: list[bool]) -> Graph:
    """A body without those of its last inputs that are not needed."""
    first = len(graph.inputs) - len(needed)
    gone = {n for n, keep in zip(graph.inputs[first:], needed, strict=True) if not keep}
    nodes, inputs = (tuple([n for n in found if n not in gone]) for found in (graph.nodes, graph.inputs))
    return dataclasses.replace(graph, nodes=nodes, inputs=inputs)


def _with_constants(nodes: Iterable[Node]) -> Iterator[Node]:
    """Nodes with the constants that they read before them."""
    for node in nodes:
        yield from [n for n in node.inputs if n.op is CONSTANT]
        yield node
