"""Warnings while tracing that no step repeats: NumPy's for numbers that are known, and those of functions that are not
rewritten. Each becomes a step of its own, so that every call warns."""

from __future__ import annotations

import contextlib
import functools
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from ..active import current
from ..origin import is_own, user_frame
from .calls import call

_OF_NO_CALL = (SyntaxWarning, ResourceWarning)
"""Kinds that come when code is compiled, or when Python happens to collect garbage."""

_OURS = __name__.partition(".")[0] + "."


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
        if trace is not None and trace.root is trace and not is_other:
            given = (category, *_place_of(warning))
            call(functools.partial(warn_at, given, warning.message), (), {}, name="warnings.warn")
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


def warn_at(given: tuple[Any, str, int, str], text: Any) -> None:
    """Warns as code does at a line of a module."""
    category, file, line, name = given
    namespace = vars(sys.modules[name]) if name in sys.modules else {}
    warnings.warn_explicit(text, category, file, line, name, namespace.setdefault("__warningregistry__", {}))
