"""The rules of SciPy's functions that call a function of the user's back: roots, fixed points, limits of integrals.

A root depends on all that the function reads, by the implicit function theorem. The function runs once more, in the
trace and at the root, and is pulled back from there. So its variables count as its arguments do.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...ops.derivatives.common import as_array
from ...records import dataclass
from ...trace import provided
from ...trace.active import current
from ...trace.tensor import Tensor
from ..sources import fresh_source
from . import above
from .images import constant

Rule = Callable[..., Any]

MOST_UNKNOWNS = 64
"""The limit of unknowns of a system: each equation is pulled back by itself."""


@dataclass(frozen=True, slots=True)
class OfValues:
    """A rule that gives the cotangents of all values that a step is given, those that a function reads among them:
    `rule(g, out, given, *args, **kwargs)` with the arguments of the call made of those values."""

    rule: Rule

    def parts(self, g: Any, out: Any, step: Any, values: Sequence[Any]) -> Any:
        """The cotangents of the values of a step."""
        given = Given(step, tuple([fresh_source(v) if is_float(v) else v for v in values]))
        with given_to(step, given.values) as (args, kwargs):
            return self.rule(g, out, given, *args, **kwargs)


@dataclass(frozen=True, slots=True)
class Given:
    """The values that a step is given, each apart from other uses of it."""

    step: Any
    values: tuple[Any, ...]


@contextlib.contextmanager
def given_to(step: Any, values: Sequence[Any]) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """The arguments of the call of a step, made of such values. In the block the Variables that the call reads have
    theirs."""
    trace, variables = current(), step.variables
    assert trace is not None
    with trace.variables.instead(variables, values[len(values) - len(variables) :]):
        yield step.arguments_of(tuple(values))


def is_float(value: Any) -> bool:
    return type(value) is Tensor and value._node.type.dtype.kind in "fc"


class Run:
    """A run of a function of the user's in the trace under way. `result` is an array, or a number."""

    def __init__(self, function: Any, *args: Any, **kwargs: Any) -> None:
        trace = current()
        assert trace is not None
        self._trace, start = trace, len(trace.nodes)
        trace.root.inlines_calls += 1
        try:
            self.result = as_array(provided.callee(function)(*args, **kwargs))
        finally:
            trace.root.inlines_calls -= 1
        self._node = None if self.result is NotImplemented else trace.value_node(self.result)
        self._nodes = trace.nodes[start:]

    def back(self, cotangent: Any, values: Sequence[Any]) -> list[Any]:
        """The cotangents of values, given that of the result; None for those that it does not depend on."""
        floats = [self._trace.value_node(v) for v in values if is_float(v)]
        found = iter(above.walk_back(self._trace, self._nodes, [(self._node, cotangent)], floats))
        return [next(found) if is_float(v) else None for v in values]


def _at_root(g: Any, root: Any, given: Given, function: Any, args: Any, is_fixed: bool = False) -> Any:
    """The rule of the roots of a function of one number, elementwise. With `is_fixed`, of its fixed points."""
    at = fresh_source(root)
    run = Run(function, at, *as_tuple(args))
    (slope,) = run.back(np.ones_like(run.result), [at])
    slope = (0 if slope is None else slope) - is_fixed
    return run.back(np.reshape(-g / slope, np.shape(run.result)), given.values)


def _at_roots(g: Any, root: Any, given: Given, function: Any, args: Any, is_fixed: bool = False) -> Any:
    """The rule of the root of a system of equations. With `is_fixed`, of its fixed point."""
    size = np.shape(root)[0] if np.ndim(root) == 1 else None
    if not isinstance(size, int) or size > MOST_UNKNOWNS or np.iscomplexobj(root):
        return NotImplemented
    at = fresh_source(root)
    run = Run(function, at, *as_tuple(args))
    shape, units = np.shape(run.result), constant(np.eye(size))
    of_rows = [run.back(np.reshape(units[i], shape), [at])[0] for i in range(size)]
    rows = [np.zeros_like(at) if row is None else row for row in of_rows]
    slopes = np.stack(rows) - units if is_fixed else np.stack(rows)
    return run.back(np.reshape(np.linalg.solve(slopes.T, -g), shape), given.values)


def as_tuple(args: Any) -> tuple[Any, ...]:
    return tuple(args) if isinstance(args, tuple | list) else (args,)


def _bracketed(
    g: Any, out: Any, given: Given, f: Any, a: Any, b: Any, args: Any = (), *more: Any, **options: Any
) -> Any:
    return NotImplemented if type(out) is tuple else _at_root(g, out, given, f, args)


def _newton(g: Any, out: Any, given: Given, func: Any, x0: Any, fprime: Any = None, args: Any = (), *more: Any,
            **options: Any) -> Any:  # fmt: skip
    return NotImplemented if type(out) is tuple else _at_root(g, out, given, func, args)


def _fsolve(g: Any, out: Any, given: Given, func: Any, x0: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    return NotImplemented if type(out) is tuple else _at_roots(g, out, given, func, args)


def _fixed_point(g: Any, out: Any, given: Given, func: Any, x0: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    solved = _at_roots if np.ndim(out) else _at_root
    return solved(g, out, given, func, args, is_fixed=True)


def found(result: Any, name: str) -> Any:
    """The solution of a solver, an attribute of its result."""
    return provided.call_foreign(getattr, (result, name), {}, reads=True)


def _root_scalar(g: Any, out: Any, given: Given, f: Any, args: Any = (), *more: Any, fprime: Any = None,
                 **options: Any) -> Any:  # fmt: skip
    return NotImplemented if fprime is True else _at_root(g, found(out, "root"), given, f, args)


def _root(g: Any, out: Any, given: Given, fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None,
          *more: Any, **options: Any) -> Any:  # fmt: skip
    return NotImplemented if jac is True else _at_roots(g, found(out, "x"), given, fun, args)


def _quad(g: Any, out: Any, given: Given, func: Any, a: Any, b: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    """The rule of an integral. The derivative by a limit is the integrand there. Those by the values that the integrand
    reads are integrals, all of whose elements are computed as one."""
    if more or not options.keys() <= {"epsabs", "epsrel", "limit"} or g[1] is not None:
        return NotImplemented
    ends = [(end, sign) for end, sign in ((a, -1), (b, 1)) if is_float(end)]
    parts = [(end, sign * g[0] * provided.callee(func)(end, *as_tuple(args))) for end, sign in ends]
    again = given.step.arguments_of(given.values)[0]
    holds_nothing = bool(again) and again[0] is func and not any(map(is_float, as_tuple(args)))
    holds_nothing = holds_nothing and not given.step.variables
    read = [] if holds_nothing else [v for v in given.values if is_float(v)]  # a limit may be read, too
    if read:
        sizes = [int(np.prod(np.shape(v))) if all(isinstance(n, int) for n in np.shape(v)) else None for v in read]
        if None in sizes:
            return NotImplemented
        slopes = _Slopes(given.step, tuple([n for n, v in enumerate(given.values) if any(v is r for r in read)]))
        integrate = sys.modules["scipy.integrate"].quad_vec
        flat, _ = provided.call_foreign(integrate, (slopes.at, a, b), {"args": given.values})
        stops = np.cumsum([0, *sizes]).tolist()
        pieces = [flat[start:stop] for start, stop in itertools.pairwise(stops)]
        parts += [(v, g[0] * np.reshape(piece, np.shape(v))) for v, piece in zip(read, pieces, strict=True)]
    all_parts = [[part for value, part in parts if value is v] for v in given.values]
    return [sum(p[1:], p[0]) if p else None for p in all_parts]


def _integrand_at(t: Any, func: Any, a: Any, b: Any, args: Any = (), **options: Any) -> Any:
    return provided.callee(func)(t, *as_tuple(args))


class _Slopes:
    """The derivatives of an integrand by some of the values of its step, by number, one after another."""

    def __init__(self, step: Any, numbers: tuple[int, ...]) -> None:
        def integrand(t: Any, *values: Any) -> Any:
            with given_to(step, values) as (args, kwargs):
                return _integrand_at(t, *args, **kwargs)

        derivative = functools.cache(lambda: above.gradient(integrand, argnums=[n + 1 for n in numbers]))

        def at(t: Any, *values: Any) -> Any:
            given = [np.float64(v) if type(v) is float else v for v in (t, *values)]  # one trace for all of them
            return np.concatenate([np.ravel(part) for part in derivative()(*given)])

        self.at = at


_BRACKETED: dict[str, Rule] = {
    f"optimize.{name}": _bracketed for name in ("brentq", "brenth", "bisect", "ridder", "toms748")
}
_OTHERS: dict[str, Rule] = {
    "optimize.newton": _newton,
    "optimize.fsolve": _fsolve,
    "optimize.fixed_point": _fixed_point,
    "optimize.root_scalar": _root_scalar,
    "optimize.root": _root,
    "integrate.quad": _quad,
}
RULES = {f"scipy.{path}": OfValues(rule) for path, rule in {**_BRACKETED, **_OTHERS}.items()}
"""The rules by the names under which users reach the functions."""

FOUND: dict[str, str] = {
    "scipy.optimize.root": "x",
    "scipy.optimize.root_scalar": "root",
    "scipy.integrate.solve_ivp": "y",
}
"""The attribute of the result that has the solution: the cotangent of a result is that of this attribute."""
