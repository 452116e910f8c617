"""The part that a stream leaves out when it is far behind: traces that have ended, of which it has the sums."""

from __future__ import annotations

from typing import TypedDict

from tracefn.events import Event, RetraceExplained, TraceFinished, TraceStarted

#: The events of a trace that the sums stand for. Others, of errors say, are sent all the same.
SUMMED = frozenset(
    {
        "trace.started",
        "trace.phase",
        "trace.finished",
        "retrace.explained",
        "graph.built",
        "plan.build",
        "plan.ready",
        "trace.kept",
        "plan.kept",
        "trace.evicted",
        "calls",
    }
)


class Sums(TypedDict):
    """How many traces of a function were left out, how many of them were retraces, and the time of their first
    calls."""

    traces: int
    retraces: int
    cost_ns: int


def traces_to_leave_out(events: list[Event]) -> tuple[frozenset[str | None], dict[str, Sums]]:
    """The signatures whose traces begin and end well among the events, and their sums, by function."""
    begun = {event.signature for event in events if isinstance(event, TraceStarted)}
    ended = {
        event.signature: event
        for event in events
        if isinstance(event, TraceFinished) and event.ok and event.signature in begun
    }
    sums: dict[str, Sums] = {}
    for event in ended.values():
        own = sums.setdefault(event.function or "", Sums(traces=0, retraces=0, cost_ns=0))
        own["traces"] += 1
        own["cost_ns"] += max(event.total_ns, sum(event.phases.values()))
    for retrace in events:
        if isinstance(retrace, RetraceExplained) and retrace.signature in ended:
            sums[retrace.function or ""]["retraces"] += 1
    return frozenset(ended), sums
