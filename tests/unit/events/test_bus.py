"""The bus: numbering, order, listeners, threads, forks."""

from __future__ import annotations

import logging
import os
import threading

import pytest
from tracefn.events import Bus, CallCounter, CounterReader, Event, SideEffect


def effect(text: str = "print") -> SideEffect:
    return SideEffect(kind="print", text=text, alternative="outside")


def test_events_are_numbered_and_dated_in_order() -> None:
    bus = Bus()
    emitted = [bus.emit(effect()) for _ in range(3)]
    assert [event.seq for event in emitted] == [1, 2, 3]
    assert emitted[0].time_ns <= emitted[1].time_ns <= emitted[2].time_ns
    assert emitted[0].time_ns > 0


def test_an_event_that_is_emitted_twice_is_two_events() -> None:
    bus = Bus()
    event = effect()
    first, second = bus.emit(event), bus.emit(event)
    assert (first.seq, second.seq) == (1, 2)
    assert [kept.seq for kept in bus.ledger.snapshot().events] == [1, 2]


def test_a_listener_hears_until_it_is_stopped() -> None:
    bus = Bus()
    heard: list[Event] = []
    stop = bus.listen(heard.append)
    bus.emit(effect("a"))
    stop()
    bus.emit(effect("b"))
    assert [event.seq for event in heard] == [1]


def test_who_sleeps_is_woken_once_by_the_next_event() -> None:
    bus = Bus()
    woken = threading.Event()
    calls: list[int] = []
    bus.wake(woken.set)
    bus.wake(woken.set)  # the same one
    bus.wake(lambda: calls.append(bus.ledger.last))
    assert not woken.is_set()
    bus.emit(effect("a"))
    woken.clear()
    bus.emit(effect("b"))
    assert not woken.is_set()
    assert calls == [1]  # the event is kept by then
    bus.wake(woken.set)
    bus.forget_sleepers()
    bus.emit(effect("c"))
    assert not woken.is_set()


def test_a_listener_that_raises_is_logged_and_dropped(caplog: pytest.LogCaptureFixture) -> None:
    bus = Bus()
    heard: list[Event] = []

    def broken(event: Event) -> None:
        raise RuntimeError("no")

    bus.listen(broken)
    bus.listen(heard.append)
    with caplog.at_level(logging.ERROR, logger="tracefn"):
        bus.emit(effect())
        bus.emit(effect())
    assert len(heard) == 2
    assert [record.name for record in caplog.records] == ["tracefn"]


def test_an_interrupt_in_a_listener_reaches_the_user_and_leaves_the_bus_working() -> None:
    bus = Bus()

    def interrupted(event: Event) -> None:
        raise KeyboardInterrupt

    stop = bus.listen(interrupted)
    with pytest.raises(KeyboardInterrupt):
        bus.emit(effect())
    stop()
    heard: list[Event] = []
    bus.listen(heard.append)
    bus.emit(effect())
    assert [event.seq for event in heard] == [2]


def test_what_a_listener_emits_comes_after_the_event_at_hand_for_all() -> None:
    bus = Bus()
    heard: list[str] = []

    def echo(event: Event) -> None:
        assert isinstance(event, SideEffect)
        if event.text == "first":
            bus.emit(effect("echo"))

    bus.listen(echo)
    bus.listen(lambda event: heard.append(event.text))  # type: ignore[attr-defined]
    bus.emit(effect("first"))
    assert heard == ["first", "echo"]


def test_threads_get_numbers_without_holes_and_listeners_hear_them_in_order() -> None:
    bus = Bus()
    heard: list[int] = []
    bus.listen(lambda event: heard.append(event.seq))

    def work() -> None:
        for _ in range(500):
            bus.emit(effect())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == list(range(1, 2001))


def test_emit_calls_sends_only_what_changed() -> None:
    bus = Bus()
    reader = CounterReader(from_now=True)
    counter = CallCounter("f#bus", "f#bus/1")
    assert bus.emit_calls(reader) == []
    counter.count += 2
    (event,) = bus.emit_calls(reader)
    assert (event.type, event.signature, event.seq) == ("calls", "f#bus/1", 1)
    assert bus.emit_calls(reader) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_forked_while_another_thread_emits_can_emit() -> None:
    bus = Bus()
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            bus.emit(effect())

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                bus.emit(effect("child"))
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()
