"""The results of `vjp` and `linearize` without a trace: graphs of their own, given the values of the first pass."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import UnsupportedFunctionError
from ..function import Function
from ..function.options import Options
from ..ir.dims import Dim, Length
from ..ir.evaluate import evaluate
from ..ir.graph import Graph, Node, pure_symbol
from ..ir.template import Body, Ref
from ..ir.types import Kind, TensorType
from ..passes.lengths import with_lengths
from ..records import dataclass
from ..trace.active import current
from ..trace.body import BodyTrace, FirstRow
from ..trace.context import Trace
from ..trace.control.record import bodies_of, record
from ..trace.tensor import Tensor
from ..trace.values import lists


class Kept:
    """A part of a trace that runs later, perhaps often: `function` takes the inputs of the part and then `residuals`,
    the values of the trace that it uses, and gives a tuple. The values that a loop keeps of each round are a list;
    where all its elements are of one shape, an array stands for it, so that one trace is for any number of rounds.
    The last residuals are arrays without elements: they have the lengths that the values of the trace decide."""

    def __init__(
        self, trace: Trace, name: str, given: Sequence[TensorType], run: Callable[[list[Tensor]], Sequence[Any]],
        shared: Sequence[Node | None],
    ) -> None:  # fmt: skip
        try:
            body, outputs = _traced(trace, name, given, run)
        except UnsupportedFunctionError:  # other libraries are asked for the types of their results
            with _undecided(trace):
                body, outputs = _traced(trace, name, given, run, as_ones=True)
        bodies, outer = bodies_of([(body, outputs)])
        kept = {root(n) for n in shared if n is not None}
        graph = bodies[0].graph
        used = graph.type_symbols | graph.used_symbols
        symbols = {s: made for s, made in _lengths(trace).items() if s in used} if used else {}
        self.residuals = [_passed(Tensor(n, trace, owned=False), kept) for n in outer]
        self.residuals += [_of_length(*each) for each in symbols.values()]
        self.function = _function(name, Part(name, graph, [n.type for n in outer], list(symbols)))


def _traced(
    trace: Trace, name: str, given: Sequence[TensorType], run: Callable[[list[Tensor]], Sequence[Any]],
    as_ones: bool = False,
) -> tuple[BodyTrace, list[Node]]:  # fmt: skip
    """The part and its outputs. Other libraries may be tried on its inputs `as_ones`, where their lengths are known."""
    body = BodyTrace(trace, name)
    inputs = [body.input(f"g{i}", found) for i, found in enumerate(given)]
    ones: list[Any] = []  # they are held by nothing else
    for found in given:
        shape: Any = found.shape if found.is_static and found.kind is not Kind.LIST else None
        ones.append(None if shape is None else np.ones((1, *shape), found.dtype))
    if as_ones:
        body.first |= {t._node: FirstRow(row) for t, row in zip(inputs, ones, strict=True) if row is not None}
    return body, [body.value_node(v) for v in body.run(lambda: list(run(inputs)))]


@contextlib.contextmanager
def _undecided(trace: Trace) -> Iterator[None]:
    """A block in which values decide no branch."""
    root, value_now = trace.root, trace.root.value_now
    root.value_now = None
    try:
        yield
    finally:
        root.value_now = value_now


@dataclass(frozen=True)
class Part:
    """The graph of a part of a trace, the types of the values that it uses, and the names of the lengths there."""

    name: str
    graph: Graph
    types: Sequence[TensorType]
    symbols: Sequence[str]

    def body(self, lengths: Sequence[Length]) -> Body:
        """The part, for residuals of these lengths."""
        return Body(self.name, with_lengths(self.graph, dict(zip(self.symbols, lengths, strict=True))))


def _lengths(trace: Trace) -> dict[str, tuple[Any, Tensor]]:
    """The lengths that values in a trace have by their names, and a value for each that has it."""
    found: dict[str, tuple[Any, Tensor]] = {}
    for node in trace.nodes:
        for length in node.type.readable_lengths if node.container is None else ():
            if isinstance(length, Dim) and (name := pure_symbol(length)) is not None and name not in found:
                found[name] = trace.public(length), Tensor(node, trace, owned=False)
    return found


def _of_length(length: Any, like: Tensor) -> Any:
    """An array without elements that has the length."""
    return np.broadcast_to(np.empty((1, 0), like=like), (length, 0))


def root(node: Node) -> Node:
    """The node whose memory a value may share."""
    while isinstance(viewed := node.op.viewed(node.args, node.kwargs), Ref):
        node = node.inputs[viewed.index]
    return node


def _passed(value: Tensor, shared: set[Node]) -> Any:
    """A value as the function takes it."""
    found = value._node.type
    if found.kind is not Kind.LIST:
        return _own(value, shared)
    is_even = found.element.kind is not Kind.PYTHON and not any(isinstance(n, Dim) for n in found.element.shape)
    return lists.as_array(value._trace, value) if is_even else value


def taken(trace: Trace, value: Any, wanted: TensorType) -> Node:
    """The node of a value that was passed, of the type that the part uses."""
    if wanted.kind is not Kind.LIST:
        return trace.value_node(value)
    shape = tuple([Dim.fresh() if isinstance(n, Dim) else n for n in wanted.element.shape])
    element = dataclasses.replace(wanted.element, shape=shape)
    if isinstance(value, list):
        return trace.node_of(lists.new_list(trace, value, element))
    return trace.node_of(lists.change(trace, lists.new_list(trace, (), element), "list_extend", value))


def _own(value: Tensor, shared: set[Node]) -> Any:
    """A value that the caller cannot change: of an array that he has, too, a copy."""
    found = root(value._node)
    return np.copy(value) if value._node.type.has_memory and (found.is_leaf or found in shared) else value


def _function(name: str, part: Part) -> Any:
    """A traced function that runs a part of a trace: the last inputs are the residuals."""

    def run(values: tuple[Any, ...]) -> tuple[Any, ...]:
        trace = current()
        end = len(values) - len(part.symbols)
        given = end - len(part.types)
        if trace is None:  # the program has raised an error of the user's code, and so does this
            kept = [list(v) if t.kind is Kind.LIST else v for v, t in zip(values[given:end], part.types, strict=True)]
            graph = part.body([v.shape[0] for v in values[end:]]).graph
            return evaluate(graph, [*values[:given], *kept])
        nodes = [trace.value_node(v) for v in values[:given]]
        nodes += [taken(trace, v, wanted) for v, wanted in zip(values[given:end], part.types, strict=True)]
        body = part.body([trace.value_node(v).type.shape[0] for v in values[end:]])
        types = [n.type for n in body.graph.outputs]
        return tuple(record(trace, "call", [body, nodes], types, [True] * len(types)))

    def pulled(*values: Any) -> tuple[Any, ...]:
        return run(values)

    made: Any = Function(pulled, Options(name=name, on_unsupported="error"))
    made.part = part
    return made
