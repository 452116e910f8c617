"""Graphs side by side: two of one function, traced for other arguments, mostly differ in little."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
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
        given, its_given = node.args, its.args
        if node.kwargs or its.kwargs:  # names and values
            given, its_given = (*given, *chain(*node.kwargs)), (*its_given, *chain(*its.kwargs))
        if (
            node.op is not its.op
            or node.errors != its.errors
            or node.container is not its.container
            or (len(node.inputs), len(given), len(node.types)) != (len(its.inputs), len(its_given), len(its.types))
        ):
            return False
        for source, its_source in zip(node.inputs, its.inputs, strict=True):
            if counterpart[source] is not its_source:
                return False
        for template, its_template in zip(given, its_given, strict=True):  # mostly the same objects
            if template is not its_template and not templates(template, its_template):
                return False
        for found, its_type in zip(node.types, its.types, strict=True):
            if not types(found, its_type):
                return False
        counterpart[node] = its
    return (
        len(graph.inputs) == len(other.inputs)
        and [counterpart[n] for n in graph.inputs] == [*other.inputs]
        and [counterpart[n] for n in graph.outputs] == [*other.outputs]
    )
