"""The answers to the panel's queries."""

from __future__ import annotations

import json

import pytest
from tracefn.events import BUS, CallCounter, CounterReader, GraphBuilt, SideEffect
from tracefn.notebook.batches import Batcher
from tracefn.notebook.queries import Queries


@pytest.fixture
def queries() -> Queries:
    return Queries(Batcher(BUS.ledger, "1"), CounterReader(from_now=True))


def test_a_snapshot_has_all_events_and_current_totals(queries: Queries) -> None:
    emitted = BUS.emit(SideEffect(kind="print", text="a", alternative="b"))
    counter = CallCounter("q#1", "q#1/1")
    counter.count = 4
    answer = queries.answer({"id": 7, "query": "snapshot"})
    assert (answer["id"], answer["ok"]) == (7, True)
    result = answer["result"]
    assert (result["protocol"], result["batch"], result["version"]) == (1, 0, "1")
    # other threads of the test process may go on emitting
    assert emitted.seq < result["last"] == result["events"][-1]["seq"] <= BUS.ledger.last
    assert [e["count"] for e in result["events"] if e["signature"] == "q#1/1"] == [4]
    assert emitted.seq in [e["seq"] for e in result["events"]]
    json.dumps(answer)


def test_a_graph_by_its_hash(queries: Queries) -> None:
    class FakeGraph:
        def to_json(self) -> dict[str, object]:
            return {"hash": "q-hash", "nodes": []}

    sizes = {"nodes_before": 0, "nodes_after": 0}
    BUS.emit(GraphBuilt(graph_hash="q-hash", **sizes, passes=(), graph=FakeGraph()))
    answer = queries.answer({"id": 1, "query": "graph", "hash": "q-hash"})
    assert answer == {"id": 1, "ok": True, "result": {"hash": "q-hash", "nodes": []}}


@pytest.mark.parametrize("graph_hash", ["unknown", None, 3, {"a": 1}])
def test_a_graph_that_is_not_kept(queries: Queries, graph_hash: object) -> None:
    answer = queries.answer({"id": 1, "query": "graph", "hash": graph_hash})
    assert not answer["ok"]
    assert "no longer kept" in answer["error"]


def test_ping(queries: Queries) -> None:
    answer = queries.answer({"id": "x", "query": "ping"})
    assert answer["result"]["last"] == BUS.ledger.last


@pytest.mark.parametrize(
    "request_data", [None, [], "ping", {}, {"id": 2}, {"id": 2, "query": "drop\ntable"}, {"query": []}]
)
def test_what_is_no_request_gets_one_line(queries: Queries, request_data: object) -> None:
    answer = queries.answer(request_data)
    assert not answer["ok"]
    assert "snapshot, graph, ping" in answer["error"]
    assert "\n" not in answer["error"]
