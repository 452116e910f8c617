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
from ..ir.template import Body, DictOf, Field, ListOf, Ref, SliceOf, TextOf, key

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
    rest = _rest(concrete)
    return Fingerprints(*[_digest(rest + text) for text in _texts(concrete.traced_graph)])


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _rest(concrete: ConcreteFunction) -> str:
    """What a call gives and does besides computing the outputs of the graph."""
    target = concrete._target
    writes = [(w.name, w.tree, w.leaves) for w in target.writes]
    assignments = [(a.output, a.leaf, id(a.variable)) for a in target.assignments]
    return f"{target.result!r}{target.result_leaves!r}{writes!r}{assignments!r}"


def _texts(graph: Graph) -> tuple[str, str, str]:
    """A graph as three texts: all of it, without the numbers in it, and without numbers and lengths."""
    index = {n: i for i, n in enumerate(graph.nodes)}
    shown: dict[Any, tuple[str, str]] = {}
    exact, numbers, shapes = [], [], []
    for node in graph.nodes:
        call = f"{node.op.name}{[index[n] for n in node.inputs]}"
        whole, masked, bare = _details(node)
        types = shown.get(node.types)
        if types is None:
            ranks = [(t.dtype.str, t.kind, len(t.shape)) for t in node.types]
            types = shown[node.types] = (repr(node.types), repr(ranks))
        exact.append(f"{call}{whole}{types[0]}")
        numbers.append(f"{call}{masked}{types[0]}")
        shapes.append(f"{call}{bare}{types[1]}")
    outputs = repr([index[n] for n in graph.outputs])
    return "\n".join([*exact, outputs]), "\n".join([*numbers, outputs]), "\n".join([*shapes, outputs])


def _details(node: Node) -> tuple[str, str, str]:
    """The arguments of a node as three texts, as of a graph."""
    if not node.kwargs and all(type(a) is Ref for a in node.args):
        text = repr([a.index for a in node.args])
        return text, text, text
    if node.op is CONSTANT:
        value = np.asarray(node.args[0].value)
        whole = f"{value.dtype}{value.shape}{_bytes(value)}"
        return (whole, "#", "#") if value.ndim == 0 else (whole, whole, whole)
    return _forms((node.args, node.kwargs))


def _bytes(value: Any) -> str:
    data = repr(value.tolist()).encode() if value.dtype.kind in "OT" else value.tobytes()
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def _forms(item: Any) -> tuple[str, str, str]:
    """A part of the arguments as three texts, as of a graph."""
    kind = type(item)
    if kind is tuple:
        return _joined("", item)
    if kind is ListOf or kind is DictOf or kind is TextOf:
        return _joined(kind.__name__, item.parts if kind is TextOf else item.items)
    if kind is SliceOf:
        return _joined("slice", (item.start, item.stop, item.step))
    if kind is Field:
        return _joined("field", (item.value, item.conversion, item.spec))
    if kind is Body:
        return _texts(item.graph)
    text = repr(key(item))
    if isinstance(item, NUMBERS) and not isinstance(item, bool):
        return text, "#", "#"
    return text, text, "#" if kind is Dim else text


def _joined(name: str, parts: tuple[Any, ...]) -> tuple[str, str, str]:
    forms = [_forms(part) for part in parts]
    exact, numbers, shapes = (f"{name}({','.join([f[i] for f in forms])})" for i in range(3))
    return exact, numbers, shapes


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
