"""The vocabulary of shape rules: broadcasting, axes, and dtypes asked of NumPy itself.

A rule gets `TensorType`s in place of arrays and plain values for everything else (Python numbers, NumPy scalars, lists of
numbers), and returns `TensorType`s. It may raise anything for a call that it cannot type: NumPy is then asked for its own
error, and if NumPy accepts the call the user is told that tracefn does not.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..ir.dims import Dim, Length, broadcast, definitely_different
from ..ir.types import Kind, Shape, TensorType, array, python_type, result, type_of

__all__ = [
    "Dim",
    "Kind",
    "Length",
    "Shape",
    "TensorType",
    "array",
    "axes_of",
    "axis_of",
    "broadcast_shapes",
    "fresh_dim",
    "like",
    "probe",
    "probe_dtype",
    "reduced_shape",
    "require_same",
    "result",
    "shape_argument",
    "type_of",
]


def like(value: TensorType, **changes: Any) -> TensorType:
    """An array type with some fields changed: `like(a, dtype=bool)`, `like(a, shape=(3,))`. Always kind ARRAY."""
    return array(changes.get("dtype", value.dtype), changes.get("shape", value.shape))


def broadcast_shapes(*shapes: Shape) -> Shape:
    """The shape that NumPy broadcasts these shapes to.

    >>> broadcast_shapes((2, 1), (3,), (Dim.symbol("n"), 1, 1))
    (n, 2, 3)
    """
    out: list[Length] = []
    for shape in shapes:
        if len(shape) > len(out):
            out = [1] * (len(shape) - len(out)) + out
        for i in range(1, len(shape) + 1):
            out[-i] = broadcast(out[-i], shape[-i])
    return tuple(out)


def axis_of(axis: Any, ndim: int) -> int:
    """A possibly negative axis as one in 0…ndim-1. Raises AxisError (an IndexError and ValueError) outside."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis % ndim


def axes_of(axes: Any, ndim: int) -> tuple[int, ...]:
    """An axis argument (None for all, an int, or a sequence without repeats) as a tuple of axes."""
    if axes is None:
        return tuple(range(ndim))
    if not isinstance(axes, tuple | list):
        axes = (axes,)
    found = tuple(axis_of(a, ndim) for a in axes)
    if len(set(found)) != len(found):
        raise ValueError("duplicate value in 'axis'")
    return found


def reduced_shape(shape: Shape, axes: Iterable[int], keepdims: bool) -> Shape:
    """The shape after reducing over `axes`."""
    axes = set(axes)
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def require_same(left: Length, right: Length) -> Length:
    """One length that must equal another: the known one of the two. Raises ValueError where they certainly differ."""
    if definitely_different(left, right):
        raise ValueError(f"lengths {left} and {right} differ")
    return right if isinstance(left, Dim) else left


def shape_argument(shape: Any) -> Shape:
    """A shape given as an int or a sequence of ints (or symbolic dimensions)."""
    lengths = shape if isinstance(shape, tuple | list) else (shape,)
    return tuple(n if isinstance(n, Dim) else operator.index(n) for n in lengths)


def fresh_dim() -> Dim:
    """A length that only the values decide, as of `np.nonzero`. Its op must be registered with `fresh_dims=True`."""
    return Dim.symbol(f"k{next(_fresh)}")


_fresh = iter(range(1 << 62))


def probe(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What `call` returns for tiny arguments: every `TensorType` becomes an array of ones of its rank and dtype.

    Rules ask this for result dtypes, which then are NumPy's by construction. Cached.
    """
    return _probe(call, tuple(_stand_in(a) for a in args), tuple((k, _stand_in(v)) for k, v in kwargs.items()))


def probe_dtype(call: Callable[..., Any], *args: Any, **kwargs: Any) -> np.dtype[Any]:
    """The dtype of `probe(...)`.

    >>> probe_dtype(np.mean, type_of(np.zeros(3, np.int8)))
    dtype('float64')
    """
    return np.asarray(probe(call, *args, **kwargs)).dtype


def _stand_in(value: Any) -> Any:
    """A hashable stand-in: an array's rank and dtype, or the value with its type (1, 1.0 and True differ)."""
    if isinstance(value, TensorType):
        return TensorType(value.dtype, (1,) * value.ndim, value.kind)
    if isinstance(value, tuple | list):
        return (type(value), tuple(_stand_in(v) for v in value))
    return (type(value), value)


@lru_cache(maxsize=4096)
def _probe(call: Callable[..., Any], args: tuple[Any, ...], kwargs: tuple[tuple[str, Any], ...]) -> Any:
    import warnings

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return call(*[_tiny(a) for a in args], **{k: _tiny(v) for k, v in kwargs})


def _tiny(stand_in: Any) -> Any:
    if isinstance(stand_in, TensorType):
        if stand_in.kind is Kind.PYTHON:
            return python_type(stand_in.dtype)(1)
        dtype = stand_in.dtype
        ones = np.zeros(stand_in.shape, dtype) if dtype.kind in "SUMmT" else np.ones(stand_in.shape, dtype)
        return ones[()] if stand_in.kind is Kind.SCALAR else ones
    kind, value = stand_in
    if kind in (tuple, list):
        return kind(_tiny(v) for v in value)
    return value


def types_of(values: Sequence[Any]) -> list[TensorType]:
    """`type_of` of each."""
    return [type_of(v) for v in values]
