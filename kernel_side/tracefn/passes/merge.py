"""Common subexpressions and dead code."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Graph, Node, dimension_symbols, template_symbols
from ..ir.infer import may_raise
from ..ir.op import ITEM, LEAVES
from .outputs import shown_later
from .rewrite import rewrite


def merge_common(graph: Graph) -> Graph:
    """Merges equal steps on the same inputs. Random draws and the like are never merged."""
    calls = [(n.op, n.inputs) for n in graph.nodes if n.op not in LEAVES]
    if len(set(calls)) == len(calls):
        return graph
    similar: dict[Any, Node] = {}
    first: dict[Any, Node] = {}

    def rule(node: Node) -> Node | None:
        if node.op in LEAVES or node.op.fresh_dims or not node.pure:
            return None
        other = similar.setdefault((node.op, node.inputs), node)
        if other is node:  # without another of its op and inputs it needs no key
            return None
        first.setdefault(other.key(), other)
        return first.setdefault(node.key(), node)

    keep = shown_later(graph)
    keep |= {node.inputs[0] for node in keep if node.op is ITEM}  # a call has one item of a number
    return rewrite(graph, rule, keep)


def drop_dead(graph: Graph) -> Graph:
    """Drops steps that no output needs. Arguments stay, and so do random draws, indices that may be wrong, and whatever
    gives a needed length."""
    read = {*graph.outputs, *graph.inputs, *[source for n in graph.nodes for source in n.inputs]}
    if len(read) == len(graph.nodes):  # each is read, in the end by an output
        return graph
    impure = [n for n in graph.nodes if not n.op.pure or (n.op.style == "control" and not n.pure)]
    needed = {*graph.outputs, *graph.inputs, *impure}
    symbols: set[str] = set()
    is_open = bool(graph.type_symbols and graph.used_symbols)
    for node in reversed(graph.nodes):
        if node not in needed and not (symbols and _binds(node) & symbols) and not may_raise(node):
            continue
        needed.add(node)
        needed.update(node.inputs)
        if is_open:
            symbols |= template_symbols(node)
    nodes = tuple([n for n in graph.nodes if n in needed])
    return graph if len(nodes) == len(graph) else Graph(graph.name, nodes, graph.inputs, graph.outputs, graph.results)


def _binds(node: Node) -> set[str]:
    """The symbolic lengths that this node may be the first to have."""
    return dimension_symbols(node) if node.is_leaf or node.op.fresh_dims or node.op is ITEM else set()
