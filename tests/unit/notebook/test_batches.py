"""The messages of the events comm."""

from __future__ import annotations

from typing import Any

import pytest
from tracefn.events import (
    Bus,
    CallCounter,
    Calls,
    GraphBuilt,
    RetraceExplained,
    SideEffect,
    TraceFinished,
    TraceKept,
    TracePhase,
    TraceStarted,
)
from tracefn.notebook import batches
from tracefn.notebook.batches import Batcher


class FakeGraph:
    """A graph that counts how often it was written out."""

    def __init__(self, size: int = 1, nodes: int = 1) -> None:
        self.written = 0
        self.nodes = [{"call": "n" * size}] * nodes

    def part_json(self, first: int, most: int) -> dict[str, Any]:
        self.written += 1
        part = self.nodes[first : first + most]
        left = len(self.nodes) - first - len(part)
        return {"hash": "9f", "name": "f", "inputs": [], "outputs": [], "nodes": part, "first": first, "left": left}


def effect(text: str = "print") -> SideEffect:
    return SideEffect(kind="print", text=text, alternative="outside")


def built(graph: FakeGraph, graph_hash: str = "9f") -> GraphBuilt:
    return GraphBuilt(known_hash=graph_hash, nodes_before=1, nodes_after=1, passes=(), graph=graph)


def test_nothing_to_send() -> None:
    assert Batcher(Bus().ledger, "1").next_batch() is None


def test_every_message_says_who_sends_it() -> None:
    bus = Bus()
    batcher = Batcher(bus.ledger, "1.2")
    bus.emit(effect())
    for message in (batcher.hello(), batcher.next_batch(), batcher.keyframe()):
        assert message is not None
        assert (message["protocol"], message["session"], message["version"]) == (1, batcher.session, "1.2")
    assert Batcher(bus.ledger, "1.2").session != batcher.session


def test_batches_are_numbered_and_hold_each_event_once() -> None:
    bus = Bus()
    batcher = Batcher(bus.ledger, "1")
    for _ in range(603):
        bus.emit(effect())
    sent = [batcher.next_batch(), batcher.next_batch(), batcher.next_batch()]
    assert [(m["batch"], m["first"], m["last"]) for m in sent if m] == [(1, 1, 250), (2, 251, 500), (3, 501, 603)]
    assert [e["seq"] for m in sent if m for e in m["events"]] == list(range(1, 604))
    assert batcher.next_batch() is None
    bus.emit(effect())
    message = batcher.next_batch()
    assert message is not None and (message["batch"], message["first"], message["last"]) == (4, 604, 604)


def test_what_the_ledger_dropped_shows_as_a_gap() -> None:
    from tracefn.events import Ledger

    bus = Bus(Ledger(newest_events=2))
    batcher = Batcher(bus.ledger, "1")
    for _ in range(5):
        bus.emit(effect())
    message = batcher.next_batch()
    assert message is not None and (message["first"], message["last"]) == (4, 5)


def test_replaced_totals_are_no_gap() -> None:
    bus = Bus()
    batcher = Batcher(bus.ledger, "1")
    for count in (1, 2):
        bus.emit(Calls(function="f#1", signature="f#1/1", count=count, timed=0, timed_ns=0))
    message = batcher.next_batch()
    assert message is not None and (message["first"], message["last"]) == (1, 2)
    assert [event["count"] for event in message["events"]] == [2]


def test_a_batch_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MOST_CHARACTERS", 1000)
    bus = Bus()
    batcher = Batcher(bus.ledger, "1")
    for text in ("a" * 500, "b" * 500, "c" * 5000, "d"):
        bus.emit(effect(text))
    sizes = []
    while (message := batcher.next_batch()) is not None:
        sizes.append([event["seq"] for event in message["events"]])
    # The third is larger than a batch may be, and goes alone.
    assert sizes == [[1], [2], [3], [4]]


def test_a_graph_is_sent_once_and_beside_its_first_event() -> None:
    bus = Bus()
    batcher = Batcher(bus.ledger, "1")
    graph = FakeGraph()
    bus.emit(built(graph))
    bus.emit(built(graph))
    first = batcher.next_batch()
    bus.emit(built(graph))
    second = batcher.next_batch()
    assert first is not None and second is not None
    assert first["graphs"]["9f"]["name"] == "f"
    assert second["graphs"] == {}
    assert graph.written == 1


def test_a_graph_that_fits_no_more_goes_with_the_next_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MOST_CHARACTERS", 1000)
    bus = Bus()
    batcher = Batcher(bus.ledger, "1")
    bus.emit(effect())
    bus.emit(built(FakeGraph(2000)))
    first, second = batcher.next_batch(), batcher.next_batch()
    assert first is not None and second is not None
    assert (list(first["graphs"]), list(second["graphs"])) == ([], ["9f"])
    assert (first["last"], second["first"]) == (1, 2)


def test_a_large_graph_comes_in_parts_and_its_event_with_the_last() -> None:
    bus = Bus()
    batcher = Batcher(bus.ledger, "1")
    for event in (effect(), built(FakeGraph(nodes=2500)), effect()):
        bus.emit(event)
    sent = []
    while (message := batcher.next_batch()) is not None:
        part = message["graphs"].get("9f", {"first": None, "left": None})
        sent.append(
            ([e["seq"] for e in message["events"]], message["first"], message["last"], part["first"], part["left"])
        )
        assert batcher.goes_on == bool(part["left"])
    assert sent == [([1], 1, 1, 0, 1500), ([], 2, 1, 1000, 500), ([2, 3], 2, 3, 2000, 0)]


def test_a_storm_is_told_in_short() -> None:
    bus = Bus()
    batcher = Batcher(bus.ledger, "1")
    for n in range(20):
        head = {"function": "f#1", "signature": f"f#1/{n}"}
        for event in (
            TracePhase(**head, phase="trace", duration_ns=1),
            GraphBuilt(**head, known_hash=f"{n}", nodes_before=1, nodes_after=1, passes=(), graph=FakeGraph()),
            TraceFinished(**head, ok=True, total_ns=2, phases={"trace": 1}),
            TracePhase(**head, phase="first_run", duration_ns=1),
        ):
            bus.emit(event)
    bus.emit(TracePhase(function="f#1", signature="f#1/20", phase="trace", duration_ns=1))
    message = batcher.next_batch()
    assert message is not None and (message["first"], message["last"]) == (1, 81)
    assert [e["seq"] for e in message["events"]] == [s for s in range(1, 82) if s % 4 != 1 or s == 81]
    assert len(message["graphs"]) == batches.MOST_GRAPHS
    assert batcher.next_batch() is None


def test_a_stream_that_is_far_behind_tells_of_old_traces_by_their_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, count in (("MOST_BEHIND", 60), ("LEAST_BEHIND", 30), ("MOST_EVENTS", 8)):
        monkeypatch.setattr(batches, name, count)
    bus = Bus()
    batcher = Batcher(bus.ledger, "1")
    for n in range(25):
        head: dict[str, Any] = {"function": "f#1", "signature": f"f#1/{n}"}
        for event in (
            TraceStarted(
                **head,
                function_name="f",
                function_key="f",
                defined=None,
                trace=n,
                signature_text="",
                signature_hash="",
                arguments=(),
            ),
            RetraceExplained(**head, trace=n, nearest=0, nearest_signature="", causes=(), text=""),
            SideEffect(**head, kind="print", text="", alternative=""),
            TraceFinished(**head, ok=n != 2, total_ns=2, phases={"trace": 3}),
            TraceKept(**head, kept=False, reason="there were many before"),
        ):
            bus.emit(event)
    sent = []
    while (message := batcher.next_batch()) is not None:
        sent.append(message)
    told = [event for message in sent for event in message["events"]]
    # 95 events were old: 19 traces, of which one failed.
    assert [message["left_out"] for message in sent] == [
        {"f#1": {"traces": 18, "retraces": 18, "cost_ns": 54}},
        *[{}] * (len(sent) - 1),
    ]
    assert [message["current"] for message in sent] == [False] * (len(sent) - 1) + [True]
    assert [m["first"] for m in sent] == [1, *[m["last"] + 1 for m in sent[:-1]]] and sent[-1]["last"] == 125
    assert sum(event["type"] == "side_effect" for event in told) == 25
    started = [event["trace"] for event in told if event["type"] == "trace.started"]
    assert started == [2, *range(19, 25)]
    assert {sum(event["type"] == kind for event in told) for kind in ("trace.finished", "trace.kept")} == {7}


def test_what_cannot_be_written_does_not_stop_the_stream(caplog: pytest.LogCaptureFixture) -> None:
    class BrokenGraph:
        def to_json(self, first: int, most: int) -> dict[str, Any]:
            raise RuntimeError("no such graph")

    class BrokenEvent(SideEffect):
        __slots__ = ()

        def to_json(self) -> dict[str, Any]:
            raise RuntimeError("no such event")

    bus = Bus()
    batcher = Batcher(bus.ledger, "1")
    bus.emit(BrokenEvent(kind="print", text="a", alternative="b"))
    bus.emit(built(BrokenGraph()))  # type: ignore[arg-type]
    bus.emit(effect())
    message = batcher.next_batch()
    assert message is not None
    assert [(e["seq"], e["type"]) for e in message["events"]] == [(1, "error"), (2, "graph.built"), (3, "side_effect")]
    assert "no such event" in message["events"][0]["message"]
    assert message["graphs"] == {}
    assert len(caplog.records) == 2


def test_a_keyframe_has_the_place_and_the_totals() -> None:
    bus = Bus()
    batcher = Batcher(bus.ledger, "1")
    called, uncalled = CallCounter("k#1", "k#1/1"), CallCounter("k#1", "k#1/2")
    called.count, called.timed, called.timed_ns = 3, 2, 70
    bus.emit(effect())
    batcher.next_batch()
    bus.emit(effect())
    keyframe = batcher.keyframe()
    assert (keyframe["batch"], keyframe["last"]) == (1, 1)
    assert keyframe["totals"]["k#1/1"] == {"count": 3, "timed": 2, "timed_ns": 70}
    assert uncalled.signature not in keyframe["totals"]
