"""Canonical fingerprints of traces: equal for two that do the same, up to the numbers or lengths in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..function import ConcreteFunction
from ..ir.dims import Dim
from ..ir.graph import Graph, Node
from ..ir.hashing import blake2b
from ..ir.op import CONSTANT
from ..ir.template import Body, DictOf, Field, ListOf, Ref, SliceOf, TextOf, key
from ..ir.types import TensorType
from ..records import dataclass

NUMBERS = (int, float, complex, np.number)
"""The types of literals that may differ. Truth values are none of them: they switch, they do not count."""


def is_number(item: Any) -> bool:
    """True for a literal that may differ."""
    return isinstance(item, NUMBERS) and not isinstance(item, bool)


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Three hashes of a trace: of all of it, up to the numbers in it, and up to numbers and lengths."""

    exact: str
    numbers: str
    shapes: str


def fingerprints(concrete: ConcreteFunction) -> Fingerprints:
    """The fingerprints of a trace: of the graph that its Python code made, its results, and its writes."""
    rest = _rest(concrete)
    return Fingerprints(*[_digest(rest + text) for text in _texts(concrete.traced_graph)])


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()


def _rest(concrete: ConcreteFunction) -> str:
    """The results and effects of a call besides the outputs of the graph."""
    target = concrete._execution.target
    assignments = [(a.output, a.leaf, id(a.variable)) for a in target.assignments]
    return f"{target.result!r}{target.result_leaves!r}{target.store_text!r}{assignments!r}"


def _texts(graph: Graph) -> tuple[str, str, str]:
    """A graph as three texts: all of it, without the numbers in it, and without numbers and lengths."""
    words = _Words()
    words.of_graph(graph)
    return words.texts()


class _Words:
    """A graph in words. `numbers` are the positions of those that are numbers, `lengths` has the replacements of
    those that have lengths in them."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._numbers: list[int] = []
        self._lengths: dict[int, str] = {}
        self._types: dict[Any, tuple[str, str]] = {}

    def texts(self) -> tuple[str, str, str]:
        words = self._words
        exact = "".join(words)
        for position in self._numbers:
            words[position] = "#"
        numbers = "".join(words)
        for position, text in self._lengths.items():
            words[position] = text
        return exact, numbers, "".join(words)

    def of_graph(self, graph: Graph) -> None:
        index = {n: i for i, n in enumerate(graph.nodes)}
        for node in graph.nodes:
            self._words.append(f"\n{node.op.name}{[index[n] for n in node.inputs]}")
            if node.op is CONSTANT:
                self._of_constant(np.asarray(node.args[0].value))
            else:
                self._of_template((node.args, node.kwargs) if node.kwargs else node.args)
            self._of_types(node.types)
            if node.errors:
                self._words.append(repr(node.errors))
        self._words.append(f"\n{[index[n] for n in graph.outputs]}")

    def _of_constant(self, value: Any) -> None:
        if value.ndim == 0:
            self._numbers.append(len(self._words))
        self._words.append(f"{value.dtype}{value.shape}{_bytes(value)}")

    def _of_types(self, types: tuple[TensorType, ...]) -> None:
        if types not in self._types:
            self._types[types] = repr(types), repr([(t.dtype.str, t.kind, len(t.shape)) for t in types])
        exact, self._lengths[len(self._words)] = self._types[types]
        self._words.append(exact)

    def _of_template(self, item: Any) -> None:
        """A part of the arguments."""
        kind = type(item)
        if kind is Ref:
            self._words.append(f"{item.index},")
        elif kind is tuple:
            self._of_parts("", item)
        elif kind is ListOf or kind is DictOf or kind is TextOf:
            self._of_parts(kind.__name__, item.parts if kind is TextOf else item.items)
        elif kind is SliceOf:
            self._of_parts("slice", (item.start, item.stop, item.step))
        elif kind is Field:
            self._of_parts("field", (item.value, item.conversion, item.spec))
        elif kind is Body:
            self.of_graph(item.graph)
        else:
            if is_number(item):
                self._numbers.append(len(self._words))
            elif kind is Dim:
                self._lengths[len(self._words)] = "#"
            self._words.append(f"{key(item)!r},")

    def _of_parts(self, name: str, parts: tuple[Any, ...]) -> None:
        self._words.append(f"{name}(")
        for part in parts:
            self._of_template(part)
        self._words.append(")")


def _bytes(value: Any) -> str:
    data = repr(value.tolist()).encode() if value.dtype.kind in "OT" else value.tobytes()
    return blake2b(data, digest_size=12).hexdigest()


def literals(node: Node) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The numbers in the call of a node, each with its place: the path to it from `(args, kwargs)`."""
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
    elif is_number(item):
        yield place, item


def all_nodes(graph: Graph) -> Iterator[Node]:
    """The nodes of a graph and of the bodies in it."""
    for node in graph.nodes:
        yield node
        for body in node.bodies:
            yield from all_nodes(body.graph)
