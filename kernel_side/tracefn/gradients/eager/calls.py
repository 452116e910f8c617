"""Calls of traced functions while a tape is open outside: they run as graphs, with the values for their derivative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...autodiff import reverse
from ...autodiff.control import settled
from ...autodiff.fitting import is_differentiable
from ...ir.graph import Node
from ...trace.control.record import record
from ...trace.kinds import is_variable
from ...trace.tensor import Tensor
from ...trace.tree import flatten, map_leaves
from ..derived import derived
from ..differentiated import Differentiated, is_float, under_way
from ..pulled import Kept
from .watched import Watched, plain

if TYPE_CHECKING:
    from .session import Session


def called(session: Session, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the call gives, recorded as one step whose derivative is known."""
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
        held = [session.constant(leaf) for leaf in residuals]
        types = [n.type for n in values]
        body = kept.body
        return list(
            record(session.trace, "with_derivative", [values, operands, held, body], types, [True] * len(types))
        )

    made = iter(session.run(attach)) if any(map(is_float, leaves)) else iter(())
    return map_leaves(lambda path, leaf: next(made) if is_float(leaf) else leaf, value)


def _run(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """In the trace of the function: its value, what takes cotangents back, what that needs, and the Variables read."""
    trace = under_way("GradientTape")
    read: dict[int, tuple[Any, Node]] = {}

    def reads(variable: Any, node: Node) -> None:
        if variable.trainable and is_differentiable(node.type):
            read.setdefault(id(variable), (variable, node))

    trace.variables.readers.append(reads)
    try:
        ran = Differentiated(trace, function, args, kwargs, range(len(args)), True)
    finally:
        trace.variables.readers.remove(reads)
    floats = [n for n in ran.outputs if n is not None and is_differentiable(n.type)]
    by_args = [s for argument in ran.arguments for s in argument.sources if s is not None]
    sources = [*by_args, *[node for _, node in read.values()]]

    def back(given: list[Tensor]) -> Sequence[Any]:
        found = reverse(trace, ran.nodes, list(zip(floats, given, strict=True)), sources)
        inner = under_way("GradientTape")
        likes = [Tensor(inner.node_of(Tensor(s, trace, owned=False)), inner, owned=False) for s in sources]
        nodes = [settled(inner, g, like) for g, like in zip(found, likes, strict=True)]
        return [Tensor(n, inner, owned=False) for n in nodes]

    kept = Kept(trace, "pull back", [n.type for n in floats], back, ran.outputs)
    return ran.returned, kept.function, kept.residuals, tuple([v for v, _ in read.values()]), len(sources)


def _leaves(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The leaves of the arguments, in the order of the parameters."""
    bound = function._bind(args, kwargs)
    return [leaf for value in bound.values() for _, leaf in flatten(value, "x")[0]]


def _is_source(leaf: Any) -> bool:
    return is_float(leaf.value() if is_variable(leaf) or type(leaf) is Watched else leaf)


def _node(session: Session, leaf: Any) -> Node:
    if type(leaf) is Watched:
        return session.trace.node_of(leaf.tensor)
    if is_variable(leaf):
        return session.variable(leaf).tensor._node
    return session.constant(leaf)


def _plain(value: Any) -> Any:
    """The arguments with plain values in the place of what is watched, in structures of any kind."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple([_plain(v) for v in value])
    has_watched = any(type(leaf) is Watched for _, leaf in flatten(value, "x")[0])
    return map_leaves(lambda path, leaf: plain(leaf), value) if has_watched else value
