"""Elements that a selection leaves out: their cotangent is 0, and stays 0 where a derivative is infinite or NaN.

`np.where(x > 0, x * np.log(x), 0)` has the derivative 0 where `x` is 0, though the chain rule gives 0 times infinity
there (the problem of two wheres).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..ir.graph import Node
from ..ir.op import Op, by_call
from .fitting import is_differentiable

_ASKING = frozenset({"isnan", "isinf", "isfinite", "isposinf", "isneginf"})
"""Tests that a program makes where its data may be infinite or NaN."""

_POWERS = frozenset({"power", "float_power", "operator.pow"})


def as_ufunc(op: Op) -> Op:
    """The op of the ufunc that an operator of Python is on NumPy's scalars; any other as it is."""
    return op if op.scalar_of is None else by_call(op.scalar_of) or op


def leaves_out(node: Node) -> bool:
    """True where some elements of the operands may have no part in the results."""
    return node.op.selects or node.op.style == "write" or any(name == "where" for name, _ in node.kwargs)


def infinite_slopes(nodes: Sequence[Node]) -> Callable[[Node], bool]:
    """A test of a node among `nodes`: whether a derivative of it may be infinite or NaN. It may if the function has a
    pole, or if an operand comes from one that has, or from data that the program tests for NaN. The first test goes
    over all nodes."""
    infinite = functools.cache(lambda: _infinite(nodes))
    return lambda node: _has_pole(node) or not infinite().isdisjoint(node.inputs)


def left_out(g: Any, slope: Any) -> Any:
    """A derivative with 0 in place of infinities and NaN where the cotangent is 0."""
    return np.where(np.logical_or(np.isfinite(slope), np.not_equal(g, 0)), slope, 0)


def _infinite(nodes: Iterable[Node]) -> set[Node]:
    """The nodes whose values may be infinite or NaN."""
    found: set[Node] = set()
    for node in nodes:
        if node.op.name in _ASKING or node.op.name.startswith("nan"):
            found.add(node.inputs[0])
    for node in nodes:
        is_infinite = _has_pole(node) or not found.isdisjoint(node.inputs)
        if is_infinite and any(map(is_differentiable, node.types)):
            found.add(node)
    return found


def _has_pole(node: Node) -> bool:
    op = as_ufunc(node.op)
    if not op.singular:
        return False
    second = node.args[1] if len(node.args) > 1 else None
    if isinstance(second, int | float):  # the derivatives by a base to a power of 1 or more, and of x / 2, are finite
        return second < 1 if op.name in _POWERS else second == 0
    return True
