"""`raise` in rewritten code: at once where Python decides it, at the call where a traced value does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...active import current
from ...body import BodyTrace
from ...control.raising import formatting, raise_in_graph


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
    for around in trace.attempts:
        around.note_error(error() if isinstance(error, type) else error)
    raise_in_graph(error, texts)
