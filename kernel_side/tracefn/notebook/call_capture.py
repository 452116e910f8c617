"""Keeps the arguments of the first call of each traced function, for `%%tracefn --time`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tracefn.function import Function
from tracefn.records import dataclass
from tracefn.timing.arguments import fresh_copies
from tracefn.trace.active import REPLACED, TRACING


@dataclass(frozen=True, slots=True)
class CapturedCall:
    """A call as it was made, with its own copies of the arrays."""

    function: Function
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@contextmanager
def capture_calls() -> Iterator[list[CapturedCall]]:
    """Yield a list that fills with the first call of each function that is called in the block.

    Calls from inside a traced function, and calls that fail, are left out. Watching replaces `Function.__call__` for
    the time of the block, so that unwatched calls cost nothing more.
    """
    captured: list[CapturedCall] = []
    seen: set[str] = set()
    local = threading.local()
    plain_call = Function.__call__

    def watched_call(self: Function, /, *args: Any, **kwargs: Any) -> Any:
        if getattr(local, "inside", False):
            return plain_call(self, *args, **kwargs)
        copies = None if self.function_id in seen else fresh_copies(args, kwargs)
        local.inside = True
        try:
            result = plain_call(self, *args, **kwargs)
        finally:
            local.inside = False
        if copies is not None:
            seen.add(self.function_id)
            captured.append(CapturedCall(self, *copies))
        return result

    Function.__call__ = watched_call  # type: ignore[method-assign]
    TRACING.append(REPLACED)  # machine code leaves calls to it meanwhile
    try:
        yield captured
    finally:
        TRACING.remove(REPLACED)
        Function.__call__ = plain_call  # type: ignore[method-assign]
