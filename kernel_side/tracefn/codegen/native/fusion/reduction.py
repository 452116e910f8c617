"""Which reductions native code computes: how elements are combined, and over which axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....ir.graph import Node
from ....ir.op import Combines
from ....ir.template import Ref
from ....ir.types import Kind, Shape
from ....records import dataclass
from ..scalar.emitter import BOOL, DType, castable, computable, part
from ..scalar.folds import FOLDS, start_of
from .lowering import is_operand


@dataclass(frozen=True, slots=True)
class Reduction:
    """How one node reduces its input: elements are cast to `through`, then to the node's dtype, and combined two by two
    by a rule of `scalar/folds.py`. `axes` are those that are reduced, in order. `is_mean` says that the sum is
    divided by the number of elements. Where there is a `mask`, only those elements count for which it is true, and
    where it `skips_nan` those that are numbers."""

    rule: str
    axes: tuple[int, ...]
    through: DType
    is_mean: bool = False
    mask: Node | None = None
    skips_nan: bool = False

    @property
    def is_partial(self) -> bool:
        """True if not all elements count."""
        return self.mask is not None or self.skips_nan

    @property
    def has_count(self) -> bool:
        """True if it is to be found how many elements count."""
        return self.is_mean and self.is_partial


@dataclass(frozen=True, slots=True)
class Field:
    """A part of an intermediate state: of the position of an extremum these are its value and index,
    of a complex number its parts. `start` changes
    nothing when it is combined with others."""

    dtype: DType
    start: Any


def reduction(node: Node) -> Reduction | None:
    """How a node is computed as a reduction over some axes of an array. None where it is none of these."""
    how, options = node.op.combines, dict(node.kwargs)
    if how is None or how.is_running or node.args != (Ref(0),) or node.container is not None or len(node.inputs) != 1:
        return None
    if not {"axis", "keepdims", "dtype"}.issuperset(options) or not is_operand(node.inputs[0]):
        return None
    rule = node.op.name if how.gives_position else how.ufunc.__name__
    source, dtype = node.inputs[0].type, node.type.dtype
    if rule not in FOLDS or node.type.kind not in (Kind.ARRAY, Kind.SCALAR) or not source.ndim or not computable(dtype):
        return None
    axes = axes_of(options.get("axis", how.axis), source.ndim)
    through = BOOL if rule.startswith("logical") or node.op.name == "count_nonzero" else source.dtype
    if how.gives_position:
        is_scan = source.dtype.kind == "b" and source.ndim - 1 in axes  # which NumPy ends as soon as it can
        return Reduction(rule, axes, through) if axes and not is_scan and through.char not in "eFD" else None
    if not axes or not castable(through, dtype) or (how.is_mean and dtype.kind not in "fc"):
        return None
    if "c" in (dtype.kind, through.kind) and rule != "add":
        return None
    if dtype.kind == "b":
        rule = {"maximum": "logical_or", "minimum": "logical_and"}.get(rule, rule)
        if not rule.startswith(("logical", "bitwise")):
            return None
    if skips_nan := how.skips_nan and through.kind in "fc":
        if through.kind == "c" or dtype != through:
            return None
    return Reduction(rule, axes, through, how.is_mean, None, skips_nan)


def gives_position(node: Node) -> bool:
    """True for the index of an extremum."""
    return node.op.combines is not None and node.op.combines.gives_position


def is_plain(how: Combines) -> bool:
    """True for reductions over all axes or some that NumPy's own functions make: of no other kind."""
    return not (how.skips_nan or how.takes_weights or how.gives_position or how.is_running or how.axis is not None)


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes that an argument names, in order. Empty where it is not known which they are."""
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted(a % rank for a in axes)) if all(isinstance(a, int) for a in axes) else ()


MOST_OF_SCAN = 1 << 15
"""Elements up to which NumPy finds an extremum faster than code that also looks for NaNs in each vector."""

FEW, MANY = 8, 64
"""Reductions over at most `FEW` elements with at least `MANY` results are unrolled: each result is one step."""


def is_short(node: Node) -> bool:
    """True for a reduction that is done in one step for each result."""
    found = reduction(node)
    if found is None or found.skips_nan or not node.type.ndim or not node.inputs[0].type.is_static:
        return False
    source = node.inputs[0].type
    if source.dtype.char == "e" or (FOLDS[found.rule].gives_position and len(found.axes) > 1):
        return False
    count = math.prod([n for a in found.axes if isinstance(n := source.shape[a], int)])
    return 1 < count <= FEW and math.prod([n for n in node.type.shape if isinstance(n, int)]) >= MANY


def work_shape(node: Node) -> Shape:
    """The shape of the elements that a node works on: that of its operand where it reduces, or its own."""
    return node.type.shape if reduction(node) is None or is_short(node) else node.inputs[0].type.shape


def fields(found: Reduction, dtype: DType) -> list[Field]:
    """The intermediate state of a reduction to a dtype."""
    if FOLDS[found.rule].gives_position:
        index = np.dtype(np.int64 if found.through.itemsize == 8 else np.int32)
        return [Field(found.through, start_of(FOLDS[found.rule].name, found.through)), Field(index, 0)]
    start = start_of(found.rule, dtype)
    return [Field(part(dtype), start)] * (2 if dtype.kind == "c" or found.has_count else 1)
