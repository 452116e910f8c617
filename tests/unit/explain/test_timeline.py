"""The timeline of a session: which spans there are, what they add up to, and what Perfetto gets."""

from __future__ import annotations

import json

import numpy as np
import tracefn
from tracefn.events import CELLS, CellRun
from tracefn.explain import Timeline
from tracefn.explain.timeline import timeline_of


def test_traces_hold_their_phases_and_native_code_has_its_own_track() -> None:
    f = tracefn.function(lambda x: np.tanh(x) * 2 + 1, name="smooth", jit="now")
    f(np.ones(3)), f(np.ones(4))
    timeline = tracefn.ledger(f).timeline()
    traces = [s for s in timeline.spans if s.kind == "trace"]
    assert [s.name for s in traces] == ["smooth #1", "smooth #2"]
    for trace in traces:
        inner = [s for s in timeline.spans if s.signature == trace.signature and s.level == 1]
        assert [s.kind for s in inner][:2] == ["bind", "tracing"]
        assert all(trace.start_ns <= s.start_ns and s.end_ns <= trace.end_ns for s in inner)
    compiled = [s for s in timeline.spans if s.track == "native code"]
    assert [s.kind for s in compiled] == ["compile"] * len(compiled)
    assert [s.start_ns for s in timeline.spans] == sorted(s.start_ns for s in timeline.spans)


def test_the_track_of_a_method_has_the_name_of_its_class() -> None:
    class Filter:
        @tracefn.function
        def step(self, x: np.ndarray) -> np.ndarray:
            return x + 1

    found = Filter()
    found.step(np.ones(2))
    tracks = {span.track for span in tracefn.ledger(found.step).timeline().spans}
    assert {track.partition("#")[0] for track in tracks} == {"Filter.step"}


def test_selecting_searching_and_sums() -> None:
    f = tracefn.function(lambda x: x + 1, name="shift", jit="off")
    f(np.ones(3)), f(np.ones(4))
    timeline = tracefn.ledger(f).timeline()
    first, second = [s for s in timeline.spans if s.kind == "trace"]
    early = timeline.select(first.start_ns, first.end_ns)
    assert {s.signature for s in early.spans} == {first.signature}
    assert timeline.totals()["trace"] == first.ns + second.ns
    assert {s.name for s in timeline.search("SHIFT #2").spans} >= {"shift #2"}
    assert len(timeline.search("shape (3,) → (4,)")) == 1
    assert len(timeline.to_frame()) == len(timeline) and "spans in" in str(timeline)
    assert str(Timeline(())) == "an empty timeline"


def test_cells_and_the_calls_in_them(tmp_path) -> None:
    cells = [CellRun("cell [1]", "a", 1_000, 9_000, 40, 3_000), CellRun("cell [2]", "b", 10_000)]
    timeline = timeline_of((), cells, 12_000)
    assert [(s.name, s.level, s.start_ns, s.length_ns, s.ns) for s in timeline.spans] == [
        ("cell [1]", 0, 1_000, 8_000, 8_000),
        ("40 calls, about 3 µs", 1, 1_000, 8_000, 3_000),
        ("cell [2]", 0, 10_000, 2_000, 2_000),
    ]
    assert timeline.totals() == {"cell": 10_000, "calls": 3_000}
    timeline.save(tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert [e["cat"] for e in events if e["ph"] == "X"] == ["cell", "calls", "cell"]


def test_the_ledger_of_all_functions_has_the_cells(monkeypatch) -> None:
    monkeypatch.setattr(CELLS, "runs", [CellRun("cell [7]", None, 1, 2)])
    assert "cell [7]" in [s.name for s in tracefn.ledger().timeline().spans]
    f = tracefn.function(lambda x: x)
    assert len(tracefn.ledger(f).timeline()) == 0
