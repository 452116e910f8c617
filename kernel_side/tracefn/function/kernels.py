"""Which kernel of the native program computes each node of a graph."""

from __future__ import annotations

import dataclasses
import itertools

from ..ir.graph import Graph, Node
from ..ir.template import Body
from ..passes.rewrite import with_inputs


def kernels_of(graph: Graph, precise: bool) -> dict[str, str]:
    """The kernels by the nodes that they compute. Nodes go by their paths: `v3`, or `v7/body/v2` for one in a body.

    A node that is computed in parts is in the kernel that gives its result.
    """
    from ..codegen.native import KERNEL, with_kernels  # LLVM is imported with the first graph that is asked for

    numbers = itertools.count(1)
    found: dict[str, str] = {}

    def look(part: Graph) -> None:
        for node in part.nodes:
            if node.op is not KERNEL:
                for body in node.bodies:
                    look(body.graph)
                continue
            (body,) = node.bodies
            kind = "" if body.name == KERNEL.name else f" ({body.name})"
            name = f"kernel {next(numbers)}{kind}"
            found.update((inner.scope, name) for inner in _inside(body.graph) if not inner.is_leaf)

    look(with_kernels(_named(graph, ""), precise))
    return found


def _inside(graph: Graph) -> list[Node]:
    """The nodes of a graph and of the bodies in it."""
    return [n for node in graph.nodes for n in (node, *(m for body in node.bodies for m in _inside(body.graph)))]


def _named(graph: Graph, path: str) -> Graph:
    """The graph with the path of each node in the place of its scope, which nodes made from it keep."""
    new: dict[Node, Node] = {}
    for node in graph.nodes:
        if node.is_leaf:
            continue
        name = path + graph.names[node]
        args = tuple(Body(a.name, _named(a.graph, f"{name}/{a.name}/")) if type(a) is Body else a for a in node.args)
        inputs = tuple(new.get(n, n) for n in node.inputs)
        new[node] = dataclasses.replace(with_inputs(node, inputs), args=args, scope=name)
    nodes = tuple(new.get(n, n) for n in graph.nodes)
    return Graph(graph.name, nodes, graph.inputs, tuple(new.get(n, n) for n in graph.outputs), graph.results)
