"""NumPy functions that dispatch cannot reach: those that make arrays from shapes and lists, and those given a list that
the graph keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import SymbolicDimensionError, TensorConversionError
from ....ir.op import by_call, by_name
from ....ir.types import Kind, is_traceable
from ... import provided
from ...active import current
from ...context import Trace
from ...foreign import call as step
from ...foreign import holds_foreign, is_foreign_class
from ...libraries import is_of_series
from ...numpy_api.composed import COMPOSED
from ...numpy_api.element_iterator import element_iterator
from ...numpy_api.makers import (
    as_array,
    from_lengths,
    fromfunction,
    fromiter,
    holds_traced,
    mask_indices,
    named,
    new_array,
    owned,
    refused,
    setting,
)
from ...numpy_api.objects import broadcast, may_share, ndenumerate
from ...numpy_api.protocols import SIMPLE, call_function
from ...reads import in_trace
from ...tensor import Tensor
from ...trace_parts.error_handling import errstate
from ...values.graph_list import GraphList
from ...values.symbolic_int import SymbolicInt
from ..containers.contents import elements_of, operand
from ..containers.kept_arrays import unwritten
from ..overrides import by_function, by_ufunc
from ..special import array_of

MAX_BYTES = 1 << 20
"""The largest range of numbers that becomes a constant of the graph; a larger one is made anew at each call."""


def numpy_call(function: Any) -> Any:
    """The replacement of a NumPy function in rewritten code."""
    if is_of_series(function):
        return provided.callee(function._implementation)
    known = unwritten(NUMPY_CALLS.get(function) or _dispatched(function))
    times = _ARRAYS_MADE.get(function, 1)

    def call(*args: Any, **kwargs: Any) -> Any:
        if SIMPLE.issuperset(map(type, args)) and SIMPLE.issuperset(map(type, kwargs.values())):
            return known(*args, **kwargs)
        if any(map(holds_foreign, args)) or (kwargs and any(map(holds_foreign, kwargs.values()))):
            return step(function, args, kwargs)
        if (made := by_function(function, args, kwargs)) is not NotImplemented:
            return made
        return known(
            *[_given(value, times) for value in args], **{name: _given(value, times) for name, value in kwargs.items()}
        )

    return call


def _given(value: Any, times: int = 1) -> Any:
    """The operand that a NumPy function gets for a value. `times` counts NumPy's calls of the value's `__array__`."""
    found = value
    for _ in range(times):
        found = operand(array_of(value))
    return found


_ARRAYS_MADE = {np.isscalar: 0, np.iterable: 0, np.block: 3} | dict.fromkeys(
    (np.dot, np.inner, np.vdot, np.correlate, np.argwhere, np.ptp, np.isneginf, np.isposinf), 2
)
"""The number of calls of an operand's `__array__` by NumPy functions that do not call it exactly once."""


_NO_DISPATCH = "dispatcher for __array_function__ did not return an iterable"
"""NumPy's error for an array of open length which np.roots or np.poly hand over as if it were their arguments."""


def _dispatched(function: Any) -> Callable[..., Any]:
    """A NumPy function that looks for traced values among its arguments itself."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if any(type(a) is GraphList and a.is_staged for a in args):
            args = tuple([a.as_array() if type(a) is GraphList and a.is_staged else a for a in args])
        try:
            made = function(*args, **kwargs)
        except (TensorConversionError, SymbolicDimensionError):  # not every function's dispatch looks into lists
            trace = current()
            if trace is None or by_call(function) is None or not any(isinstance(a, list | tuple) for a in args):
                raise
            return call_function(trace, function, args, kwargs)
        except TypeError as error:
            trace = current()
            is_known = by_call(function) is not None or function in COMPOSED
            if trace is None or not is_known or not str(error).startswith(_NO_DISPATCH):
                raise
            return call_function(trace, function, args, kwargs)
        trace = current()
        if trace is None:
            return made
        if args and isinstance(args[0], list | tuple) and holds_traced(args[0]):
            if type(made) is SymbolicInt:
                return SymbolicInt(made.dim, trace, is_scalar=True)
            if _holds_objects(made):  # NumPy makes objects of lengths
                return call_function(trace, function, args, kwargs)
        return owned(trace, made, (*args, *kwargs.values()))

    return call


def _holds_objects(made: Any) -> bool:
    if isinstance(made, list | tuple):
        return any(map(_holds_objects, made))
    return isinstance(made, np.ndarray) and made.dtype == object


def ufunc_call(function: Any) -> Any:
    """A ufunc, or a method of one: NumPy looks for traced values among its operands, and not in lists of them."""
    is_ufunc = isinstance(function, np.ufunc)

    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is not None:
            if is_ufunc and not kwargs and len(args) == function.nin and SIMPLE.issuperset(types := [*map(type, args)]):
                if Tensor in types and (op := by_call(function)) is not None:
                    return trace.record(op, args, kwargs)  # as NumPy's dispatch would, at a third of the cost
            if any(map(holds_foreign, args)):
                return step(function, args, kwargs)
            ufunc, method = (function, "__call__") if is_ufunc else (function.__self__, function.__name__)
            if (answer := by_ufunc(ufunc, method, args, kwargs)) is not NotImplemented:
                return answer
            args = tuple(map(_given, args))
            kept = 2 if function.__name__ == "at" else 0  # an index may be a tuple
            found = [_as_operand(trace, a) if isinstance(a, list | tuple) else a for a in args[kept:]]
            args = (*args[:kept], *found)
            made = unwritten(function)(*args, **kwargs)
            return owned(trace, made, (*args, *kwargs.values())) if is_ufunc else made
        return function(*args, **kwargs)

    return call


def _as_operand(trace: Trace, values: Any) -> Any:
    if type(values) is GraphList and values.is_staged:
        return values.as_array()
    return trace.record(by_name("array"), (list(values),), {}) if holds_traced(values) else values


def _errstate(**settings: Any) -> Any:
    trace = current()
    return np.errstate(**settings) if trace is None else errstate(trace.error_handling, **settings)


def _seterr(*args: Any, **settings: Any) -> Any:
    settings |= dict(zip(("all", "divide", "over", "under", "invalid"), args, strict=False))
    trace = current()
    given = {name: setting for name, setting in settings.items() if setting is not None}
    return np.seterr(**given) if trace is None else trace.error_handling.seterr(given)


def _made(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an array of a shape: in a trace a node, so that it is made anew at each call."""

    def make(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None or kwargs.get("like") is not None or not _is_numeric(kwargs.get("dtype")):
            return function(*args, **kwargs)
        kwargs.pop("like", None)
        if not holds_traced(args) and not holds_traced(tuple(kwargs.values())):
            made = _checked(name, function, args, kwargs)  # NumPy's own errors
            if name == "arange" and made.nbytes <= MAX_BYTES:
                return _constant(trace, made)
        return trace.record(by_name(name), args, kwargs)

    return make


def _checked(name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The array that NumPy makes, with lengths of 1, which cost nothing to make, where only errors are looked for."""
    if name == "arange" or not (args or "shape" in kwargs):
        return function(*args, **kwargs)
    if not args:
        return function(**{**kwargs, "shape": _small(kwargs["shape"])})
    return function(_small(args[0]), *args[1:], **kwargs)


def _small(shape: Any) -> Any:
    return tuple([min(n, 1) for n in shape]) if isinstance(shape, tuple | list) else min(shape, 1)


def _is_numeric(dtype: Any) -> bool:
    return dtype is None or np.dtype(dtype).kind in "biufcmM" or np.dtype(dtype).names is not None


def _array(object: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`np.array`: of traced values a node, of others a constant that the function owns."""
    trace = current()
    if trace is None or kwargs.get("like") is not None:
        return np.array(object, *args, **kwargs)
    if type(object) is GraphList and object.is_staged:
        dtype = args[0] if args else kwargs.get("dtype")
        made = object.as_array(of_no_elements=dtype is not None and object.is_of_numbers)
        return made if dtype is None else made.astype(dtype)
    if holds_traced(object):
        options = dict(zip(("dtype",), args, strict=False)) | kwargs
        if (copy := options.get("copy", True)) is None or copy is False:
            return _uncopied(trace, object, options)
        return trace.record(by_name("array"), (object, *args), kwargs)
    return _constant(trace, np.array(object, *args, **kwargs))


def _uncopied(trace: Trace, object: Any, options: dict[str, Any]) -> Any:
    """`np.array(x, copy=None)` and `copy=False`: the array itself, or a view of it with more axes, where it has the
    dtype and lies in memory in the order. The latter refuses a copy."""
    copy, order = options["copy"], (options.get("order") or "K").upper()
    options = {name: option for name, option in options.items() if name != "copy"}
    value, dtype = in_trace(object), options.get("dtype")
    is_array = type(value) is Tensor and value._node.types[0].kind is Kind.ARRAY
    if not is_array or options.get("ndmax") or dtype is not None and np.dtype(dtype) != value.dtype:
        if copy is False:
            _refuse_copy()
        return trace.record(by_name("array"), (object,), options)
    if order in _IN_ORDER and value.ndim:
        if copy is False and not provided.known_layout(value).flags[f"{order}_CONTIGUOUS"]:
            _refuse_copy()
        value = trace.record(by_name(_IN_ORDER[order]), (value,), {})
    added = options.get("ndmin", 0) - value.ndim
    return value[(None,) * added] if added > 0 else value


_IN_ORDER = {"C": "ascontiguousarray", "F": "asfortranarray"}


def _refuse_copy() -> None:
    np.array([1.0], np.int8, copy=False)  # raises NumPy's own error


def _asarray(a: Any, dtype: Any = None, order: Any = None, **kwargs: Any) -> Any:
    trace = current()
    a = in_trace(a)
    if trace is None or type(a) is np.ndarray or kwargs.get("like") is not None:
        return np.asarray(a, dtype, order, **kwargs)
    given = {"dtype": dtype, "order": order, "copy": kwargs.get("copy")}
    options = {name: option for name, option in given.items() if option is not None}
    return _uncopied(trace, a, given) if type(a) is Tensor and not given["copy"] else _array(a, **options)


def _asanyarray(a: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.asanyarray`. A polynomial that is looked into is like an array of one object to it."""
    return a if is_of_series(type(a)) and not is_foreign_class(type(a)) else _asarray(a, *args, **kwargs)


def _constant(trace: Trace, array: Any) -> Any:
    if not is_traceable(array.dtype):
        return array
    return Tensor(trace.value_node_of_constant(array), trace, owned=True)


def _stack(arrays: Any, axis: int = 0, **kwargs: Any) -> Any:
    if type(arrays) is GraphList and arrays.is_staged:
        return arrays.stack(axis)
    return np.stack(arrays, axis, **kwargs)


def _broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """`np.broadcast_to`, of whose arguments NumPy shows the array alone."""
    trace = current()
    if trace is None or not holds_traced([array, shape]):
        return np.broadcast_to(array, shape, subok)
    return np.broadcast_to(array if type(array) is Tensor else _asarray(array), shape, subok)


def _joined(function: Callable[..., Any], axis: int | None) -> Callable[..., Any]:
    def join(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        if type(arrays) is GraphList and arrays.is_staged:
            rank = arrays.rank
            if function is np.concatenate:
                return arrays.concatenate(*(args or [kwargs.get("axis", 0)]))
            if function is np.vstack:
                return arrays.stack() if rank == 1 else arrays.concatenate(0)
            return arrays.as_array() if rank == 0 else arrays.concatenate(0 if rank == 1 else 1)
        return function(arrays, *args, **kwargs)

    return join


def _of_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of lists of arrays, each of which may be a list itself."""

    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        return function(*args, **kwargs) if trace is None else function(*[_each(trace, a) for a in args], **kwargs)

    return call


def _each(trace: Trace, arrays: Any) -> Any:
    if type(arrays) not in (list, tuple):
        return arrays
    return type(arrays)([_as_operand(trace, a) if isinstance(a, list | tuple) else a for a in arrays])


REFUSED = {
    "np.nested_iters": "Work on whole arrays, or loop over `x.ravel()`.",
    "np.lib.stride_tricks.as_strided": "Use np.lib.stride_tricks.sliding_window_view, np.broadcast_to or indexing.",
    "np.asmatrix": "Use plain arrays: `@` multiplies matrices.",
    "np.matrix": "Use plain arrays: `@` multiplies matrices.",
    "np.bmat": "Use np.block.",
    "np.frombuffer": "Read the data outside and pass the array.",
}


NUMPY_CALLS: dict[Any, Callable[..., Any]] = {
    **{
        getattr(np, name): _made(name, getattr(np, name))
        for name in ("zeros", "ones", "empty", "full", "eye", "identity", "arange")
    },
    np.ndarray: new_array(_made("empty", np.empty)),
    np.array: _array,
    np.asarray: _asarray,
    np.asanyarray: _asanyarray,
    **{f: as_array(f) for f in (np.ascontiguousarray, np.asfortranarray, np.require, np.asarray_chkfinite)},
    **{
        f: from_lengths(f)
        for f in (
            np.indices,
            np.tri,
            np.tril_indices,
            np.triu_indices,
            np.diag_indices,
            np.bartlett,
            np.blackman,
            np.hamming,
            np.hanning,
            np.kaiser,
            np.fft.fftfreq,
            np.fft.rfftfreq,
            np.linspace,
            np.logspace,
            np.geomspace,
        )
    },
    np.errstate: _errstate,
    np.seterr: _seterr,
    np.fromfunction: fromfunction,
    np.fromiter: lambda iter, *args, **kwargs: fromiter(elements_of(iter), *args, **kwargs),
    np.mask_indices: mask_indices,
    np.ndenumerate: ndenumerate,
    np.nditer: element_iterator,
    np.broadcast: broadcast,
    np.may_share_memory: may_share(np.may_share_memory),
    np.shares_memory: may_share(np.shares_memory),
    **{named(name): refused(name, fix) for name, fix in REFUSED.items()},
    **{getattr(np, name): setting(name) for name in ("printoptions", "set_printoptions", "setbufsize", "seterrcall")},
    np.stack: _of_arrays(_stack),
    np.broadcast_to: _broadcast_to,
    np.concatenate: _of_arrays(_joined(np.concatenate, 0)),
    np.vstack: _of_arrays(_joined(np.vstack, 0)),
    np.hstack: _of_arrays(_joined(np.hstack, 1)),
    **{f: _of_arrays(_dispatched(f)) for f in (np.dstack, np.column_stack, np.select, np.choose, np.linalg.multi_dot)},
}


provided.numpy_calls, provided.numpy_ones = NUMPY_CALLS, NUMPY_CALLS[np.ones]
