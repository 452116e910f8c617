"""Arrays from outside that share memory: in the graph all but one of them are views of that one.

The trace meets them one by one, and learns that they share memory when one is written into. A value computed
from another before must not be taken for one without writers.
"""

from __future__ import annotations

from typing import Any

from ...ir.graph import Graph, Node
from ...ir.op import by_name
from ...passes.rewrite import rewrite
from ...trace.context import Trace
from ...trace.tensor import Tensor
from ...trace.trace_parts.external_arrays import OutsideArray


def views_of_one(trace: Trace) -> tuple[dict[Node, Node], list[Node]]:
    """The replacements of the leaves that stand for such arrays, and the nodes that they need."""
    start = len(trace.nodes)
    found = {array.node: _view(trace, array, root) for array, root in trace.outside.roots()}
    needed = trace.nodes[start:]
    del trace.nodes[start:]
    return found, needed


def _view(trace: Trace, array: OutsideArray, root: OutsideArray) -> Node:
    value: Any = Tensor(root.node, trace, owned=True)
    for name, *step in array.tensor._path:
        value = value[step[0]] if name == "item" else trace.record(by_name(name), (value, *step[0]), dict(step[1]))
    return trace.node_of(value)


def with_views_of_one(graph: Graph, found: dict[Node, Node], needed: list[Node]) -> Graph:
    """The graph with these nodes in the place of leaves, which stay where they are arguments, and where the results are
    the arrays themselves."""
    if not found:
        return graph
    leaves = [n for n in graph.nodes if n.is_leaf]
    rest = [n for n in graph.nodes if not n.is_leaf]
    nodes = Graph(graph.name, (*leaves, *needed, *rest), (), graph.outputs)
    made = rewrite(nodes, found.get)
    outputs = [n if n in found else of for n, of in zip(graph.outputs, made.outputs, strict=True)]
    nodes_in_order = tuple(dict.fromkeys([*leaves, *needed, *made.nodes]))
    return Graph(graph.name, nodes_in_order, graph.inputs, tuple(outputs), graph.results)
