"""Keeps results apart: rewriting must not make an output share memory where eager execution would not."""

from __future__ import annotations

import collections
import dataclasses

from ..ir.graph import Graph, Node
from ..ir.op import CONSTANT, ITEM, Op, by_name
from ..ir.template import Ref, leaves
from ..ir.types import Kind
from .rewrite import with_inputs


def memory_root(node: Node) -> Node:
    """The node whose memory a value may share: itself, or the base of its views."""
    while (node.op.view or node.op is ITEM) and (viewed := _viewed_by(node)) is not None:
        node = viewed[1]
    return node


def is_read_only(node: Node) -> bool:
    """True for a view that may be read-only. Traced code writes into none, but steps of passes and derivatives may
    write into the copy of one."""
    while (viewed := _viewed_by(node)) is not None:
        if viewed[0].read_only:
            return True
        node = viewed[1]
    return False


def _viewed_by(node: Node) -> tuple[Op, Node] | None:
    """The op that makes a view, and the base of it. None for a value with memory of its own."""
    call, output = (node.inputs[0], node.args[1]) if node.op is ITEM else (node, 0)
    if not call.op.view or not isinstance(viewed := call.op.viewed(call.args, call.kwargs, output), Ref):
        return None
    source = call.inputs[viewed.index]
    if _copies(call, source) or (source.container is None and not source.type.has_memory):
        return None
    return call.op, source


def _copies(call: Node, source: Node) -> bool:
    """True for the imaginary part of real numbers, which is an array of zeros."""
    return call.op.name == "imag" and source.dtype.kind != "c"


def shown_later(graph: Graph) -> set[Node]:
    """Nodes whose memory is held by a list, or returned unchanged by a branch or loop: no pass may replace them by
    shared memory. Views are separate objects."""
    views = {node for node in graph.outputs if memory_root(node) is not node}
    return held_by_lists(graph) | _given_by_bodies(graph) | views


def _given_by_bodies(graph: Graph) -> set[Node]:
    if "control" not in graph.styles:
        return set()
    giving = [n for n in graph.nodes if n.op.is_branch and any(_gives_inputs(b.graph) for b in n.bodies)]
    given = [given for n in giving for given in n.inputs]
    for loop in [n for n in graph.nodes if n.op.is_loop and n.op.name != "scan"]:  # perhaps without a round
        given += [loop.inputs[leaf.index] for leaf in leaves(loop.args[-2]) if isinstance(leaf, Ref)]
    return {memory_root(node) for node in given if node.types[0].has_memory}


def _gives_inputs(body: Graph) -> bool:
    return any(o.type.has_memory and memory_root(o).is_leaf for o in body.outputs)


def held_by_lists(graph: Graph) -> set[Node]:
    """The nodes whose memory the lists of a graph hold."""
    if "list" not in graph.styles:
        return set()
    lists = [n for n in graph.nodes if n.container is None and n.type.kind is Kind.LIST and n.op.style == "list"]
    return {memory_root(held) for n in lists for held in n.inputs}


def shown_together(graph: Graph) -> set[Node]:
    """Views among the results that share their memory with another result, and views between these."""
    shown = [node for node in set(graph.outputs) if node.type.has_memory]
    found: set[Node] = set()
    if len(shown) < 2:
        return found
    roots = collections.Counter(map(memory_root, shown))
    for node in graph.outputs:
        root = memory_root(node) if node.type.has_memory else node
        while node is not root and roots[root] > 1:
            found.add(node)
            node = _viewed(node)
    return found


def _viewed(node: Node) -> Node:
    """The base of a view."""
    call, output = (node.inputs[0], node.args[1]) if node.op is ITEM else (node, 0)
    return call.inputs[call.op.viewed(call.args, call.kwargs, output).index]


def separate_outputs(traced: Graph, graph: Graph) -> Graph:
    """Copies an output that would share memory with an argument, a constant or another output only by rewriting.

    `traced` is the graph before any pass; its outputs correspond to those of `graph` one by one. A copy is made right
    after its source, before the graph can write into that.
    """
    outputs: list[Node] = []
    owner: dict[Node, Node] = {}
    copies: dict[Node, list[Node]] = {}
    together = shown_together(graph)
    together |= {memory_root(node) for node in together}
    made: dict[tuple[Node, Node], Node] = {}
    for before, after in zip(traced.outputs, graph.outputs, strict=True):
        was, now = memory_root(before), memory_root(after)
        if after.type.has_memory:
            shared_anew = owner.setdefault(now, was) is not was
            if now.op is CONSTANT or (now.is_leaf and not was.is_leaf) or shared_anew:
                source = after
                if after in together:
                    if (now, was) not in made:
                        made[now, was] = _copy_of(now)
                        copies.setdefault(now, []).append(made[now, was])
                    steps = _on_copy(after, now, made[now, was])
                    after = steps.pop() if steps else made[now, was]
                    copies.setdefault(source, []).extend([*steps, after] if source is not now else [])
                else:
                    after = _copy_of(after)
                    copies.setdefault(source, []).append(after)
        outputs.append(after)
    if not copies:
        return graph
    leaves = [n for n in graph.nodes if n.is_leaf]
    ordered = [*leaves, *[c for n in leaves for c in copies.get(n, ())]]
    ordered += [m for n in graph.nodes if not n.is_leaf for m in (n, *copies.get(n, ()))]
    return dataclasses.replace(graph, nodes=tuple(ordered), outputs=tuple(outputs))


def _on_copy(node: Node, root: Node, copy: Node) -> list[Node]:
    """The views that lead from a root to a node, on a copy of the root."""
    if node is root:
        return []
    viewed = _viewed(node)
    steps = _on_copy(viewed, root, copy)
    base = steps[-1] if steps else copy
    for step in (node.inputs[0], node) if node.op is ITEM else (node,):
        inputs = (steps[-1],) if step is node and node.op is ITEM else _replaced(step.inputs, viewed, base)
        steps.append(with_inputs(step, inputs))
    return steps


def _replaced(nodes: tuple[Node, ...], old: Node, new: Node) -> tuple[Node, ...]:
    return tuple([new if n is old else n for n in nodes])


def _copy_of(node: Node) -> Node:
    return Node(by_name("copy"), (node,), (Ref(0),), (), node.types, None, node.scope, node.source)
