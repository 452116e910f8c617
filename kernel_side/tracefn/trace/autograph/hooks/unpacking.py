"""`a, b = value`: the items of a value that is unpacked into a number of targets."""

from __future__ import annotations

from typing import Any

from ....ir.dims import Dim
from ....ir.op import by_name
from ...active import TRACING, current
from ...context import Trace
from ...one_by_one import one_by_one
from ...tensor import Tensor
from ...values.eagerly_once import eagerly_where
from ..containers.contents import elements_of


def parts_of(value: Any, count: int) -> Any:
    """The items of a value for `count` targets. Where values decide how many an array has, a call that finds another
    number of them runs eagerly, and raises what Python raises."""
    found = elements_of(value)
    if TRACING and type(found) is Tensor and found.ndim and (trace := current()) is not None:
        length = found._node.types[0].shape[0]
        if isinstance(length, Dim) and length.depends_on_values:
            _check(trace, length, count)
            return one_by_one(found, count)
    return found


def _check(trace: Trace, length: Dim, count: int) -> None:
    differs = trace.record(by_name("operator.ne"), (trace.dimension(length), count), {})
    eagerly_where(trace, differs, f"an array that is unpacked into {count} targets has another number of items")
