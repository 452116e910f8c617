"""Calls of traced functions while a tape is open outside: they run as graphs, with the values for their derivative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autodiff import reverse, source_of
from ...autodiff.control import settled
from ...autodiff.fitting import is_differentiable
from ...ir.graph import Node
from ...ir.types import Kind, TensorType
from ...trace import provided
from ...trace.active import current
from ...trace.context import Trace
from ...trace.control.record import record
from ...trace.kinds import is_variable
from ...trace.tensor import Tensor
from ...trace.tree import flatten, map_leaves
from ..derived import derived, signature_of, with_defaults
from ..differentiated import Differentiated, is_float, under_way
from ..pulled import Kept, taken
from .watched import Watched, plain

if TYPE_CHECKING:
    from .session import Session


def called(session: Session, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of the call, recorded as one step whose derivative is known."""
    with session.paused():
        given = derived(function, "tape", "tape", _run)
        value, kept, residuals, variables, sources = given(*_plain(args), **_plain(kwargs))
    operands = [
        *[_node(session, leaf) for leaf in _leaves(function, args, kwargs) if _is_source(leaf)],
        *[session.variable(v).tensor._node for v in variables],
    ]
    assert len(operands) == sources
    leaves = [leaf for _, leaf in flatten(value)[0]]

    def attach() -> list[Any]:
        values = [session.constant(leaf) for leaf in leaves if is_float(leaf)]
        part, end = kept.part, len(kept.part.types)
        held = [_held(session, leaf, wanted) for leaf, wanted in zip(residuals[:end], part.types, strict=True)]
        types = [n.type for n in values]
        body = part.body([leaf.shape[0] for leaf in residuals[end:]])
        return list(
            record(session.trace, "with_derivative", [values, operands, held, body], types, [True] * len(types))
        )

    made = iter(session.run(attach)) if any(map(is_float, leaves)) else iter(())
    return map_leaves(lambda path, leaf: next(made) if is_float(leaf) else leaf, value)


def _run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """In the trace of the function: its value, the pull-back, its residuals, and the Variables read."""
    trace = under_way("GradientTape")
    read = _Read(trace)

    def call(args: Any, kwargs: Any) -> Any:
        return provided.callee(function)(*args, **kwargs)

    trace.variables.readers.append(read)
    try:
        if kwargs:
            ran = Differentiated(trace, call, (args, kwargs), {}, range(2), True, False)
        else:
            numbers = [i for i, a in enumerate(args) if any(_is_source(leaf) for _, leaf in flatten(a, "x")[0])]
            ran = Differentiated(trace, function, args, {}, numbers, True, False)
    finally:
        trace.variables.readers.remove(read)
    floats = [n for n in ran.outputs if n is not None and is_differentiable(n.type)]
    by_args = [s for argument in ran.arguments for s in argument.sources if s is not None]
    sources = [*by_args, *[node for _, nodes in read.variables.values() for node in nodes]]
    steps = [n for n in ran.nodes if n not in read.cut]

    def back(given: list[Tensor]) -> Sequence[Any]:
        found = reverse(trace, steps, list(zip(floats, given, strict=True)), sources)
        inner = under_way("GradientTape")
        likes = [Tensor(inner.node_of(Tensor(s, trace, owned=False)), inner, owned=False) for s in sources]
        nodes = [settled(inner, g, like) for g, like in zip(found, likes, strict=True)]
        return [Tensor(n, inner, owned=False) for n in nodes]

    kept = Kept(trace, "pull back", [n.type for n in floats], back, ran.outputs)
    variables = tuple([v for v, nodes in read.variables.values() for _ in nodes])
    return ran.returned, kept.function, kept.residuals, variables, len(sources)


class _Read:
    """Notes the Variables that are read, and each of the values that they had then. A value that was assigned is a
    source of its own, as it is to a tape in a traced function."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.variables: dict[int, tuple[Any, list[Node]]] = {}
        self.cut: set[Node] = set()

    def __call__(self, variable: Any, node: Node) -> None:
        if not variable.trainable or not is_differentiable(node.type):
            return
        trace, nodes = self._trace, self.variables.setdefault(id(variable), (variable, []))[1]
        if node not in nodes and current() is trace and not trace.variables.is_read_value(variable, node):
            made = source_of(trace, Tensor(node, trace, owned=False))
            trace.variables.hold(variable, made)
            node = made._node
            self.cut.add(node)
        if node not in nodes:
            nodes.append(node)


def _leaves(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The leaves of the arguments, in the order in which the call is given them."""
    return [leaf for _, leaf in flatten(with_defaults(signature_of(function), args, kwargs), "x")[0]]


def _is_source(leaf: Any) -> bool:
    return not is_variable(leaf) and is_float(plain(leaf))


def _node(session: Session, leaf: Any) -> Node:
    if type(leaf) is Watched:
        return session.trace.node_of(leaf.tensor)
    return session.constant(leaf)


def _held(session: Session, value: Any, wanted: TensorType) -> Node:
    """The node of a value that a call keeps for its derivative."""
    is_array = wanted.kind is Kind.LIST and isinstance(value, np.ndarray)
    node = session.constant(value)
    return taken(session.trace, Tensor(node, session.trace, owned=False), wanted) if is_array else node


def _plain(value: Any) -> Any:
    """The arguments with plain values in the place of watched ones, in structures of any kind."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple([_plain(v) for v in value])
    has_watched = any(type(leaf) is Watched for _, leaf in flatten(value, "x")[0])
    return map_leaves(lambda path, leaf: plain(leaf), value) if has_watched else value
