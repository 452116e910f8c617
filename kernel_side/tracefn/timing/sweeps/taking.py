"""`sweep(f, sizes, make_args)`: eager Python, NumPy program and native program over the size of the arguments."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from tracefn import events
from tracefn.function import Function
from tracefn.function.bound import bound_function
from tracefn.function.options import DEFAULTS
from tracefn.timing.arguments import Call, is_array
from tracefn.timing.repeated import Repeated, repeated
from tracefn.timing.sampling import Timed, take_turns
from tracefn.timing.sweeps.growth import exponent
from tracefn.timing.sweeps.sweep import Point, Sweep
from tracefn.trace.tree import flatten

LONGEST_S = 5.0
"""Sizes at which one eager call is expected to take longer, in s, are left out."""

OnSize = Callable[[Sweep], None]


def sweep(
    f: Callable[..., Any], sizes: Iterable[float], make_args: Callable[[Any], Any], longest: float = LONGEST_S
) -> Sweep:
    """Measure calls of `f` at several sizes: as plain Python, as a NumPy program and as a native program.

    `make_args(size)` gives the arguments of a call, a tuple of them or the only one. At each size eager and graph are
    checked to give the same, as `tracefn.timing.compare` does, with copies of the arguments, and all are timed in turn:
    about a second, more where a call is slow. Beside them stands the time of copying the arguments, which no program
    that reads them all can be much below. Sizes at which one eager call would take longer than `longest` seconds, as
    far as the smaller ones show, are left out. Each size has traces of its own, of which neither `f` nor the panel
    knows.

    Raises errors of `tracefn.timing.compare`, of `f` and of `make_args`; ValueError without sizes.

    >>> import numpy as np, tracefn
    >>> def smooth(x):
    ...     return np.tanh(x[1:] + x[:-1]) * 0.5
    >>> found = tracefn.timing.sweep(smooth, (100, 10_000), np.ones)
    >>> [point.size for point in found.points], found.points[1].nbytes
    ([100, 10000], 80000)
    >>> found.growth["eager"].split("^")[0]
    'grows as n'
    """

    def make_call(size: Any) -> Call:
        args = make_args(size)
        return args if isinstance(args, tuple) else (args,), {}

    return swept(f, sizes, make_call, longest=longest)


def swept(
    f: Callable[..., Any],
    sizes: Iterable[float],
    make_call: Callable[[Any], Call],
    lengths: str = "n",
    made: tuple[str, ...] = (),
    longest: float = LONGEST_S,
    on_size: OnSize = lambda sweep: None,
    too_large: tuple[float, ...] = (),
) -> Sweep:
    """`sweep`, with a function that gives positional and keyword arguments. `on_size` is called with the sweep
    so far after each size. `too_large` are further sizes, which are left out."""
    wanted = sorted(set(sizes))
    if not wanted:
        raise ValueError("a sweep needs sizes, for example (100, 1_000, 10_000)")
    given: tuple[Any, ...] = ()
    if (bound := bound_function(f)) is not None:
        method: Any = f
        f, given = bound, (method.__self__,)
    found = Sweep(
        Function(f).name if not isinstance(f, Function) else f.name,
        (),
        len(wanted) + len(too_large),
        lengths,
        too_large,
        made,
    )
    for i, size in enumerate(wanted):
        if _expected_ns(found, size) > longest * 1e9:
            found = dataclasses.replace(found, left_out=(*wanted[i:], *too_large))
            on_size(found)
            break
        args, kwargs = make_call(size)
        point = _point(f, size, ((*given, *args), kwargs))
        found = dataclasses.replace(found, points=(*found.points, point))
        on_size(found)
    return found


def _expected_ns(known: Sweep, size: float) -> float:
    """The approximate time of an eager call at a larger size: as the times so far grow, and in proportion at least."""
    curve = known.curve("eager")
    if not curve:
        return 0.0
    last, ns = curve[-1]
    return ns * (size / last) ** max(1.0, exponent(curve) or 1.0)


def _point(f: Any, size: float, call: Call) -> Point:
    """The times at one size."""
    with events.silence(), ExitStack() as stack:
        numpy, native = (stack.enter_context(repeated(_apart(f, jit), *call)) for jit in ("off", "now"))
        arrays = [leaf for _, leaf in flatten(call)[0] if is_array(leaf)]
        tiers = {"eager": numpy.eager, "numpy": numpy.graph}
        if native.concrete.plan == "native":
            tiers["native"] = native.graph
        *samples, copying = take_turns([*tiers.values(), _copying(arrays, numpy)])
    found = dict(zip(tiers, samples, strict=True))
    times = {tier: samples.quartiles for tier, samples in found.items()}
    return Point(
        size,
        times["eager"],
        times["numpy"],
        times.get("native"),
        copying.quartiles.median,
        sum(array.nbytes for array in arrays),
        {tier: samples.faster_than(found["eager"]) for tier, samples in found.items() if tier != "eager"},
    )


def _apart(f: Any, jit: str) -> Function:
    """A traced function of the same code, which knows nothing yet, with or without native code."""
    options = f.options if isinstance(f, Function) else DEFAULTS
    plain = f.python_function if isinstance(f, Function) else f
    own = dataclasses.replace(options, jit=jit, input_signature=None, reduce_retracing=False, max_traces=None)
    return Function(plain, own)


def _copying(arrays: list[Any], call: Repeated) -> Timed:
    """The copying of arrays into others that are there."""
    buffers = [array.copy(order="K") for array in arrays]

    def copy() -> None:
        for buffer, array in zip(buffers, arrays, strict=True):
            buffer[...] = array

    return Timed(copy, lambda: ((), {}), True, call.finish)
