"""Calls whose derivatives are compared with finite differences, beside the rows of the op table: those have many
integers and NaNs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from tracefn.ir.op import all_ops

Call = tuple[Any, tuple[Any, ...], dict[str, Any]]

SMALL = np.array([0.3, -0.7, 0.11])
LARGE = np.array([1.5, 2.25, 3.75])
SIGNED = np.array([1.5, -2.25, 0.4])
COLUMN = np.array([[1.25], [2.7]])
COMPLEX = np.array([0.5 + 0.25j, -1.25 + 0.75j, 0.3 - 2j])
ALSO_COMPLEX = np.array([1.5 - 0.5j, 0.25 + 1.5j, -0.75 - 0.6j])
MASK = np.array([True, False, True])


def _is_taken(call: Any, *args: Any, **kwargs: Any) -> bool:
    try:
        with np.errstate(all="ignore"):
            call(*args, **kwargs)
    except TypeError:
        return False
    return True


def _of_ufuncs() -> list[Call]:
    ufuncs = [op.call for op in all_ops() if op.elementwise and isinstance(op.call, np.ufunc)]
    given: list[tuple[Any, ...]] = [(a,) for a in (SMALL, LARGE, SIGNED, COMPLEX)]
    given += itertools.product((LARGE, COLUMN, COMPLEX), (SIGNED, LARGE, ALSO_COMPLEX))
    given += [(SIGNED, COLUMN), (LARGE, 2), (SIGNED, 3), (2.5, LARGE), (LARGE, np.array([0, 1, 3])), (COLUMN, SMALL[0])]
    calls = [(u, args, {}) for u in ufuncs for args in given if len(args) == u.nin and _is_taken(u, *args)]
    return calls + [(u, a, {"where": np.array([True, True, True])}) for u, a, _ in calls[::5]]


def _of_operators() -> list[Call]:
    numbers = [np.float64(0.75), np.float64(2.5), np.complex128(0.5 - 1.5j), 2, 0.5, 1.5j]
    return [
        (op.call, pair, {})
        for op in all_ops()
        if op.style == "operator" and op.name.startswith("operator.")
        for pair in [*itertools.product(numbers[:3], numbers), (numbers[3], numbers[0]), (numbers[0],), (numbers[2],)]
        if _is_taken(op.call, *pair)
    ]


CALLS: list[Call] = [*_of_ufuncs(), *_of_operators()]
