"""The rules of optima: of SciPy's minimisers, and of its least squares.

At an optimum the derivative is 0, so that it is a root of the gradient. The least value has the derivative of the
function there, as a small step of the unknowns does not change it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....ops.derivatives.common import as_array
from ....trace import provided
from ....trace.tensor import Tensor
from .. import above
from .bounds import Ends, leaves, of_both, of_each
from .constraints import constrained_optimum
from .roots import at_root, at_roots
from .runs import Given, Rule, Run, as_tuple, found, of_first

Function = Callable[..., Any]


def _optimum(g: Any, x: Any, given: Given, function: Function, args: Any, ends: Ends | None = None) -> Any:
    """The rule of the place of an optimum. Unknowns on a bound stay there."""
    gradient = above.gradient(function)
    if not np.ndim(x):
        return at_root(g, x, given, gradient, args)
    free = None if ends is None else (x > ends.lower) & (x < ends.upper)
    parts = at_roots(g, x, given, gradient, args, free=free)
    return parts if parts is NotImplemented or ends is None else ends.without_own(parts, given)


def _of_result(g: Any, out: Any, given: Given, function: Function, args: Any, ends: Ends | None = None) -> Any:
    """The rule of an object with the place and the least value: `g` has the cotangents of both, one after another."""
    x = found(out, "x")
    by_place = _optimum(np.reshape(g[:-1], np.shape(x)), x, given, function, args, ends)
    if by_place is NotImplemented:
        return NotImplemented
    run = Run(function, x, *as_tuple(args))
    by_value = run.back(np.reshape(g[-1], np.shape(run.result)), given.values)
    return [_sum(*parts) for parts in zip(by_place, by_value, strict=True)]


def _sum(a: Any, b: Any) -> Any:
    if a is None or a is NotImplemented:
        return b if a is None else a
    return a if b is None else a + b


def with_others(g: Any, result: Any, names: tuple[str, ...], name: str) -> Any:
    """The cotangents of the place and the least value, of which one has `g`."""
    is_place = name == names[0]
    place = g if is_place else np.zeros_like(found(result, names[0]))
    return np.concatenate([np.ravel(place), np.zeros(1) if is_place else np.ravel(g)])


def _minimize(g: Any, out: Any, given: Given, fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None,
              hess: Any = None, hessp: Any = None, bounds: Any = None, constraints: Any = (), *more: Any,
              **options: Any) -> Any:  # fmt: skip
    function = _first_of(fun) if jac is True else fun
    listed = [constraints] if isinstance(constraints, dict) else list(as_tuple(constraints))
    if not all(isinstance(each, dict) for each in listed):
        return NotImplemented
    if listed:
        return constrained_optimum(g, out, given, function, as_tuple(args), listed, of_each(bounds))
    return _of_result(g, out, given, function, args, of_each(bounds))


def _first_of(fun: Any) -> Function:
    return lambda *args: provided.callee(fun)(*args)[0]


def _minimize_scalar(g: Any, out: Any, given: Given, fun: Any, bracket: Any = None, bounds: Any = None,
                     args: Any = (), *more: Any, **options: Any) -> Any:  # fmt: skip
    return _of_result(g, out, given, fun, args)


def _fmin(g: Any, out: Any, given: Given, func: Any, x0: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    return _optimum(g, out, given, func, args)


def _fmin_bfgs(g: Any, out: Any, given: Given, f: Any, x0: Any, fprime: Any = None, args: Any = (), *more: Any,
               **options: Any) -> Any:  # fmt: skip
    return _fmin(g, out, given, f, x0, args)


def _half_squares(residuals: Function) -> Function:
    def function(x: Any, *args: Any) -> Any:
        return np.sum(as_array(provided.callee(residuals)(x, *args)) ** 2) / 2

    return function


def _least_squares(g: Any, out: Any, given: Given, fun: Any, x0: Any, jac: Any = "2-point",
                   bounds: Any = (-np.inf, np.inf), *more: Any, loss: Any = "linear", args: Any = (),
                   kwargs: Any = None, **options: Any) -> Any:  # fmt: skip
    if more or loss != "linear":
        return NotImplemented
    named = kwargs or {}
    function = _half_squares(lambda x, *args: provided.callee(fun)(x, *args, **named))
    return _of_result(g, out, given, function, args, of_both(bounds))


def _lsq_linear(g: Any, out: Any, given: Given, A: Any, b: Any, bounds: Any = (-np.inf, np.inf), *more: Any,
                **options: Any) -> Any:  # fmt: skip
    return _of_result(g, out, given, _half_squares(lambda x: A @ x - as_array(b)), (), of_both(bounds))


def _leastsq(g: Any, out: Any, given: Given, func: Any, x0: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    return _optimum(g, out, given, _half_squares(func), args)


def _curve_fit(g: Any, out: Any, given: Given, f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None,
               absolute_sigma: Any = False, check_finite: Any = None, bounds: Any = (-np.inf, np.inf), *more: Any,
               **options: Any) -> Any:  # fmt: skip
    if np.ndim(sigma) > 1 or "loss" in options:
        return NotImplemented

    def residuals(x: Any) -> Any:
        off = provided.callee(f)(xdata, *x) - as_array(ydata)
        return off if sigma is None else off / sigma

    return _optimum(g, out, given, _half_squares(residuals), (), of_both(bounds))


def _linprog(g: Any, out: Any, given: Given, c: Any, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None,
             b_eq: Any = None, bounds: Any = (0, None), *more: Any, integrality: Any = None,
             **options: Any) -> Any:  # fmt: skip
    """The active constraints determine a vertex: the derivative is that of the solution of their equations, and of
    the costs."""
    arrays = [None if value is None else as_array(value) for value in (c, A_ub, b_ub, A_eq, b_eq)]
    is_traced = any(type(end) is Tensor for end in leaves(bounds))
    if more or integrality is not None or is_traced or any(value is NotImplemented for value in arrays):
        return NotImplemented
    costs, below, most, equal, _ = arrays
    x = found(out, "x")
    (count,) = np.shape(x)
    pairs = np.broadcast_to(np.array((0, None) if bounds is None else bounds, float), (count, 2))
    rows: list[Any] = [np.eye(count) * np.expand_dims((x <= pairs[:, 0] + _TIGHT) | (x >= pairs[:, 1] - _TIGHT), 1)]
    if below is not None:
        rows.append(np.where(np.expand_dims(most - below @ x <= _TIGHT, 1), below, 0.0))
    if equal is not None:
        rows.append(equal)
    by_place, by_value = g[:-1], g[-1]
    multipliers = np.linalg.pinv(np.transpose(np.concatenate(rows))) @ (by_place + by_value * costs)

    def value() -> Any:
        total, end = by_value * np.sum(as_array(c) * x), count
        for matrix, right in ((A_ub, b_ub), (A_eq, b_eq)):
            if matrix is not None:
                off = as_array(right) - as_array(matrix) @ x
                total, end = total + np.sum(multipliers[end : end + len(off)] * off), end + len(off)
        return total

    return Run(value).back(np.float64(1.0), given.values)


_TIGHT = 1e-7
"""A constraint with less slack than this is active. It is the tolerance of SciPy's solvers."""


RULES: dict[str, Rule] = {
    "optimize.minimize": _minimize,
    "optimize.minimize_scalar": _minimize_scalar,
    "optimize.fmin": of_first(_fmin),
    "optimize.fmin_bfgs": of_first(_fmin_bfgs),
    "optimize.fmin_cg": of_first(_fmin_bfgs),
    "optimize.least_squares": _least_squares,
    "optimize.leastsq": of_first(_leastsq),
    "optimize.lsq_linear": _lsq_linear,
    "optimize.linprog": _linprog,
    "optimize.curve_fit": of_first(_curve_fit),
}

FOUND: dict[str, tuple[str, ...]] = {
    "scipy.optimize.minimize": ("x", "fun"),
    "scipy.optimize.minimize_scalar": ("x", "fun"),
    "scipy.optimize.least_squares": ("x", "cost"),
    "scipy.optimize.lsq_linear": ("x", "cost"),
    "scipy.optimize.linprog": ("x", "fun"),
}
