"""`sweep_trace(f)`: a sweep over a dimension of the arguments of a call that was traced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tracefn import events
from tracefn.errors import UnsupportedArgumentError, message
from tracefn.function import Function
from tracefn.timing.arguments import Call, is_array
from tracefn.timing.measuring import TraceArguments, arguments_of_trace, as_call, noting_made
from tracefn.timing.sweeps.sweep import Sweep
from tracefn.timing.sweeps.taking import swept
from tracefn.trace.tree import flatten, map_leaves

FACTORS = (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64)
"""The factors of a dimension."""

MOST_BYTES = 1 << 30
"""Larger arguments are left out: a laptop has no room for them, their results and temporaries."""


def sweep_trace(
    f: Function | str,
    trace: int | None = None,
    dimensions: Sequence[tuple[str, int]] = (),
    factors: Sequence[float] = FACTORS,
) -> Sweep:
    """`sweep` over dimensions of the arguments with which a trace of `f` was made: number `trace`, or the newest one.

    `dimensions` are (path of an argument, axis), which change together; they are one length, of which the `factors` are
    taken. Rows are repeated or left out, so that values stay such as they were. The panel hears of it after each size.

    Raises UnsupportedArgumentError where a dimension is none of an array's, and errors of `sweep` and
    `tracefn.timing.measure`.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x, y: np.sqrt(x) + y)
    >>> x = np.ones(100)
    >>> _ = f(x, x)
    >>> found = tracefn.timing.sweep_trace(f, dimensions=[("x", 0), ("y", 0)], factors=(1, 4))
    >>> found.lengths, [point.size for point in found.points]
    ('x axis 0, y axis 0', [100, 400])
    """
    known = arguments_of_trace(f, trace)
    length = _length(known, dimensions)
    axes = dict[str, list[int]]()
    for path, axis in dimensions:
        axes.setdefault(path, []).append(axis)

    def make_call(size: int) -> Call:
        def resized(path: str, leaf: Any) -> Any:
            for axis in axes.get(path, ()):
                leaf = np.take(leaf, np.arange(size) % length, axis)
            return leaf

        scaled = {name: map_leaves(resized, value, name) for name, value in known.arguments.items()}
        return as_call(known.function, scaled)

    def emit(sweep: Sweep) -> None:
        events.emit(sweep.event(known.function.function_id, known.signature))

    sizes = sorted({max(1, round(length * factor)) for factor in factors})
    too_large = tuple(size for size in sizes if _bytes(known, axes, size / length) > MOST_BYTES)
    wanted = sizes[: len(sizes) - len(too_large)]
    if not wanted:
        what = "the arguments need more than 1 GiB at each of the sizes"
        raise UnsupportedArgumentError(message(what, fix="Give smaller ones: factors=(1 / 64, 1 / 16)."))
    lengths = ", ".join(f"{path} axis {axis}" for path, axis in dimensions)
    with noting_made(known.made):
        return swept(known.function, wanted, make_call, lengths, known.made, on_size=emit, too_large=too_large)


def _length(known: TraceArguments, dimensions: Sequence[tuple[str, int]]) -> int:
    """The length of the dimensions, which is one."""
    arrays = {path: leaf for path, leaf in _leaves(known) if is_array(leaf)}
    found = set()
    for path, axis in dimensions:
        if path not in arrays or not 0 <= axis < arrays[path].ndim:
            what = f"`{known.function.name}` has no array with an axis {axis} at `{path}`"
            raise UnsupportedArgumentError(message(what, fix=f"Arrays are: {', '.join(arrays) or 'none'}."))
        found.add(arrays[path].shape[axis])
    if len(found) != 1 or 0 in found:
        what = "the dimensions of a sweep are one length, but these are " + (
            ", ".join(map(str, sorted(found))) or "none"
        )
        raise UnsupportedArgumentError(message(what, fix='Example: dimensions=[("x", 0), ("y", 0)].'))
    return int(found.pop())


def _leaves(known: TraceArguments) -> list[tuple[str, Any]]:
    return [pair for name, value in known.arguments.items() for pair in flatten(value, name)[0]]


def _bytes(known: TraceArguments, axes: dict[str, list[int]], factor: float) -> float:
    """The bytes of the arrays at another length."""
    arrays = [(path, leaf.nbytes) for path, leaf in _leaves(known) if is_array(leaf)]
    return sum(nbytes * factor ** len(axes.get(path, ())) for path, nbytes in arrays)
