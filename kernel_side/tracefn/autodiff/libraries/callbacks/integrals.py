"""The rules of `scipy.integrate.quad` and the like: by the limits, and all that the integrand reads."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....trace import provided
from .runs import Given, Later, Rule, Run, as_tuple, given_to, is_float, of_first

_OF_QUAD = frozenset({"epsabs", "epsrel", "limit", "full_output"})
_OF_QUAD_VEC = frozenset({"epsabs", "epsrel", "limit", "full_output", "norm", "quadrature", "cache_size"})


def _quad(g: Any, out: Any, given: Given, func: Any, a: Any, b: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    if more or not options.keys() <= _OF_QUAD:
        return NotImplemented
    return _integral(g, given, func, a, b, as_tuple(args))


def _quad_vec(g: Any, out: Any, given: Given, f: Any, a: Any, b: Any, *more: Any, args: Any = (),
              **options: Any) -> Any:  # fmt: skip
    if more or not options.keys() <= _OF_QUAD_VEC:
        return NotImplemented
    return _integral(g, given, f, a, b, args)


def _dblquad(g: Any, out: Any, given: Given, func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (),
             epsabs: Any = None, epsrel: Any = None) -> Any:  # fmt: skip
    integrand, low, high, rest = _of_dblquad(func, a, b, gfun, hfun, args)
    return _integral(g, given, integrand, low, high, rest, _of_dblquad)


def _of_dblquad(func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    return _of_nquad(func, [lambda x, *rest: (_limit(gfun, x), _limit(hfun, x)), (a, b)], args)


def _nquad(g: Any, out: Any, given: Given, func: Any, ranges: Any, args: Any = None, opts: Any = None,
           full_output: Any = False) -> Any:  # fmt: skip
    if opts is not None or full_output or len(ranges) > 2:
        return NotImplemented
    integrand, low, high, rest = _of_nquad(func, ranges, args)
    return _integral(g, given, integrand, low, high, rest, _of_nquad)


def _of_nquad(func: Any, ranges: Any, args: Any = None, *more: Any, **options: Any) -> Any:
    """The outer integral: its integrand, which is the inner one, its limits, and further arguments."""
    *others, last = ranges
    rest = () if args is None else as_tuple(args)
    a, b = _limit(last, *rest)
    if not others:
        return func, a, b, rest
    return lambda x, *rest: _inner(*_of_nquad(func, others, (x, *rest))), a, b, rest


def _inner(integrand: Any, a: Any, b: Any, args: Any) -> Any:
    return provided.call_foreign(sys.modules["scipy.integrate"].quad, (integrand, a, b), {"args": args})[0]


def _limit(given: Any, *place: Any) -> Any:
    return provided.callee(given)(*place) if callable(given) else given


def _of_quad(func: Any = None, a: Any = None, b: Any = None, args: Any = (), *more: Any, f: Any = None,
             **options: Any) -> Any:  # fmt: skip
    """The integrand, its limits and its further arguments, of a call of `quad` or `quad_vec`."""
    return provided.callee(f if func is None else func), a, b, as_tuple(args)


def _integral(g: Any, given: Given, func: Any, a: Any, b: Any, args: tuple[Any, ...], of_call: Any = _of_quad) -> Any:
    """The derivative by a limit is the integrand there. Those by the values that the integrand reads are integrals, all
    of whose elements are computed as one. `of_call` takes a call of the function apart."""
    ends = [(end, sign) for end, sign in ((a, -1), (b, 1)) if is_float(end)]
    if any(all(end is not v for v in given.values) for end, _ in ends):  # computed of those: an element, a call
        return NotImplemented
    parts = [(end, sign * np.sum(g * provided.callee(func)(end, *args))) for end, sign in ends]
    again = given.step.arguments_of(given.values)[0]
    holds_nothing = bool(again) and again[0] is func and not any(map(is_float, args)) and not given.step.variables
    read = [] if holds_nothing else [v for v in given.values if is_float(v)]  # a limit may be read, too
    if read:
        sizes = [int(np.prod(np.shape(v))) if all(isinstance(n, int) for n in np.shape(v)) else None for v in read]
        if None in sizes:
            return NotImplemented
        slopes = _slopes(given.step, [n for n, v in enumerate(given.values) if any(v is r for r in read)], of_call)
        integrate = sys.modules["scipy.integrate"].quad_vec
        factor, weights = (1, g) if np.ndim(g) else (g, 1.0)
        flat, _ = provided.call_foreign(integrate, (slopes, a, b), {"args": (weights, *given.values)})
        stops = np.cumsum([0, *sizes]).tolist()
        pieces = [flat[start:stop] for start, stop in itertools.pairwise(stops)]
        parts += [(v, factor * np.reshape(piece, np.shape(v))) for v, piece in zip(read, pieces, strict=True)]
    all_parts = [[part for value, part in parts if value is v] for v in given.values]
    return [sum(p[1:], p[0]) if p else None for p in all_parts]


def _slopes(step: Any, numbers: Sequence[int], of_call: Any) -> Any:
    """The derivatives of an integrand with weights by some of the values of its step, by number, one after another."""

    def weighted(t: Any, weights: Any, *values: Any) -> Any:
        with given_to(step, values) as (args, kwargs):
            integrand, _, _, rest = of_call(*args, **kwargs)
            return np.sum(weights * integrand(t, *rest))

    derivative = Later(weighted, [n + 2 for n in numbers])

    def at(t: Any, *values: Any) -> Any:
        given = [np.float64(v) if type(v) is float else v for v in (t, *values)]  # one trace for all of them
        return np.concatenate([np.ravel(part) for part in derivative(*given)])

    return at


def _fixed_quad(g: Any, out: Any, given: Given, func: Any, a: Any, b: Any, args: Any = (), n: int = 5) -> Any:
    places, weights = np.polynomial.legendre.leggauss(n)

    def integral() -> Any:
        half = (b - a) / 2
        return half * np.sum(weights * provided.callee(func)(half * (places + 1) + a, *as_tuple(args)), axis=-1)

    return Run(integral).back(g, given.values)


RULES: dict[str, Rule] = {
    "integrate.fixed_quad": of_first(_fixed_quad),
    "integrate.dblquad": of_first(_dblquad),
    "integrate.nquad": of_first(_nquad),
    "integrate.quad": of_first(_quad),
    "integrate.quad_vec": of_first(_quad_vec),
}
