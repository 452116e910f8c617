"""The reports of a traced function: its traces, the staging of its lines, reasons of retraces, and fallbacks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ..errors import message
from ..runtime import own_frames
from ..trace.origin import where
from ..trace.signature import CallSignature
from ..trace.trace_parts.variable_states import Creation
from .cache import TraceCache
from .concrete import ConcreteFunction
from .fallback.reasons import Fallback, Fallbacks
from .guards import Now
from .held import Held
from .history.extensions import hooks
from .history.staging import StagingReport, staging_report
from .input_signature import Declared
from .tracing.own_numbers import OwnNumbers
from .wrapped import Wrapped


class Looking(Held):
    """The part of `Function` that reports, and runs nothing."""

    __slots__ = ()

    name: str
    _wrapped: Wrapped
    _declared: Declared | None
    _cache: TraceCache
    _fallbacks: Fallbacks
    _own_numbers: OwnNumbers
    _creation: Creation
    _lock: Any
    _instance: Callable[[], Any]
    _bind: Callable[..., dict[str, Any]]
    _trace: Callable[..., ConcreteFunction]

    @own_frames.hidden
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments like these, made if there is none. Nothing is run.

        Each argument is a value as in a call, or a `TensorSpec` in the place of an array. Without arguments, the
        `input_signature` is taken.

        >>> import numpy as np, tracefn
        >>> f = tracefn.function(lambda x: x * 2)
        >>> f.get_concrete_function(tracefn.TensorSpec((3,), np.int64)).program.splitlines()[1].strip()
        'v0 = x * 2'
        """
        return self._concrete_function(self._instance(), args, kwargs)

    def _concrete_function(self, instance: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ConcreteFunction:
        """The same, with the instance before the arguments where this is a method of one."""
        if self._declared is not None and not args and not kwargs:
            args, kwargs = self._declared.arguments()
        if instance is not None:
            args = (instance, *args)
        start = time.perf_counter_ns()
        arguments = self._bind(args, kwargs)
        call, values = CallSignature.of(arguments)
        if self._declared is not None:
            call = self._declared.check(call)
        call = self._own_numbers.of(call)
        with self._lock:
            now = Now(call, values)
            for concrete in self._cache.of_key(call.key()):
                if (
                    concrete.signature.key() == call.key()
                    and next(concrete._execution.broken_outside(now), None) is None
                ):
                    return concrete
            concrete = self._trace(call, arguments, now, time.perf_counter_ns() - start)
            if not concrete._created:
                return concrete
            if not concrete._created.are_initialised:
                concrete._created.undo()
                raise ValueError(
                    message(
                        f"`{self.name}` makes a Variable whose initial value a call computes, and there was no call",
                        where(concrete._created.sources[0]),
                        "Call the function once before.",
                    )
                )
            self._creation = Creation(True, concrete._created.sources)
            return self._trace(call, arguments, Now(call, values), 0)

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """All traces that are kept, oldest first."""
        return list(self._cache.traces)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """All signatures in words: one line each, or with a line for each argument."""
        return ("\n\n" if verbose else "\n").join(c.pretty_printed_signature(verbose) for c in self._cache.traces)

    def staging(self, trace: int | None = None) -> StagingReport:
        """The source of the function with the treatment of each line of its control flow: staged into the graph, run
        once while tracing, unrolled, or not converted; and its side effects. Of the last trace, or of number `trace`.
        It is a text; in a notebook it shows itself as a table, with the nodes and the time of each line.

        The lines at which calls fell back to eager ones are marked `eager`, with the reason below the source. Raises
        ValueError where there is no such trace, and no eager call either.

        >>> import numpy as np, tracefn
        >>> @tracefn.function
        ... def f(x, n):
        ...     for _ in range(n):
        ...         x = x / 2 if x.sum() > 1 else x
        ...     return x
        >>> _ = f(np.ones(3), np.int64(2))
        >>> print(f.staging())
               |    1 @tracefn.function
               |    2 def f(x, n):
        staged |    3     for _ in range(n):
        staged |    4         x = x / 2 if x.sum() > 1 else x
               |    5     return x
        """
        concrete = next((c for c in reversed(self._cache.traces) if trace in (None, c.number)), None)
        eager = [(f.location, f.reason, f.fix) for f in self.fallbacks]
        if concrete is None:
            if trace is None and eager:
                return staging_report(self._wrapped.written, (), (), None, {}, eager)
            raise ValueError(f"`{self.name}` has no trace" + ("" if trace is None else f" number {trace}"))
        effects = [(e.source.file, e.source.line, e.kind) for e in concrete.side_effects if e.source is not None]
        return staging_report(
            self._wrapped.written, concrete.staging, effects, concrete.traced_graph, concrete.line_ns, eager
        )

    def explain(self, trace: int | None = None) -> Any:
        """Why the last trace was made, or number `trace`: a `tracefn.explain.Explanation`.

        It compares the call with every earlier trace, the nearest first, and gives the cost of the trace and the
        places that it depends on outside its arguments. Of a method that is read from its class (`Model.step`) it is
        the last trace of all instances. Raises ValueError where there is no such trace.

        >>> import numpy as np, tracefn
        >>> @tracefn.function
        ... def f(x, n):
        ...     return x * n
        >>> _ = f(np.ones(3), 10), f(np.ones(3), 20)
        >>> [cause.text for cause in f.explain().causes]
        ['n: 10 → 20 (Python int)']
        """
        return hooks().explain(self, trace)

    def what_if(self) -> Any:
        """The outcome of the calls so far under other policies: a `tracefn.explain.WhatIf`.

        All calls that needed a trace are replayed, on their keys alone: with Python numbers passed as arrays, with open
        lengths, with lengths rounded up to powers of two, with equal objects taken for one. For each policy it gives
        the number of traces, the time that it would have saved, and the changes of results.

        >>> import numpy as np, tracefn
        >>> f = tracefn.function(lambda x, n: x * n)
        >>> for n in range(5):
        ...     _ = f(np.ones(n + 1), n)
        >>> outcome = f.what_if().of("scalars as arrays, relaxed dims")
        >>> outcome.traces, outcome.arguments, outcome.changes
        (1, ('x', 'n'), ())
        """
        return hooks().what_if(self)

    @property
    def fallbacks(self) -> list[Fallback]:
        """Why calls ran eagerly instead of as a graph, by signature, in the order in which they were met.

        >>> import numpy as np, tracefn, warnings
        >>> f = tracefn.function(lambda x: int(np.asarray(x).item(0)), autograph=False, on_unsupported="eager")
        >>> with warnings.catch_warnings(action="ignore"):
        ...     f(np.ones(2))
        1
        >>> [(fallback.error, fallback.calls) for fallback in f.fallbacks]
        [('TensorConversionError', 1)]
        """
        return list(self._fallbacks.found)
