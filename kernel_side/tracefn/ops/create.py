"""New arrays from old ones: arrays of the same shape, copies, casts, and arrays made of nested lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, numpy_name, op, register
from . import warns
from .derivatives import create as derivative
from .derivatives.movement.scatter import reshaped, unchanged
from .rules import (
    Kind,
    RuleError,
    Shape,
    TensorType,
    array,
    may_not_fit,
    operand,
    probe_dtype,
    probed,
    require_assignable,
    shape_argument,
)

_STATIC = frozenset({"dtype", "order", "subok", "shape", "device", "copy", "casting", "ndmin", "ndmax"})


def _new_shape(old: Shape, shape: Any) -> Shape:
    """The shape argument, or the old shape without one. Raises ValueError for negative lengths."""
    new = old if shape is None else shape_argument(shape)
    if any(isinstance(n, int) and n < 0 for n in new):
        raise ValueError("negative dimensions are not allowed")
    return new


def filled(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a function that makes an array of one constant, like another array."""

    def rule(
        a: Any,
        dtype: Any = None,
        order: Any = "K",
        subok: Any = True,
        shape: Any = None,
        *,
        device: Any = None,
    ) -> TensorType:
        a = operand(a)
        return probed(_new_shape(a.shape, shape), call, a, dtype, order, subok, device=device)

    return register(Op(numpy_name(call), call, rule, static=_STATIC, partials=(0,), **facts))


ones_like = filled(np.ones_like, warns=warns.never, fresh_memory=True, fills=1)
zeros_like = filled(np.zeros_like, warns=warns.never, fresh_memory=True, fills=0)


@op(np.empty_like, static=_STATIC, fills=None)
def empty_like(
    prototype: Any,
    /,
    dtype: Any = None,
    order: Any = "K",
    subok: Any = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> TensorType:
    prototype = operand(prototype)
    return probed(_new_shape(prototype.shape, shape), np.empty_like, prototype, dtype, order, subok, device=device)


@op(np.full_like, static=_STATIC, fresh_memory=True, vjp=lambda g, out, a, fill_value, *args, **kwargs: (None, g))
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: Any = "K",
    subok: Any = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> TensorType:
    a, value = operand(a), operand(fill_value)
    new = _new_shape(a.shape, shape)
    require_assignable(value.shape, new)
    if value.dtype.kind in "SU":
        return array(_cast(value.dtype, a.dtype if dtype is None else dtype), new)
    one = value if value.shape else fill_value
    # With a shape of its own the array may have fewer axes than the value.
    like = array(a.dtype, (1,) * max(len(new), value.ndim))
    return array(probe_dtype(np.full_like, like, one, dtype, order, subok, device=device), new)


@op(np.copy, static=_STATIC, vjp=unchanged)
def copy(a: Any, order: Any = "K", subok: Any = False) -> TensorType:
    a = operand(a)
    return probed(a.shape, np.copy, a, order, subok)


def _astype(a: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: Any = True, copy: Any = True) -> Any:
    """The method `a.astype`. `np.astype(a, dtype)` is the same."""
    return a.astype(dtype, order, casting, subok, copy)


def _astype_rule(
    a: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", subok: Any = True, copy: Any = True
) -> TensorType:
    if _is_unsized(dtype) and (a.dtype.kind in "OSTU" or a.kind is Kind.SCALAR) and a.dtype != np.dtype(dtype):
        raise RuleError(f"the values decide which dtype {dtype!r} is; name it in full, as in 'U8' or 'M8[s]'")
    return TensorType(_cast(a.dtype, dtype, order, casting), a.shape, a.kind)


def _uncopied(args: tuple[Any, ...], kwargs: dict[str, Any], output: int) -> Any:
    """Without a copy an array that has the dtype comes back itself."""
    return None if kwargs.get("copy", True) else args[0]


def _is_unsized(dtype: Any) -> bool:
    """True for a dtype whose length or unit is found out when values are cast to it: 'U', 'S', 'M8'."""
    dtype = np.dtype(dtype)
    return dtype.itemsize == 0 or (dtype.kind in "mM" and np.datetime_data(dtype)[0] == "generic")


def _cast(old: np.dtype[Any], new: Any, order: Any = "K", casting: Any = "unsafe") -> np.dtype[Any]:
    """The dtype of a cast. Raises NumPy's error where there is none.

    The cast is tried on no elements: whether a text can be read as a number is for the real values to say.
    """
    return probe_dtype(_astype, array(old, (0,)), np.dtype(new), order, casting)


_ALIASES = (np.astype,) if hasattr(np, "astype") else ()  # NumPy 2.1
astype_op = register(
    Op(
        "astype",
        _astype,
        _astype_rule,
        style="method",
        view=_uncopied,
        static=_STATIC,
        warns=warns.unless_safe_cast,
        partials=(1, 0),
    ),
    *_ALIASES,
)


def _array_rule(
    object: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    subok: Any = False,
    ndmin: Any = 0,
    ndmax: Any = 0,
    like: Any = None,
) -> TensorType:
    if not copy or ndmax or like is not None:
        raise RuleError("np.array of traced values takes no copy=False, ndmax or like")
    value = operand(object)
    if dtype is not None and _is_unsized(dtype):
        raise RuleError(f"the values decide which dtype {dtype!r} is; name it in full, as in 'U8' or 'M8[s]'")
    return array(value.dtype if dtype is None else _cast(value.dtype, dtype), (1,) * (ndmin - value.ndim) + value.shape)


def _laid_out(call: Callable[..., Any]) -> Op:
    """Registers a function that gives an array with a memory layout: itself where it has that."""

    def rule(a: Any, dtype: Any = None, *, like: Any = None) -> TensorType:
        a = operand(a)
        return array(a.dtype if dtype is None else _cast(a.dtype, dtype), a.shape or (1,))

    return register(Op(numpy_name(call), call, rule, view=True, static=_STATIC, vjp=reshaped))


ascontiguousarray = _laid_out(np.ascontiguousarray)
asfortranarray = _laid_out(np.asfortranarray)


@op(np.require, view=True, static=_STATIC | {"requirements"}, vjp=unchanged)
def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> TensorType:
    a = operand(a)
    probe_dtype(np.require, a, dtype, requirements)
    return array(a.dtype if dtype is None else _cast(a.dtype, dtype), a.shape)


@op(np.asarray_chkfinite, view=True, static=_STATIC, vjp=unchanged)
def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> TensorType:
    a = operand(a)
    return array(a.dtype if dtype is None else _cast(a.dtype, dtype), a.shape)


def _element_may_not_fit(object: Any, dtype: Any = None, **kwargs: Any) -> bool:
    return dtype is not None and may_not_fit(np.dtype(dtype), object)


array_op = register(
    Op("array", np.array, _array_rule, static=_STATIC, raises=_element_may_not_fit, parts="list", vjp=derivative.array)
)
