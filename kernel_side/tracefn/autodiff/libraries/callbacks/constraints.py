"""The rule of an optimum under constraints, a root of the conditions of Karush, Kuhn and Tucker.

Unknowns of these are the place and a multiplier for each constraint. The gradient of the Lagrangian is 0 there; of a
constraint that is active the value is 0, of any other the multiplier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....ops.derivatives.common import as_array
from ....trace import provided
from ...sources import fresh_source
from .. import above
from ..images import constant
from .bounds import Ends
from .roots import at_roots
from .runs import Given, Run, as_tuple, found

MOST_SLACK = 1e-6
"""A constraint or bound with less slack than this is active. One that is and has more is noticed: the Lagrangian has a
slope."""


def constrained_optimum(g: Any, out: Any, given: Given, function: Callable[..., Any], args: tuple[Any, ...],
                        listed: Sequence[dict[str, Any]], ends: Ends | None) -> Any:  # fmt: skip
    """The cotangents, given those of the place and the least value, one after another. Unknowns on a bound stay."""
    x = found(out, "x")
    values = _values(listed, x)
    sizes = [np.shape(value)[0] for value in values]
    if np.ndim(x) != 1 or not all(isinstance(n, int) for n in sizes):
        return NotImplemented
    count, of_place = np.shape(x)[0], g[:-1]
    is_equal = constant(np.repeat([each["type"] == "eq" for each in listed], sizes))
    active = is_equal | (np.concatenate(values) <= MOST_SLACK)
    free = None if ends is None else (x - ends.lower > MOST_SLACK) & (ends.upper - x > MOST_SLACK)
    multipliers = _multipliers(lambda at: provided.callee(function)(at, *args), listed, x, active, free)

    def lagrangian(at: Any, factors: Any) -> Any:
        return provided.callee(function)(at, *args) - np.sum(factors * np.concatenate(_values(listed, at)))

    def conditions(at: Any) -> Any:
        place, factors = at[:count], at[count:]
        slopes = above.gradient(lagrangian)(place, factors)
        return np.concatenate([slopes, np.where(active, np.concatenate(_values(listed, place)), factors)])

    root, both = np.concatenate([x, multipliers]), np.concatenate([of_place, np.zeros_like(multipliers)])
    moving = None if free is None else np.concatenate([free, np.ones_like(active)])
    by_place = at_roots(both, root, given, conditions, (), free=moving)
    if by_place is NotImplemented:
        return NotImplemented
    run = Run(lagrangian, x, multipliers)
    by_value = run.back(np.reshape(g[-1], np.shape(run.result)), given.values)
    parts = [a if b is None else b if a is None else a + b for a, b in zip(by_place, by_value, strict=True)]
    return parts if ends is None else ends.without_own(parts, given)


def _values(listed: Sequence[dict[str, Any]], x: Any) -> list[Any]:
    found = [provided.callee(each["fun"])(x, *as_tuple(each.get("args", ()))) for each in listed]
    return [np.reshape(as_array(value), (-1,)) for value in found]


def _multipliers(function: Callable[..., Any], listed: Sequence[dict[str, Any]], x: Any, active: Any, free: Any) -> Any:
    """The factors with which the slopes of the constraints make up that of the function."""
    at = fresh_source(x)
    run = Run(lambda at: np.concatenate(_values(listed, at)), at)
    units = constant(np.eye(np.shape(run.result)[0]))
    rows = [run.back(unit, [at])[0] for unit in units]
    slopes = np.stack([np.zeros_like(at) if row is None else row for row in rows])
    slope = above.gradient(function)(x)
    if free is not None:
        slopes, slope = np.where(free, slopes, 0), np.where(free, slope, 0)
    return np.linalg.pinv(np.where(active[:, None], slopes, 0).T) @ slope
