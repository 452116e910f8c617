"""Calls of traced functions become part of the graph that calls them. Nodes for derivatives alone go: derivatives of
the user's own, and those of draws."""

from __future__ import annotations

import dataclasses

from ..ir.graph import Graph, Node
from ..ir.op import ITEM, by_name
from .rewrite import with_inputs

_CALLS = frozenset({by_name("call"), by_name("recompute")})
_DERIVATIVE = by_name("with_derivative")
_DRAWN = by_name("drawn")
_INLINED = _CALLS | {_DERIVATIVE, _DRAWN}


def inline_calls(graph: Graph) -> Graph:
    """Replaces every call by the operations of its body, which keep their scope: the name of the function."""
    if graph.ops.isdisjoint(_INLINED):
        return graph
    new: dict[Node, Node] = {}
    nodes: dict[Node, None] = {}
    results: dict[Node, list[Node]] = {}
    for node in graph.nodes:
        if node.op is ITEM and node.inputs[0] in results:
            new[node] = results[node.inputs[0]][node.args[1]]
            continue
        candidate = with_inputs(node, tuple([new[n] for n in node.inputs]))
        if node.op is _DERIVATIVE:
            results[node] = [candidate.inputs[ref.index] for ref in candidate.args[0].items]
            continue
        if node.op is _DRAWN:
            new[node] = candidate.inputs[candidate.args[0].index]
            continue
        if node.op not in _CALLS:
            new[node] = candidate
            nodes[candidate] = None
            continue
        body, operands = candidate.args
        inner = inline_calls(body.graph)
        known = {i: candidate.inputs[ref.index] for i, ref in zip(inner.inputs, operands.items, strict=True)}
        for step in inner.nodes:
            if step not in known:
                known[step] = with_inputs(step, tuple([known[n] for n in step.inputs]))
                nodes[known[step]] = None
        results[node] = [known[n] for n in inner.outputs]
    return dataclasses.replace(graph, nodes=tuple(nodes), outputs=tuple([new[n] for n in graph.outputs]))
