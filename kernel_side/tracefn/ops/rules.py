"""The vocabulary of shape rules: broadcasting, axes, and dtypes asked of NumPy itself.

A rule gets `TensorType`s in place of arrays and plain values for everything else (Python numbers, NumPy scalars, lists
of numbers), and returns `TensorType`s. It may raise anything for a call that it cannot type: NumPy is then asked for
its own error, and if NumPy accepts the call an error says that tracefn does not. `RuleError` says that at once.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np

from ..ir.dims import Dim, Length, broadcast, definitely_different
from ..ir.infer import RuleError
from ..ir.types import Kind, Shape, TensorType, array, python, python_type, result, type_of

__all__ = [
    "Dim",
    "Kind",
    "Length",
    "RuleError",
    "Shape",
    "TensorType",
    "array",
    "as_one",
    "axes_of",
    "axis_of",
    "broadcast_shapes",
    "definitely_negative",
    "each_its_own",
    "fresh_dim",
    "holds_type",
    "index_operand",
    "like",
    "operand",
    "parts_of",
    "probe",
    "probe_at",
    "probe_dtype",
    "probed",
    "reduced_shape",
    "require_assignable",
    "require_broadcast",
    "require_indices",
    "require_same",
    "result",
    "shape_argument",
    "type_of",
    "typed",
    "view_of",
]


def like(value: TensorType, **changes: Any) -> TensorType:
    """An array type with some fields changed: `like(a, dtype=bool)`, `like(a, shape=(3,))`. Always kind ARRAY."""
    return array(changes.get("dtype", value.dtype), changes.get("shape", value.shape))


def view_of(value: TensorType, shape: Shape) -> TensorType:
    """The type of a view of another shape. A NumPy scalar's 0-d views are NumPy scalars again."""
    return TensorType(value.dtype, shape, Kind.SCALAR if value.kind is Kind.SCALAR and not shape else Kind.ARRAY)


def each_its_own(args: tuple[Any, ...], kwargs: dict[str, Any], output: int) -> Any:
    """The bases of the results of an op of many arrays: each is a view of the array in its place."""
    return args[output]


def operand(value: Any) -> TensorType:
    """`type_of`, also for nested lists that hold types among numbers: as `np.asarray` of the values.

    >>> operand([TensorType(np.dtype("f4"), ()), 2])
    float64[2]
    """
    if isinstance(value, TensorType) or not isinstance(value, list | tuple):
        return type_of(value)
    parts = [operand(v) for v in value]
    if not any(map(holds_type, value)):
        return type_of(value)
    shape = parts[0].shape
    for part in parts[1:]:
        if part.ndim != len(shape):
            raise ValueError("the parts of a nested list have different numbers of dimensions")
        shape = tuple(require_same(n, m) for n, m in zip(shape, part.shape, strict=True))
    return array(np.result_type(*[part.dtype for part in parts]), (len(value), *shape))


def holds_type(value: Any) -> bool:
    """True if the value is a type, an open length, or a nested list with one inside: it is not known while tracing."""
    return isinstance(value, TensorType | Dim) or (isinstance(value, list | tuple) and any(map(holds_type, value)))


def as_one(value: Any) -> Any:
    """The type of a nested list, and any other value as it is: probed beside tiny arrays, a list must be tiny, too."""
    return operand(value) if isinstance(value, list | tuple) else value


def parts_of(values: Any) -> list[Any]:
    """A sequence of values, where a type stands for its rows. Raises TypeError where their number is not known."""
    if not isinstance(values, TensorType):
        return list(values)
    if not values.shape or isinstance(values.shape[0], Dim):
        raise TypeError("the length of the first axis, the number of arrays, must be known while tracing")
    row = result(values.dtype, values.shape[1:])
    return [row] * values.shape[0]


def broadcast_shapes(*shapes: Shape) -> Shape:
    """The shape that NumPy broadcasts these shapes to.

    >>> broadcast_shapes((2, 1), (3,), (Dim.symbol("n"), 1, 1))
    (n, 2, 3)
    """
    out: list[Length] = []
    for shape in shapes:
        if len(shape) > len(out):
            out[:0] = [1] * (len(shape) - len(out))
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


def definitely_negative(length: Length) -> bool:
    """True if the number is below zero for every length of every symbol."""
    negated = -length
    least = negated.least() if isinstance(negated, Dim) else negated
    return least is not None and least > 0


def require_broadcast(shape: Shape, into: Shape) -> None:
    """Raises ValueError where `shape` certainly does not broadcast to the shape `into`."""
    if len(shape) > len(into):
        raise ValueError(f"{shape} has more axes than {into}")
    for length, target in zip(reversed(shape), reversed(into), strict=False):
        if length != 1:
            require_same(length, target)


def require_assignable(shape: Shape, into: Shape) -> None:
    """As `require_broadcast`, by the rules of assignment, which drops leading axes of length 1."""
    while len(shape) > len(into) and shape[0] == 1:
        shape = shape[1:]
    require_broadcast(shape, into)


def index_operand(value: Any) -> TensorType:
    """As `operand`, for indices: NumPy takes an empty list for integers there."""
    found = operand(value)
    return array(np.intp, found.shape) if isinstance(value, list | tuple) and 0 in found.shape else found


def require_indices(indices: Any, length: Length, negative: bool = True) -> None:
    """Raises IndexError where indices that are known certainly lie outside an axis of this length."""
    if isinstance(length, Dim) or holds_type(indices):
        return
    if type(indices) is int:
        least = greatest = indices
    else:
        values = np.asarray(indices)
        if not values.size:
            return
        least, greatest = values.min(), values.max()
    if not (-length if negative else 0) <= least <= greatest < length:
        raise IndexError(f"an index is out of bounds for an axis of length {length}")


def shape_argument(shape: Any) -> Shape:
    """A shape given as an int or a sequence of ints (or symbolic dimensions)."""
    lengths = shape if isinstance(shape, tuple | list) else (shape,)
    return tuple(n if isinstance(n, Dim) else operator.index(n) for n in lengths)


def fresh_dim() -> Dim:
    """A length that only the values decide, as of `np.nonzero`. Its op must be registered with `fresh_dims=True`."""
    return Dim.fresh()


def may_not_fit(dtype: np.dtype[Any], value: Any) -> bool:
    """True for a number that integers of a dtype may not hold: NumPy raises for infinity, NaN and too large numbers.
    Arrays are cast without an error."""
    if isinstance(value, list | tuple):
        return any(may_not_fit(dtype, v) for v in value)
    if not isinstance(value, TensorType):
        return dtype.kind in "iu" and np.ndim(value) == 0 and not _fits(dtype, value)
    given = value.element if value.kind is Kind.LIST else value
    return (
        given.kind in (Kind.SCALAR, Kind.PYTHON)
        and dtype.kind in "iu"
        and given.dtype.kind in "iuf"
        and not np.can_cast(given.dtype, dtype)
    )


def _fits(dtype: np.dtype[Any], value: Any) -> bool:
    try:
        np.zeros(1, dtype)[0] = value
    except (OverflowError, ValueError):
        return False
    return True


def perhaps(*args: Any, **kwargs: Any) -> bool:
    """The `raises` of an op whose errors depend on values alone."""
    return True


def probe(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result of `call` for tiny arguments: every `TensorType` becomes an array of ones of its rank and dtype.

    All lengths are 1, or 0 where the type has a length that is 0, so that NumPy's errors for empty arrays come up too.
    Rules ask this for result dtypes and kinds, which then are NumPy's by construction, and to have NumPy judge whatever
    does not depend on lengths. Cached.
    """
    return probe_at(1, call, *args, **kwargs)


def probe_at(length: int, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """As `probe`, with another length than 1: with 2, ones are valid indices."""
    arguments = tuple([_stand_in(a, length) for a in args])
    return _probe(call, arguments, tuple([(k, _stand_in(v, length)) for k, v in kwargs.items()]))


def probe_dtype(call: Callable[..., Any], *args: Any, **kwargs: Any) -> np.dtype[Any]:
    """The dtype of `probe(...)`.

    >>> probe_dtype(np.mean, type_of(np.zeros(3, np.int8)))
    dtype('float64')
    """
    return np.asarray(probe(call, *args, **kwargs)).dtype


def probed(shape: Shape, call: Callable[..., Any], *args: Any, **kwargs: Any) -> TensorType:
    """The type of a call's result: dtype and kind as `probe` tells, with this shape.

    >>> probed((), np.sum, type_of(np.zeros(3, np.int8))), probed((), np.isin, 1, [1])
    (int64, bool[])
    """
    return typed(probe(call, *args, **kwargs), shape)


def typed(value: Any, shape: Shape) -> TensorType:
    """The type of a probed value with another shape. Its kind is the value's: array, NumPy scalar or Python number."""
    if isinstance(value, np.ndarray):
        return array(value.dtype, shape)
    if shape:
        raise TypeError(f"a {type(value).__name__} has no shape {shape}")
    return TensorType(value.dtype, (), Kind.SCALAR) if isinstance(value, np.generic) else python(type(value))


def _stand_in(value: Any, length: int) -> Any:
    """A hashable stand-in: an array's rank and dtype, or the value with its type (1, 1.0 and True differ)."""
    if isinstance(value, TensorType):
        return TensorType(value.dtype, tuple([0 if n == 0 else length for n in value.shape]), value.kind)
    if isinstance(value, tuple | list):
        return (type(value), tuple([_stand_in(v, length) for v in value]))
    if isinstance(value, Dim):
        return (int, 1)
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
        dtype, shape = stand_in.dtype, cast(tuple[int, ...], stand_in.shape)
        if dtype.kind in "biufc":  # in a third of the time of `np.ones`
            ones = np.zeros(shape, dtype)
            ones.fill(1)
        elif dtype.kind == "M" and dtype == np.dtype("M8"):  # a date without a unit is NaT: no other can be converted
            ones = np.full(shape, "NaT", dtype)
        else:
            ones = np.zeros(shape, dtype) if dtype.kind in "SUMmT" else np.ones(shape, dtype)
        return ones[()] if stand_in.kind is Kind.SCALAR else ones
    kind, value = stand_in
    if kind in (tuple, list):
        return kind(_tiny(v) for v in value)
    return value


def types_of(values: Sequence[Any]) -> list[TensorType]:
    """`type_of` of each."""
    return [type_of(v) for v in values]
