"""Questions about a value that its type answers while tracing: shape, size, dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dims import product
from ..ir.op import Static, op
from .rules import axes_of, operand, probe


@op(np.shape)
def shape(a: Any) -> Static:
    return Static(operand(a).shape)


@op(np.ndim)
def ndim(a: Any) -> Static:
    return Static(operand(a).ndim)


@op(np.size, static=frozenset({"axis"}))
def size(a: Any, axis: Any = None) -> Static:
    a = operand(a)
    return Static(product(a.shape[i] for i in axes_of(axis, a.ndim)))


@op(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> Static:
    return Static(probe(np.result_type, *arrays_and_dtypes))


@op(np.common_type)
def common_type(*arrays: Any) -> Static:
    return Static(probe(np.common_type, *arrays))


@op(np.can_cast)
def can_cast(from_: Any, to: Any, casting: str = "safe") -> Static:
    return Static(probe(np.can_cast, from_, to, casting))


@op(np.min_scalar_type)
def min_scalar_type(a: Any, /) -> Static:
    a = operand(a)
    if not a.shape and a.dtype.kind in "biufc":
        raise TypeError("np.min_scalar_type of a single number depends on its value, which is not known while tracing")
    return Static(a.dtype)


@op(np.iscomplexobj)
def iscomplexobj(x: Any) -> Static:
    return Static(probe(np.iscomplexobj, x))


@op(np.isrealobj)
def isrealobj(x: Any) -> Static:
    return Static(probe(np.isrealobj, x))
