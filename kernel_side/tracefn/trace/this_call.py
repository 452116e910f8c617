"""The traced values in the call that is traced, where the trace holds for that call alone."""

from __future__ import annotations

from typing import Any

from .active import current
from .tensor import Tensor
from .values.traced_range import TracedRange


def now(value: Any) -> Any:
    """The real value of a traced one, in a trace that holds for one call alone; any other as it is."""
    trace = current()
    if type(value) is not Tensor or trace is None or trace.root.value_now is None:
        return value
    return trace.root.value_now(trace, value)


def rounds_now(iterable: Any) -> Any:
    """The iterable of a loop in the call that is traced: a range with real bounds, an array of known length."""
    if type(iterable) is TracedRange:
        return range(*[int(now(bound)) for bound in (iterable.start, iterable.stop, iterable.step)])
    if type(iterable) is Tensor and iterable.ndim:
        return [iterable[i] for i in range(len(now(iterable)))]
    return iterable
