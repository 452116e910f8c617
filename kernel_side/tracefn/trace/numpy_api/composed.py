"""NumPy functions that call a function of the user's, or give a structure of results: put together from other ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.op import by_name
from .. import provided
from ..active import current
from ..control.branches import cond
from ..control.scans import map_fn
from ..tensor import Tensor
from .real_or_complex import EMATH, eig, eigvals, real_if_close, roots


def apply_along_axis(func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """A scan over the rows, which stays in the graph."""

    arr = np.asanyarray(arr) if not _is_traced(arr) else arr
    axis = np.lib.array_utils.normalize_axis_index(axis, arr.ndim)
    moved = np.moveaxis(arr, axis, -1)
    outer = moved.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    function = rewritten(func1d)
    rows = np.reshape(moved, (int(np.prod(outer)) if _is_known(outer) else -1, moved.shape[-1]))
    found = map_fn(lambda row: as_array(function(row, *args, **kwargs)), rows)
    found = np.reshape(found, (*outer, *found.shape[1:]))
    last = tuple(range(len(outer), found.ndim))
    return np.moveaxis(found, last, tuple(range(axis, axis + len(last))))


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    value, function = a if _is_traced(a) else np.asarray(a), rewritten(func)
    for axis in np.atleast_1d(np.asarray(axes)).tolist():
        axis = axis + a.ndim if axis < 0 else axis
        found = function(value, axis)
        if found.ndim != value.ndim:
            found = np.expand_dims(found, axis)
            if found.ndim != value.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        value = found
    return value


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Each function is called on the elements that its condition chooses, where there are any."""

    x = as_array(x)
    conditions = _conditions(x, condlist)
    if len(conditions) == len(funclist) - 1:
        conditions = [*conditions, ~np.any(np.stack(conditions), axis=0)]
    elif len(conditions) != len(funclist):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    y = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            y[condition] = function
            continue
        called = rewritten(function)

        def written(y: Any = y, condition: Any = condition, called: Any = called) -> Any:
            z = np.copy(y, order="K")
            z[condition] = called(x[condition], *args, **kw)
            return z

        y = cond(np.any(condition), written, lambda y=y: y)
    return y


def _conditions(x: Any, condlist: Any) -> list[Any]:
    is_one = np.isscalar(condlist) or _is_traced(condlist) and condlist.ndim <= 1 and x.ndim != 0
    if not is_one and not _is_traced(condlist):
        is_one = not isinstance(condlist[0], list | np.ndarray) and x.ndim != 0
    found = [condlist] if is_one else list(condlist)
    return [np.astype(as_array(c), np.bool_) for c in found]


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, list[Any]]:
    trace = current()
    assert trace is not None
    if isinstance(sample, list | tuple):
        sample = np.stack([as_array(s) for s in sample], axis=1)
    counts, *edges = trace.record(by_name("histogramdd_parts"), (sample, bins, range, density, weights), {})
    return counts, edges


def as_array(value: Any) -> Any:
    """The result of `np.asanyarray`."""
    trace = current()
    if trace is None or not _is_traced(value):
        return np.asanyarray(value)
    return trace.record(by_name("array"), (value,), {})


def _is_traced(value: Any) -> bool:

    return type(value) is Tensor


def _is_known(shape: Any) -> bool:
    return all(type(n) is int for n in shape)


def rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the user's as it runs in the trace under way."""
    return provided.callee(function)


CALLS_BACK = frozenset({np.apply_along_axis, np.apply_over_axes, np.piecewise})
"""Those that call functions of the user's."""

COMPOSED: dict[Callable[..., Any], Callable[..., Any]] = {
    np.apply_along_axis: apply_along_axis,
    np.apply_over_axes: apply_over_axes,
    np.piecewise: piecewise,
    np.histogramdd: histogramdd,
    np.linalg.eig: eig,
    np.linalg.eigvals: eigvals,
    np.roots: roots,
    np.real_if_close: real_if_close,
    **EMATH,
}
