"""The methods of ufuncs: `np.add.reduce`, `np.maximum.accumulate`, `np.multiply.outer`, `np.add.reduceat`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Combines, Op, by_call, numpy_name, register
from .derivatives.ufunc_methods import rule_of
from .reduce import NO_VALUE, reduced
from .rules import (
    TensorType,
    axis_of,
    broadcast_shapes,
    index_operand,
    operand,
    perhaps,
    probe,
    probe_at,
    probed,
    require_indices,
    typed,
)

_STATIC = frozenset({"axis", "keepdims", "dtype"})


def method_op(ufunc: np.ufunc, method: str) -> Op:
    """The op of a method ('reduce', 'accumulate', 'reduceat' or 'outer') of a ufunc, made when it is first asked for.

    Raises KeyError for another method.

    >>> method_op(np.add, "reduce")
    <op add.reduce>
    """
    make_rule = _RULES[method]
    call = getattr(ufunc, method)
    raises = perhaps if method == "reduceat" else None
    name = f"{numpy_name(ufunc)}.{method}"
    if (known := by_call(call)) is not None:
        return known
    combines = None
    if method in ("reduce", "accumulate"):
        combines = Combines(ufunc, axis=0, is_running=method == "accumulate")
    same = by_call(ufunc)
    vjp = None if same is None else rule_of(ufunc, method, same.partials)
    return register(Op(name, call, make_rule(call), static=_STATIC, raises=raises, combines=combines, vjp=vjp))


def _reduce(call: Callable[..., Any]) -> Callable[..., Any]:
    def rule(
        array: Any,
        /,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = NO_VALUE,
        where: Any = True,
    ) -> TensorType:
        return reduced(call, array, axis, keepdims, dtype=dtype, initial=initial, where=where)

    return rule


def _accumulate(call: Callable[..., Any]) -> Callable[..., Any]:
    def rule(array: Any, /, axis: Any = 0, dtype: Any = None, out: Any = None) -> TensorType:
        array = operand(array)
        return probed(array.shape, call, array, axis=axis, dtype=dtype)

    return rule


def _reduceat(call: Callable[..., Any]) -> Callable[..., Any]:
    def rule(array: Any, /, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> TensorType:
        array, starts = operand(array), index_operand(indices)
        value = probe_at(2, call, array, starts, axis=axis, dtype=dtype)
        along = axis_of(axis, array.ndim)
        require_indices(indices, array.shape[along], negative=False)
        return typed(value, (*array.shape[:along], *starts.shape, *array.shape[along + 1 :]))

    return rule


def _outer(call: Callable[..., Any]) -> Callable[..., Any]:
    def rule(A: Any, B: Any, /, **kwargs: Any) -> Any:
        shape = operand(A).shape + operand(B).shape
        value = probe(call, A, B, **kwargs)
        if "where" in kwargs:
            shape = broadcast_shapes(shape, operand(kwargs["where"]).shape)
        return tuple([typed(v, shape) for v in value]) if isinstance(value, tuple) else typed(value, shape)

    return rule


_RULES = {"reduce": _reduce, "accumulate": _accumulate, "reduceat": _reduceat, "outer": _outer}
