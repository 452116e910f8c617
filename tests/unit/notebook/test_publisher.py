"""The publisher's thread: when it sends, and when it sleeps."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tracefn.events import BUS, CallCounter, CounterReader, SideEffect
from tracefn.notebook import publisher as publisher_module
from tracefn.notebook.batches import Batcher
from tracefn.notebook.publisher import Publisher

Start = Callable[..., Publisher]


def effect(text: str = "print") -> SideEffect:
    return SideEffect(kind="print", text=text, alternative="outside")


def wait_until(condition: Callable[[], Any], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    for name, seconds in (("BATCH_INTERVAL", 0.01), ("COUNTERS_INTERVAL", 0.02), ("IDLE_KEYFRAME", 0.05)):
        monkeypatch.setattr(publisher_module, name, seconds)
    started: list[Publisher] = []

    def start(send: Callable[[dict[str, Any]], None], busy: Callable[[], bool] = lambda: False) -> Publisher:
        batcher = Batcher(BUS.ledger, "1")
        batcher.last = BUS.ledger.last
        started.append(Publisher(batcher, CounterReader(from_now=True), send, busy))
        return started[-1]

    yield start
    for each in started:
        each.stop()


def test_events_are_sent_and_then_a_keyframe(start: Start) -> None:
    sent: list[dict[str, Any]] = []
    start(sent.append)
    emitted = BUS.emit(effect())
    wait_until(lambda: len(sent) == 2)
    assert [message["kind"] for message in sent] == ["batch", "keyframe"]
    assert sent[0]["last"] == sent[1]["last"] == emitted.seq


def test_it_sleeps_when_there_is_nothing(start: Start) -> None:
    sent: list[dict[str, Any]] = []
    publisher = start(sent.append)
    BUS.emit(effect())
    wait_until(lambda: len(sent) == 2)
    time.sleep(0.1)
    assert publisher._rest() is None
    assert len(sent) == 2


def test_calls_are_counted_while_a_cell_runs(start: Start) -> None:
    sent: list[dict[str, Any]] = []
    counter = CallCounter("p#1", "p#1/1")
    publisher = start(sent.append, busy=lambda: True)
    publisher.look()
    counter.count = 3
    wait_until(lambda: any(message["kind"] == "batch" for message in sent))
    batch = next(message for message in sent if message["kind"] == "batch")
    assert [(e["signature"], e["count"]) for e in batch["events"]] == [("p#1/1", 3)]


def test_calls_of_a_short_cell_are_counted_at_its_end(start: Start) -> None:
    sent: list[dict[str, Any]] = []
    counter = CallCounter("p#2", "p#2/1")
    publisher = start(sent.append)
    wait_until(lambda: publisher._rest() is None)
    counter.count = 1
    publisher.look()
    wait_until(lambda: any(e["signature"] == "p#2/1" for m in sent if m["kind"] == "batch" for e in m["events"]))


def test_a_keyframe_now_and_then_while_busy(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher_module, "BUSY_KEYFRAME", 0.05)
    sent: list[dict[str, Any]] = []
    start(sent.append, busy=lambda: True)
    wait_until(lambda: len([message for message in sent if message["kind"] == "keyframe"]) >= 3)


def test_a_message_that_cannot_be_sent_is_logged_once_and_shows_as_a_gap(
    start: Start, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "IDLE_KEYFRAME", 1000)  # which would be refused in the place of an event
    sent: list[dict[str, Any]] = []
    refuse = [True, True]

    def send(message: dict[str, Any]) -> None:
        if refuse:
            refuse.pop()
            raise OSError("closed")
        sent.append(message)

    start(send)
    with caplog.at_level(logging.ERROR, logger="tracefn"):
        BUS.emit(effect())
        wait_until(lambda: len(refuse) == 1)
        BUS.emit(effect())
        wait_until(lambda: not refuse)
        BUS.emit(effect())
        wait_until(lambda: sent)
    assert len(caplog.records) == 1
    batch = next(message for message in sent if message["kind"] == "batch")
    assert (batch["batch"], batch["first"]) == (3, BUS.ledger.last)


def test_it_leaves_the_time_to_a_busy_cell_until_that_ends(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher_module, "BUSY_SHARE", 1e-9)
    monkeypatch.setattr(publisher_module, "LONGEST_REST", 1e9)
    sent: list[dict[str, Any]] = []
    running: list[bool] = []
    publisher = start(sent.append, busy=lambda: bool(running))
    wait_until(lambda: publisher._took > 0)  # it has looked once, and sleeps
    running.append(True)
    emitted = BUS.emit(effect())
    time.sleep(0.1)
    assert not any(message["last"] >= emitted.seq for message in sent)
    running.clear()
    wait_until(lambda: any(message["last"] >= emitted.seq for message in sent))


def test_the_end_of_a_cell_is_not_waited_for(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher_module, "BATCH_INTERVAL", 1000)
    sent: list[dict[str, Any]] = []
    running = [True]
    publisher = start(sent.append, busy=lambda: bool(running))
    emitted = BUS.emit(effect())
    running.clear()
    publisher.look()
    wait_until(lambda: any(message["last"] >= emitted.seq for message in sent))


def test_it_stops(start: Start) -> None:
    sent: list[dict[str, Any]] = []
    publisher = start(sent.append)
    publisher.stop()
    BUS.emit(effect())
    time.sleep(0.05)
    assert sent == []
    assert not publisher._thread.is_alive()
