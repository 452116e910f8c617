"""A trace that comes to nothing: what its foreign steps did is undone, as the Python function runs instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ..context import Trace
from .calls import RefusedInTry
from .first_run import forget
from .undo import take_back


@contextlib.contextmanager
def undone_on_failure(trace: Trace) -> Iterator[None]:
    """Around a trace. A refusal that no `try` of the traced code was to catch becomes an error again."""
    try:
        yield
    except BaseException as error:
        if trace.foreign is not None:
            forget(trace.foreign.steps)
            take_back(trace.foreign.undo)
        if isinstance(error, RefusedInTry):
            raise error.error from error
        raise


def is_of_step(trace: Trace, error: BaseException) -> bool:
    """True for what a foreign function raised: on other values it may not."""
    return trace.foreign is not None and trace.foreign.error is error
