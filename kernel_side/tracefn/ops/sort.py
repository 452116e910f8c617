"""Sorting, whole or in part, and the indices that would sort."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, method, numpy_name, op, register
from . import warns
from .derivatives import sort as d
from .rules import TensorType, as_one, axis_of, operand, parts_of, probe, probed, require_indices, require_same, typed

_STATIC = frozenset({"axis", "kind", "order", "stable", "kth"})


def sorting(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a sort along one axis, or of the flattened array where the axis is None."""

    def rule(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> TensorType:
        a = operand(a)
        value = probe(call, a, axis=axis, kind=kind, order=order, stable=stable)
        return typed(value, (a.size,) if axis is None else a.shape or value.shape)

    return register(Op(numpy_name(call), call, rule, static=_STATIC, **facts))


def partitioning(call: Callable[..., Any], **facts: Any) -> Op:
    """Registers a partial sort, which puts the elements `kth` where a full sort would put them."""

    def rule(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> TensorType:
        a = operand(a)
        places = operand(kth)
        if places.dtype.kind not in "iu" or places.ndim > 1:
            raise TypeError("kth must be an integer or a sequence of integers")
        value = probe(call, a, 0, axis=axis, kind=kind, order=order)
        shape = (a.size,) if axis is None else a.shape or value.shape
        if 0 not in shape:
            require_indices(kth, shape[0 if axis is None else axis_of(axis, len(shape))])
        return typed(value, shape)

    return register(Op(numpy_name(call), call, rule, static=_STATIC, **facts))


argpartition = partitioning(np.argpartition)
argsort = sorting(np.argsort, warns=warns.never, method=method("axis kind stable"))
partition = partitioning(np.partition, vjp=d.of_partition)
sort = sorting(np.sort, warns=warns.never, fresh_memory=True, vjp=d.of_sort)


@op(np.lexsort, static=_STATIC)
def lexsort(keys: Any, axis: Any = -1) -> TensorType:
    parts = [as_one(part) for part in parts_of(keys)]
    value = probe(np.lexsort, parts, axis)
    shape = operand(parts[0]).shape
    for part in parts[1:]:
        shape = tuple([require_same(n, m) for n, m in zip(shape, operand(part).shape, strict=True)])
    return typed(value, shape)


@op(np.sort_complex, vjp=d.of_sort_complex)
def sort_complex(a: Any) -> TensorType:
    a = operand(a)
    return probed(a.shape, np.sort_complex, a)
