"""How the types of two lists of arrays become one."""

from __future__ import annotations

import dataclasses

from ...ir.dims import Length
from ...ir.types import NOTHING, Kind, TensorType
from ...ops.lists import is_weaker


def filled(value: TensorType, other: TensorType) -> TensorType:
    """The type of a list that never had an element, as that of a list of the other's elements; all other types as they
    are."""
    return _with_elements(value, other) if value.dtype == NOTHING and other.kind is Kind.LIST else value


def strengthened(value: TensorType, other: TensorType) -> TensorType:
    """As `filled`; also a list of Python numbers takes the other's NumPy scalars. Its numbers must then be cast."""
    both = value.kind is Kind.LIST and other.kind is Kind.LIST
    return _with_elements(value, other) if both and is_weaker(value.element, other.element) else filled(value, other)


def _with_elements(value: TensorType, other: TensorType) -> TensorType:
    return dataclasses.replace(other, shape=(value.shape[0], *other.shape[1:]))


def is_alike(left: TensorType, right: TensorType) -> bool:
    """True if dtype and rank are the same, and both are lists of elements of the same kind, or neither is one."""
    return left.dtype == right.dtype and left.ndim == right.ndim and left.element_kind is right.element_kind


def either(left: TensorType, right: TensorType, shape: tuple[Length, ...]) -> TensorType:
    """The type of a value of this shape that is held as one or the other."""
    return dataclasses.replace(left, shape=shape, kind=left.kind if left.kind is right.kind else Kind.ARRAY)
