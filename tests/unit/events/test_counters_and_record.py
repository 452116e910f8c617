"""Call counters and `record()`."""

from __future__ import annotations

import gc

import pytest
from tracefn import events
from tracefn.events import CallCounter, Calls, CounterReader, SideEffect, emit, record


def effect(text: str = "print") -> SideEffect:
    return SideEffect(kind="print", text=text, alternative="outside")


def test_each_reader_has_its_own_memory() -> None:
    early = CounterReader(from_now=True)
    counter = CallCounter("g#1", "g#1/1")
    counter.count += 3
    counter.timed, counter.timed_ns = 2, 50
    late = CounterReader(from_now=True)
    assert [(c.count, c.timed, c.timed_ns) for c in early.read()] == [(3, 2, 50)]
    assert early.read() == []
    assert late.read() == []
    counter.count += 1
    assert [c.count for c in late.read()] == [4]


def test_signatures_come_in_their_order() -> None:
    reader = CounterReader(from_now=True)
    counters = [CallCounter("g#2", f"g#2/{n}") for n in (10, 9, 1)]
    for counter in counters:
        counter.count = 1
    assert [c.signature for c in reader.read()] == ["g#2/1", "g#2/9", "g#2/10"]


def test_calls_of_a_turn_count_one_by_one() -> None:
    counter = CallCounter("g#4", "g#4/1")
    counter.begin_turn(3)
    counts = [counter.count for _ in counter.turn]
    counter.begin_turn(5)
    next(counter.turn)
    counter.begin_turn(2)  # before the last was over
    assert (counts, counter.count) == ([1, 2, 3], 4)
    counter.count = 9
    next(counter.turn)
    assert counter.count == 10


def test_a_dropped_counter_is_forgotten() -> None:
    reader = CounterReader(from_now=True)
    counter = CallCounter("g#3", "g#3/1")
    counter.count = 1
    del counter
    gc.collect()
    assert reader.read() == []
    assert not [c for c in events.live_counters() if c.function == "g#3"]


def test_record_gives_the_events_of_the_block_and_then_the_totals() -> None:
    counter = CallCounter("g#4", "g#4/1")
    counter.count = 5
    untouched = CallCounter("g#4", "g#4/2")
    emit(effect("before"))
    with record() as recorded:
        emit(effect("inside"))
        counter.count += 2
        # What the panel's link asks for meanwhile does not show.
        emit(Calls(function="g#4", signature="g#4/1", count=6, timed=0, timed_ns=0))
    emit(effect("after"))
    assert [(e.type, getattr(e, "text", getattr(e, "count", None))) for e in recorded] == [
        ("side_effect", "inside"),
        ("calls", 7),
    ]
    assert recorded[0].seq < recorded[1].seq
    assert untouched.count == 0


def test_record_ends_when_the_block_raises() -> None:
    counter = CallCounter("g#5", "g#5/1")
    with pytest.raises(ZeroDivisionError), record() as recorded:
        counter.count += 1
        emit(effect())
        raise ZeroDivisionError
    emit(effect())
    assert [event.type for event in recorded] == ["side_effect", "calls"]


def test_records_nest() -> None:
    with record() as outer:
        with record() as inner:
            emit(effect("both"))
        emit(effect("outer"))
    assert [e.text for e in outer if isinstance(e, SideEffect)] == ["both", "outer"]
    assert [e.text for e in inner if isinstance(e, SideEffect)] == ["both"]
