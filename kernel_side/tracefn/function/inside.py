"""Calls of a traced function from within a trace: its operations become part of the outer graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..trace.active import current
from ..trace.context import Trace
from ..trace.control.calls import called
from ..trace.foreign import call as step
from ..trace.signature import CallSignature
from .fallback.inner import refused_in
from .held import Held
from .input_signature import Declared
from .wrapped import Wrapped

MAX_CALLS = 20
"""Calls inside calls that are nodes of the graph; those further down become part of the one around them at once."""


class Inside(Held):
    """The part of `Function` that traces call."""

    __slots__ = ()

    name: str
    _wrapped: Wrapped
    _declared: Declared | None
    _bind: Callable[..., dict[str, Any]]

    def _call_inside(self, trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call from within a trace: its operations are under a scope of their own."""
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

        with refused_in(self):
            if trace.root.inlines_calls or getattr(trace, "calls", 0) >= MAX_CALLS:
                with trace.name_scope(self.name):
                    return call()
            return called(trace, self.name, call)
