"""The ledger: what each trace cost, its totals, and files that other tools open."""

from __future__ import annotations

import csv
import json
import sys

import numpy as np
import pytest
import tracefn
from tracefn.codegen.machine import abi


def costs(jit="off"):
    @tracefn.function(jit=jit)
    def f(x, n):
        if n < 0:
            raise ValueError("negative")
        return np.tanh(x) * n + x

    for n in (1, 2, 2):
        f(np.ones(3), n)
    with pytest.raises(ValueError):
        f(np.ones(3), -1)
    f(np.ones(4), 1)
    return f, tracefn.ledger(f)


def test_a_row_for_each_trace() -> None:
    f, table = costs()
    rows = table.rows()
    assert [(r["trace"], r["state"], r["calls"]) for r in rows] == [
        (1, "kept", 1),
        (2, "kept", 2),
        (3, "failed", 0),
        (3, "kept", 1),
    ]
    assert [r["cause"] for r in rows][1:] == [
        "n: 1 → 2 (Python int)",
        "n: 2 → -1 (Python int)",
        "x: shape (3,) → (4,) at dimension 0",
    ]
    assert [r["kinds"] for r in rows] == ["", "value", "value", "dimension"]
    assert rows[1]["verdict"] == "numbers"
    assert all("test_ledger.py line " in r["site"] for r in rows)
    for entry in table.entries:
        if entry.state == "kept":
            assert set(entry.phases) - {"rewrite"} == {"bind", "trace", "passes", "program", "first_run"}
            assert entry.total_ns == sum(entry.phases.values()) > 0
            assert entry.memory > 1000
    assert rows[0]["total_ns"] == f.explain(1).cost_ns


def test_totals_and_text() -> None:
    _, table = costs()
    by_cause = {name: traces for name, traces, *_ in table.totals("cause")}
    assert by_cause == {"first trace": 1, "value": 2, "dimension": 1}
    assert [row[0] for row in table.totals("function")] == ["f"]
    assert sum(row[2] for row in table.totals("site")) == table.total_ns
    with pytest.raises(ValueError, match="by 'function'"):
        table.totals("colour")
    assert "n: 2 → -1 (Python int) (failed)" in str(table)
    assert "<table" in table._repr_html_()


def test_dropped_traces_stay_in_the_ledger() -> None:
    f = tracefn.function(lambda x: x)
    for n in (1, 2):
        f(n)
    f.evict(1)
    assert [e.state for e in tracefn.ledger(f).entries] == ["dropped", "kept"]
    f.clear_cache()
    assert [e.state for e in tracefn.ledger(f).entries] == ["dropped", "dropped"]


def test_when_it_paid_off() -> None:
    f = tracefn.function(lambda x: np.tanh(x) * 2 + 1)
    comparison = tracefn.timing.compare(f, np.ones(10))
    (entry,) = tracefn.ledger(f).entries
    assert entry.paid_off == comparison.break_even


@pytest.mark.skipif(bool(abi.unavailable()), reason=abi.unavailable())
def test_native_code_costs_time_and_memory() -> None:
    _, table = costs(jit="now")
    _, without = costs()
    events = table.to_chrome_trace()["traceEvents"]
    tracks = {e["args"]["name"]: e["tid"] for e in events if e["name"] == "thread_name"}
    compiled = [e for e in events if e.get("cat") == "compile"]
    assert [e["name"] for e in compiled] == ["f #1", "f #2", "f #3"]
    assert {e["tid"] for e in compiled} == {tracks["native code"]}
    for entry, plain in zip(table.entries, without.entries, strict=True):
        assert ("compile" in entry.phases) == (entry.state == "kept")
        assert "compile" not in plain.phases
        if entry.state == "kept":
            assert entry.memory > plain.memory + 500
            assert entry.to_dict()["compile_ns"] > 100_000
            assert entry.total_ns > entry.phases["compile"]


def test_rewriting_is_shown_before_tracing() -> None:
    def absolute(x):
        return x if x > 0 else -x

    with tracefn.events.record():
        f = tracefn.function(absolute)
        f(np.float64(2))
    events = tracefn.ledger(f).to_chrome_trace()["traceEvents"]
    phases = sorted((e for e in events if e.get("cat") == "phase"), key=lambda e: e["ts"])
    assert [e["name"] for e in phases] == ["bind", "rewrite", "trace", "passes", "program", "first_run"]


def test_the_timeline_is_what_perfetto_reads(tmp_path) -> None:
    _, table = costs()
    table.save(tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    names = {e["args"]["name"] for e in events if e["ph"] == "M"}
    assert "tracefn" in names
    slices = [e for e in events if e["ph"] == "X"]
    traces = [e for e in slices if e["cat"] == "trace"]
    assert [e["name"] for e in traces] == ["f #1", "f #2", "f #3", "f #3"]
    assert all({"ts", "dur", "pid", "tid"} <= set(e) and e["dur"] >= 0 for e in slices)
    for phase in (e for e in slices if e["cat"] == "phase"):
        assert any(t["ts"] <= phase["ts"] and phase["ts"] + phase["dur"] <= t["ts"] + t["dur"] + 1e-3 for t in traces)
    assert [t["ts"] for t in traces] == sorted(t["ts"] for t in traces)


def test_the_timeline_obeys_the_trace_event_format(tmp_path) -> None:
    """Every event as the format's document has it, and slices of one track inside or beside each other."""
    _, table = costs(jit="now")
    table.save(tmp_path / "t.json")
    timeline = json.loads((tmp_path / "t.json").read_text())
    assert set(timeline) == {"traceEvents", "displayTimeUnit"}
    assert timeline["displayTimeUnit"] in ("ms", "ns")
    for event in timeline["traceEvents"]:
        assert isinstance(event["name"], str)
        assert type(event["pid"]) is type(event["tid"]) is int
        assert isinstance(event["args"], dict)
        if event["ph"] == "M":
            assert set(event) == {"ph", "name", "pid", "tid", "args"}
            assert event["name"] in ("process_name", "thread_name")
            assert set(event["args"]) == {"name"}
        else:
            assert set(event) == {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"}
            assert event["ph"] == "X"
            assert isinstance(event["cat"], str)
            assert all(type(event[k]) in (int, float) and event[k] >= 0 for k in ("ts", "dur"))
    named = {(e["pid"], e["tid"]) for e in timeline["traceEvents"] if e["name"] == "thread_name"}
    slices = [e for e in timeline["traceEvents"] if e["ph"] == "X"]
    assert {(e["pid"], e["tid"]) for e in slices} == named
    spans = [(e["tid"], round(e["ts"], 3), round(e["ts"] + e["dur"], 3)) for e in slices]
    for tid, start, end in spans:
        for other, begin, close in spans:
            apart = other != tid or end <= begin or close <= start
            assert apart or (start <= begin and close <= end) or (begin <= start and end <= close)


def test_lines_and_csv(tmp_path) -> None:
    _, table = costs()
    table.save(tmp_path / "t.jsonl")
    assert [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()] == table.rows()
    table.save(tmp_path / "t.csv")
    with open(tmp_path / "t.csv", newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["cause"] for row in read] == [row["cause"] for row in table.rows()]
    with pytest.raises(ValueError, match="saved as .json"):
        table.save(tmp_path / "t.txt")


def test_pandas_where_it_is(monkeypatch) -> None:
    _, table = costs()
    try:
        import pandas  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError):
            table.to_pandas()
    else:
        assert list(table.to_pandas()["trace"]) == [1, 2, 3, 3]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError):
        table.to_pandas()


def test_all_functions_together_and_none() -> None:
    f, table = costs()
    everything = tracefn.ledger()
    assert len(everything) >= len(table)
    assert len(tracefn.ledger(tracefn.function(lambda x: x))) == 0
    assert str(tracefn.ledger(tracefn.function(lambda x: x))).startswith("0 traces")
