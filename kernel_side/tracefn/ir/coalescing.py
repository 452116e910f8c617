"""Copy coalescing: values that may have one name in a program.

A list that is changed in place is the same object before and after, in all branches and rounds. A value that a branch
or round leaves is computed under the name of the result, where nothing reads the value of before any more.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from .graph import Graph, Node, fed_by
from .op import ITEM, LEAVES
from .template import Body, ListOf, Ref, leaves
from .types import Kind


def same_objects(graph: Graph) -> dict[Node, Node]:
    """For each node whose value is the very object of an earlier one, the first node that has it: lists that were
    changed, and those that all branches, or each round of a loop, give on."""
    if same_objects not in graph.found:
        found: dict[Node, Node] = {}
        for node in graph.nodes if not graph.styles.isdisjoint(("list", "control")) else ():
            if (before := _before(node)) is not None:
                found[node] = found.get(before, before)
        graph.found[same_objects] = found
    known: dict[Node, Node] = graph.found[same_objects]
    return known


def _before(node: Node) -> Node | None:
    """The input of a node, or of the call that it is a result of, that is the same object."""
    call, output = (node.inputs[0], node.args[1]) if node.op is ITEM else (node, 0)
    if node.container is not None or node.type.kind is not Kind.LIST:
        return None
    if call.op.changes:
        return call.inputs[call.args[0].index] if output == 0 else None
    if call.op.name in ("cond", "switch"):
        given = {_given(call, body, output) for body in call.bodies}
        return given.pop() if len(given) == 1 else None
    if call.op.is_loop and call.op.name != "scan":
        state = next(a for a in call.args if isinstance(a, ListOf)).items
        body = call.bodies[-1]
        if output < len(state) and isinstance(ref := state[output], Ref):
            skipped = fed_by(call, body).count(None)
            is_kept = _first(body.graph, body.graph.outputs[output]) is body.graph.inputs[skipped + output]
            return call.inputs[ref.index] if is_kept else None
    return None


def _given(call: Node, body: Body, output: int) -> Node | None:
    """The value around a branch that it gives on as one of its results."""
    first = _first(body.graph, body.graph.outputs[output])
    return dict(zip(body.graph.inputs, fed_by(call, body), strict=True)).get(first)


def _first(graph: Graph, node: Node) -> Node:
    return same_objects(graph).get(node, node)


def coalesced(
    graph: Graph, known: Mapping[Node, str], wanted: Sequence[str], apart: Container[Node] = ()
) -> dict[Node, str]:
    """The nodes of a body that are computed under a name of a result: `wanted` are those of its first outputs. The
    inputs are `known` by names that may be among these. Nodes `apart` are computed elsewhere."""
    known = {node: name for node, name in known.items() if name in wanted}
    named = {node: node for node in known}  # nodes that may have a name of an input, with that input
    position: dict[Node, int] = {}
    last_read: dict[Node, int] = {}
    for index, node in enumerate(graph.nodes):
        position[node] = index
        last_read |= {named[n]: index for n in node.inputs if n in named}
        is_written = node.op.style == "write" or node.op.name == "update"
        before = node.inputs[node.args[0].index] if is_written else _first(graph, node)
        if before in named:
            named[node] = named[before]
    last_read |= {named[n]: len(position) for n in graph.outputs if n in named}

    def is_free(name: str, call: Node) -> bool:
        """True if nothing needs the value that an input has by this name once a call is over."""
        holders = [n for n, other in known.items() if other == name]
        last = max([last_read.get(n, -1) for n in holders], default=-1)
        if last == position[call]:
            return _reads_before(call, {n for n in call.inputs if named.get(n) in holders})
        return last < position[call]

    found: dict[Node, str] = {}
    for output, name in zip(graph.outputs, wanted, strict=False):
        node = _first(graph, output)
        if name == "_" or node.op in LEAVES or node in found or node in apart:
            continue
        if is_free(name, node.inputs[0] if node.op is ITEM else node):
            found[node] = name
    return found


def _reads_before(node: Node, values: set[Node]) -> bool:
    """True if a node reads these values before its results get their names."""
    if not node.op.is_loop:
        return node.op.lines is None
    if node.op.name == "scan" or any(v.type.kind is Kind.ARRAY for v in values):
        return False
    state = next(a for a in node.args if isinstance(a, ListOf))
    others = tuple([a for a in node.args if a is not state and not isinstance(a, Body)])
    return not any(isinstance(ref, Ref) and node.inputs[ref.index] in values for ref in leaves(others))
