"""A graph that is taken out of its trace: with lengths of its own in the place of those that the trace knows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..ir.dims import Dim, Length, length_given
from ..ir.graph import Graph, Node
from ..ir.template import Body, mapped
from ..ir.types import TensorType


def with_lengths(graph: Graph, known: Mapping[str, Length]) -> Graph:
    """The graph with these lengths in the place of symbols. Its other symbols get new names: a trace may have others of
    the same name."""
    symbols = sorted(graph.type_symbols | graph.used_symbols)
    if not symbols:
        return graph
    return _replaced(graph, {s: known[s] if s in known else Dim.fresh() for s in symbols})


def _replaced(graph: Graph, known: Mapping[str, Length]) -> Graph:
    new: dict[Node, Node] = {}

    def leaf(item: Any) -> Any:
        if type(item) is Body:
            return dataclasses.replace(item, graph=_replaced(item.graph, known))
        return length_given(item, known)

    for node in graph.nodes:
        new[node] = dataclasses.replace(
            node,
            inputs=tuple([new[n] for n in node.inputs]),
            args=mapped(node.args, leaf) if not node.is_leaf else node.args,
            kwargs=tuple([(name, mapped(value, leaf)) for name, value in node.kwargs]),
            types=tuple([_of_lengths(t, known) for t in node.types]),
        )
    inputs, outputs = tuple([new[n] for n in graph.inputs]), tuple([new[n] for n in graph.outputs])
    return Graph(graph.name, tuple(new.values()), inputs, outputs, graph.results)


def _of_lengths(found: TensorType, known: Mapping[str, Length]) -> TensorType:
    return (
        found
        if found.is_static
        else dataclasses.replace(found, shape=tuple([length_given(n, known) for n in found.shape]))
    )
