"""Errors as they leave tracefn: their tracebacks show the user's frames, as those of eager code do."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import islice
from types import FrameType, TracebackType
from typing import ParamSpec, TypeVar

from ..codegen.lines import entry_at
from ..config import tracebacks_are_full
from ..ir.module_name import module_of
from ..trace.active import current
from ..trace.origin import is_foreign, is_own
from ..trace.trace_parts.scopes import is_part_of_function

_PACKAGE = "tracefn."

P = ParamSpec("P")
R = TypeVar("R")


def cut(error: BaseException) -> None:
    """Cuts tracefn's own frames out of the traceback of an error that leaves a traced function.

    It is called in a handler that ends with a bare `raise`, which adds no frame. An error on its way through a trace is
    left as it is: the trace looks at where it comes from.
    """
    if not tracebacks_are_full() and current() is None:
        _cut(error, set())


def hidden(door: Callable[P, R]) -> Callable[P, R]:
    """A function of tracefn's whose errors leave it without own frames. Those called often do it themselves."""

    @functools.wraps(door)
    def entered(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return door(*args, **kwargs)
        except BaseException as error:
            cut(error)
            raise

    return entered


def _cut(error: BaseException, seen: set[int]) -> None:
    seen.add(id(error))
    before, cause, suppressed = error.__context__, error.__cause__, error.__suppress_context__
    if cause is None or module_of(type(cause)).startswith(_PACKAGE):  # else it is named as such on purpose
        error.__cause__ = _handled_by_user(cause)
    error.__context__ = error.__cause__ if before is cause else _handled_by_user(before)
    error.__suppress_context__ = suppressed
    frames = _users(error.__traceback__)
    if frames is None and before is not None and before is not error.__context__:
        frames = _users(before.__traceback__)  # raised in the place of one that came from the user's code
    error.__traceback__ = frames
    for linked in (error.__cause__, error.__context__):
        if linked is not None and id(linked) not in seen:
            _cut(linked, seen)


def _users(traceback: TracebackType | None) -> TracebackType | None:
    """The entries of a traceback that eager code would have: the user's, those of libraries, and those of Python and
    NumPy that they called."""
    is_inside, kept, inner = False, list[TracebackType](), None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        file = code.co_filename
        if is_own(file) or not is_foreign(file):
            is_inside = is_own(file)
        if not is_inside:
            if inner is not None and is_part_of_function(code) and code in inner.co_consts:
                kept[-1] = _in_function(kept[-1].tb_frame, traceback)
            else:
                kept.append(traceback)
            inner = code
        traceback = traceback.tb_next
    for entry in reversed(kept):
        traceback = TracebackType(traceback, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return traceback


def _in_function(frame: FrameType, part: TracebackType) -> TracebackType:
    """The entry of a statement that is a function of AutoGraph's, as one of the function around it: notebooks show the
    name of a frame's code, and look up its source by the first line of it."""
    variables = {**frame.f_globals, **frame.f_locals, **part.tb_frame.f_locals}
    positions = next(islice(part.tb_frame.f_code.co_positions(), part.tb_lasti // 2, None), (None,) * 4)
    line, end, first, last = positions
    columns = None if first is None or last is None or line != end else (first, last)
    return entry_at(frame.f_code, part.tb_lineno, variables, columns)


def _handled_by_user(error: BaseException | None) -> BaseException | None:
    """The error in whose handling another one was raised; the one before where it was tracefn that handled it."""
    seen: set[int] = set()
    while error is not None and error.__traceback__ is not None and id(error) not in seen:
        if not is_own(error.__traceback__.tb_frame.f_code.co_filename):
            return error
        seen.add(id(error))
        error = error.__context__
    return error
