"""Traced functions that others call: where the trace of the outer one was refused in them, theirs would be, too."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from ...trace.trace_parts.budget import Budget
from .reasons import Fallback, falls_back

MUCH = 0.5
"""The share of a trace's operations from which a function is to blame for its length."""

_MARK = "_tracefn_refused_in"


class _Refused(threading.local):
    def __init__(self) -> None:
        self.functions: dict[int, Fallback] = {}
        self.in_place = False


_REFUSED = _Refused()
"""The functions that are not traced at present, by the ids of their `Fallbacks`: a function that calls them runs
eagerly just now, as its trace was refused in them."""


@contextlib.contextmanager
def refused_in(function: Any, budget: Budget) -> Iterator[None]:
    """Around a call of a traced function in a trace: notes on an error that it came through this function. That of a
    trace which is too long is to blame on the functions that recorded much of it: a trace of another one is short."""
    before = budget.spent
    try:
        yield
    except Exception as error:
        if falls_back(error) and not (budget.is_over and budget.spent - before < budget.spent * MUCH):
            vars(error).setdefault(_MARK, []).append(function._fallbacks)
        raise


@contextlib.contextmanager
def run_eagerly_inside(error: Exception, fallback: Fallback) -> Iterator[None]:
    """Around the eager run of a function whose trace this error has ended: the functions through which it came run
    eagerly as well. To trace each of them would lead to the same line, once for each level."""
    before, inside = _REFUSED.functions, {id(f): fallback for f in _marked(error)}
    _REFUSED.functions = {**before, **inside}
    try:
        yield
    finally:
        _REFUSED.functions = before


@contextlib.contextmanager
def in_place() -> Iterator[None]:
    """Around the run of a Python function in the place of a program that has raised: the functions that it calls are
    parts of that program, and are not traced for this one call."""
    before, _REFUSED.in_place = _REFUSED.in_place, True
    try:
        yield
    finally:
        _REFUSED.in_place = before


def runs_eagerly_for_others(function: Any) -> bool:
    """True for a function that is not traced just now, because of its caller: inside a run `in_place`, or where the
    trace of its caller was refused in this one."""
    return _REFUSED.in_place or (bool(_REFUSED.functions) and id(function._fallbacks) in _REFUSED.functions)


def refused_outside(function: Any) -> Fallback | None:
    """Why the function that calls this one runs eagerly just now, if its trace was refused in this one."""
    return _REFUSED.functions.get(id(function._fallbacks)) if _REFUSED.functions else None


def _marked(error: BaseException | None) -> Iterator[Any]:
    """The functions that an error came through, or the errors in whose place it was raised."""
    seen = set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield from vars(error).get(_MARK, ())
        error = error.__cause__ or error.__context__
