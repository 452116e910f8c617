"""The rewrite driver: rebuilds a graph, giving every node to a rule."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Set

from ..ir.graph import Graph, Node
from ..ir.template import Body, Ref, renumber

Rule = Callable[[Node], Node | None]
"""Gives a node's replacement (an input of it, or a new node on its inputs), or None to keep it."""


def with_inputs(node: Node, inputs: tuple[Node, ...]) -> Node:
    """The node on other inputs. Inputs that have become the same node are merged."""
    if inputs == node.inputs:
        return node
    merged = inputs if len(inputs) == 1 else tuple(dict.fromkeys(inputs))
    args, kwargs = node.args, node.kwargs
    if len(merged) < len(inputs):
        index = [Ref(merged.index(n)) for n in inputs]
        args, kwargs = renumber(args, index), tuple([(k, renumber(v, index)) for k, v in kwargs])
    return Node(node.op, merged, args, kwargs, node.types, node.container, node.scope, node.source, node.errors)


def rewrite(graph: Graph, rule: Rule, keep: Set[Node] = frozenset()) -> Graph:
    """The graph with every node, except those to `keep`, replaced by the result of `rule`, in the same order."""
    new: dict[Node, Node] = {}
    changed = new.keys()
    nodes: list[Node] = []
    for node in graph.nodes:
        is_as_before = not new or changed.isdisjoint(node.inputs)
        candidate = node if is_as_before else with_inputs(node, tuple([new.get(n, n) for n in node.inputs]))
        result = candidate if node in keep else rule(candidate) or candidate
        if result is not node:
            new[node] = result
        nodes.append(result)
    if not new:
        return graph
    outputs = tuple([new.get(n, n) for n in graph.outputs])
    return Graph(graph.name, tuple(dict.fromkeys(nodes)), graph.inputs, outputs, graph.results)


def with_bodies(node: Node, run: Callable[[Graph], Graph]) -> Node:
    """The node with `run` applied to its bodies."""
    args = [Body(a.name, run(a.graph), a.results) if type(a) is Body else a for a in node.args]
    if all(
        new is old or (type(new) is Body and new.graph is old.graph) for new, old in zip(args, node.args, strict=True)
    ):
        return node
    return dataclasses.replace(node, args=tuple(args))
