"""The graph of a trace that failed, as far as it came."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from ...ir.graph import Graph, Node
from ...trace.context import Trace


def partial_graph(trace: Trace, error: BaseException) -> tuple[Graph, Node | None]:
    """The graph until the error, and the call that raised it; None where no call did.

    Of branches and loops that were under way, the nodes of their bodies stand behind those before them.
    """
    refused = trace.refused
    failed = refused.node if refused is not None and refused.text == str(error) else None
    traces: list[Any] = [trace if refused is None or failed is None else refused.trace]
    while (around := vars(traces[-1]).get("parent")) is not None:
        traces.append(around)
    gathered = _Gathered()
    for under_way in reversed(traces):
        gathered.stands_for |= {inner: outer for outer, inner in vars(under_way).get("lifted", {}).items()}
        gathered.take(under_way.nodes)
    if failed is not None:
        failed = gathered.node(failed)
    nodes = tuple(gathered.nodes.values())
    inputs = tuple(n for n in nodes if n.op.name == "input")
    return Graph(trace.name, nodes, inputs, ()), failed


class _Gathered:
    """Nodes of several traces as those of one graph: a value that is lifted into a body is its original."""

    def __init__(self) -> None:
        self.nodes: dict[Node, Node] = {}
        self.stands_for: dict[Node, Node] = {}

    def take(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self.node(node)

    def node(self, node: Node) -> Node:
        """The node in the place of this one, which is added with its inputs where it is not there yet."""
        while node in self.stands_for:
            node = self.stands_for[node]
        if node not in self.nodes:
            inputs = tuple([self.node(n) for n in node.inputs])
            self.nodes[node] = node if inputs == node.inputs else dataclasses.replace(node, inputs=inputs)
        return self.nodes[node]
