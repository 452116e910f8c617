"""Arrays of coordinates and of evenly spaced samples: index grids, triangles, windows, frequencies."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, numpy_name, op, register
from . import warns
from .derivatives import create as derivative
from .make import length_may_be_refused
from .rules import Dim, Length, TensorType, array, fresh_dim, probe_dtype, type_of

_STATIC = frozenset({"dtype", "sparse", "ndim", "device"})


def length_of(n: Any) -> Length:
    """A length argument: an int, an open length, or the value of a traced integer."""
    if isinstance(n, TensorType):
        if n.shape or n.dtype.kind not in "iu":
            raise TypeError(f"a length must be an integer, not {n!r}")
        return fresh_dim()
    return n if isinstance(n, Dim) else max(operator.index(n), 0)


@op(np.indices, static=_STATIC, fresh_dims=True, raises=length_may_be_refused)
def indices(dimensions: Any, dtype: Any = int, sparse: Any = False) -> Any:
    shape, found = tuple([length_of(n) for n in dimensions]), np.dtype(dtype)
    if not sparse:
        return array(found, (len(shape), *shape))
    return tuple([array(found, (1,) * i + (n,) + (1,) * (len(shape) - i - 1)) for i, n in enumerate(shape)])


@op(np.tri, static=_STATIC, fresh_dims=True, warns=warns.never)
def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, *, like: Any = None) -> TensorType:
    rows = length_of(N)
    return array(np.dtype(dtype), (rows, rows if M is None else length_of(M)))


def _triangle(call: Callable[..., Any]) -> Op:
    def rule(n: Any, k: Any = 0, m: Any = None) -> Any:
        length_of(n)
        count = fresh_dim()
        return array(np.intp, (count,)), array(np.intp, (count,))

    return register(Op(numpy_name(call), call, rule, fresh_dims=True))


tril_indices = _triangle(np.tril_indices)
triu_indices = _triangle(np.triu_indices)


@op(np.diag_indices, static=_STATIC, fresh_dims=True)
def diag_indices(n: Any, ndim: Any = 2) -> Any:
    return (array(probe_dtype(np.arange, n), (length_of(n),)),) * operator.index(ndim)


def _window(call: Callable[..., Any]) -> Op:
    def rule(M: Any) -> TensorType:
        return array(np.float64, (length_of(M),))

    return register(Op(numpy_name(call), call, rule, fresh_dims=True))


bartlett = _window(np.bartlett)
blackman = _window(np.blackman)
hamming = _window(np.hamming)
hanning = _window(np.hanning)


@op(np.kaiser, fresh_dims=True, vjp=derivative.kaiser)
def kaiser(M: Any, beta: Any) -> TensorType:
    if type_of(beta).shape:
        raise ValueError("beta must be one number")
    return array(np.float64, (length_of(M),))


@op(np.fft.fftfreq, static=_STATIC, fresh_dims=True, raises=length_may_be_refused, vjp=derivative.frequencies)
def fftfreq(n: Any, d: Any = 1.0, device: Any = None) -> TensorType:
    return array(probe_dtype(np.fft.fftfreq, 2, d), (length_of(n),))


@op(np.fft.rfftfreq, static=_STATIC, fresh_dims=True, raises=length_may_be_refused, vjp=derivative.frequencies)
def rfftfreq(n: Any, d: Any = 1.0, device: Any = None) -> TensorType:
    length = length_of(n)
    count = fresh_dim() if isinstance(n, TensorType) else length // 2 + 1
    return array(probe_dtype(np.fft.rfftfreq, 2, d), (count,))
