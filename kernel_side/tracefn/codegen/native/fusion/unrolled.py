"""Reductions of few elements: all that one result needs is computed in one step, `(x ** 2).sum(axis=-1)` of points.

Such a reduction and the steps for it alone are nodes of a kernel as they are, so that NumPy does them where it
must. Machine code is made of their copies for each place along the reduced axes.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from typing import Any

from ....ir.graph import Graph, Node
from ....ir.infer import infer
from ....ir.template import SliceOf
from ....passes.rewrite import with_inputs
from ..builder import ALL, like
from ..scalar.folds import FOLDS
from .lowering import lowering
from .reduction import Reduction, is_short, reduction
from .views import is_view

MOST_STEPS = 96
"""So many operations for one result are computed in one step."""

Place = tuple[Any, ...]
"""The part of an array that is read, axis by axis: one element with its axis gone (an int), one that keeps it, or
all."""


def needed_alone(node: Node, graph: Graph, users: dict[Node, list[Node]]) -> tuple[Node, ...]:
    """The steps for a reduction of few elements and for nothing else, in program order."""
    found, waiting, steps = {node}, list(node.inputs), _places(node)
    while waiting:
        source = waiting.pop()
        is_known = not source.is_leaf and (lowering(source) is not None or is_short(source))
        if source in found or not is_known or source in graph.outputs or source.errors != node.errors:
            continue
        more = _places(node) * (_places(source) if is_short(source) else 1)
        if not found.issuperset(users[source]) or steps + more > MOST_STEPS:
            continue
        steps += more
        found.add(source)
        waiting += source.inputs
    return tuple([n for n in graph.nodes if n in found and n is not node])


def _places(node: Node) -> int:
    """How many elements one result is made of."""
    source, found = node.inputs[0].type, reduction(node)
    assert found is not None
    return math.prod([n for a in found.axes if isinstance(n := source.shape[a], int)])


def unrolled(graph: Graph) -> Graph:
    """The graph of a kernel with such reductions as operations on the elements that they need, which are views."""
    if not any(map(is_short, graph.nodes)):
        return graph
    writer = _Unrolling()
    outputs = tuple([writer.value(n) for n in graph.outputs])
    leaves = [n for n in graph.nodes if n.is_leaf]
    return dataclasses.replace(graph, nodes=tuple(dict.fromkeys([*leaves, *writer.nodes])), outputs=outputs)


class _Unrolling:
    """Makes the nodes of a graph again, in order."""

    def __init__(self) -> None:
        self.nodes: dict[Node, None] = {}
        self._known: dict[tuple[Node, Place], Node] = {}

    def value(self, node: Node) -> Node:
        return self._at(node, (ALL,) * node.type.ndim)

    def _at(self, node: Node, place: Place) -> Node:
        """The elements of a node at a place."""
        key = node, place
        if key not in self._known:
            made = self._known[key] = self._made(node, place)
            self.nodes[made] = None
        return self._known[key]

    def _new(self, node: Node) -> Node:
        self.nodes[node] = None
        return node

    def _made(self, node: Node, place: Place) -> Node:
        if is_short(node):
            return self._combined(node, place)
        if all(item == ALL for item in place):
            return node if node.is_leaf else with_inputs(node, tuple([self.value(n) for n in node.inputs]))
        if node.is_leaf or is_view(node):
            if all(isinstance(item, int) for item in place):  # an array is needed, no scalar
                place = (*place[:-1], SliceOf(place[-1], place[-1] + 1, None))
            return like(node, "getitem", self.value(node), place)
        inputs = tuple([self._at(n, _part(n, place)) for n in node.inputs])
        types: Any = infer(node.op, tuple([n.type for n in inputs]), node.args, node.kwargs)
        return Node(node.op, inputs, node.args, node.kwargs, (types,), None, node.scope, node.source, node.errors)

    def _combined(self, node: Node, place: Place) -> Node:
        found, (source,) = reduction(node), node.inputs
        assert found is not None
        keeps, own = node.type.ndim == source.type.ndim, iter(place)
        items = [next(own) if keeps or a not in found.axes else None for a in range(source.type.ndim)]
        lengths = [n for a in found.axes if isinstance(n := source.type.shape[a], int)]
        elements = []
        for at in itertools.product(*map(range, lengths)):
            for axis, index in zip(found.axes, at, strict=True):
                stays = keeps and not isinstance(items[axis], int)
                items[axis] = SliceOf(index, index + 1, None) if stays else index
            elements.append(self._at(source, _part(source, tuple(items))))
        if FOLDS[found.rule].gives_position:
            return self._position(node, FOLDS[found.rule].name, elements)
        elements = [self._cast(node, e, found) for e in elements]
        total = functools.reduce(lambda a, b: self._new(like(node, found.rule, a, b)), elements)
        return like(node, "divide", total, len(elements)) if found.is_mean else total

    def _cast(self, node: Node, element: Node, found: Reduction) -> Node:
        for dtype in (found.through, node.type.dtype):
            if element.type.dtype != dtype:
                element = self._new(like(node, "astype", element, dtype))
        return element

    def _position(self, node: Node, rule: str, elements: list[Node]) -> Node:
        """The index of the first extremum, or of the first NaN."""
        best, index = elements[0], None
        for k, element in enumerate(elements[1:], 1):
            better = self._new(like(node, "greater" if rule == "maximum" else "less", element, best))
            if element.type.dtype.kind == "f":
                odd, known = [self._new(like(node, "not_equal", e, e)) for e in (element, best)]
                first = self._new(like(node, "greater", odd, known))
                better = self._new(like(node, "logical_or", better, first))
            index = self._new(like(node, "where", better, k, 0 if index is None else index))
            best = self._new(like(node, "where", better, element, best))
        assert index is not None
        return index


def _part(node: Node, place: Place) -> Place:
    """A place in the broadcast shape as one in an array."""
    own = place[len(place) - node.type.ndim :] if node.type.ndim else ()
    return tuple([_stretched(item) if n == 1 else item for item, n in zip(own, node.type.shape, strict=True)])


def _stretched(item: Any) -> Any:
    return 0 if isinstance(item, int) else ALL
