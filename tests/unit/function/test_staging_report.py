"""The staging report as a table: each line with its mark and the number of nodes that it made."""

from __future__ import annotations

import json
import linecache
from typing import Any

import numpy as np
import tracefn


def test_lines_have_marks_and_nodes() -> None:
    @tracefn.function
    def f(x):
        y = np.tanh(x) * 2
        if x.sum() > 0:
            y = y + 1
        for _ in [1, 2, 3]:
            y = y * x
        print("<traced>")
        return y

    f(np.ones(3))
    report = f.staging()
    rows = {line.source.strip(): (line.mark, line.nodes) for line in report.lines}
    assert rows["y = np.tanh(x) * 2"] == ("", 2)
    assert rows["y = y * x"] == ("", 3)
    assert rows["for _ in [1, 2, 3]:"][0] == "unrolled ×3"
    assert rows["if x.sum() > 0:"][0] == "staged"
    assert rows['print("<traced>")'][0].startswith("effect")
    assert "unrolled ×3 |" in report and repr(report) == str(report)
    page = report._repr_html_()
    assert "&lt;traced&gt;" in page and "<traced>" not in page and "3 nodes" in page


def test_lines_have_their_time() -> None:
    @tracefn.function
    def f(x):
        y = np.tanh(x)
        y = y * sum(np.ones(1).sum() for _ in range(20_000))
        return y + 1

    f(np.ones(3))
    times = {line.source.strip(): line.ns for line in f.staging().lines if line.ns}
    assert list(times) == ["y = np.tanh(x)", "y = y * sum(np.ones(1).sum() for _ in range(20_000))", "return y + 1"]
    assert max(times, key=times.__getitem__).startswith("y = y * sum")
    assert sum(times.values()) <= f.explain().phases["trace"]
    assert json.loads(json.dumps(f.staging().to_dict()))["lines"][2]["nodes"] == 1


def test_lines_of_bodies_have_their_time() -> None:
    @tracefn.function
    def f(x, n):
        for _ in range(n):
            x = np.tanh(x)
        return x

    f(np.ones(3), np.int64(4))
    (body,) = [line for line in f.staging().lines if "tanh" in line.source]
    assert body.nodes == 1 and body.ns > 0


def test_equal_functions_of_two_files_are_told_apart() -> None:
    source = "def f(x):\n    for _ in [1, 2]:\n        x = x * 2\n    return x\n"
    for file in ("<first>", "<second>"):
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        names: dict[str, Any] = {}
        exec(compile(source, file, "exec"), names)
        f = tracefn.function(names["f"])
        f(np.ones(3))
        assert [line.mark for line in f.staging().lines] == ["", "unrolled ×2", "", ""]


def scaled(x):
    for factor in [2, 3]:
        x = x * factor
    return x


def test_lines_elsewhere_have_their_place_and_source() -> None:
    @tracefn.function
    def f(x):
        return scaled(x)

    f(np.ones(3))
    (elsewhere,) = [line for line in f.staging().lines if line.number == 0]
    assert elsewhere.mark == "unrolled ×2"
    assert elsewhere.source.endswith(f"line {scaled.__code__.co_firstlineno + 1}: for factor in [2, 3]:")


class Dense:
    """A layer, as people write one."""

    def __init__(self, size: int) -> None:
        self.weights = np.eye(size)

    def __call__(self, x):
        return self.activated(x @ self.weights)

    @staticmethod
    def activated(x):
        def clipped(y):
            return np.minimum(y, 6)

        return clipped(np.maximum(x, 0))


class Net:
    """Layers, one after the other."""

    def __init__(self) -> None:
        self.layers = [Dense(3), Dense(3)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def test_the_functions_of_the_users_that_the_trace_came_through_have_their_lines() -> None:
    net = Net()

    @tracefn.function
    def f(x):
        def own(y):
            return y + 1

        return own(net.forward(x)) + tracefn.nn.relu(x)

    f(np.ones((2, 3)))
    report = f.staging()
    assert [name for name, _, _ in report.functions] == ["Net.forward", "Dense.__call__", "Dense.activated"]
    written = [made.__code__.co_firstlineno for made in (Net.forward, Dense.__call__, Dense.activated)]
    assert [location.line for _, location, _ in report.functions] == written
    forward, called, activated = (lines for _, _, lines in report.functions)
    assert [(line.mark, line.nodes) for line in forward] == [("", 0), ("unrolled ×2", 0), ("", 0), ("", 0)]
    assert called[-1].nodes == 2 and called[-1].ns > 0
    assert next(line.nodes for line in activated if "np.minimum" in line.source) == 2
    data = json.loads(json.dumps(report.to_dict()))
    assert all(line["number"] for line in data["lines"])  # a mark elsewhere stands in its function
    assert data["functions"][0]["location"]["line"] == Net.forward.__code__.co_firstlineno
    assert data["functions"][0]["lines"][1]["mark"] == "unrolled ×2"
    page = report._repr_html_()
    assert page.count("for layer in self.layers") == 1 and ">Net.forward, " in page


def test_minimize_shows_the_lines_of_its_objective() -> None:
    def objective(x):
        return np.sum((x - 3) ** 2)

    with tracefn.events.record() as events:
        tracefn.optimize.minimize(objective, np.zeros(3), method="Newton-CG")
    started = [event for event in events if event.type == "trace.started"]
    names = ["value_and_grad of objective", "grad of grad of objective"]
    assert [event.function_name for event in started] == names
    assert {event.defined.line for event in started} == {objective.__code__.co_firstlineno}


def test_methods_go_by_the_names_of_their_classes() -> None:
    class One:
        @tracefn.function
        def run(self, x):
            return x + 1

    class Two:
        @tracefn.function(name="second")
        def run(self, x):
            return x + 2

    with tracefn.events.record() as events:
        One().run(np.ones(2))
        Two().run(np.ones(2))
        tracefn.function(One().run)(np.ones(2))
        tracefn.function(lambda x: x)(np.ones(2))
    names = [event.function_name for event in events if event.type == "trace.started"]
    assert (names[0], names[1], names[-1]) == ("One.run", "second", "lambda")


def test_the_lines_of_a_derivative_are_those_of_its_function() -> None:
    def loss(x):
        y = np.tanh(x)
        return y.sum()

    slope = tracefn.grad(loss)
    with tracefn.events.record() as events:
        slope(np.ones(3))
    assert next(line for line in slope.staging().lines if "tanh" in line.source).nodes > 0
    (started,) = [event for event in events if event.type == "trace.started"]
    assert started.defined.line == loss.__code__.co_firstlineno
    twice = tracefn.hessian(loss)
    twice(np.ones(3))
    assert "y = np.tanh(x)" in twice.staging()
