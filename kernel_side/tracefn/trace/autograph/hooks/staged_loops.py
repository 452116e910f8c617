"""Loops that become nodes of the graph: their body is traced, and their variables are carried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....errors import ControlFlowError, InPlaceWriteError, TracefnError
from ...context import Trace
from ...control.carried.results import Ambiguous
from ...state.place import Place
from .references import stage_by_reference
from .swapped import stage_swapped
from .variables import Variables

Stage = Callable[[Trace, Variables, Callable[..., Any]], None]


def _staged(
    trace: Trace,
    variables: Variables,
    stage: Stage,
    peeled: Callable[[Callable[[Trace], None]], None],
    after_one: Stage | None = None,
    in_pairs: Callable[[], None] | None = None,
) -> None:
    """Puts a loop into the graph by `stage`, in the first way that tells which arrays share memory: as it is, with
    two rounds in one or numbers that say which array is which where rounds swap arrays, with its first round ahead of
    it where a name stands for another array from then on, and with numbers for all names that may stand for another
    one. `peeled` puts the first round ahead of the rest of the loop, which `after_one` stages."""
    count, before = len(trace.nodes), variables.get()
    after_one = after_one or stage

    def as_it_is() -> None:
        stage(trace, variables, _itself)

    def by_reference(places: Sequence[Place] = ()) -> None:
        stage_by_reference(trace, variables, refusal, lambda of, around: stage(trace, of, around), places)

    def with_types(way: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            variables.unlike = True
            try:
                way()
            finally:
                variables.unlike = False

        return run

    def rest(inner: Trace) -> None:
        start, state = len(inner.nodes), variables.get()
        try:
            after_one(inner, variables, _itself)
        except InPlaceWriteError as error:
            inner.forget_from(start)
            variables.set(state)
            stage_by_reference(inner, variables, error, lambda of, around: after_one(inner, of, around))

    try:
        as_it_is()
        return
    except (InPlaceWriteError, ControlFlowError) as error:
        if hasattr(error, "is_final"):
            raise
        refusal = error
    ways: list[Callable[[], None]] = []
    swaps = getattr(refusal, "swaps", None)
    if swaps and in_pairs is not None:
        ways.append(lambda: variables.call(trace, in_pairs))
    if swaps:
        ways.append(lambda: stage_swapped(trace, variables, refusal, lambda of, around: stage(trace, of, around)))
    elif not isinstance(refusal, Ambiguous):
        ways.append(lambda: peeled(rest))
    ways += [by_reference, with_types(as_it_is), with_types(by_reference)]
    if places := getattr(refusal, "places", ()):
        ways.append(lambda: by_reference(places))
    for way in ways:
        trace.forget_from(count)
        variables.set(before)
        try:
            way()
            refusal.__traceback__ = None  # whose frames hold it, and the trace
            return
        except TracefnError:
            continue
    trace.forget_from(count)
    variables.set(before)
    if not isinstance(refusal, Ambiguous):
        raise refusal
    exact, variables.exact = variables.exact, False
    try:
        as_it_is()
    finally:
        variables.exact = exact


def _itself(body: Callable[..., Any]) -> Callable[..., Any]:
    return body
