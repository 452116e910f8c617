"""The rules of `scipy.integrate.odeint` and `solve_ivp`: by the start, the times, and all that the function reads.

The cotangent of the state goes back along the trajectory by an equation of its own, beside the state itself and the
cotangents of the values that the function reads: Chen, Rubanova, Bettencourt and Duvenaud, Neural Ordinary Differential
Equations, 2018. All three are solved when the program runs, with odeint's own tolerances.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....trace import provided
from .runs import OWN_RULE, Given, Later, OfValues, Rule, Run, as_tuple, found, given_to, is_float, of_first

_ODEINT = frozenset({"tfirst", "rtol", "atol", "mxstep", "full_output"})
_SOLVE_IVP = frozenset({"rtol", "atol", "max_step", "first_step"})


class _Backward:
    """The way back along a trajectory. `slope(t, y, args, kwargs)` is the right-hand side, given the arguments of the
    call made of the values of its step; `numbers` are those of the values that are floats."""

    def __init__(self, slope: Callable[..., Any], step: Any, numbers: Sequence[int]) -> None:
        def along(weights: Any, t: Any, y: Any, *values: Any) -> Any:
            with given_to(step, values) as (args, kwargs):
                return np.sum(weights * np.stack(list(slope(t, y, args, kwargs))))

        argnums = [0, 2, *[n + 3 for n in numbers]]
        derivative = Later(along, argnums)

        def rates(t: Any, state: Any, size: int, values: Any) -> Any:
            """The derivatives of the state, its cotangent, and the cotangents of values by time."""
            y, weights = state[:size], state[size : 2 * size]
            at = np.float64(t) if type(t) is float else t
            by_weights, by_y, *by_values = derivative(weights, at, y, *values)
            return np.concatenate([by_weights, -by_y, *[-np.ravel(part) for part in by_values]])

        def run(g: Any, ys: Any, ts: Any, *values: Any) -> Any:
            """The cotangents of the first state, of the times, and of the values, one after another, as one array."""
            values = tuple([np.float64(v) if type(v) is float else v for v in values])
            size, last = np.shape(ys)[1], len(ts) - 1
            width = sum([int(np.prod(np.shape(values[n]))) for n in numbers])
            weights, summed, by_times = g[last], np.zeros(width), []
            for i in range(last, 0, -1):
                state = np.concatenate([ys[i], weights, summed])
                by_times.append(g[i] @ rates(ts[i], state, size, values)[:size])
                span, given = [ts[i], ts[i - 1]], {"args": (size, values), "tfirst": True}
                back = provided.call_foreign(sys.modules["scipy.integrate"].odeint, (rates, state, span), given)[1]
                weights, summed = back[size : 2 * size] + g[i - 1], back[2 * size :]
            first = np.concatenate([ys[0], weights, summed])
            by_times.append(-(weights - g[0]) @ rates(ts[0], first, size, values)[:size])
            return np.concatenate([weights, np.stack(by_times[::-1]), summed])

        def again(g: Any, out: Any, given: Given, *args: Any) -> Any:
            """The rule of the run itself: it is made once more, of steps of the graph."""
            return Run(run, *args).back(g, given.values)

        self.run = run
        vars(run)[OWN_RULE] = OfValues(again)


def _parts(
    g: Any, ys: Any, ts: Any, given: Given, slope: Callable[..., Any], name: str, own: Sequence[tuple[Any, str, Any]]
) -> Any:
    """The cotangents of the values of a step: `own` are those of its start and times."""
    kept = [(n, v) for n, v in enumerate(given.values) if is_float(v)]  # the start may be read by the function, too
    lengths = [length for _, v in kept for length in np.shape(v)]
    if not all(isinstance(length, int) for length in lengths):
        return NotImplemented
    backward = _Backward(slope, given.step, [n for n, _ in kept])
    args = (g, ys, ts, *given.values)
    flat = provided.call_foreign(backward.run, args, {}, f"the way back of {name}", reads=True)
    size, last = np.shape(ys)[1], np.shape(ys)[1] + len(ts)
    start, times, flat = flat[:size], flat[size:last], flat[last:]
    sums: list[Any] = [None] * len(given.values)
    at = 0
    for n, v in kept:
        size = int(np.prod(np.shape(v)))
        sums[n], at = np.reshape(flat[at : at + size], np.shape(v)), at + size
    for n, v in enumerate(given.values):
        for value, which, index in own:
            if v is value:
                part = np.reshape((start if which == "start" else times)[index], np.shape(v))
                sums[n] = part if sums[n] is None else sums[n] + part
    return sums


def _floats(value: Any, which: str) -> list[tuple[Any, str, Any]]:
    """The values in a start or in times: an array, or numbers in a list; each with its name and its index."""
    if isinstance(value, list | tuple):
        return [(v, which, i) for i, v in enumerate(value) if is_float(v)]
    return [(value, which, ...)] if is_float(value) else []


def _odeint(g: Any, out: Any, given: Given, func: Any, y0: Any, t: Any, args: Any = (), *more: Any,
            **options: Any) -> Any:  # fmt: skip
    if more or not options.keys() <= _ODEINT:
        return NotImplemented
    first = bool(options.get("tfirst"))

    def slope(t: Any, y: Any, given_args: Any, kwargs: Any) -> Any:
        function, rest = _called(*given_args, **kwargs)
        return provided.callee(function)(*((t, y) if first else (y, t)), *rest)

    own = _floats(y0, "start") + _floats(t, "times")
    return _parts(g, out, t, given, slope, "scipy.integrate.odeint", own)


def _called(func: Any, y0: Any, t: Any, args: Any = (), *more: Any, **options: Any) -> Any:
    return func, as_tuple(args)


def _solve_ivp(g: Any, out: Any, given: Given, fun: Any, t_span: Any, y0: Any, method: Any = "RK45",
               t_eval: Any = None, *more: Any, args: Any = (), **options: Any) -> Any:  # fmt: skip
    """The rule by the start and the values that the function reads, not by times."""
    if more or not options.keys() <= _SOLVE_IVP or any(map(is_float, (*t_span, t_eval))):
        return NotImplemented

    def slope(t: Any, y: Any, given_args: Any, kwargs: Any) -> Any:
        return provided.callee(given_args[0] if given_args else kwargs["fun"])(t, y, *as_tuple(kwargs.get("args", ())))

    ys, ts = found(out, "y"), found(out, "t")
    return _parts(g.T, ys.T, ts, given, slope, "scipy.integrate.solve_ivp", _floats(y0, "start"))


RULES: dict[str, Rule] = {"integrate.odeint": of_first(_odeint), "integrate.solve_ivp": _solve_ivp}

FOUND: dict[str, tuple[str, ...]] = {"scipy.integrate.solve_ivp": ("y",)}
