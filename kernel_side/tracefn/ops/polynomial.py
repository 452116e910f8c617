"""Polynomials given by their coefficients, highest power first."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import maximum
from ..ir.op import Op, numpy_name, op, register
from .derivatives import polynomial as derivative
from .rules import (
    Length,
    TensorType,
    array,
    broadcast_shapes,
    fresh_dim,
    operand,
    perhaps,
    probe,
    probe_dtype,
    probed,
    require_same,
    typed,
)


def _coefficients(p: Any) -> tuple[TensorType, Length]:
    """Coefficients and how many there are."""
    if isinstance(p, np.poly1d):
        raise TypeError("np.poly1d objects are not traced; pass their coefficients")
    p = operand(p)
    if p.ndim > 1:
        raise ValueError("coefficients in one dimension are needed")
    return p, p.size


@op(np.polyval, vjp=derivative.polyval)
def polyval(p: Any, x: Any) -> TensorType:
    p, x = operand(p), operand(x)
    return probed(broadcast_shapes(x.shape, p.shape[1:]), np.polyval, p, x)


def sum_of_polynomials(call: Callable[..., Any], vjp: Callable[..., Any]) -> Op:
    """Registers a sum or difference: the shorter polynomial gets leading zeros."""

    def rule(a1: Any, a2: Any) -> TensorType:
        (left, n), (right, m) = _coefficients(a1), _coefficients(a2)
        return array(probe_dtype(call, left, right), (maximum(n, m),))

    return register(Op(numpy_name(call), call, rule, vjp=vjp))


polyadd = sum_of_polynomials(np.polyadd, derivative.polyadd)
polysub = sum_of_polynomials(np.polysub, derivative.polysub)


@op(np.polymul, fresh_dims=True, vjp=derivative.polymul)
def polymul(a1: Any, a2: Any) -> TensorType:
    (left, _), (right, _) = _coefficients(a1), _coefficients(a2)
    return array(probe_dtype(np.polymul, left, right), (fresh_dim(),))  # leading zeros are dropped


@op(np.polydiv, fresh_dims=True, vjp=derivative.polydiv)
def polydiv(u: Any, v: Any) -> tuple[TensorType, ...]:
    (left, n), (right, m) = _coefficients(u), _coefficients(v)
    quotient, remainder = probe(np.polydiv, left, right)
    return typed(quotient, (maximum(n - m + 1, 1),)), typed(remainder, (fresh_dim(),))


def _unchanged(args: tuple[Any, ...], kwargs: dict[str, Any], output: int) -> Any:
    """The derivative and the integral of order zero are the array itself."""
    return args[0] if kwargs.get("m") == 0 else None


@op(np.polyder, view=_unchanged, static=frozenset({"m"}), vjp=derivative.polyder)
def polyder(p: Any, m: Any = 1) -> TensorType:
    p, n = _coefficients(p)
    (_,) = p.shape
    return array(probe_dtype(np.polyder, p, m), (maximum(n - operator.index(m), 0),))


@op(np.polyint, view=_unchanged, static=frozenset({"m"}), vjp=derivative.polyint)
def polyint(p: Any, m: Any = 1, k: Any = None) -> TensorType:
    p, n = _coefficients(p)
    (_,) = p.shape
    constants = None if k is None else operand(k)
    if constants is not None and constants.size != 1:
        require_same(constants.size, maximum(constants.size, m))
    return array(probe_dtype(np.polyint, p, m, constants), (n + operator.index(m),))


def _complex_roots(p: Any) -> tuple[Any, Any]:
    found = np.roots(p)
    return found.astype(complex), np.bool_(found.dtype.kind != "c")


def _roots_lines(target: str, arguments: list[str]) -> list[str]:
    found = f"for found in [np.roots({arguments[0]})]"
    return [f'{target} = [(found.astype(complex), np.bool_(found.dtype.kind != "c")) {found}][0]']


@op(
    _complex_roots,
    name="complex_roots",
    fresh_dims=True,
    raises=perhaps,
    lines=_roots_lines,
    vjp=derivative.complex_roots,
)
def complex_roots(p: Any, /) -> tuple[TensorType, ...]:
    """`np.roots` as complex numbers, and whether they are real."""
    if operand(p).ndim > 1:
        raise ValueError("Input must be a rank-1 array.")
    return array(np.dtype(complex), (fresh_dim(),)), typed(np.bool_(True), ())


@op(np.poly, vjp=derivative.poly)
def poly(seq_of_zeros: Any) -> TensorType:
    zeros = operand(seq_of_zeros)
    if zeros.ndim == 2 or zeros.dtype.kind == "c":
        raise TypeError("whether np.poly gives real or complex coefficients depends on the values, which are not known")
    (n,) = zeros.shape
    return probed((n + 1,) if n != 0 else (), np.poly, zeros)


@op(
    np.polyfit,
    fresh_dims=True,
    raises=perhaps,
    static=frozenset({"deg", "rcond", "full", "cov"}),
    vjp=derivative.polyfit,
)
def polyfit(x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False) -> Any:
    x, y, weights = operand(x), operand(y), None if w is None else operand(w)
    (points,) = x.shape
    require_same(points, y.shape[0])
    if points == 0:
        raise TypeError("there are no points")
    if weights is not None:
        (count,) = weights.shape
        require_same(points, count)
    order, columns = int(deg) + 1, y.shape[1:]
    if cov and cov != "unscaled" and isinstance(points, int) and points <= order:
        raise ValueError("there are too few points for the covariance")
    few = order + 2
    some_x, some_y = np.arange(few).astype(x.dtype), np.ones((few,) + (2,) * len(columns), y.dtype)
    some_weights = None if weights is None else np.ones(few, weights.dtype)
    fit_some: Any = np.polyfit
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = fit_some(some_x, some_y, deg, rcond, full, some_weights, cov)
    if full:
        fit, residuals, rank, singular, cutoff = value
        return (
            typed(fit, (order, *columns)),
            typed(residuals, (fresh_dim(),)),
            typed(rank, ()),
            typed(singular, (order,)),
            typed(cutoff, ()),
        )
    if cov:
        matrices = (1,) * len(columns) if cov == "unscaled" else columns
        return typed(value[0], (order, *columns)), typed(value[1], (order, order, *matrices))
    return typed(value, (order, *columns))
