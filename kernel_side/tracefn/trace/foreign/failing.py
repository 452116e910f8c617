"""A trace that comes to nothing: the effects of its foreign steps are undone, as the Python function runs instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ...errors import TracefnError, UnsupportedFunctionError, message
from ..context import Trace
from ..origin import error_source, where
from ..state.taken import put_back
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
        if trace.taken:
            put_back(trace.taken, trace.place_of)
        if not isinstance(error, RefusedInTry):
            raise
        if isinstance(error.error, TracefnError):
            raise error.error from error.error.__cause__
        raise _handled(error) from error.error


def _handled(refused: RefusedInTry) -> Exception:
    """Says that an error of a library was to be handled, or not, by a `try` around its call."""
    what = f"a library raised {type(refused.error).__name__} inside of a `try`"
    fix = "Check its arguments before the call, or call it outside of the traced function."
    said = UnsupportedFunctionError(message(what, where(error_source(refused)), fix))
    return said.with_traceback(refused.__traceback__)
