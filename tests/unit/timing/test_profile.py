"""`profile`: the time and the memory of each step, and of each line."""

from __future__ import annotations

import json
import linecache
import sys
import time
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn import events
from tracefn.errors import ResultsDifferError, UnsupportedFunctionError
from tracefn.timing import Profile, profile, profile_trace, sampling
from tracefn.timing.profiles import taking


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sampling, "BUDGET_NS", 5_000_000)
    monkeypatch.setattr(sampling, "WARM_UP_NS", 100_000)
    monkeypatch.setattr(taking, "BUDGET_NS", 5_000_000)
    with tracefn.config.jit("off"):
        yield


def line_of(text: str) -> int:
    """The line of this file that has the text in it."""
    return next(n for n, line in enumerate(linecache.getlines(__file__), 1) if text in line and "line_of" not in line)


def slept(x: Any) -> Any:
    time.sleep(0.02)  # much more than what other processes take meanwhile
    return x


@tracefn.function
def layers(x: Any, w: Any) -> Any:
    h = np.tanh(x @ w)
    h = np.concatenate([h, h])
    h[0] = 1.0
    return tracefn.py_function(slept, [h], tracefn.TensorSpec(h.shape, h.dtype))


def test_steps_have_kind_nodes_place_and_time() -> None:
    found = profile(layers, np.ones((30, 20)), np.ones((20, 20)))
    assert isinstance(found, Profile) and tracefn.profile is profile
    kinds = [step.kind for step in found.steps]
    assert kinds == ["linalg", "numpy", "copy", "copy", "python"]
    product, tanh, joined, written, called = found.steps
    ids = {node.op.name: name for node, name in layers.concrete_functions[-1].graph.names.items()}
    assert product.nodes == (ids["matmul"],) and written.nodes == (ids["setitem"],)
    assert {product.places[0].line, tanh.places[0].line} == {line_of("np.tanh(x @ w)")}
    assert joined.places[0].line == line_of("np.concatenate([h, h])")
    assert found.slowest(1) == [called] and called.ns >= 2e7
    assert called.text.endswith("<slept>(np, v2)")
    assert sum(line.eager_ns for line in found.lines) <= found.eager.median * 1.001
    assert called.ns <= found.total_ns and sum(found.shares.values()) == pytest.approx(1)
    assert next(iter(found.shares)) == "python"


def test_memory_by_step_and_its_peak() -> None:
    @tracefn.function
    def grows(x: Any) -> Any:
        large = np.concatenate([x, x, x, x])
        return large.sum() + x.max()

    found = profile(grows, np.ones(50_000))
    joined = found.steps[0]
    assert found.peak in found.steps[:2] and 1_600_000 <= found.peak_memory <= 1_700_000
    assert 1_600_000 <= joined.memory <= 1_700_000
    assert found.steps[-1].memory < 100_000  # it is let go when its sum is known


def test_rounds_of_loops_are_added_up() -> None:
    @tracefn.function
    def powers(x: Any, n: Any) -> Any:
        total = np.zeros(3)
        while total[0] < n:
            total = np.sin(x) + total + 1
        return total

    found = profile(powers, np.ones(3), np.float64(9))
    in_body = [step for step in found.steps if "np.sin" in step.text]
    assert [step.rounds for step in in_body] == [5]
    assert in_body[0].nodes[0].split("/")[1] == "body"
    assert "(5 rounds)" in str(found)


def test_lines_of_helpers_and_generators_count_for_themselves() -> None:
    def halves(x: Any) -> Any:
        for part in (x[:2], x[2:]):
            time.sleep(0.01)  # in the generator
            yield part

    @tracefn.function
    def summed(x: Any) -> Any:
        total = 0.0
        for part in halves(x):
            total = total + np.cosh(part).sum()  # of a part
        return total

    found = profile(summed, np.ones(5))
    lines = {line.place.line: line for line in found.lines}
    assert lines[line_of("# in the generator")].eager_ns >= 2e7
    assert lines[line_of("for part in halves(x)")].eager_ns < 1e7
    part = lines[line_of("# of a part")]
    assert part.graph_ns > 0 and 0 < part.eager_ns < 1e7
    assert part.source.startswith("total = total + np.cosh(part)")
    assert summed.tracing_count == 1


def test_state_and_arguments_stay_and_calls_are_not_counted() -> None:
    class Counter:
        def __init__(self) -> None:
            self.n = 0
            self.seen = [1.0]
            self.rng = np.random.default_rng(3)

        @tracefn.function
        def step(self, x: Any) -> Any:
            self.n += 1
            self.seen.append(2.0)
            x += self.rng.normal()
            return x * self.n

    counter, x = Counter(), np.ones(3)
    expected = np.random.default_rng(3).normal()
    profile(counter.step, x)
    assert (counter.n, counter.seen, x.tolist()) == (0, [1.0], [1.0, 1.0, 1.0])
    counter.step(x)
    assert x[0] == 1 + expected and counter.n == 1
    assert counter.step.concrete_functions[0].calls.count == 1


def test_a_partial_and_its_keywords() -> None:
    import functools

    found = profile(functools.partial(lambda a, x, k: np.exp(x) * a + k, 2.0, k=1.0), np.ones(3))
    assert [step.text.partition(" = ")[2] for step in found.steps][0] == "np.exp(x)"


def test_native_programs_have_kernels_of_nodes() -> None:
    @tracefn.function(jit="now")
    def fused(x: Any, w: Any) -> Any:
        y = np.tanh(x * 2) + x
        return np.exp(y @ w) - 1

    found = profile(fused, np.ones((40, 30)), np.ones((30, 20)))
    assert found.tier == "native program"
    assert [step.kind for step in found.steps] == ["kernel", "linalg", "kernel"]
    graph = fused.concrete_functions[0].graph
    inner = [n for n in graph.nodes if not n.is_leaf]
    assert [name for step in found.steps for name in step.nodes] == [graph.names[n] for n in inner]
    assert found.steps[0].text == "kernel: multiply, tanh, add"
    lines = {line.place.line: line.graph_ns for line in found.lines}
    first, _, last = found.steps
    assert lines[line_of("np.tanh(x * 2) + x")] == pytest.approx(first.ns)
    assert lines[line_of("np.exp(y @ w) - 1")] == pytest.approx(found.steps[1].ns + last.ns)


def test_a_program_taken_from_an_earlier_trace() -> None:
    traced = tracefn.function(lambda x: np.sort(x) * 2)
    traced(np.ones(3))
    found = profile(traced, np.ones(5))
    assert traced.tracing_count == 2 and found.signature.endswith("/2")
    assert [step.nodes for step in found.steps] == [("v0",), ("v1",)]


def test_a_trace_by_its_number_with_arrays_that_are_gone() -> None:
    traced = tracefn.function(lambda x: np.sqrt(x).sum())
    traced(np.ones(3)), traced(np.ones((2, 2)))
    found = profile_trace(traced.function_id, 1)
    assert found.signature == f"{traced.function_id}/1" and found.made == ("x",)
    assert "made up" in str(found)
    with pytest.raises(UnsupportedFunctionError, match="no longer exists"):
        profile_trace("gone#0")


def test_what_cannot_be_profiled() -> None:
    @tracefn.function(autograph=False, on_unsupported="eager")
    def eager(x: Any) -> Any:
        return x + float(np.asarray(x).item(0))

    with pytest.raises(UnsupportedFunctionError, match="runs eagerly"):
        profile(eager, np.ones(2))
    with pytest.raises(ResultsDifferError):
        profile(lambda x: x + tracefn.py_function(time.perf_counter_ns, [], np.int64), np.ones(2))


def test_frames_json_text_and_the_event() -> None:
    with events.record() as recorded:
        found = profile(layers, np.ones((30, 20)), np.ones((20, 20)))
    frame = found.to_frame()
    assert list(frame["kind"]) == [step.kind for step in found.steps]
    assert json.loads(json.dumps(found.to_dict()))["shares"] == found.shares
    text = repr(found)
    assert "slowest steps" in text and "← peak" in text and "BLAS and LAPACK" in text
    assert all(len(line) < 200 for line in text.splitlines())
    (event,) = [e for e in recorded if isinstance(e, events.ProfileMeasured)]
    assert json.loads(json.dumps(event.to_json()))["steps"][0]["nodes"] == list(found.steps[0].nodes)
    assert event.signature == found.signature and event.steps_count == len(found.steps)
    assert {line.location.line for line in event.lines} == {line.place.line for line in found.lines}


def test_the_event_has_the_time_of_each_step_also_of_those_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracefn.timing.profiles.profile.MOST_SHOWN", 1)
    found = profile(layers, np.ones((30, 20)), np.ones((20, 20)))
    event = found.event()
    assert len(event.steps) + len(event.others) == event.steps_count > 2
    assert sum(step.ns for step in (*event.steps, *event.others)) == pytest.approx(found.steps_ns)
    assert max(step.peak for step in event.steps) == found.peak_memory


def test_what_disturbs_the_machine_is_not_taken_for_python() -> None:
    from tracefn.timing.profiles.taking import _step_times, _Turn

    def turn(disturbed: int, graph_ns: float) -> _Turn:
        return _Turn(graph_ns, 0.0, {line: 10.0 + 90.0 * (line == disturbed) for line in range(9)}, {})

    turns = [turn(n, 200.0) for n in range(9)]
    assert sum(_step_times(turns, 200.0).values()) == pytest.approx(180.0)
    assert sum(_step_times(turns, 150.0).values()) == pytest.approx(150.0)
    assert sum(_step_times(turns, 50.0).values()) == pytest.approx(90.0)  # steps one by one take longer than the call


def test_html_is_escaped() -> None:
    names: dict[str, Any] = {"np": np}
    source = "def f(x):\n    return np.exp(x)  # <img src=x>\n"
    exec(compile(source, "<evil & file>", "exec"), names)
    linecache.cache["<evil & file>"] = (len(source), None, source.splitlines(True), "<evil & file>")
    found = profile(tracefn.function(names["f"], name="<script>"), np.ones(3))
    html = found._repr_html_()
    assert "<script>" not in html and "<img" not in html and "&lt;img src=x&gt;" in html


def test_a_debugger_keeps_its_trace_function() -> None:
    seen = []

    def follow(frame: Any, event: str, value: Any) -> Any:
        seen.append(event)

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        profile(tracefn.function(lambda x: x + 1), np.ones(2))
        assert sys.gettrace() is follow
    finally:
        sys.settrace(before)
    assert seen
