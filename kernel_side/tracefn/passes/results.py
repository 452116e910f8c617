"""Drops results of branches that nothing reads, with the nodes that lead to them."""

from __future__ import annotations

import dataclasses

from ..ir.graph import Graph, Node, item_node
from ..ir.op import ITEM
from ..ir.template import Body
from .merge import drop_dead
from .rewrite import rewrite, with_bodies


def drop_results(graph: Graph) -> Graph:
    """The graph with branches, and branches in these and in loops, that give only needed results."""
    if "control" not in graph.styles:
        return graph
    return rewrite(_with_fewer(graph), lambda node: with_bodies(node, drop_results) if node.bodies else None)


def _with_fewer(graph: Graph) -> Graph:
    needed = drop_dead(graph).nodes
    used = {*graph.outputs, *[n for n in needed if n.op is ITEM], *[source for n in needed for source in n.inputs]}
    kept: dict[Node, list[int]] = {n: [] for n in graph.nodes if n.op.is_branch}
    for node in graph.nodes:
        if node.op is ITEM and node.inputs[0] in kept and node in used:
            kept[node.inputs[0]].append(node.args[1])
    fewer = {node: sorted(numbers) for node, numbers in kept.items() if len(numbers) < len(node.types)}
    if not fewer:
        return graph
    new: dict[Node, Node] = {}
    nodes: list[Node] = []
    dropped: set[Node] = set()
    for node in graph.nodes:
        if not dropped.isdisjoint(node.inputs):  # it is dead
            dropped.add(node)
            continue
        if node.op is ITEM and node.inputs[0] in fewer:
            if node not in used:
                dropped.add(node)
            else:
                new[node] = item_node(new[node.inputs[0]], fewer[node.inputs[0]].index(node.args[1]))
                nodes.append(new[node])
            continue
        inputs = tuple([new.get(n, n) for n in node.inputs])
        made = node if inputs == node.inputs else dataclasses.replace(node, inputs=inputs)
        if node in fewer:
            made = _with(made, fewer[node])
        if made is not node:
            new[node] = made
        nodes.append(made)
    return Graph(graph.name, tuple(nodes), graph.inputs, tuple([new.get(n, n) for n in graph.outputs]), graph.results)


def _with(node: Node, numbers: list[int]) -> Node:
    """A branch that gives the results of these numbers alone."""
    args = [_giving(a, numbers) if type(a) is Body else a for a in node.args]
    return dataclasses.replace(node, args=tuple(args), types=tuple([node.types[n] for n in numbers]))


def _giving(body: Body, numbers: list[int]) -> Body:
    graph = body.graph
    names = tuple([body.results[n] for n in numbers]) if body.results else ()
    return Body(body.name, dataclasses.replace(graph, outputs=tuple([graph.outputs[n] for n in numbers])), names)
