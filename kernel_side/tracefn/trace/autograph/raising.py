"""`raise` in rewritten code: at once where Python decides it, at the call where a traced value does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import ControlFlowError, message
from ..body import BodyTrace
from ..context import Trace, current
from ..control.raising import formatting, raise_in_graph
from ..origin import user_source, where


def raised(make: Callable[[], Any]) -> Any:
    """The exception that a `raise` statement is to raise. In a staged branch it goes into the graph instead."""
    trace = current()
    if trace is None:
        return make()
    with formatting() as texts:
        error = make()
    if not isinstance(error, BaseException | type):
        return error
    if not isinstance(trace, BodyTrace) and not (isinstance(error, BaseException) and texts.is_traced(error)):
        return error
    if trace.attempts:
        raise ControlFlowError(
            message(
                "`raise` is decided by a traced value inside a `try` that may catch it",
                where(user_source(2)),
                "Let a traced condition choose between values instead: an exception in the graph is not caught there.",
            )
        )
    raise_in_graph(error, texts)


@contextlib.contextmanager
def attempt() -> Iterator[None]:
    """Around the body of a `try` that has handlers."""
    trace: Trace | None = current()
    if trace is None:
        yield
        return
    trace.attempts += 1
    try:
        yield
    finally:
        trace.attempts -= 1
