"""How a traced function lets go of traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import events
from .cache import TraceCache
from .concrete import ConcreteFunction
from .fallback.reasons import Fallbacks
from .fallback.storms import Storm
from .held import Held
from .history.traces import History


class Evicting(Held):
    """The part of `Function` that drops traces."""

    __slots__ = ()

    name: str
    function_id: str
    _cache: TraceCache
    _history: History
    _fallbacks: Fallbacks
    _storm: Storm
    _lock: Any
    _class_has: Any
    _is_read_in_python: Callable[[], None]

    def evict(self, signature: int | str | ConcreteFunction) -> None:
        """Drops one trace and frees its memory: by its number, its signature id (`f#1/2`), or the concrete function.

        A call that it would have fitted is traced anew. Raises ValueError where there is no such trace.

        >>> import numpy as np, tracefn
        >>> f = tracefn.function(lambda x: x + 1)
        >>> _ = f(np.ones(2)), f(np.ones(3))
        >>> f.evict(1)
        >>> [c.number for c in f.concrete_functions]
        [2]
        """
        with self._lock:
            found = [c for c in self._cache.traces if c is signature or signature in (c.number, c.signature_id)]
            if not found:
                raise ValueError(f"`{self.name}` has no trace {signature!r}")
            self._evict(found[0], "removed", "evict()")

    def _evict(self, concrete: ConcreteFunction, state: str, why: str) -> None:
        self._cache.remove(concrete)
        text = f"trace #{concrete.number}, which would have fitted, was evicted ({why})"
        record = next(r for r in self._history.records if r.concrete is concrete)
        self._history.drop(record, state, text)
        events.emit(
            events.TraceEvicted(
                function=self.function_id, signature=concrete.signature_id, trace=concrete.number, reason=why
            )
        )

    def clear_cache(self) -> None:
        """Drops all traces. The next call traces anew; `tracing_count` goes on counting."""
        with self._lock:
            count = len(self._cache.traces)
            for record in self._history.records:
                if record.concrete is not None:
                    self._history.drop(record, "cleared", f"trace #{record.number} went with clear_cache()")
            self._cache.clear()
            self._fallbacks.clear()
            self._storm.clear()
            (self if self._class_has is None else self._class_has)._is_read_in_python()
        events.emit(events.CacheCleared(function=self.function_id, count=count))
