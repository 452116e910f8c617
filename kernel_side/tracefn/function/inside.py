"""Calls of a traced function from within a trace: its operations become part of the outer graph."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from ..trace.active import current
from ..trace.code.rewritten import HELPERS
from ..trace.context import Trace
from ..trace.control.calls import called
from ..trace.foreign import call as step
from ..trace.foreign.surroundings import outside_of_traces
from ..trace.signature import CallSignature
from .fallback.inner import refused_in
from .held import Held
from .input_signature import Declared
from .wrapped import Wrapped

MAX_CALLS = 20
"""Calls inside calls that are nodes of the graph; those further down become part of the one around them at once."""

_TRACING = os.path.join(os.path.dirname(__file__), "tracing", "")


class Inside(Held):
    """The part of `Function` that traces call."""

    __slots__ = ()

    name: str
    _wrapped: Wrapped
    _declared: Declared | None
    _bind: Callable[..., dict[str, Any]]
    __call__: Callable[..., Any]

    def _call_inside(self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call from within a trace: its operations are under a scope of their own."""
        if _is_importing():
            with outside_of_traces():
                return self(*args, **kwargs)
        if self._declared is not None:
            self._declared.check(CallSignature.of(self._bind(args, kwargs))[0])
        args, kwargs = self._wrapped.args + args, {**self._wrapped.kwargs, **kwargs}
        if self._wrapped.runs_piecewise:
            return trace.function_copy(self._wrapped.function)(*args, **kwargs)
        if not self._wrapped.is_traced:
            return step(self._wrapped.function, args, kwargs)

        def call() -> Any:
            inner = current() or trace
            return inner.call(self._wrapped.function, args, kwargs)

        with refused_in(self, trace.root.budget):
            if trace.root.inlines_calls or getattr(trace, "calls", 0) >= MAX_CALLS:
                with trace.name_scope(self.name):
                    return call()
            return called(trace, self.name, call)


def _is_importing() -> bool:
    """True in a call by the code of a module that the trace imports. Effects of that code happen once in the process:
    they are no part of a trace, which may be taken back."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and HELPERS not in frame.f_globals:
        if frame.f_code.co_filename.startswith(_TRACING):
            return False
        if frame.f_code.co_name == "<module>" and getattr(frame.f_globals.get("__spec__"), "_initializing", False):
            return True
        frame = frame.f_back
    return False
