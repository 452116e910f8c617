"""The length of a slice of an axis, where lengths and bounds may be symbolic."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.dims import maximum, minimum
from ..ir.template import PLAIN
from .rules import Dim, Length, TensorType, fresh_dim


def has_traced_bound(index: slice) -> bool:
    """True if a bound, or the sign of the step, is known only at run time. The length is then, too."""
    if PLAIN.issuperset((type(index.start), type(index.stop), type(index.step))):
        return False
    if any(hasattr(b, "dtype") and not issubclass(type(b), np.generic) for b in (index.start, index.stop, index.step)):
        return True  # a traced int says of itself that it is an int
    return not isinstance(index.step, int | np.integer | None)


def slice_length(index: slice, length: Length) -> Length:
    """How many elements `index` takes from an axis of `length`. A new symbol where a bound is traced.

    Raises TypeError for bounds that are no integers and ValueError for a step of zero.

    >>> n = Dim.symbol("n")
    >>> slice_length(slice(1, -1), n), slice_length(slice(-3, None), n), slice_length(slice(None, None, 2), n)
    (max(n - 2, 0), min(3, n), ((n + 1) // 2))
    """
    bounds = index.start, index.stop, index.step
    if type(length) is int and _KNOWN.issuperset(map(type, bounds)):
        return len(range(*index.indices(length)))
    start, stop, step = map(_bound, bounds)
    if has_traced_bound(index):
        return fresh_dim()
    step = 1 if step is None else step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step > 0:
        end = length if stop is None else minimum(_from_start(stop, length), length)
        distance = end if start is None else minimum(end - _from_start(start, length), end)
    else:
        first = length - 1 if start is None else minimum(_from_start(start, length), length - 1)
        distance = first + 1 if stop is None else minimum(first - _from_start(stop, length), first + 1)
    return maximum((distance + (abs(step) - 1)) // abs(step), 0)


_KNOWN = frozenset({int, type(None)})
"""Types of bounds that are known."""


def _bound(bound: Any) -> Any:
    if bound is None or isinstance(bound, Dim):
        return bound
    if isinstance(bound, TensorType):
        if bound.shape or bound.dtype.kind not in "iu":
            raise TypeError("slice bounds must be integers")
        return bound
    return operator.index(bound)


def _from_start(bound: Length, length: Length) -> Length:
    """A bound counted from the start of the axis: negative ones count from its end."""
    if bound == length - 1:
        return bound  # Negative for an empty axis alone, where every bound means 0.
    negative = minimum(maximum(-bound, 0), 1)
    return bound + length * negative
