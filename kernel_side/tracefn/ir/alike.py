"""Graphs side by side: two of one function, traced for other arguments, mostly differ in little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .graph import Graph, Node
from .template import key
from .types import TensorType

_COMPARED = frozenset({"leaf", "function", "operator", "method", "index", "builtin"})
"""Styles of the ops that are compared. To branches, loops, effects and writes there is more."""


def alike(
    graph: Graph,
    other: Graph,
    types: Callable[[TensorType, TensorType], bool],
    templates: Callable[[Any, Any], bool] = lambda template, its: bool(key(template) == key(its)),
) -> bool:
    """True if two graphs have the same calls in the same order, where `types` says which types count as the same, and
    `templates` which arguments. False also for graphs that are not compared."""
    if len(graph.nodes) != len(other.nodes) or not graph.styles <= _COMPARED:
        return False
    counterpart: dict[Node, Node] = {}
    for node, its in zip(graph.nodes, other.nodes, strict=True):
        if (
            node.op is not its.op
            or node.errors != its.errors
            or node.container is not its.container
            or [counterpart[n] for n in node.inputs] != [*its.inputs]
            or not _same(node.args, its.args, templates)
            or not (node.kwargs is its.kwargs or _same_keywords(node.kwargs, its.kwargs, templates))
            or not all(map(types, node.types, its.types))
        ):
            return False
        counterpart[node] = its
    return (
        len(graph.inputs) == len(other.inputs)
        and [counterpart[n] for n in graph.inputs] == [*other.inputs]
        and [counterpart[n] for n in graph.outputs] == [*other.outputs]
    )


def _same(templates: Any, others: Any, same: Callable[[Any, Any], bool]) -> bool:
    """True for the same arguments, most of which are the same objects."""
    if len(templates) != len(others):
        return False
    for template, its in zip(templates, others, strict=True):
        if template is not its and not same(template, its):
            return False
    return True


def _same_keywords(keywords: Any, others: Any, same: Callable[[Any, Any], bool]) -> bool:
    names = [name for name, _ in keywords], [name for name, _ in others]
    return names[0] == names[1] and _same([v for _, v in keywords], [v for _, v in others], same)
