"""The rules of roots and fixed points, by the implicit function theorem.

A root depends on all that the function reads. The function runs once more, in the trace and at the root, and is pulled
back from there. That holds at a root alone: where the solver has stopped elsewhere, the program raises.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import GradientError, message
from ....ir.op import by_name
from ....trace.active import current
from ....trace.numpy_api.checks import Check
from ....trace.origin import user_source, where
from ...sources import fresh_source
from ..images import constant
from .runs import Given, Rule, Run, as_tuple, found, of_first

MOST_UNKNOWNS = 64
"""The limit of unknowns of a system: each equation is pulled back by itself."""

MOST_OFF = 1e-3
"""The limit of Newton's next step, beside 1 and the root: solvers stop where theirs is a thousandth of that or less."""


def at_root(g: Any, root: Any, given: Given, function: Any, args: Any, is_fixed: bool = False) -> Any:
    """The rule of the roots of a function of one number, elementwise. With `is_fixed`, of its fixed points."""
    at = fresh_source(root)
    run = Run(function, at, *as_tuple(args))
    (slope,) = run.back(np.ones_like(run.result), [at])
    slope = (0 if slope is None else slope) - is_fixed
    _require_root(given, (run.result - at if is_fixed else run.result) / slope, at)
    return run.back(np.reshape(-g / slope, np.shape(run.result)), given.values)


def at_roots(g: Any, root: Any, given: Given, function: Any, args: Any, is_fixed: bool = False,
             free: Any = None) -> Any:  # fmt: skip
    """The rule of the root of a system of equations. With `is_fixed`, of its fixed point. Unknowns that are not `free`
    stay as they are."""
    size = np.shape(root)[0] if np.ndim(root) == 1 else None
    if not isinstance(size, int) or size > MOST_UNKNOWNS or np.iscomplexobj(root):
        return NotImplemented
    at = fresh_source(root)
    run = Run(function, at, *as_tuple(args))
    shape, units = np.shape(run.result), constant(np.eye(size))
    of_rows = [run.back(np.reshape(units[i], shape), [at])[0] for i in range(size)]
    rows = [np.zeros_like(at) if row is None else row for row in of_rows]
    slopes, value = np.stack(rows), np.reshape(run.result, (size,))
    if is_fixed:
        slopes, value = slopes - units, value - at
    if free is not None:
        slopes, value, g = [np.where(free, part, 0) for part in (slopes, value, g)]
        slopes = np.where(free[:, None], slopes, 0) + np.diag(np.where(free, 0.0, 1.0))
    _require_root(given, np.linalg.solve(slopes, value), at)
    return run.back(np.reshape(np.linalg.solve(slopes.T, -g), shape), given.values)


def _require_root(given: Given, step: Any, root: Any) -> None:
    """Has the program raise `GradientError` where Newton's next step leads far away."""
    trace, name, line = current(), given.step.__name__, where(user_source(3))
    assert trace is not None

    def check(step: Any, root: Any) -> None:
        off = np.max(np.abs(step) / (1 + np.abs(root)), initial=0)
        if off > MOST_OFF:
            what = f"`{name}` has stopped far from its solution: Newton's method would go on by {off:.2g}"
            fix = "Give it a start nearby, smaller tolerances, or more iterations; derivatives hold at solutions alone."
            raise GradientError(message(what, line, fix))

    trace.record(by_name("check"), (Check("is_solution", check), step, root), {})


def _bracketed(
    g: Any, out: Any, given: Given, f: Any, a: Any, b: Any, args: Any = (), *more: Any, **options: Any
) -> Any:
    return at_root(g, out, given, f, args)


def _newton(g: Any, out: Any, given: Given, func: Any, x0: Any, fprime: Any = None, args: Any = (), *more: Any,
            **options: Any) -> Any:  # fmt: skip
    return at_root(g, out, given, func, args)


def _fsolve(g: Any, out: Any, given: Given, func: Any, x0: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    return at_roots(g, out, given, func, args)


def _fixed_point(g: Any, out: Any, given: Given, func: Any, x0: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    solved = at_roots if np.ndim(out) else at_root
    return solved(g, out, given, func, args, is_fixed=True)


def _root_scalar(g: Any, out: Any, given: Given, f: Any, args: Any = (), *more: Any, fprime: Any = None,
                 **options: Any) -> Any:  # fmt: skip
    return NotImplemented if fprime is True else at_root(g, found(out, "root"), given, f, args)


def _root(g: Any, out: Any, given: Given, fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None,
          *more: Any, **options: Any) -> Any:  # fmt: skip
    return NotImplemented if jac is True else at_roots(g, found(out, "x"), given, fun, args)


RULES: dict[str, Rule] = {
    **{f"optimize.{name}": of_first(_bracketed) for name in ("brentq", "brenth", "bisect", "ridder", "toms748")},
    "optimize.newton": of_first(_newton),
    "optimize.fsolve": of_first(_fsolve),
    "optimize.fixed_point": _fixed_point,
    "optimize.root_scalar": _root_scalar,
    "optimize.root": _root,
}

FOUND: dict[str, tuple[str, ...]] = {"scipy.optimize.root": ("x",), "scipy.optimize.root_scalar": ("root",)}
