"""NumPy's makers of arrays in rewritten code: from lengths, from numbers, from functions of indices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.op import by_call, by_name
from ...ir.types import is_traceable
from .. import provided
from ..active import current
from ..context import Trace
from ..origin import user_source, where
from ..reads import in_trace
from ..tensor import Tensor
from ..values.graph_list import GraphList
from ..values.symbolic_int import SymbolicInt


def holds_traced(value: Any) -> bool:
    """True for a traced value or open length, and for lists, tuples and slices that hold one."""
    if isinstance(value, list | tuple):
        return any(map(holds_traced, value))
    if type(value) is slice:
        return any(map(holds_traced, (value.start, value.stop, value.step)))
    return type(in_trace(value)) in (Tensor, SymbolicInt)


def owned(trace: Trace, made: Any, given: tuple[Any, ...] = ()) -> Any:
    """The result of a NumPy function for Python values, as constants that the traced function may write into.

    An array that shares its memory with something else stays as it is.
    """
    if type(made) in (tuple, list):
        return type(made)([owned(trace, part, given) for part in made])
    if type(made) is not np.ndarray or not is_traceable(made.dtype) or not _is_new(made, given):
        return made
    return Tensor(trace.value_node_of_constant(made), trace, owned=True)


def _is_new(made: np.ndarray[Any, Any], given: Any) -> bool:
    """True if an array that came back shares its memory with nothing that was given."""
    if isinstance(given, list | tuple):
        return all(_is_new(made, value) for value in given)
    root: Any = made
    while isinstance(root.base, np.ndarray):
        root = root.base
    is_plain = root.base is None and made.flags.writeable
    if type(given) is Tensor and (known := given._known()) is not None:
        given = known[0]
    return is_plain and not (
        isinstance(given, np.ndarray) and type(given) is not Tensor and np.may_share_memory(made, given)
    )


def from_lengths(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes arrays of lengths and numbers: a node where one of these is traced or open."""

    def make(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None:
            return function(*args, **kwargs)
        if not holds_traced(args) and not holds_traced(tuple(kwargs.values())):
            return owned(trace, function(*args, **kwargs))
        kwargs.pop("like", None)
        return trace.record(by_call(function), args, kwargs)  # type: ignore[arg-type]

    return make


def as_array(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives an array of some layout: a node where its argument is traced."""

    def convert(a: Any, *args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None or not holds_traced(a):
            made = function(a, *args, **kwargs)
            return made if trace is None else owned(trace, made, (a,))
        kwargs.pop("like", None)
        return trace.record(by_call(function), (in_trace(a), *args), kwargs)  # type: ignore[arg-type]

    return convert


def fromfunction(function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any) -> Any:
    """`np.fromfunction`: the function gets the indices as arrays."""
    return provided.callee(function)(*from_lengths(np.indices)(shape, dtype), **kwargs)


def mask_indices(n: Any, mask_func: Any, k: Any = 0) -> Any:
    """`np.mask_indices`: where the function of a square of ones is not zero."""
    return np.nonzero(provided.callee(mask_func)(provided.numpy_ones((n, n), int), k) != 0)


def fromiter(iter: Any, dtype: Any, count: int = -1, *, like: Any = None) -> Any:
    """`np.fromiter`: of traced values an array in the graph."""
    if type(iter) is GraphList and iter.is_staged and count < 0:
        return iter.as_array(of_no_elements=True).astype(dtype)
    trace, values = current(), list(iter)
    if trace is None or not holds_traced(values):
        made = np.fromiter(values, dtype, count)
        return made if trace is None else owned(trace, made)
    if count > len(values):
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(values)} items.")
    made = trace.record(by_name("array"), (values if count < 0 else values[:count],), {"dtype": dtype})
    if made.ndim != 1:
        raise ValueError("setting an array element with a sequence.")
    return made


def number(dtype: type) -> Callable[..., Any]:
    """`np.float32` and the others: of a traced value a node."""

    def convert(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None or kwargs or len(args) != 1 or not holds_traced(args[0]):
            return dtype(*args, **kwargs)
        value = in_trace(args[0])
        if isinstance(value, list | tuple):
            value = trace.record(by_name("array"), (value,), {})
        elif type(value) is SymbolicInt:
            value = trace.dimension(value.dim)
        return trace.record(by_name("as_scalar"), (value, np.dtype(dtype)), {})

    return convert


def named(name: str) -> Any:
    """What NumPy has under a name, as in `np.linalg.eig`."""
    return functools.reduce(getattr, name.split(".")[1:], np)


def refused(name: str, fix: str) -> Callable[..., Any]:
    """A function of concrete arrays alone."""
    known = named(name)

    def call(*args: Any, **kwargs: Any) -> Any:
        if current() is not None and (holds_traced(args) or holds_traced(tuple(kwargs.values()))):
            raise UnsupportedFunctionError(message(f"{name} is not traced", where(user_source(2)), fix))
        return known(*args, **kwargs)

    return call


def setting(name: str) -> Callable[..., Any]:
    """A function that changes settings of NumPy, which each call has to do."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if current() is not None:
            what = f"np.{name} changes a setting of NumPy, which each call has to do"
            raise UnsupportedFunctionError(message(what, where(user_source(2)), "Call it outside."))
        return getattr(np, name)(*args, **kwargs)

    return call


def new_array(make: Callable[..., Any]) -> Callable[..., Any]:
    """`np.ndarray(shape, dtype)`, which is `np.empty`, in code that says it by the class."""

    def ndarray(
        shape: Any, dtype: Any = float, buffer: Any = None, offset: int = 0, strides: Any = None, order: Any = None
    ) -> Any:
        if isinstance(buffer, Tensor):
            what = "np.ndarray is given a traced `buffer`, whose memory no step of the graph shows"
            fix = "Take a view: `x[2:]`, `x.view(dtype)`, `x.reshape(shape)`."
            raise UnsupportedFunctionError(message(what, where(user_source(2)), fix))
        if buffer is not None or strides is not None:
            return np.ndarray(shape, dtype, buffer, offset, strides, order)
        return make(shape, dtype, order or "C")

    return ndarray
