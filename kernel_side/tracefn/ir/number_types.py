"""Exact number types: each Python and NumPy number type has a number, the tag of tagged values."""

from __future__ import annotations

from typing import Any

import numpy as np

from .types import Kind, TensorType, python, python_type

NUMBER_TYPES: tuple[TensorType, ...] = (
    *map(python, (bool, int, float, complex)),
    *[TensorType(np.dtype(char), (), Kind.SCALAR) for char in "?bhilBHILefdFD"],
)
"""Python's numbers and NumPy's scalars. The tag of a type is its position."""

_NUMBERS = {(found.kind, found.dtype.char): number for number, found in enumerate(NUMBER_TYPES)}
_PYTHON = (bool, int, float, complex)


def number_of(found: TensorType) -> int | None:
    """The tag of a type. None for other types."""
    return _NUMBERS.get((found.kind, found.dtype.char)) if found.shape == () else None


def typed(value: Any, number: int) -> Any:
    """Converts a number to the type with this tag, which can hold it. A power of a negative `float` may be complex
    where the trace had a `float`: it stays."""
    found = NUMBER_TYPES[number]
    if isinstance(value, complex) and found.dtype.kind != "c":
        if value.imag:
            return value
        value = value.real
    return found.dtype.type(value) if found.kind is Kind.SCALAR else python_type(found.dtype)(value)


def carrier_of(types: frozenset[int]) -> TensorType | None:
    """The type of a value that can be one of any of these, with the bits that it has there. None where there is none.

    >>> carrier_of(frozenset({2, 15})), carrier_of(frozenset({1, 2})), carrier_of(frozenset({2, 14}))
    (float64, float, float)
    """
    scalars = {NUMBER_TYPES[n].dtype for n in types if NUMBER_TYPES[n].kind is Kind.SCALAR}
    numbers = [python_type(NUMBER_TYPES[n].dtype) for n in types if NUMBER_TYPES[n].kind is Kind.PYTHON]
    if any(dtype.char == "L" for dtype in scalars):
        is_natural = all(dtype.kind in "bu" for dtype in scalars) and not {float, complex} & {*numbers}
        return TensorType(np.dtype("L"), (), Kind.SCALAR) if is_natural else None
    widest = max(numbers, key=_PYTHON.index) if numbers else bool
    for dtype in scalars:
        mine = python_type(dtype)
        if len(scalars) == 1 and dtype.char in "?ldD" and _PYTHON.index(mine) >= _PYTHON.index(widest):
            return TensorType(dtype, (), Kind.SCALAR)
        widest = max(widest, mine, key=_PYTHON.index)
    return python(widest)
