"""The ledger: what it keeps, and its bound."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tracefn.events import Bus, CacheCleared, Calls, Event, GraphBuilt, Ledger, SideEffect, TracePhase, TraceStarted
from tracefn.events.ledger import OLDER_EVENTS


def started(signature: str) -> TraceStarted:
    return TraceStarted(
        function="f#1",
        signature=signature,
        function_name="f",
        function_key="m.f",
        defined=None,
        trace=1,
        signature_text="x: float64",
        signature_hash="h",
        arguments=(),
    )


def phase(signature: str) -> TracePhase:
    return TracePhase(function="f#1", signature=signature, phase="trace", duration_ns=1)


def effect() -> SideEffect:
    return SideEffect(kind="print", text="print", alternative="outside")


def calls(signature: str, count: int) -> Calls:
    return Calls(function="f#1", signature=signature, count=count, timed=0, timed_ns=0)


def kept(bus: Bus) -> list[tuple[str, int]]:
    return [(event.type, event.seq) for event in bus.ledger.snapshot().events]


def test_an_empty_ledger() -> None:
    ledger = Ledger()
    assert ledger.last == 0
    assert ledger.snapshot().events == []
    assert ledger.since(0) == ([], True)


def test_old_events_of_a_signature_outlive_others() -> None:
    bus = Bus(Ledger(newest_events=2))
    for event in (started("f#1/1"), effect(), phase("f#1/1"), effect(), effect()):
        bus.emit(event)
    assert kept(bus) == [("trace.started", 1), ("trace.phase", 3), ("side_effect", 4), ("side_effect", 5)]
    assert bus.ledger.snapshot().dropped == 1


def test_the_oldest_signature_goes_when_there_are_too_many() -> None:
    bus = Bus(Ledger(newest_events=1, newest_signatures=2))
    for number in (1, 2, 3):
        bus.emit(started(f"f#1/{number}"))
    bus.emit(effect())
    assert kept(bus) == [("trace.started", 2), ("trace.started", 3), ("side_effect", 4)]


def test_a_late_event_does_not_bring_a_dropped_signature_back() -> None:
    bus = Bus(Ledger(newest_events=1, newest_signatures=1))
    for event in (started("f#1/1"), started("f#1/2"), phase("f#1/1"), effect()):
        bus.emit(event)
    assert kept(bus) == [("trace.started", 2), ("side_effect", 4)]


def test_one_signature_cannot_fill_the_ledger() -> None:
    bus = Bus(Ledger(newest_events=1))
    bus.emit(started("f#1/1"))
    for _ in range(3 * OLDER_EVENTS):
        bus.emit(phase("f#1/1"))
    assert len(bus.ledger.snapshot().events) == OLDER_EVENTS + 1


def test_a_cleared_cache_is_remembered_with_its_function() -> None:
    bus = Bus(Ledger(newest_events=1))
    bus.emit(started("f#1/1"))
    bus.emit(CacheCleared(function="f#1", count=1))
    bus.emit(effect())
    assert [kind for kind, _ in kept(bus)] == ["trace.started", "cache.cleared", "side_effect"]


def test_only_the_newest_totals_of_a_signature_are_kept() -> None:
    bus = Bus()
    for event in (calls("f#1/1", 1), calls("f#1/2", 1), calls("f#1/1", 5)):
        bus.emit(event)
    events = bus.ledger.snapshot().events
    assert [(event.seq, event.signature) for event in events] == [(2, "f#1/2"), (3, "f#1/1")]
    assert bus.ledger.snapshot().dropped == 0
    assert bus.ledger.last == 3


def test_since_gives_what_is_newer_in_order() -> None:
    bus = Bus()
    for event in (effect(), calls("f#1/1", 1), effect(), calls("f#1/2", 1)):
        bus.emit(event)
    events, complete = bus.ledger.since(1)
    assert ([event.seq for event in events], complete) == ([2, 3, 4], True)
    assert bus.ledger.since(4) == ([], True)


def test_since_says_when_something_is_missing() -> None:
    bus = Bus(Ledger(newest_events=2))
    for event in (started("f#1/1"), effect(), calls("f#1/1", 1), calls("f#1/1", 2), effect()):
        bus.emit(event)
    # The first is still kept with its signature, and the third was replaced by the fourth.
    assert [bus.ledger.since(seq)[1] for seq in (0, 1, 2)] == [False, True, True]
    assert [event.seq for event in bus.ledger.since(1)[0]] == [2, 4, 5]


def test_a_graph_is_found_by_hash_as_long_as_its_event_is_kept() -> None:
    bus = Bus(Ledger(newest_events=1, newest_signatures=1))
    graph = object()
    bus.emit(started("f#1/1"))
    sizes = {"nodes_before": 2, "nodes_after": 1}
    bus.emit(GraphBuilt(function="f#1", signature="f#1/1", known_hash="9f", **sizes, passes=(), graph=graph))
    bus.emit(effect())
    assert bus.ledger.graph("9f") is graph
    assert bus.ledger.graph("00") is None
    bus.emit(started("f#1/2"))
    assert bus.ledger.graph("9f") is None


@given(
    st.lists(st.tuples(st.sampled_from(["started", "phase", "effect", "calls"]), st.integers(1, 6)), max_size=120),
    st.integers(1, 8),
    st.integers(1, 3),
)
def test_the_bound_holds_and_nothing_is_counted_twice(
    made: list[tuple[str, int]], newest_events: int, newest_signatures: int
) -> None:
    bus = Bus(Ledger(newest_events, newest_signatures))
    replaced = 0
    totals: set[str] = set()
    for kind, number in made:
        signature = f"f#1/{number}"
        event: Event
        match kind:
            case "started":
                event = started(signature)
            case "phase":
                event = phase(signature)
            case "calls":
                event = calls(signature, 1)
                # Totals that a newer one replaces, or that no longer fit, are not missed and not counted.
                before = len([e for e in bus.ledger.snapshot().events if e.type == "calls"])
                replaced += signature in totals or before == newest_signatures
                totals = {str(e.signature) for e in bus.ledger.snapshot().events if e.type == "calls"} | {signature}
            case _:
                event = effect()
        bus.emit(event)
        totals = {str(e.signature) for e in bus.ledger.snapshot().events if e.type == "calls"}
    snapshot = bus.ledger.snapshot()
    numbers = [event.seq for event in snapshot.events]
    assert numbers == sorted(set(numbers))
    assert snapshot.last == len(made) == bus.ledger.last
    assert len(numbers) + snapshot.dropped + replaced == len(made)
    assert len(numbers) <= newest_events + newest_signatures * (OLDER_EVENTS + 1)
