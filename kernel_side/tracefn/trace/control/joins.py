"""How the values of several branches, or of several rounds of a loop, become one value with one type."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ...errors import ControlFlowError, message
from ...ir.dims import Dim, Length
from ...ir.op import by_name
from ...ir.types import Kind, TensorType, python_type, type_of, ufunc_dtypes, weak_operand
from ..origin import user_source, where
from ..symbolic_int import SymbolicInt
from ..tensor import Tensor
from ..tree import Tree
from .list_types import either, filled, is_alike, strengthened

SAME = "Give both sides the same structure, dtype and rank."


def refuse(what: str, detail: str, fix: str = SAME) -> NoReturn:
    """Raises `ControlFlowError`."""
    raise ControlFlowError(message(f"{what}: {detail}", where(user_source(3)), fix))


def is_value(value: Any) -> bool:
    """True for arrays and numbers, which the graph computes; anything else is fixed while tracing."""
    return isinstance(value, Tensor | SymbolicInt | np.ndarray | np.generic | bool | int | float | complex)


def value_type(value: Any) -> TensorType:
    if isinstance(value, Tensor):
        return value._node.type
    return type_of(value.dim if isinstance(value, SymbolicInt) else value)


def as_type(value: Any, wanted: TensorType) -> Any:
    """A Python number as a NumPy scalar or Python number of the wanted type; everything else as it is."""
    if wanted.element_kind is Kind.SCALAR and value_type(value).element_kind is Kind.PYTHON:
        return value._trace.record(by_name("list_cast"), (value, wanted.dtype), {})
    if type(value) in (bool, int, float, complex):
        if wanted.kind is Kind.PYTHON:
            return python_type(wanted.dtype)(value)
        if ufunc_dtypes(np.add, (weak_operand(value), wanted.dtype))[-1] == wanted.dtype:
            return wanted.dtype.type(value)
    return value


def meet(values: list[Any]) -> list[Any]:
    """The values with Python numbers as the dtype of the others, where promotion allows it."""
    strong = next((t for t in map(value_type, values) if t.kind is not Kind.PYTHON), None)
    return values if strong is None else [as_type(v, strong) for v in values]


def join(name: str, left: TensorType, right: TensorType) -> TensorType:
    """The type of a value that is one or the other."""
    if left == right:
        return left
    left, right = filled(left, right), filled(right, left)
    if not is_alike(left, right):
        refuse(f"the branches differ in `{name}`", f"{left!r} and {right!r}")
    shape = tuple(n if n == m else Dim.fresh() for n, m in zip(left.shape, right.shape, strict=True))
    return either(left, right, shape)


def carry_type(name: str, before: TensorType, after: TensorType, open_lengths: set[Length]) -> TensorType:
    """The type of a loop variable that starts as one and is left as the other. Python numbers are weak.

    A length that a round changes becomes a new one of the loop's `open_lengths`.
    """
    if before == after:
        return before
    if after.kind is Kind.PYTHON:
        if before.kind is not Kind.PYTHON:
            return before
        return before if python_type(before.dtype) is _wider(before, after) else after
    if before.kind is Kind.PYTHON:
        return after
    before, after = strengthened(before, after), strengthened(after, before)
    if not is_alike(before, after):
        refuse(f"a round of the loop changes `{name}`", f"{before!r} → {after!r}")
    shape = tuple(
        n if n == m or n in open_lengths else Dim.fresh() for n, m in zip(before.shape, after.shape, strict=True)
    )
    open_lengths |= set(shape) - set(before.shape)
    return either(before, after, shape)


def _wider(a: TensorType, b: TensorType) -> type:
    order = [bool, int, float, complex]
    return max(python_type(a.dtype), python_type(b.dtype), key=order.index)


def structure(tree: Tree) -> str:
    """A structure as messages name it."""
    return "a single value" if tree.is_leaf else f"{tree.kind} of {len(tree.children)}"
