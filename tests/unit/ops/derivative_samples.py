"""Calls whose derivatives are compared with finite differences, beside the rows of the op table: those have many
integers and NaNs."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from tracefn.ir.op import all_ops, by_call

Call = tuple[Any, tuple[Any, ...], dict[str, Any]]

SMALL = np.array([0.3, -0.7, 0.11])
LARGE = np.array([1.5, 2.25, 3.75])
SIGNED = np.array([1.5, -2.25, 0.4])
COLUMN = np.array([[1.25], [2.7]])
COMPLEX = np.array([0.5 + 0.25j, -1.25 + 0.75j, 0.3 - 2j])
ALSO_COMPLEX = np.array([1.5 - 0.5j, 0.25 + 1.5j, -0.75 - 0.6j])
MASK = np.array([True, False, True])
NARROW = np.array([3, 90, 200], np.uint8)  # whose squares and differences are out of range


def _is_taken(call: Any, *args: Any, **kwargs: Any) -> bool:
    try:
        with np.errstate(all="ignore"):
            call(*args, **kwargs)
    except (TypeError, ValueError):
        return False
    return True


def _of_ufuncs() -> list[Call]:
    ufuncs = [op.call for op in all_ops() if op.elementwise and isinstance(op.call, np.ufunc)]
    given: list[tuple[Any, ...]] = [(a,) for a in (SMALL, LARGE, SIGNED, COMPLEX)]
    given += itertools.product((LARGE, COLUMN, COMPLEX), (SIGNED, LARGE, ALSO_COMPLEX))
    given += [(SIGNED, COLUMN), (LARGE, 2), (SIGNED, 3), (2.5, LARGE), (LARGE, np.array([0, 1, 3])), (COLUMN, SMALL[0])]
    given += [(SIGNED, NARROW), (NARROW, LARGE)]
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


MATRIX = np.arange(12.0).reshape(3, 4) % 5 - 1.75
ROW_1 = (("getitem", (1,), ()),)
REAL, IMAG, TRANSPOSED, FLAT = (((name, args, ()),) for name, args in
    (("real", ()), ("imag", ()), ("transpose", ()), ("reshape", ((12,),))))  # fmt: skip
TWICE = ([0, 0, 1], [1, 1, 3])

WRITES: list[tuple[Any, ...]] = [
    ("setitem", MATRIX, (), (0, slice(1, 4)), SMALL),
    ("setitem", MATRIX, ROW_1, slice(None, None, 2), SMALL[:1]),
    ("setitem", MATRIX, TRANSPOSED + ROW_1, ..., SMALL),
    ("setitem", MATRIX, FLAT, slice(3, 6), SMALL),
    ("setitem", MATRIX, (), [0, 0, 2], SMALL[:, None]),
    ("setitem", MATRIX, (), TWICE, SMALL),
    ("setitem", MATRIX, (), MATRIX > 1, SMALL[0]),
    ("setitem", MATRIX, (), MATRIX > 2, SMALL[:2]),
    *[("setitem", COMPLEX, path, slice(2), SMALL[:2]) for path in ((), REAL, IMAG)],
    *[("set_flat", MATRIX, (), index, SMALL[:2]) for index in (slice(2, 9, 2), [1, 1, 3])],
    ("fill_in_place", MATRIX, ROW_1, SMALL[0]),
    ("copyto_in_place", MATRIX, (), MATRIX[0] * 2),
    ("put_in_place", MATRIX, (), [1, 5, 1], SMALL[:2]),
    ("place_in_place", MATRIX, (), MATRIX > 0, SMALL[:2]),
    ("putmask_in_place", MATRIX, (), MATRIX > 0, SMALL),
    ("fill_diagonal_in_place", MATRIX, (), SMALL),
    ("put_along_axis_in_place", MATRIX, (), np.array([[0, 2], [1, 1], [3, 0]]), MATRIX[:, :2] * 2, 1),
    ("ufunc_into", MATRIX, ROW_1, "multiply", (MATRIX[1], MATRIX[0])),
    *[("ufunc_at", MATRIX, (), name, TWICE, SIGNED)
      for name in ("add", "subtract", "multiply", "divide", "maximum", "fmin", "hypot", "logaddexp", "logaddexp2")],
    ("ufunc_at", MATRIX, (), "multiply", TWICE, np.array([0, 2.5, 0])),
    ("call_into", MATRIX[:3, :3].copy(), (), "dot", (MATRIX, MATRIX.T)),
    ("sort_in_place", MATRIX, ROW_1),
    ("sort_in_place", MATRIX, (), 0),
    ("partition_in_place", MATRIX, (), 2),
]  # fmt: skip
"""Calls of the ops that write, which stand for statements."""

WEIGHTS = np.array([0.5, 1.5, 2.25])
_STATISTICS: list[Call] = [
    *[(np.histogram, (SIGNED, 3), {"density": density, "weights": WEIGHTS}) for density in (False, True)],
    (np.histogram, (SIGNED, np.array([-3.0, 0, 1, 2])), {"density": True}),
    (np.histogram, (SIGNED, 2), {"range": (-1, 1), "weights": WEIGHTS}),
    (np.histogram2d, (SIGNED, LARGE, [2, 3]), {"weights": WEIGHTS, "density": True}),
    (np.histogram2d, (SIGNED, LARGE, 2), {"weights": WEIGHTS, "range": [[-1, 2], [0, 3]]}),
    *[(np.bincount, (np.array([2, 0, 2]), WEIGHTS, length), {}) for length in (0, 5)],
    *[(np.cov, (MATRIX,), {"rowvar": rowvar, "aweights": w}) for rowvar, w in ((True, MATRIX[2] + 3), (False, LARGE))],
    (np.cov, (MATRIX, MATRIX[:1] ** 2), {"fweights": np.array([1, 2, 1, 3]), "aweights": MATRIX[1] + 2}),
    (np.cov, (MATRIX[:, :3], SMALL), {"fweights": NARROW[:3], "aweights": NARROW}),
    *[(f, (LARGE, SMALL), options) for f in (np.cov, np.corrcoef) for options in ({}, {"rowvar": False})],
    *[(f, (np.stack([COMPLEX, ALSO_COMPLEX]),), {}) for f in (np.cov, np.corrcoef)],
    (np.corrcoef, (MATRIX,), {}),
]

DISTINCT = MATRIX + np.linspace(0, 0.5, 12).reshape(3, 4)
_ZERO = np.array([[2.0, 0.0, -1.5, 3.0], [0.5, 0.0, 0.0, 2.0]])
_REDUCTIONS: list[Call] = [
    *[(f, (_ZERO, axis), {}) for f in (np.prod, np.cumprod, np.nanprod, np.nancumprod) for axis in (None, 0, 1)],
    *[(f, (MATRIX,), {"axis": 0, "where": MATRIX < 2, "initial": 1.5})
      for f in (np.sum, np.prod, np.nansum, np.nanprod)],
    *[(f, (MATRIX,), {"axis": (1, 0), "where": MATRIX < 2}) for f in (np.mean, np.var, np.std, np.nanvar)],
    *[(f, (MATRIX,), {"axis": 1, "ddof": 1, "keepdims": True}) for f in (np.var, np.std, np.nanstd)],
    (np.var, (MATRIX,), {"axis": 0, "mean": SIGNED.mean() + np.zeros((1, 4)), "keepdims": True}),
    *[(f, (DISTINCT,), {"axis": 0, "initial": 0.3}) for f in (np.max, np.min)],
    *[(np.average, (MATRIX, 0, WEIGHTS), {"returned": returned}) for returned in (False, True)],
    (np.average, (MATRIX[None], (0, 2), MATRIX[:1] + 4), {}),
    *[(f, (COMPLEX,), {}) for f in (np.prod, np.cumprod, np.var, np.std, np.mean, np.nanvar)],
    *[
        (np.quantile, (DISTINCT, np.array([0.27, 0.55, 0.9])), {"axis": axis, "method": method})
        for axis in (None, 0)
        for method in ("linear", "weibull", "hazen", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf",
                       "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf")
    ],
    (np.quantile, (LARGE, 0.4), {"weights": WEIGHTS, "method": "inverted_cdf"}),
    (np.nanquantile, (np.array([[1.5, np.nan, 0.2], [3.0, -1.0, 2.0]]), np.array([0.3, 0.6])), {"axis": 1}),
    (np.percentile, (LARGE, np.array(37.0)), {}),
    *[(np.gradient, args, {"edge_order": order}) for order in (1, 2)
      for args in ((MATRIX,), (MATRIX, 0.5, LARGE[0]), (MATRIX[:, :3] + 0, LARGE, LARGE), (MATRIX, LARGE[1]))],
    *[(np.gradient, args, {}) for args in ((NARROW, LARGE), (LARGE, NARROW[::-1]))],
    *[(np.trapezoid, (MATRIX, x), {"axis": axis}) for x, axis in ((LARGE, 0), (np.sort(MATRIX[1]), 1))],
    *[(np.trapezoid, (MATRIX,), {"dx": dx, "axis": axis}) for dx, axis in ((LARGE[0], 0), (MATRIX[:, :3], 1))],
    (np.trapezoid, (MATRIX, MATRIX ** 2), {"axis": 0}),
    (np.diff, (MATRIX,), {"n": 2, "axis": 0, "prepend": MATRIX[:1], "append": MATRIX[0, 0]}),
    (np.ediff1d, (MATRIX, SMALL, LARGE[:2]), {}),
    *[(f.reduceat, (MATRIX + 2.3, at, axis), {}) for at, axis in (([2, 0, 1], 0), ([0, 2, 1, 1], 1))
      for f in (np.add, np.multiply, np.maximum, np.fmin, np.logaddexp, np.subtract, np.divide, np.hypot)],
    (np.multiply.reduceat, (np.array([2.0, 0.0, 3.0, 0.0, 5.0]), [0, 3]), {}),
    *[(f.accumulate, (DISTINCT, 1), {}) for f in (np.maximum, np.fmin)],
    *[(getattr(f, method), (MATRIX + 2.3, 1), {})
      for f in (np.divide, np.subtract, np.hypot, np.logaddexp2, np.logaddexp) for method in ("reduce", "accumulate")],
    *[(f.accumulate, (MATRIX + 2.3, 1), {}) for f in (np.power, np.float_power, np.arctan2)],
    (np.setdiff1d, (DISTINCT, SIGNED), {}),
    (np.hypot.reduce, (MATRIX, (1, 0)), {"keepdims": True}),
    (np.logaddexp.reduce, (MATRIX, 1), {"initial": LARGE[0]}),
    (np.select, ([SIGNED > 1, SIGNED > 0], [LARGE, SMALL[0]], COLUMN), {}),
    *[(np.clip, (MATRIX, *bounds), {}) for bounds in ((SMALL[1], LARGE[1]), (None, MATRIX[0]), (SMALL[:, None], None))],
    (np.nan_to_num, (np.array([1.5, np.nan, -2.0]),), {"nan": SMALL[0]}),
    (np.sinc, (np.array([0.0, 1e-9, 0.2, -0.3, 4.5]),), {}),
]  # fmt: skip

LONG = np.array([0.3, -1.5, 2.0, 0.7, 1.1])
POINTS = np.array([-1.1, 0.13, 1.32, 2.05])
_SIGNALS: list[Call] = [
    *[(f, pair, {"mode": mode}) for f in (np.convolve, np.correlate) for mode in ("full", "same", "valid")
      for pair in ((LONG, SIGNED), (SIGNED, LONG), (LONG, LONG[:2]), (LONG[:2], LONG), (COMPLEX, LONG),
                   (LONG, COMPLEX))],
    *[(np.interp, (x, POINTS, MATRIX[1] ** 2), {}) for x in (LONG, MATRIX, LONG[0])],
    (np.interp, (LONG, POINTS, MATRIX[1], SMALL[0], SMALL[1]), {}),
    (np.interp, (LONG * 40, np.array([-100, 50, 100], np.int8), NARROW[::-1]), {}),
    (np.interp, (MATRIX, POINTS, np.append(COMPLEX, 1j)), {}),
    (np.interp, (MATRIX, np.array([5.1, 0.7, -2.2, 1.3]), MATRIX[1] ** 2), {"period": 2.5}),
    (np.unwrap, (LONG * 3,), {}),
    (np.unwrap, (LONG * 3,), {"period": LARGE[0]}),
    *[(np.pad, (DISTINCT, ((1, 2), (2, 0)), mode), {})
      for mode in ("constant", "edge", "mean", "linear_ramp", "wrap", "reflect", "symmetric", "minimum", "median")],
    *[(np.pad, (DISTINCT, ((1, 2), (2, 1)), mode), {"stat_length": ((2, 1), (3, 2))})
      for mode in ("mean", "median", "maximum")],
    *[(np.pad, (MATRIX, 3, mode), {"reflect_type": "odd"}) for mode in ("reflect", "symmetric")],
    *[(np.pad, (MATRIX, 2, mode), {name: values})
      for mode, name in (("constant", "constant_values"), ("linear_ramp", "end_values"))
      for values in (LARGE[0], LARGE[:2], MATRIX[:2, :2])],
]  # fmt: skip

_MOVES: list[Call] = [(np.flipud, (MATRIX,), {}), (np.trim_zeros, (SIGNED,), {})]


def _of_math() -> list[Call]:
    """Calls with Python's numbers, as NumPy's scalars: finite differences are taken of those."""
    functions = [f for f in vars(math).values() if callable(f) and by_call(f) is not None]
    calls: list[Call] = [(f, (np.float64(x),), {}) for f in functions for x in (0.3, 1.7) if _is_taken(f, x)]
    of_two = (math.atan2, math.copysign, math.fmod, math.hypot, math.log, math.pow, math.remainder, divmod)
    calls += [(f, (np.float64(1.7), np.float64(0.6)), {}) for f in of_two]
    return [*calls, (math.gamma, (np.float64(-1.3),), {}), (math.lgamma, (np.float64(25.0),), {})]


CALLS: list[Call] = [*_of_ufuncs(), *_of_operators(), *_MOVES, *_REDUCTIONS, *_STATISTICS, *_SIGNALS, *_of_math()]
