"""Numbers whose types differ between branches or rounds: joins keep the eager type with a tag (`number_types`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.number_types import carrier_of, number_of, typed
from ...ir.op import by_name
from ...ir.types import Kind, TensorType, python_type
from ..active import current
from ..context import Trace
from ..tensor import Tensor
from ..tensor_parts.one_type import OneType
from ..tree import LEAF, Tree, parts, unflatten
from ..values.eagerly_once import eagerly_where
from ..values.symbolic_int import SymbolicInt
from .joins import StandIn, are_of_one_type, is_value, refuse, value_type

LARGEST = 2**53
"""The largest int up to which floats represent all ints."""


class Typed:
    """A number in a join: two values, the number and the tag of its type."""

    __slots__ = ("types", "value", "which")

    def __init__(self, value: Any, which: Any, types: tuple[int, ...]) -> None:
        self.value = value
        self.which = which
        self.types = types

    def __tracefn_flatten__(self) -> tuple[tuple[Any, Any], tuple[int, ...]]:
        return (self.value, self.which), self.types

    @classmethod
    def __tracefn_unflatten__(cls, types: tuple[int, ...], children: tuple[Any, Any]) -> Any:
        value, which = children
        if (
            type(value) is StandIn
            or type(value) not in (Tensor, bool, int, float, complex)
            and not isinstance(value, np.generic)
        ):
            return cls(value, which, types)
        if type(value) is not Tensor:
            if type(which) is int:
                return typed(value, which)
            trace = current()
            assert trace is not None
            value = Tensor(trace.value_node(value), trace, owned=True)
        value._one_type = OneType(which, types)
        return value


def settle_types(values: list[Any], traces: Sequence[Trace], is_loop: bool = False) -> list[Any]:
    """The values that the branches with these traces give a variable; numbers whose types differ as `Typed`.

    Where they are the values before and after a round, only those of which a round leaves several types, a narrower one
    of Python's (`found = 0`, then True), or one of Python's for NumPy's: after another round any other number has one
    for certain.
    """
    if len(values) > 1 and (all(v is values[0] for v in values[1:]) or are_of_one_type(values)):
        return values
    leaves: list[list[Any]] = [[] for _ in values]
    trees = [_flatten(value, found) for value, found in zip(values, leaves, strict=True)]
    if any(tree != trees[0] for tree in trees):
        return values
    columns = [
        _settled(list(column), traces) if not is_loop or any(map(_is_typed, column)) or _narrows(*column) else None
        for column in zip(*leaves, strict=True)
    ]
    if all(column is None for column in columns):
        return values
    rows = [
        [given if column is None else column[number] for given, column in zip(found, columns, strict=True)]
        for number, found in enumerate(leaves)
    ]
    return [
        value if all(a is b for a, b in zip(row, found, strict=True)) else unflatten(tree, row, like=value)
        for value, row, found, tree in zip(values, rows, leaves, trees, strict=True)
    ]


def _flatten(value: Any, leaves: list[Any]) -> Tree:
    """As `tree.flatten`, with a `Typed` as one leaf."""
    found = None if type(value) is Typed else parts(value)
    if found is None:
        leaves.append(value)
        return LEAF
    children = tuple([_flatten(child, leaves) for child in found.children])
    return Tree(found.kind, type(value), found.keys, children, found.metadata)


def _settled(column: list[Any], traces: Sequence[Trace]) -> list[Any] | None:
    """One number from each side. None if all have one type."""
    found: set[int] = set()
    is_new = False
    for value in column:
        numbers = types_of(value)
        if numbers is None:
            return None
        is_new |= type(value) is not Typed
        found |= numbers
    if len(found) < 2:
        return None
    carrier = carrier_of(frozenset(found))
    if carrier is None:
        refuse("a number is a uint64 in one branch, and one with a sign or a fraction in another", "none holds both")
    types = tuple(sorted(found))
    made = [_as_typed(v, types, carrier, trace) for v, trace in zip(column, traces, strict=True)]
    if any(m is None for m in made):
        refuse("a number is not exact in the type of another branch", f"a {carrier!r} would round it")
    traces[0].root.sees_types = True
    return made


def _is_typed(value: Any) -> bool:
    return type(value) is Typed or (type(value) is Tensor and value._one_type is not None)


def _narrows(before: Any, after: Any) -> bool:
    """True for a Python number that a round would convert to the type of the carried value: a NumPy scalar, or a wider
    number of Python's."""
    if not is_value(before) or not is_value(after):
        return False
    was, now = value_type(before), value_type(after)
    if now.kind is not Kind.PYTHON or python_type(now.dtype) not in _WIDTHS:
        return False
    if was.kind is Kind.SCALAR:
        return number_of(was) is not None
    if was.kind is not Kind.PYTHON or python_type(was.dtype) not in _WIDTHS:
        return False
    return _WIDTHS.index(python_type(now.dtype)) < _WIDTHS.index(python_type(was.dtype))


_WIDTHS = (bool, int, float, complex)


def types_of(value: Any) -> set[int] | None:
    """The tags of the types that a number may have. None for other values."""
    if type(value) is Typed:
        return set(value.types)
    if type(value) is StandIn:
        return set() if number_of(value.type) is not None else None
    if type(value) is Tensor and value._one_type is not None:
        return set(value._one_type.types)
    if not is_value(value):
        return None
    number = number_of(value_type(value))
    return None if number is None else {number}


def _as_typed(value: Any, types: tuple[int, ...], carrier: TensorType, trace: Trace) -> Any:
    if type(value) is StandIn:
        return Typed(StandIn(carrier), types[0], types)
    if type(value) is Typed:
        if type(value.value) is StandIn:
            return value if value.types == types else Typed(StandIn(carrier), types[0], types)
        held = _carried(value.value, carrier, trace)
        return value if value.types == types and held is value.value else Typed(held, value.which, types)
    if type(value) is Tensor and value._one_type is not None:
        which: Any = value._one_type.which
        value = Tensor(value._node, value._trace, owned=True)
    else:
        which = number_of(value_type(value))
    held = _carried(value, carrier, trace)
    return None if held is None else Typed(held, which, types)


def _carried(value: Any, carrier: TensorType, trace: Trace) -> Any:
    """A number in the carrier type. None if that cannot hold it."""
    found = value_type(value)
    if found == carrier:
        return value
    is_traced = isinstance(value, Tensor | SymbolicInt)
    name = python_type(carrier.dtype)
    if not is_traced and carrier.dtype.kind == "u" and value < 0:
        return None
    if not is_traced:
        made = name(value) if carrier.kind is Kind.PYTHON else carrier.dtype.type(value)
        exact = made.item() if isinstance(made, np.generic) else made  # NumPy would compare in its dtype
        return made if exact == value or value != value else None
    if found.dtype.kind in "iu" and carrier.dtype.kind in "fc" and found.dtype.itemsize > 4:
        _refuse_large(trace, value)
    if found.dtype.kind == "i" and carrier.dtype.kind == "u":
        is_negative = trace.record(by_name("operator.lt"), (value, 0), {})
        eagerly_where(trace, is_negative, "an int is negative, and a uint64 in another branch")
    if carrier.kind is Kind.PYTHON:
        return trace.record(by_name(name.__name__), (value,), {})
    return trace.record(by_name("as_scalar"), (value, carrier.dtype), {})


def _refuse_large(trace: Trace, value: Any) -> None:
    """Runs calls eagerly with an int that no float represents."""
    is_large = trace.record(by_name("operator.gt"), (value, LARGEST), {})
    if value_type(value).dtype.kind == "i":  # `abs` of the least one overflows, and warns
        is_low = trace.record(by_name("operator.lt"), (value, -LARGEST), {})
        is_large = trace.record(by_name("operator.or_"), (is_large, is_low), {})
    eagerly_where(trace, is_large, f"an int is larger than {LARGEST}, and a float in another branch")
