"""Runs code with traced functions as plain Python, also those that it calls inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tracefn.function import Function
from tracefn.trace.active import REPLACED, TRACING


@contextmanager
def eagerly() -> Iterator[None]:
    """While the block runs, a call of any traced function, from any thread, runs its Python function.

    `Function.__call__` is replaced for the time of the block, so that calls at other times need not ask.
    """
    plain_call = Function.__call__

    def eager_call(self: Function, /, *args: Any, **kwargs: Any) -> Any:
        return self.python_function(*args, **kwargs)

    Function.__call__ = eager_call  # type: ignore[method-assign]
    TRACING.append(REPLACED)  # machine code leaves calls to it meanwhile
    try:
        yield
    finally:
        TRACING.remove(REPLACED)
        Function.__call__ = plain_call  # type: ignore[method-assign]
