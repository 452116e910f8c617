"""The first run of a trace, by the call that it was made for."""

from __future__ import annotations

import time
from typing import Any

from .. import events
from ..runtime.calls.source import MISS
from ..runtime.unseen_frames import unseen_by_warnings
from ..trace.foreign import first_run
from ..trace.trace_parts.variable_states import Creation
from .concrete import ConcreteFunction
from .fallback.alone import fallback_of_call_alone
from .guards import Now
from .run_eagerly import RunsEagerly


@unseen_by_warnings
class FirstRuns(RunsEagerly):
    """The part of `Function` that runs new traces."""

    __slots__ = ()

    function_id: str
    _creation: Creation

    def _run_creating(self, concrete: ConcreteFunction, values: list[Any], arguments: dict[str, Any]) -> Any:
        """The first call, which makes variables: they get their initial values, or are taken back."""
        try:
            result = self._first_run(concrete, values, arguments)
        except BaseException:
            concrete._created.undo()
            raise
        self._creation = Creation(True, concrete._created.sources)
        return result

    def _first_run(self, concrete: ConcreteFunction, values: list[Any], arguments: dict[str, Any]) -> Any:
        start = time.perf_counter_ns()
        with first_run(concrete.graph):
            result = concrete._execution.run(values, Now(concrete.signature, values, arguments))
        duration = time.perf_counter_ns() - start
        concrete.phases["first_run"] = duration
        events.emit(
            events.TracePhase(
                function=self.function_id, signature=concrete.signature_id, phase="first_run", duration_ns=duration
            )
        )
        if concrete.calls.heat is not None:
            concrete.calls.heat.first_run(duration)
        self._may_be_alone(concrete)
        if result is MISS:
            # something outside changed between the trace and its first run: another thread, or the function itself
            return self._parameters.call(self._wrapped.function, arguments)
        return result

    def _may_be_alone(self, concrete: ConcreteFunction) -> None:
        """Makes later calls run eagerly where the graph is no more than the call."""
        alone = fallback_of_call_alone(self._wrapped.function, concrete.graph) if self._may_wait else None
        if alone is not None and self._fallbacks.always is None:
            with self._lock:
                self._fallbacks.add(self, alone, warns=False)
                self._evict(concrete, "removed", alone.reason)
