"""A call that is made again and again: with arrays of its own each time, and the state as it was at first."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tracefn import events
from tracefn.errors import ResultsDifferError, UnsupportedFunctionError, message
from tracefn.function import ConcreteFunction, Function
from tracefn.function.bound import bound_function
from tracefn.runtime.worker import wait_until_built
from tracefn.timing.arguments import Call, fresh_copies
from tracefn.timing.difference import difference
from tracefn.timing.eagerly import eagerly
from tracefn.timing.sampling import Timed
from tracefn.timing.state import State
from tracefn.trace.tree import flatten

from ..ir.module_name import module_of
from ..records import dataclass

MOST_WAITED = 30.0
"""How long native code is waited for, in s."""

ROUNDING = 1024.0
"""How many roundings a native program may be away from NumPy: functions like exp are within 4 of the exact result, and
a graph has many of them."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A call of `function`, served by the trace `concrete`. `prepare` gives its arguments, with the state as it was;
    with `reuse` the same may serve all calls. `finish` waits for a device that works on its own."""

    function: Function
    concrete: ConcreteFunction
    prepare: Callable[[], Call]
    reuse: bool
    finish: Callable[[], None]

    @property
    def eager(self) -> Timed:
        """The call as plain Python, to be timed."""
        return Timed(self.function.python_function, self.prepare, self.reuse, self.finish, eagerly)

    @property
    def graph(self) -> Timed:
        """The call as users make it, to be timed."""
        return Timed(self.function, self.prepare, self.reuse, self.finish)

    @property
    def tier(self) -> str:
        """The program that runs the call now, in words."""
        return "native program" if self.concrete.plan == "native" else "NumPy program"

    def settled_tier(self) -> str:
        """The same, when native code that is on its way has come into use."""
        if self.concrete.plan != "native":
            wait_until_built(MOST_WAITED)
        return self.tier


@contextmanager
def repeated(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Repeated]:
    """The call `f(*args, **kwargs)`, after a check that eager and graph give the same. When the block ends, the state
    is as it was, and no call was counted.

    Raises ResultsDifferError where they do not, and UnsupportedFunctionError if the call runs eagerly.
    """
    if (bound := bound_function(f)) is not None:
        method: Any = f
        f, args = bound, (method.__self__, *args)
    traced = f if isinstance(f, Function) else Function(f)
    state = State(traced, (args, kwargs))
    with _uncounted(traced), warnings.catch_warnings():
        # Warnings belong to calls of the function; here they would come once for each of many runs.
        warnings.simplefilter("ignore")
        try:
            writes, changes = _check_same(traced, args, kwargs, state)
            concrete = _concrete_of_call(traced, args, kwargs)
            state.restore()
            prepare = partial(_prepared, state if changes else None, args, kwargs)
            yield Repeated(traced, concrete, prepare, not (writes or changes), _device_finish(args, kwargs))
        finally:
            state.restore()


@contextmanager
def _uncounted(traced: Function) -> Iterator[None]:
    """Leave the call counters as they were."""
    before = {calls: (calls.count, calls.timed, calls.timed_ns) for calls in _counters(traced)}
    try:
        yield
    finally:
        for calls in _counters(traced):
            calls.count, calls.timed, calls.timed_ns = before.get(calls, (0, 0, 0))


def _counters(traced: Function) -> list[events.CallCounter]:
    return [*[c.calls for c in traced.concrete_functions], *[f.counter for f in traced.fallbacks]]


def _prepared(state: State | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """The arguments of one call, with the state as it was at first."""
    if state is not None:
        state.restore()
    return fresh_copies(args, kwargs)


def _copied(result: Any) -> Any:
    """A result that stays as it is when the state is put back: it may show arrays of it."""
    ((copy,), _) = fresh_copies((result,), {})
    return copy


def _check_same(traced: Function, args: tuple[Any, ...], kwargs: dict[str, Any], state: State) -> tuple[bool, bool]:
    """Raise if eager and graph differ, in results or in the state that they leave. Returns whether the function writes
    into its arguments, and whether it changes its state."""
    before, eager_call, graph_call = (fresh_copies(args, kwargs) for _ in range(3))
    with eagerly():
        eager = _copied(traced.python_function(*eager_call[0], **eager_call[1]))
    after_eager = State(traced, (args, kwargs)).values()
    state.restore()
    graph = traced(*graph_call[0], **graph_call[1])
    after_graph = State(traced, (args, kwargs)).values()
    state.restore()
    native = any(c.plan == "native" and not c._execution.precise for c in traced.concrete_functions)
    rounding = ROUNDING if native else 0.0
    found = difference(eager, graph, "result", rounding)
    found = found or difference(eager_call, graph_call, "(args, kwargs) after the call", rounding)
    found = found or difference(after_eager, after_graph, "its state", rounding)
    if found is not None:
        raise ResultsDifferError(
            message(
                f"{traced.name} was not timed: its graph does not give the results of the Python function.\n{found}",
                fix="If it draws random numbers or reads values that change, pass them as arguments; else report this.",
            )
        )
    return difference(before, eager_call) is not None, difference(state.values(), after_eager) is not None


def _concrete_of_call(traced: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ConcreteFunction:
    """The trace that serves these arguments: the one whose counter a call moves. Raises where the call runs eagerly."""
    counts = [concrete.calls.count for concrete in traced.concrete_functions]
    call_args, call_kwargs = fresh_copies(args, kwargs)
    traced(*call_args, **call_kwargs)
    moved = zip(traced.concrete_functions, counts, strict=True)
    found = next((concrete for concrete, count in moved if concrete.calls.count > count), None)
    if found is None:
        why = traced.fallbacks[-1] if traced.fallbacks else None
        what = f"a call of `{traced.name}` with these arguments runs eagerly: there is no graph to compare with"
        raise UnsupportedFunctionError(message(what, "" if why is None else why.text, "" if why is None else why.fix))
    return found


def _device_finish(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[], None]:
    """Waits until the GPU has done its work, where an argument is in its memory."""
    leaves, _ = flatten((args, kwargs))
    if any(module_of(type(leaf)).partition(".")[0] == "cupy" for _, leaf in leaves):
        return sys.modules["cupy"].cuda.get_current_stream().synchronize
    return _nothing_to_wait_for


def _nothing_to_wait_for() -> None:
    pass
