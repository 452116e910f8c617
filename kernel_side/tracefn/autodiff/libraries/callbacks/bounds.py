"""Bounds of the unknowns of an optimum, in each form that SciPy takes. Derivatives by bounds are not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ....ir.op import CONSTANT, ITEM
from ....ir.types import Kind
from ....ops.derivatives.common import as_array
from ....records import dataclass
from ....trace.tensor import Tensor
from .runs import Given, found


@dataclass(frozen=True, slots=True)
class Ends:
    """The lower and the upper bounds, and all that they are made of."""

    lower: Any
    upper: Any
    given: Any

    def without_own(self, parts: Sequence[Any], given: Given) -> list[Any]:
        """The cotangents of the values of a step, of which those of the bounds are not known."""
        ends = [end for end in leaves(self.given) if not _is_of_numbers(end)]
        pairs = zip(given.values, parts, strict=True)
        return [NotImplemented if any(v is end for end in ends) else part for v, part in pairs]


def of_both(bounds: Any) -> Ends | None:
    """Ends of a `Bounds`, or of two arrays or numbers."""
    if bounds is None:
        return None
    if type(bounds) is Tensor and bounds._node.type.kind is Kind.OBJECT:
        return Ends(found(bounds, "lb"), found(bounds, "ub"), bounds)
    if hasattr(bounds, "lb"):
        return Ends(bounds.lb, bounds.ub, bounds)
    lower, upper = map(as_array, bounds)
    return Ends(lower, upper, bounds)


def of_each(bounds: Any) -> Ends | None:
    """Ends of a `Bounds`, or of a pair for each unknown, in which None has no end."""
    pairs = bounds.tolist() if isinstance(bounds, np.ndarray) else bounds
    if isinstance(pairs, list | tuple):
        lower = np.stack([-np.inf if low is None else low for low, _ in pairs])
        return Ends(lower, np.stack([np.inf if high is None else high for _, high in pairs]), bounds)
    if type(pairs) is Tensor and pairs._node.type.kind is not Kind.OBJECT:
        return Ends(pairs[:, 0], pairs[:, 1], bounds)
    return of_both(bounds)


def _is_of_numbers(bounds: Any) -> bool:
    """True for a `Bounds` that was made without traced values."""
    made = bounds._node.inputs if type(bounds) is Tensor and bounds._node.op is ITEM else ()
    return bool(made) and all(n.op is CONSTANT for n in made[0].inputs)


def leaves(value: Any) -> Iterator[Any]:
    """All parts of lists and tuples in each other."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from leaves(part)
    else:
        yield value
