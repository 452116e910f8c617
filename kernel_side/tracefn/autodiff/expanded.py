"""The nodes of a body, recorded once more in another trace: where its derivative is taken."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ..ir.graph import Graph, Node
from ..ir.template import Body
from ..passes.rewrite import with_inputs
from ..trace.context import Trace


@dataclasses.dataclass(frozen=True)
class Expanded:
    """`nodes` are the copies of a graph's nodes, in order, `outputs` those of its outputs."""

    nodes: list[Node]
    outputs: list[Node]
    copies: dict[Node, Node]


def expanded(trace: Trace, graph: Graph, inputs: Sequence[Node]) -> Expanded:
    """Records the nodes of a graph in a trace, on other inputs.

    What has an effect is left out, as are its results: it happens once.
    """
    copies: dict[Node, Node] = dict(zip(graph.inputs, inputs, strict=True))
    nodes: list[Node] = []
    for node in graph.nodes:
        if node in copies or not node.pure or any(n not in copies for n in node.inputs):
            continue
        copies[node] = copied(node, copies)
        nodes.append(copies[node])
    trace.nodes += nodes
    return Expanded(nodes, [copies[n] for n in graph.outputs if n in copies], copies)


def copied(node: Node, copies: Mapping[Node, Node]) -> Node:
    """A node on the copies of its inputs. Its bodies are copies, too: no node is in two of them."""
    made = with_inputs(node, tuple([copies[n] for n in node.inputs]))
    if not node.bodies:
        return dataclasses.replace(node) if made is node else made
    args = tuple([Body(a.name, _copied_graph(a.graph)) if type(a) is Body else a for a in made.args])
    return dataclasses.replace(made, args=args)


def _copied_graph(graph: Graph) -> Graph:
    copies: dict[Node, Node] = {}
    for node in graph.nodes:
        copies[node] = copied(node, copies)
    inputs, outputs = (tuple([copies[n] for n in nodes]) for nodes in (graph.inputs, graph.outputs))
    return Graph(graph.name, tuple(copies.values()), inputs, outputs)
