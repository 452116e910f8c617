"""Copies of the nodes of a body, on other inputs: a derivative is taken of these."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ..ir.graph import Graph, Node
from ..ir.op import by_name
from ..ir.template import Body, Ref, renumber
from ..passes.rewrite import with_inputs


def copied(node: Node, copies: Mapping[Node, Node]) -> Node:
    """A node on the copies of its inputs. Its bodies are copies, too: no node is in two of them."""
    made = with_inputs(node, tuple([copies[n] for n in node.inputs]))
    if not node.bodies:
        return dataclasses.replace(node) if made is node else made
    args = tuple([Body(a.name, _copied_graph(a.graph)) if type(a) is Body else a for a in made.args])
    return dataclasses.replace(made, args=args)


def drawn(node: Node, value: Node, copies: Mapping[Node, Node]) -> Node:
    """The result of a node with an effect, `value`, with the derivative of the node by its operands."""
    inputs = [value, *[copies[n] for n in node.inputs if not n.type.kind.is_random]]
    index = [None if n.type.kind.is_random else Ref(inputs.index(copies[n])) for n in node.inputs]
    args = (Ref(0), node.op.name, renumber(node.args, index))
    return Node(by_name("drawn"), tuple(inputs), args, renumber(node.kwargs, index), value.types, None, node.scope,
                node.source, node.errors)  # fmt: skip


def _copied_graph(graph: Graph) -> Graph:
    copies: dict[Node, Node] = {}
    for node in graph.nodes:
        copies[node] = copied(node, copies)
    inputs, outputs = (tuple([copies[n] for n in nodes]) for nodes in (graph.inputs, graph.outputs))
    return Graph(graph.name, tuple(copies.values()), inputs, outputs)
