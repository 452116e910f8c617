"""The answers to the panel's queries."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import tracefn
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
    BUS.emit(GraphBuilt(known_hash="q-hash", **sizes, passes=(), graph=FakeGraph()))
    answer = queries.answer({"id": 1, "query": "graph", "hash": "q-hash"})
    assert answer == {"id": 1, "ok": True, "result": {"hash": "q-hash", "nodes": []}}


@pytest.mark.parametrize("graph_hash", ["unknown", None, 3, {"a": 1}])
def test_a_graph_that_is_not_kept(queries: Queries, graph_hash: object) -> None:
    answer = queries.answer({"id": 1, "query": "graph", "hash": graph_hash})
    assert not answer["ok"]
    assert "no longer kept" in answer["error"]


def test_the_page_sets_the_arguments_to_keep(queries: Queries) -> None:
    with tracefn.config.kept_arguments(0):
        answer = queries.answer({"id": 3, "query": "configure", "kept_arguments": 1000})
        assert answer["result"] == {"kept_arguments": 1000} == {"kept_arguments": tracefn.config.kept_arguments_size()}


def test_ping(queries: Queries) -> None:
    answer = queries.answer({"id": "x", "query": "ping"})
    assert answer["result"]["last"] == BUS.ledger.last


@pytest.mark.parametrize(
    "request_data", [None, [], "ping", {}, {"id": 2}, {"id": 2, "query": "drop\ntable"}, {"query": []}]
)
def test_what_is_no_request_gets_one_line(queries: Queries, request_data: object) -> None:
    answer = queries.answer(request_data)
    assert not answer["ok"]
    names = "snapshot, graph, graph_diff, explain, what_if, write_fix, staging, stages, stage, kernels, ledger"
    assert f"{names}, report, stop_build, configure, timeline, chrome_trace, ping" in answer["error"]
    assert "\n" not in answer["error"]


def test_a_function_is_explained_without_running_it(queries: Queries) -> None:
    runs = []

    def plain(x: Any, n: Any) -> Any:
        runs.append(n)
        return x * n

    f = tracefn.function(lambda x, n: np.tanh(x) * n, name="asked_about")
    g = tracefn.function(plain)
    for n in (1, 2, 3):
        f(np.ones(2), n)
        g(np.ones(2), n)
    for function in (f, g):
        answer = queries.answer({"id": 1, "query": "explain", "function": function.function_id, "trace": 2})
        assert answer["ok"], answer
        assert answer["result"]["earlier"][0]["causes"][0]["text"] == "n: 1 → 2 (Python int)"
        assert answer["result"]["fix"] is None
    assert runs == [1, 2, 3]
    f.explain()
    again = queries.answer({"id": 1, "query": "explain", "function": f.function_id})["result"]
    assert again["trace"] == 3 and again["fix"]["code"] == "np.asarray(n)"
    table = queries.answer({"id": 2, "query": "what_if", "function": f.function_id})["result"]
    assert table["outcomes"][0]["policy"] == "scalars as arrays"
    rows = queries.answer({"id": 3, "query": "ledger"})["result"]
    assert [1, 2, 3] == [row["trace"] for row in rows if row["function"] == "asked_about"]
    a, b = (c.graph.drawn_hash for c in f.concrete_functions[1:])
    diff = queries.answer({"id": 4, "query": "graph_diff", "a": a, "b": b})["result"]
    assert diff["changed"]
    lines = queries.answer({"id": 5, "query": "staging", "function": f.function_id, "trace": 1})["result"]["lines"]
    assert sum(line["nodes"] for line in lines) == 2
    refused = queries.answer({"id": 6, "query": "write_fix", "function": f.function_id, "cells": {"a": "pass"}})
    assert refused["error"].startswith("No call of `asked_about` is in the cells")
    json.dumps([again, table, rows, diff, lines])


def test_the_steps_of_a_trace(queries: Queries) -> None:
    f = tracefn.function(lambda x: np.sqrt(x * 1) + np.sin(x), jit="off")
    f(np.ones(3))
    about = {"id": 1, "function": f.function_id, "trace": 1}
    rows = queries.answer({"query": "stages", **about})["result"]
    assert [(row["name"], row["nodes"]) for row in rows[:2]] == [("traced", 5), ("inline calls", 5)]
    answers = [queries.answer({"query": "stage", "name": row["name"], **about})["result"] for row in rows]
    assert [{"name": a["name"], "nodes": a["nodes"]} for a in answers] == rows
    assert [len(a["graph"]["nodes"]) for a in answers[:6]] == [5, 5, 5, 5, 5, 4]
    assert all(a["text"] for a in answers)
    json.dumps(answers)
    assert queries.answer({"query": "stage", "name": "no", **about})["error"] == "The trace has no stage 'no'."
    assert "no longer kept" in queries.answer({"query": "stages", **about, "trace": 7})["error"]
    steps = [{**about, "name": name} for name in ("merge common", "traced")]
    diff = queries.answer({"query": "graph_diff", "a": steps[1], "b": steps[0]})["result"]
    assert answers[0]["graph"]["nodes"][1]["op"] == "multiply" and diff["removed"] == ("v0",)


def test_the_kernels_of_a_trace(queries: Queries) -> None:
    def program(x: Any, w: Any) -> Any:
        y = np.tanh(x @ w) * 2
        if y.sum() > 0:
            y = np.exp(y) + 1
        return (y - y.mean()) / y.std()

    f = tracefn.function(program, jit="off")
    f(np.ones((4, 4)), np.ones((4, 4)))
    nodes = queries.answer({"query": "kernels", "function": f.function_id, "trace": 1})["result"]["nodes"]
    graph = f.concrete_functions[0].graph
    ops = {name: node.op.name for node, name in graph.names.items()}
    found = {ops[path]: kernel for path, kernel in nodes.items() if "/" not in path}
    assert "matmul" not in found and found["tanh"] == found["multiply"]
    assert found["subtract"] != found["tanh"]
    inner = {kernel for path, kernel in nodes.items() if "/if_true/" in path}
    assert len(inner) == 1 and not inner & set(found.values())


def test_a_function_that_is_gone(queries: Queries) -> None:
    answer = queries.answer({"id": 1, "query": "explain", "function": "gone#1"})
    assert (answer["ok"], answer["error"]) == (False, "The function 'gone#1' no longer exists.")
