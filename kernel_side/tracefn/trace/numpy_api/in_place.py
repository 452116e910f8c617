"""The methods of arrays while tracing: conversions, items, and writes in place."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.dims import Dim, GuessedLengths
from ...ir.infer import accepted_for_some_lengths
from ...ir.op import by_call, by_name, numpy_name
from ...ir.types import Kind, class_name, ghost, python_type
from ...ops.index import getitem_op, is_field
from .. import provided
from ..active import current
from ..aliasing.writes import base_for_writing, write
from ..origin import user_source, where
from ..tensor import Tensor
from ..values.symbolic_int import SymbolicInt

if TYPE_CHECKING:
    from ..context import Trace


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_holds_tensor(v) for v in value)
    return isinstance(value, Tensor | SymbolicInt)


def verdict(ufunc: np.ufunc, operands: tuple[Any, ...], kwargs: dict[str, Any], outs: tuple[Any, ...]) -> None:
    """Raises NumPy's own error for a call that writes into these arrays; None stands for an output of its own."""

    def written(target: Any, known: GuessedLengths) -> Any:
        if not isinstance(target, Tensor):
            return None
        base = target._base if target._base is not None else target
        out = np.zeros(ghost(target._node.type, known).shape, target.dtype)
        out.flags.writeable = not (base._outside and target._trace.root.outside.is_read_only(base))
        return out

    def call(known: GuessedLengths) -> None:
        given = [ghost(v._node.type, known) if isinstance(v, Tensor) else v for v in operands]
        options = {k: ghost(v._node.type, known) if isinstance(v, Tensor) else v for k, v in kwargs.items()}
        ufunc(*given, out=tuple([written(target, known) for target in outs]), **options)

    traced = [v for v in (*operands, *kwargs.values(), *outs) if isinstance(v, Tensor)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        accepted_for_some_lengths(call, [n for v in traced for n in v._node.type.shape], traced[-1]._trace.hints)


def get_item(tensor: Tensor, index: Any) -> Any:
    """`tensor[index]`."""
    trace = current() or tensor._trace
    return trace.record(getitem_op(index), (tensor, index), {})


def to_python(tensor: Tensor) -> Any:
    """`tensor.item()`: the one element as a Python number."""
    trace = current() or tensor._trace
    if tensor._node.types[0].kind is Kind.PYTHON:
        return tensor
    if tensor.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    if tensor.ndim:
        tensor = trace.record(by_name("reshape"), (tensor, ()), {})  # of open lengths, a guard says that it is one
    return trace.record(by_name(python_type(tensor.dtype).__name__), (tensor,), {})


def cast(tensor: Tensor, dtype: np.dtype[Any], order: str, casting: str, subok: bool, copy: bool) -> Any:
    """`tensor.astype(dtype, …)`."""
    trace = current() or tensor._trace
    if not copy and order == "K" and tensor.dtype == dtype:
        return tensor
    if dtype.subdtype is not None:
        _refuse("a dtype that has a shape is not traced", "Cast to its base and use np.broadcast_to.")
    kwargs = {"order": order, "casting": casting, "subok": subok}
    return trace.record(by_name("astype"), (tensor, dtype), kwargs)


def reinterpret(tensor: Tensor, dtype: Any, subclass: Any) -> Any:
    """`tensor.view(dtype, type)`: the same memory, its bytes read as another dtype."""
    trace = current() or tensor._trace
    if isinstance(dtype, type) and issubclass(dtype, np.ndarray):
        dtype, subclass = None, dtype
    if subclass not in (None, np.ndarray):
        _refuse(f"a view as {subclass!r} is not traced", "Subclasses of np.ndarray are not traced: use plain arrays.")
    if dtype is None:
        return trace.record(by_name("view"), (tensor,), {}) if tensor._node.type.kind is Kind.ARRAY else tensor
    dtype = np.dtype(dtype)
    if dtype.subdtype is not None:
        _refuse("a dtype that has a shape is not traced", "View the array as its base and reshape.")
    found = ghost(tensor._node.type, trace.hints)
    np.zeros(found.shape[-1:], found.dtype)[() if not found.ndim else ...].view(dtype)  # raises NumPy's own errors
    return trace.record(by_name("view"), (tensor, dtype), {})


def write_in_place(
    target: Any,
    value: Tensor,
    spelled: str,
    ufunc: np.ufunc,
    operands: tuple[Any, ...],
    kwargs: dict[str, Any],
    position: int = 0,
) -> Tensor:
    """Makes `target` hold `value` from here on, which is output number `position` of a ufunc: NumPy's `out=target`.

    Raises NumPy's error where the value does not fit.
    """
    trace, _ = base_for_writing(target, spelled)
    old, new = target._node.types[0], value._node.types[0]
    lengths = (*old.shape, *new.shape)
    is_open = new.ndim <= old.ndim and any(isinstance(n, Dim) and n.depends_on_values for n in lengths)
    fits = (is_open or same_shape(target, value)) and np.can_cast(new.dtype, old.dtype, "same_kind")
    if not fits or "casting" in kwargs:
        try:
            outs = [target if n == position else None for n in range(ufunc.nout)]
            verdict(ufunc, operands, kwargs, tuple(outs))
        except Exception:
            trace.forget(value)  # NumPy raises before it calculates
            raise
    if ufunc.nout == 1 and value._node.op is by_call(ufunc):
        trace.forget(value)
        write(target, "ufunc_into", (numpy_name(ufunc), operands), kwargs, spelled)
        return target
    if new.dtype != old.dtype:
        value = cast(value, old.dtype, "K", "unsafe", True, True)
    write(target, "setitem", (Ellipsis, value), {}, spelled)
    return target


def set_item(target: Tensor, index: Any, value: Any) -> None:
    """`target[index] = value`."""
    trace = current() or target._trace
    trace.node_of(target)
    if not target._node.types[0].has_memory:
        raise TypeError(f"{class_name(target._node.types[0])!r} object does not support item assignment")
    if target.dtype.names is not None and isinstance(value, list | tuple):
        _set_fields(target, index, value)
    else:
        dtype = target.dtype if target.dtype.kind in "iufc" else None
        write(target, "setitem", (index, _assigned(trace, value, dtype)), {}, "x[...] = value")


def _set_fields(target: Tensor, index: Any, value: Any) -> None:
    """`target[index] = (1, 2.5)` of a structured array, whose fields the tuple has one by one."""
    dtype = np.zeros((), target.dtype)[index].dtype if is_field(index) else target.dtype
    if dtype.names is None or not _holds_tensor(value):
        given = _assigned(target._trace, value) if dtype.names is None else np.array(value, dtype)
        write(target, "setitem", (index, given), {}, "x[...] = value")
    elif isinstance(value, tuple) and len(value) == len(dtype.names):
        for name, part in zip(dtype.names, value, strict=True):
            target[name][... if is_field(index) else index] = part
    else:
        _refuse("a list of structures with traced values is not traced", "Write field by field: `x['name'] = values`.")


def _assigned(trace: Trace, value: Any, dtype: np.dtype[Any] | None = None) -> Any:
    """The value that is written. A list becomes an array of `dtype`, as NumPy converts its numbers one by one: a
    number that does not fit raises there, and is cast in an array."""
    if not isinstance(value, list | tuple):
        return value
    if not _holds_tensor(value):
        return np.array(value, dtype)
    return trace.record(by_name("array"), (list(value),), {} if dtype is None else {"dtype": dtype})


def in_place_verdict(ufunc: np.ufunc, other: Any, target: Tensor) -> None:
    """Raises NumPy's own error for `ufunc(target, other, out=target)`; without `out` it may be another one."""
    verdict(ufunc, (target, other), {}, (target,))


def same_shape(left: Tensor, right: Tensor) -> bool:
    """True if the shapes are equal; where that depends on open lengths, in the call that is being traced (a guard)."""
    shapes = left._node.types[0].shape, right._node.types[0].shape
    return left.ndim == right.ndim and all(left._trace.public(n) == m for n, m in zip(*shapes, strict=True))


def _refuse(what: str, fix: str) -> NoReturn:
    raise UnsupportedFunctionError(message(what, where(user_source(3)), fix))


provided.to_python = to_python
provided.reinterpret = reinterpret
provided.cast = cast
provided.set_item = set_item
