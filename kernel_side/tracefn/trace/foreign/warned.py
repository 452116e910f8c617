"""Warnings while tracing that no step repeats: NumPy's for numbers that are known, and those of functions that are not
rewritten. Each becomes a step of its own, so that every call warns."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from ...ir.op import by_name
from ...ir.own_modules import own_numpy
from ..active import current
from ..context import Trace
from ..origin import is_own, user_frame
from ..tensor import Tensor
from ..trace_parts.scopes import is_part_of_function
from ..values.traced_text import Text
from .calls import call

_OF_NO_CALL = (SyntaxWarning, ResourceWarning)
"""Kinds that come when code is compiled, or when Python happens to collect garbage."""

_OURS = __name__.partition(".")[0] + "."
_TRACING = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "function", "tracing", "")


@contextlib.contextmanager
def warnings_become_steps() -> Iterator[None]:
    """Surrounds the call of the traced function. Warnings that the filters suppress meanwhile are suppressed at later
    calls, too."""
    taking = _Taking()
    try:
        yield
    finally:
        taking.end()


class _Taking:
    """Replaces the function that shows warnings while a trace is made. Those of other code go to the previous one."""

    def __init__(self) -> None:
        module: Any = warnings
        self.is_over = False
        self.before = module.showwarning, module._showwarnmsg_impl
        module.showwarning, module._showwarnmsg_impl = module._showwarning_orig, self

    def __call__(self, warning: warnings.WarningMessage) -> None:
        trace, category = current(), warning.category
        is_other = issubclass(category, _OF_NO_CALL) or category.__module__.startswith(_OURS)
        if trace is not None and not is_other:
            given = (category, *_place_of(warning))
            if trace.root is not trace:
                _forget(warning)
            warn_step(trace, given, warning.message)
            return
        module: Any = warnings
        shown, done = self.before
        if shown is module._showwarning_orig:
            done(warning)
        else:
            shown(warning.message, category, warning.filename, warning.lineno, warning.file, warning.line)

    def end(self) -> None:
        """Restores the previous function, unless another thread traces: that one does so later."""
        module: Any = warnings
        self.is_over = True
        if module._showwarnmsg_impl is self:
            before = self.before
            while type(before[1]) is _Taking and before[1].is_over:
                before = before[1].before
            module.showwarning, module._showwarnmsg_impl = before


def _place_of(warning: warnings.WarningMessage) -> tuple[str, int, str]:
    """The file, line and module of a warning: those of the user's code, where the warning names tracefn's."""
    file, line = warning.filename, warning.lineno
    frame: Any = sys._getframe(2)
    if is_own(file):
        frame = user_frame(3) or frame
        file, line = frame.f_code.co_filename, frame.f_lineno
    while frame is not None and frame.f_code.co_filename != file:
        frame = frame.f_back
    return file, line, "<unknown>" if frame is None else frame.f_globals.get("__name__", "<unknown>")


def _forget(warning: warnings.WarningMessage) -> None:
    """Takes a warning that was not shown out of those that are shown once: the body may be traced again."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename != warning.filename:
        frame = frame.f_back
    known = {} if frame is None else frame.f_globals.get("__warningregistry__", {})
    for line in (warning.lineno, 0):
        known.pop((str(warning.message), warning.category, line), None)


Given = tuple[Any, ...]
"""A category, and the file, line and module of a warning; without these it is at the line of the call."""


class _Warns:
    """A warning as the graph holds it: of its own text, or of one that it is called with."""

    __name__ = "warnings.warn"

    def __init__(self, given: Given, *text: Any) -> None:
        self._given, self._text = given, text

    def __call__(self, *text: Any) -> None:
        warn_at(self._given, *self._text, *text)


def warn_step(trace: Trace, given: Given, text: Any) -> None:
    """Records a warning as a step of the graph, which a branch or loop may hold."""
    is_text = isinstance(text, str | Text | Tensor)  # else it is a warning
    run = _Warns(given) if is_text else _Warns(given, text)
    if trace.root is trace and len(given) > 1:
        call(run, (text,) if is_text else (), {}, name="warnings.warn")
    else:
        values = (text.tensor if type(text) is Text else text,) if is_text else ()
        trace.record(by_name("check"), (run, *values), {})


def called_from(frame: Any) -> tuple[str, int, str] | None:
    """File, line and module of the code that calls the user's function whose frame this is, or a part of it. None where
    that is the code which calls the traced function."""
    while frame is not None and is_part_of_function(frame.f_code):
        frame = _outer(frame)
    frame = _outer(frame)
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno, _module_of(frame))


def _outer(frame: Any) -> Any:
    """The next frame in the same trace that is not tracefn's own."""
    frame = None if frame is None else frame.f_back
    while frame is not None and is_own(frame.f_code.co_filename):
        frame = None if frame.f_code.co_filename.startswith(_TRACING) else frame.f_back
    return frame


def _is_of_program(frame: Any) -> bool:
    """True for a frame of a program, whose lines are the user's and whose NumPy is tracefn's."""
    return frame.f_globals.get("np") is own_numpy


def _module_of(frame: Any) -> str:
    return str(frame.f_globals.get("__name__", "<unknown>"))


def warn_at(given: Given, text: Any) -> None:
    """Warns as code does at a line of a module."""
    category, *place = given
    if place:
        file, line, name = place
        namespace = vars(sys.modules[name]) if name in sys.modules else {}
    else:
        frame: Any = sys._getframe(1)
        while frame is not None and (is_own(frame.f_code.co_filename) or _is_of_program(frame)):
            frame = frame.f_back
        file, line, name, namespace = "sys", 1, "sys", vars(sys)
        if frame is not None:
            file, line, name, namespace = frame.f_code.co_filename, frame.f_lineno, _module_of(frame), frame.f_globals
    warnings.warn_explicit(text, category, file, line, name, namespace.setdefault("__warningregistry__", {}))
