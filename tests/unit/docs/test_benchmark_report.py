"""What the benchmarks compute and how they report, without timing anything."""

from __future__ import annotations

import numpy as np
import pytest
import tracefn

from benchmarks.graph_on_screen import OnScreen
from benchmarks.measure import Spread
from benchmarks.page import html
from benchmarks.report import markdown
from benchmarks.results import Results, bars
from benchmarks.steady import Steady
from benchmarks.streaming import Streamed
from benchmarks.workloads import CACHED_CALL, WORKLOADS, ten_ops, thousand_ops


def steady(seconds: float) -> Steady:
    return Steady(Spread(seconds, seconds, seconds, 9), Spread(1e-6, 1e-6, 1e-6, 9), Spread(1.5, 2.0, 2.5, 9))


RESULTS = Results(
    imports={"tracefn": Spread(0.15, 0.2, 0.25, 5), "jax": Spread(0.3, 0.3, 0.3, 1), "tensorflow": None},
    first_call={
        "tracefn": (Spread(0.001, 0.002, 0.004, 5), Spread(0.0005, 0.0008, 0.0009, 50)),
        "jax": (Spread(0.05, 0.06, 0.07, 5), Spread(0.04, 0.05, 0.06, 50)),
        "tensorflow": None,
    },
    steady={name: {"tracefn": steady(2e-6), "jax": steady(5e-6), "tensorflow": None} for name in WORKLOADS},
    streaming=Streamed(5001, 0, 4000, 3.0, Spread(0.1, 0.2, 0.3, 5001), 30, 2_000_000),
    graph_on_screen={"own": OnScreen(303, Spread(90, 100, 110, 10), Spread(40, 50, 60, 10))},
)


def row(page: str, title: str) -> list[str]:
    (line,) = [line for line in page.splitlines() if line.startswith(f"| {title}")]
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_a_row_says_what_was_measured_and_whether_it_reaches_the_bar():
    page = markdown(RESULTS)
    title, bar, measured, share, verdict, jax, tensorflow = row(page, "First call")
    assert (bar, measured, share) == ("≤ 3 ms", "2 ms (1 ms … 4 ms)", "0.67")
    assert (verdict, jax, tensorflow) == ("reached", "60 ms", "not installed")
    assert row(page, "`import tracefn`")[3:] == ["1.33", "**falls short**", "300 ms", "not installed"]
    assert row(page, "Cached call")[1:5] == ["≤ 3×", "2× (1.5× … 2.5×)", "0.67", "reached"]
    assert row(page, "Events lost of 5001")[1:5] == ["≤ 0", "0", "–", "reached"]
    assert row(page, "303-node graph")[2:] == ["100 ms (90 ms … 110 ms)", "0.20", "reached", "–", "–"]


def test_lost_events_fall_short():
    lost = Results(streaming=Streamed(5000, 3, 4000, 3.0, Spread(0.1, 0.2, 0.3, 4997), 30, 1))
    assert row(markdown(lost), "Events lost")[2:5] == ["3", "–", "**falls short**"]


def test_a_missing_browser_is_no_failure_and_no_success():
    page = markdown(Results(graph_on_screen="there is no Chromium"))
    assert row(page, "300-node graph")[2:5] == ["–", "–", "not measured: there is no Chromium"]
    assert [bar.reached for bar in bars(Results(graph_on_screen="there is no Chromium"))] == [False]


def test_a_run_of_some_parts_reports_these_alone():
    page = markdown(Results(imports=RESULTS.imports))
    assert "Calls of a traced function" not in page and "Stream and panel" not in page
    assert [bar.title for bar in bars(Results(imports=RESULTS.imports))] == ["`import tracefn` after `import numpy`"]


def test_the_page_of_plots_is_complete():
    page = html(RESULTS)
    assert page.count('class="plotly-graph-div"') == 4
    assert "<script src=" not in page
    assert "tf.function" in page and "First call of a 10-operation function" in page


def test_quartiles():
    assert Spread.of([4, 1, 3, 2, 5]) == Spread(2, 3, 4, 5)
    assert Spread.of([7]) == Spread(7, 7, 7, 1)
    assert Spread(1, 2, 3, 4).times(2) == Spread(2, 4, 6, 4)


@pytest.mark.parametrize("make, count", [(ten_ops, 10), (thousand_ops, 1000)])
def test_the_functions_have_as_many_operations_as_they_say(make, count):
    x = np.ones(3)
    concrete = tracefn.function(make(np)).get_concrete_function(x, x)
    assert len(concrete.traced_graph) == count + 2


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_workload_gives_the_same_traced_and_eager(name):
    workload = WORKLOADS[name]
    arrays = [array[:100] for array in workload.arrays()]
    eager = workload.make(np)(*arrays)
    graph = tracefn.function(workload.make(np))(*arrays)
    assert graph.dtype == workload.dtype and np.array_equal(graph, eager)


def test_the_cached_call_is_the_smallest_workload():
    assert WORKLOADS[CACHED_CALL].size == 4
