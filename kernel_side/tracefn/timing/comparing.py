"""`compare(f, *args)`: check that eager and graph give the same, then time both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tracefn import events
from tracefn.function.fallback.reasons import without_graph
from tracefn.runtime.worker import held
from tracefn.timing.comparison import Comparison, break_even
from tracefn.timing.repeated import repeated
from tracefn.timing.sampling import take_turns


def compare(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Comparison:
    """Measure `f(*args, **kwargs)` as plain Python and as a graph, after checking that both give the same.

    `f` is a traced function, or a Python function, which is then traced. Arrays among the arguments are copied, so
    the caller's stay as they are, also where `f` writes into its arguments; its state (attributes, globals, Variables,
    random generators) is the same before each run, and is put back afterwards. Of the first call, the phases are those
    recorded when the signature was traced. The runs do not count as calls of `f`. Takes about half a second, more
    where a single call is slow. Where these calls have native code built, it is waited for, 30 s at most, and both
    programs are measured. A derivative has no plain Python: in its place, a trace for each call is measured, and the
    comparison says so (`reference`).

    Raises ResultsDifferError, and times nothing, if the results differ in structure, type, dtype, shape or any value
    (NaN equals NaN; there is no tolerance, but for the roundings of a native program that is not `precise`), and
    UnsupportedFunctionError if the call runs eagerly. Errors of `f` itself come out as they are.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def shifted(x):
    ...     return x * 2 + 1
    >>> comparison = tracefn.timing.compare(shifted, np.arange(4.0))
    >>> comparison.eager.median > 0, sorted(comparison.phases)
    (True, ['bind', 'first_run', 'passes', 'program', 'trace'])
    """
    return compared(f, args, kwargs)


def compared(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], made: tuple[str, ...] = ()
) -> Comparison:
    """`compare(f, *args, **kwargs)`, where the arguments at the paths `made` are others of the same kind."""
    with repeated(f, args, kwargs) as call:
        before, tier = None, call.tier
        with held():
            eager, graph = take_turns([call.eager, call.graph])
        if call.settled_tier() != tier:
            before = eager, graph
            eager, graph = take_turns([call.eager, call.graph])
        first = sum(call.concrete.phases.values())
    comparison = Comparison(
        name=call.function.name,
        function=call.function.function_id,
        signature=call.concrete.signature_id,
        signature_text=call.concrete.signature.text,
        phases=dict(call.concrete.phases),
        eager=eager.quartiles,
        graph=graph.quartiles,
        faster=graph.faster_than(eager),
        tier=call.tier,
        before_native=before and before[1].quartiles,
        break_even_before_native=before and break_even(first, *before),
        made=made,
        reference=without_graph(call.function) or "eager",
    )
    events.emit(comparison.event())
    return comparison
