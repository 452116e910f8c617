"""The traced values in the call that is traced, where the trace holds for that call alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import UnsupportedFunctionError
from .active import current
from .context import Trace
from .tensor import Tensor
from .values.traced_range import TracedRange

T = TypeVar("T")


def staged_or_run(trace: Trace, staged: Callable[[], T], run: Callable[[], T]) -> T:
    """A loop in the graph. Where it has no graph, and the trace holds for one call alone, its rounds one by one."""
    if trace.root.value_now is None:
        return staged()
    start = len(trace.nodes)
    try:
        return staged()
    except UnsupportedFunctionError:
        trace.forget_from(start)
        return run()


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
