"""Which nodes of a function's graph the steps of its program compute, also where they were fused and rewritten."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from tracefn.ir.graph import Graph, Node


def every_node(graph: Graph, around: str = "") -> Iterator[tuple[Node, str]]:
    """All nodes of a graph with their ids, as the panel has them: a node in a body has that of the node around it, the
    name of the body and its own name, `v7/if_true/v2`."""
    for node in graph.nodes:
        name = f"{around}{graph.names[node]}"
        yield node, name
        for body in node.bodies:
            yield from every_node(body.graph, f"{name}/{body.name}/")


def computed_by(node: Node) -> list[Node]:
    """The nodes that a step computes: those in a kernel, or the one that it is."""
    if node.op.name != "kernel":
        return [node]
    return [n for body in node.bodies for n, _ in every_node(body.graph) if not n.is_leaf and n.op.name != "kernel"]


def ids_of_steps(graph: Graph, steps: Sequence[Node]) -> list[tuple[str, ...]]:
    """For each step the ids of the nodes of the graph that it computes.

    Where rewriting has made others of them, these are the nodes with the same op that were made at the same place, the
    first step for the first of them; or all that were made at the place.
    """
    kept = {node for step in steps for node in computed_by(step)}
    ids: dict[Node, str] = {}
    alike: defaultdict[Any, list[str]] = defaultdict(list)
    for node, name in every_node(graph):
        if not node.is_leaf:
            ids[node] = name
            if node not in kept:
                alike[node.op.name, node.source, node.scope].append(name)
            alike[node.source, node.scope].append(name)
    seen: Counter[Any] = Counter()

    def found(node: Node) -> list[str]:
        if node in ids:
            return [ids[node]]
        key = (node.op.name, node.source, node.scope)
        if key not in alike:
            return alike.get(key[1:], [])
        seen[key] += 1
        return [alike[key][min(seen[key], len(alike[key])) - 1]]

    return [tuple(dict.fromkeys(name for n in computed_by(step) for name in found(n))) for step in steps]
