"""Canonical fingerprints of traces: equal for two that do the same, up to the numbers or lengths in them."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..function import ConcreteFunction
from ..function.added import adds
from ..ir.dims import Dim
from ..ir.graph import Graph, Node
from ..ir.op import CONSTANT
from ..ir.template import Body, DictOf, Field, ListOf, SliceOf, TextOf, key

NUMBERS = (int, float, complex, np.number)
"""The literals that may differ. Truth values are none: they switch, they do not count."""


@dataclasses.dataclass(frozen=True, slots=True)
class Fingerprints:
    """Three hashes of a trace: of all of it, up to the numbers in it, and up to numbers and lengths."""

    exact: str
    numbers: str
    shapes: str


@adds("fingerprints")
def fingerprints(concrete: ConcreteFunction) -> Fingerprints:
    """The fingerprints of a trace: of the graph that its Python code made, its results, and what it writes."""
    graph = concrete.traced_graph
    rest = _rest(concrete)
    return Fingerprints(*[_digest(graph, rest, *masked) for masked in ((False, False), (True, False), (True, True))])


def _digest(graph: Graph, rest: str, numbers: bool, shapes: bool) -> str:
    digest = hashlib.blake2b(rest.encode(), digest_size=12)
    for row in rows(graph, numbers, shapes):
        digest.update(row.encode())
    return digest.hexdigest()


def _rest(concrete: ConcreteFunction) -> str:
    """What a call gives and does besides computing the outputs of the graph."""
    target = concrete._target
    writes = [(w.name, w.tree, w.leaves) for w in target.writes]
    assignments = [(a.output, a.leaf, id(a.variable)) for a in target.assignments]
    return f"{target.result!r}{target.result_leaves!r}{writes!r}{assignments!r}"


def rows(graph: Graph, numbers: bool, shapes: bool) -> Iterator[str]:
    """A line for each node and one for the outputs, without the numbers, and lengths, where these are masked."""
    index = {n: i for i, n in enumerate(graph.nodes)}
    for node in graph.nodes:
        inputs = [index[n] for n in node.inputs]
        types = [(t.dtype.str, t.kind, len(t.shape)) for t in node.types] if shapes else node.types
        yield f"{node.op.name}{inputs}{_detail(node, numbers, shapes)}{types!r}\n"
    yield repr([index[n] for n in graph.outputs])


def _detail(node: Node, numbers: bool, shapes: bool) -> str:
    if node.op is CONSTANT:
        value = np.asarray(node.args[0].value)
        return "#" if numbers and value.ndim == 0 else f"{value.dtype}{value.shape}{_bytes(value)}"
    return _text((node.args, node.kwargs), numbers, shapes)


def _bytes(value: Any) -> str:
    data = repr(value.tolist()).encode() if value.dtype.kind in "OT" else value.tobytes()
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def _text(item: Any, numbers: bool, shapes: bool) -> str:
    kind = type(item)
    if kind is tuple:
        return f"({','.join([_text(i, numbers, shapes) for i in item])})"
    if kind is ListOf or kind is DictOf or kind is TextOf:
        parts = item.parts if kind is TextOf else item.items
        return f"{kind.__name__}{_text(parts, numbers, shapes)}"
    if kind is SliceOf:
        return f"slice{_text((item.start, item.stop, item.step), numbers, shapes)}"
    if kind is Field:
        return f"field{_text((item.value, item.conversion, item.spec), numbers, shapes)}"
    if kind is Body:
        return "".join(rows(item.graph, numbers, shapes))
    if numbers and isinstance(item, NUMBERS) and not isinstance(item, bool):
        return "#"
    if shapes and kind is Dim:
        return "#"
    return repr(key(item))


def literals(node: Node) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The numbers in the call of a node, each with its place: what leads to it from `(args, kwargs)`."""
    if node.op is CONSTANT:
        value = np.asarray(node.args[0].value)
        if value.ndim == 0:
            yield (), value[()]
        return
    yield from _literals((node.args, node.kwargs), ())


def _literals(item: Any, place: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    kind = type(item)
    if kind is ListOf or kind is DictOf:
        item = item.items
    elif kind is SliceOf:
        item = (item.start, item.stop, item.step)
    if type(item) is tuple:
        for number, part in enumerate(item):
            yield from _literals(part, (*place, number))
    elif isinstance(item, NUMBERS) and not isinstance(item, bool):
        yield place, item


def all_nodes(graph: Graph) -> Iterator[Node]:
    """The nodes of a graph and of the bodies in it."""
    for node in graph.nodes:
        yield node
        for body in node.bodies:
            yield from all_nodes(body.graph)
