"""Reductions: sums, extrema, moments, quantiles, and the same without NaNs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import Dim, definitely_different
from ..ir.op import Combines, Op, method, numpy_name, op, register
from . import warns
from .derivatives import reduce as d
from .derivatives import sort
from .rules import (
    RuleError,
    Shape,
    TensorType,
    as_one,
    axes_of,
    operand,
    perhaps,
    probe,
    reduced_shape,
    require_broadcast,
    typed,
)

NO_VALUE: Any = np._NoValue

_STATIC = frozenset({"axis", "keepdims", "dtype", "ddof", "correction", "method", "overwrite_input", "returned"})


def reduced(call: Callable[..., Any], a: Any, axis: Any, keepdims: Any, **options: Any) -> TensorType:
    """The type of `call(a, axis=axis, keepdims=keepdims, **options)`.

    NumPy judges all but lengths. A 0-d array has an axis 0 in ufunc reductions; where it has none, NumPy says so.
    """
    a = operand(a)
    value = probe(call, a, axis=axis, keepdims=keepdims, **{name: as_one(v) for name, v in options.items()})
    initial = options.get("initial", NO_VALUE)
    if initial is not NO_VALUE and operand(initial).shape:
        raise ValueError("initial must be one value")
    for name in ("where", "mean"):
        if options.get(name, NO_VALUE) is not NO_VALUE:
            require_broadcast(operand(options[name]).shape, a.shape)
    return typed(value, without_axes(a.shape, axis, keepdims))


def without_axes(shape: Shape, axis: Any, keepdims: Any) -> Shape:
    """The shape after reducing over an axis argument."""
    return reduced_shape(shape, axes_of(axis, len(shape) or 1), keepdims is not NO_VALUE and bool(keepdims))


def total(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a reduction with a dtype, an initial value and a mask."""

    def rule(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = NO_VALUE,
        initial: Any = NO_VALUE,
        where: Any = NO_VALUE,
    ) -> TensorType:
        return reduced(call, a, axis, keepdims, dtype=dtype, initial=initial, where=where)

    return register(Op(numpy_name(call), call, rule, static=_STATIC, **facts))


def may_be_empty(a: Any, *args: Any, **kwargs: Any) -> bool:
    """The `raises` of reductions that have nothing to start from: True where a length is open."""
    return any(isinstance(n, Dim) for n in operand(a).shape)


def extremum(call: Callable[..., Any], *aliases: Callable[..., Any], **facts: Any) -> Op:
    """Registers a reduction with an initial value and a mask."""

    def rule(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = NO_VALUE,
        initial: Any = NO_VALUE,
        where: Any = NO_VALUE,
    ) -> TensorType:
        return reduced(call, a, axis, keepdims, initial=initial, where=where)

    return register(
        Op(numpy_name(call), call, rule, static=_STATIC, raises=may_be_empty, selects=True, **facts), *aliases
    )


def logical(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a reduction with a mask."""

    def rule(
        a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
    ) -> TensorType:
        return reduced(call, a, axis, keepdims, where=where)

    return register(Op(numpy_name(call), call, rule, static=_STATIC, **facts))


def position(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a search for the index of an extremum."""

    def rule(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> TensorType:
        return reduced(call, a, axis, keepdims)

    raises = perhaps if call in (np.nanargmax, np.nanargmin) else may_be_empty
    return register(Op(numpy_name(call), call, rule, static=_STATIC, raises=raises, **facts))


def mean_of(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a mean."""

    def rule(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
    ) -> TensorType:
        return reduced(call, a, axis, keepdims, dtype=dtype, where=where)

    return register(Op(numpy_name(call), call, rule, static=_STATIC, **facts))


def moment(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a standard deviation or variance."""

    def rule(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: Any = 0,
        keepdims: Any = NO_VALUE,
        *,
        where: Any = NO_VALUE,
        mean: Any = NO_VALUE,
        correction: Any = NO_VALUE,
    ) -> TensorType:
        options = {"dtype": dtype, "ddof": ddof, "where": where, "mean": mean, "correction": correction}
        return reduced(call, a, axis, keepdims, **options)

    return register(Op(numpy_name(call), call, rule, static=_STATIC, **facts))


def middle(call: Callable[..., Any], keepdims_default: Any, **facts: Any) -> Op:
    """Registers a median."""

    def rule(
        a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = keepdims_default
    ) -> TensorType:
        found = reduced(call, a, axis, keepdims)
        _refuse_overwriting(overwrite_input)
        return found

    return register(Op(numpy_name(call), call, rule, static=_STATIC, **facts))


def quantiles(call: Callable[..., Any], keepdims_default: Any, **facts: Any) -> Op:
    """Registers a quantile or percentile: the axes of `q` come first in the result."""

    def rule(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: Any = "linear",
        keepdims: Any = keepdims_default,
        *,
        weights: Any = None,
    ) -> TensorType:
        a = operand(a)
        q_shape = operand(q).shape
        value = probe(call, a, q, axis=axis, method=method, keepdims=keepdims, weights=as_one(weights))
        if call in (np.nanquantile, np.nanpercentile) and isinstance(axis, tuple) and len(q_shape) > 1:
            raise RuleError(
                "NumPy puts the axes of a 2-d q in an order of their own here; reduce one axis, or use a 1-d q"
            )
        _require_weights(weights, a.shape, axis)
        _refuse_overwriting(overwrite_input)
        return typed(value, q_shape + without_axes(a.shape, axis, keepdims))

    def raises(a: Any, q: Any, *args: Any, weights: Any = None, **kwargs: Any) -> bool:
        return isinstance(q, TensorType) or weights is not None

    return register(Op(numpy_name(call), call, rule, static=_STATIC, raises=raises, **facts))


def _refuse_overwriting(overwrite_input: bool) -> None:
    if overwrite_input:
        raise RuleError("overwrite_input=True leaves the input in an undefined order; leave the argument out")


def _require_weights(weights: Any, shape: Shape, axis: Any) -> None:
    """Raises ValueError where the weights have neither the shape of the array nor that of its reduced axes."""
    if weights is None:
        return
    found = operand(weights).shape
    along = tuple(shape[i] for i in axes_of(axis, len(shape)))
    for allowed in (shape, along):
        if len(found) == len(allowed) and not any(map(definitely_different, found, allowed)):
            return
    raise ValueError(f"weights of shape {found} for an array of shape {shape}")


_LOGICAL = "axis keepdims where"
_EXTREME = f"{_LOGICAL} initial"
_TOTAL = f"{_EXTREME} dtype"

all_ = logical(np.all, warns=warns.never, combines=Combines(np.logical_and), method=method(_LOGICAL))
any_ = logical(np.any, warns=warns.never, combines=Combines(np.logical_or), method=method(_LOGICAL))
argmax = position(np.argmax, combines=Combines(np.maximum, gives_position=True), method=method("axis keepdims"))
argmin = position(np.argmin, combines=Combines(np.minimum, gives_position=True), method=method("axis keepdims"))
max_ = extremum(np.max, np.amax, combines=Combines(np.maximum), method=method(_EXTREME), vjp=d.of_extremum)
mean = mean_of(np.mean, combines=Combines(np.add, is_mean=True), vjp=d.of_mean)
median = middle(np.median, False, selects=True, vjp=sort.of_median)
min_ = extremum(np.min, np.amin, combines=Combines(np.minimum), method=method(_EXTREME), vjp=d.of_extremum)
nanargmax = position(np.nanargmax)
nanargmin = position(np.nanargmin)
nanmax = extremum(np.nanmax, combines=Combines(np.maximum, skips_nan=True), vjp=d.of_extremum)
nanmean = mean_of(np.nanmean, selects=True, combines=Combines(np.add, is_mean=True, skips_nan=True), vjp=d.of_nanmean)
nanmedian = middle(np.nanmedian, NO_VALUE, selects=True, vjp=sort.of_nanmedian)
nanmin = extremum(np.nanmin, combines=Combines(np.minimum, skips_nan=True), vjp=d.of_extremum)
nanpercentile = quantiles(np.nanpercentile, NO_VALUE, selects=True, vjp=sort.of_nanpercentile)
nanprod = total(np.nanprod, selects=True, vjp=d.of_nanprod)
nanquantile = quantiles(np.nanquantile, NO_VALUE, selects=True, vjp=sort.of_nanquantile)
nanstd = moment(np.nanstd, selects=True, vjp=d.of_nanstd)
nansum = total(np.nansum, selects=True, combines=Combines(np.add, skips_nan=True), vjp=d.of_nansum)
nanvar = moment(np.nanvar, selects=True, vjp=d.of_nanvar)
percentile = quantiles(np.percentile, False, selects=True, vjp=sort.of_percentile)
prod = total(np.prod, combines=Combines(np.multiply), method=method(_TOTAL, warns=True), vjp=d.of_prod)
quantile = quantiles(np.quantile, False, selects=True, vjp=sort.of_quantile)
std = moment(np.std, vjp=d.of_std)
sum_ = total(np.sum, combines=Combines(np.add), method=method(_TOTAL, warns=True), vjp=d.of_sum)
var = moment(np.var, vjp=d.of_var)


@op(np.ptp, static=_STATIC, raises=may_be_empty, vjp=d.of_ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE) -> TensorType:
    return reduced(np.ptp, a, axis, keepdims)


@op(np.count_nonzero, static=_STATIC, warns=warns.never, combines=Combines(np.add))
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> TensorType:
    return reduced(np.count_nonzero, a, axis, keepdims)


@op(
    np.average,
    static=_STATIC,
    raises=perhaps,
    combines=Combines(np.add, is_mean=True, takes_weights=True),
    vjp=d.of_average,
)
def average(a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = NO_VALUE) -> Any:
    a = operand(a)
    value = probe(np.average, a, axis=axis, weights=as_one(weights), returned=returned, keepdims=keepdims)
    _require_weights(weights, a.shape, axis)
    shape = without_axes(a.shape, axis, keepdims)
    return tuple([typed(v, shape) for v in value]) if returned else typed(value, shape)
