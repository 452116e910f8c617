"""What the benchmarks compute and how they report, without timing anything."""

from __future__ import annotations

import dataclasses
import inspect
import math

import numpy as np
import pytest
import tracefn
from tracefn.trace.autograph import operators

from benchmarks.control_flow import HOOKS, Beside, ControlFlow
from benchmarks.datasets import CHAINS
from benchmarks.engines import EVERYONE, load
from benchmarks.expressions import Expressions, text_of
from benchmarks.full import beside as full
from benchmarks.full.page import HEAD, kept_section, section
from benchmarks.full.page import figures as full_figures
from benchmarks.full.tasks import TASKS
from benchmarks.gradients import Differentiated, Gradients
from benchmarks.graph_on_screen import OnScreen
from benchmarks.kernels import Kernels
from benchmarks.loops import LOOPS, fifty_lines
from benchmarks.measure import Spread
from benchmarks.page import figures, html
from benchmarks.panel_memory import PanelMemory
from benchmarks.programs import Program
from benchmarks.report import markdown
from benchmarks.results import Results, bars
from benchmarks.retraces import Retraces
from benchmarks.steady import Steady
from benchmarks.streaming import Streamed
from benchmarks.training import TASKS as LOSSES
from benchmarks.training import thirty_ops
from benchmarks.twenty_lines import python_lines
from benchmarks.workloads import CACHED_CALL, WORKLOADS, ten_ops, thousand_ops


def steady(seconds: float) -> Steady:
    return Steady(Spread(seconds, seconds, seconds, 9), Spread(1e-6, 1e-6, 1e-6, 9), Spread(1.5, 2.0, 2.5, 9))


def beside(ratio: float, unit: float) -> Beside:
    """A plain operation that takes one unit of seconds, and what takes `ratio` times as long."""
    plain, own = Spread(unit, unit, unit, 9), Spread(ratio * unit, ratio * unit, ratio * unit, 9)
    return Beside(own, plain, Spread(ratio - 0.1, ratio, ratio + 0.1, 9))


FLOW = ControlFlow(
    rewriting=Spread(0.0035, 0.004, 0.0045, 9),
    rewriting_again=Spread(0.002, 0.0024, 0.003, 9),
    first_call={"tracefn": Spread(0.005, 0.006, 0.007, 9), "jax": Spread(0.1, 0.1, 0.1, 3), "tensorflow": None},
    first_call_again=Spread(0.004, 0.0045, 0.005, 9),
    hooks={"item": beside(2, 3e-8), "callee": beside(4, 3e-8), "method": beside(3, 3e-8)},
    loops={"quick": beside(0.5, 1e-3), "slow": beside(1.6, 1e-5), "medium": beside(1.2, 1e-3)},
    native_loops={"quick": beside(0.1, 1e-3), "slow": beside(0.2, 1e-5), "medium": beside(0.3, 1e-3)},
)
RATES = {name: Spread(2e6, 4e6, 5e6, 7) for name in CHAINS} | {"slices": Spread(2e5, 2.5e5, 4e5, 7)}

RETRACES = Retraces(
    explaining=Spread(0.0003, 0.0004, 0.0005, 9),
    in_full=Spread(0.001, 0.0015, 0.002, 9),
    replaying={"relaxed dims": Spread(0.02, 0.03, 0.04, 9), "as is": Spread(0.05, 0.06, 0.07, 9)},
    row_bytes=Spread(64, 64, 64, 1),
    cached_call=Spread(-1e-9, 0.0, 1e-9, 9),
)

RESULTS = Results(
    imports={"tracefn": Spread(0.15, 0.2, 0.25, 5), "jax": Spread(0.3, 0.3, 0.3, 1), "tensorflow": None},
    first_call={
        "tracefn": (Spread(0.001, 0.002, 0.004, 5), Spread(0.0005, 0.0008, 0.0009, 50)),
        "jax": (Spread(0.05, 0.06, 0.07, 5), Spread(0.04, 0.05, 0.06, 50)),
        "tensorflow": None,
    },
    steady={name: {"tracefn": steady(2e-6), "jax": steady(5e-6), "tensorflow": None} for name in WORKLOADS},
    control_flow=FLOW,
    kernels=Kernels(
        {10: Spread(0.02, 0.02, 0.02, 9), 100: Spread(0.11, 0.12, 0.13, 9)},
        Spread(0.9, 1.0, 1.1, 9),
        Spread(1.0, 1.0, 1.0, 1),
    ),
    datasets=RATES,
    retraces=RETRACES,
    streaming=Streamed(5001, 0, 4000, 3.0, Spread(0.1, 0.2, 0.3, 5001), 30, 2_000_000),
    graph_on_screen={"own": OnScreen(303, Spread(90, 100, 110, 10), Spread(40, 50, 60, 10))},
)


def row(page: str, title: str) -> list[str]:
    (line,) = [line for line in page.splitlines() if line.startswith(f"| {title}")]
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_a_row_says_what_was_measured_and_whether_it_reaches_the_bar():
    page = markdown(RESULTS)
    title, bar, measured, share, verdict, jax, tensorflow = row(page, "First call of a 10-operation function")
    assert (bar, measured, share) == ("≤ 3 ms", "2 ms (1 ms … 4 ms)", "0.67")
    assert (verdict, jax, tensorflow) == ("reached", "60 ms", "not installed")
    assert row(page, "`import tracefn`")[3:] == ["1.33", "**falls short**", "300 ms", "not installed"]
    cached = row(page, "Cached call of `(x + y) * 2` on 4 floats, against eager NumPy")
    assert cached[1:5] == ["≤ 0.2×", "2× (1.5× … 2.5×)", "10.00", "**falls short**"]
    assert row(page, "Events lost of 5001")[1:5] == ["≤ 0", "0", "–", "reached"]
    assert row(page, "303-node graph")[2:] == ["100 ms (90 ms … 110 ms)", "0.20", "reached", "–", "–"]


def test_calls_and_kernels_are_held_against_their_bars():
    page = markdown(RESULTS)
    assert row(page, "1000 operations on 16 floats, against jax.jit")[1:5] == [
        "≤ 0.4×", "0.4× (0.4× … 0.4×)", "1.00", "reached"
    ]  # fmt: skip
    assert row(page, "10 operations on 1,000,000 float64, against eager NumPy")[4] == "**falls short**"
    assert row(page, "Compiling a kernel of 100 operations")[1:5] == [
        "≤ 100 ms", "120 ms (110 ms … 130 ms)", "1.20", "**falls short**"
    ]  # fmt: skip
    assert row(page, "Arithmetic on 10,000,000 elements")[4] == "reached"
    assert row(page, "Peak of memory of a chain")[4] == "reached"


def test_programs_are_held_against_their_bars():
    def program(numpy, native):
        spreads = [Spread(r, r, r, 9) for r in (numpy, 1.0, numpy, native, native)]
        return Program(*spreads, kernels=3, memory=1.0, nodes=10, microseconds_per_node=20.0)

    page = markdown(Results(programs={"one": program(1.2, 0.1), "two": program(1.0, 0.4)}))
    assert row(page, "The slowest of 2 NumPy programs (one)")[4] == "**falls short**"
    assert row(page, "The slowest of them (two) as a native program")[4] == "reached"
    assert row(page, "All of them as native programs, geometric mean")[2:5] == ["0.2×", "0.80", "reached"]
    assert row(page, "two")[5:7] == ["0.40", "3"]


def test_gradients_are_held_against_their_bars():
    def took(seconds, ratio, peak):
        return Differentiated(Spread(seconds, seconds, seconds, 9), Spread(ratio, ratio, ratio, 9), peak)

    tasks = {
        key: {"tracefn": took(1e-3, 2.5, 1000), "jax": took(2e-3, 4, 500), "autograd": took(2e-3, 9, None)}
        for key in LOSSES
    }
    first = {"tracefn": Spread(6e-3, 7e-3, 8e-3, 7), "jax": None, "autograd": None}
    page = markdown(Results(gradients=Gradients(tasks, first)))
    mlp = "an MLP, 64×784–128–10"
    assert row(page, f"Value and gradient of {mlp}, against jax.jit")[2:5] == ["0.5× (0.5× … 0.5×)", "0.50", "reached"]
    assert row(page, f"Value and gradient of {mlp}, against autograd")[4] == "**falls short**"
    assert row(page, "First gradient of a 30-operation function")[4] == "reached"
    assert row(page, f"Peak of memory of value and gradient of {mlp}")[2:5] == ["2×", "1.82", "**falls short**"]
    assert row(page, mlp)[1:] == ["1 ms (2.5)", "2 ms (4.0)", "2 ms (9.0)", "0.00 MB", "0.00 MB"]


@pytest.mark.parametrize("key", ["mlp", "lstm", "logistic"])
def test_losses_that_are_benchmarked_have_gradients(key):
    loss, (first, *others) = LOSSES[key].make("numpy", load("numpy")), LOSSES[key].arguments()
    value, gradient = tracefn.value_and_grad(loss)(first, *others)
    np.testing.assert_allclose(value, loss(first, *others), rtol=1e-5)
    leaves, slopes = (first, gradient) if isinstance(first, list) else ([first], [gradient])
    direction = [np.sign(slope) for slope in slopes]
    step = 1e-3
    moved = [(leaf + step * d).astype(leaf.dtype) for leaf, d in zip(leaves, direction, strict=True)]
    ahead = loss(moved if isinstance(first, list) else moved[0], *others)
    expected = step * sum(np.abs(slope).sum() for slope in slopes)
    np.testing.assert_allclose(ahead - value, expected, rtol=0.2)


def test_thirty_operations():
    x = np.linspace(0.1, 1, 5)
    assert len(tracefn.function(thirty_ops(np)).get_concrete_function(x, x).traced_graph.nodes) >= 30
    assert np.isfinite(tracefn.grad(thirty_ops(np))(x, x)).all()


def test_lost_events_fall_short():
    lost = Results(streaming=Streamed(5000, 3, 4000, 3.0, Spread(0.1, 0.2, 0.3, 4997), 30, 1))
    assert row(markdown(lost), "Events lost")[2:5] == ["3", "–", "**falls short**"]


def test_control_flow_is_held_against_its_bars():
    page = markdown(Results(control_flow=FLOW))
    assert row(page, "AutoGraph rewrites")[1:5] == ["≤ 3 ms", "2.4 ms (2 ms … 3 ms)", "0.80", "reached"]
    first = ["≤ 5 ms", "6 ms (5 ms … 7 ms)", "1.20", "**falls short**", "100 ms", "not installed"]
    assert row(page, "First call of a 20-line function")[1:] == first
    assert row(page, "Rewriting of 50 lines")[1:] == ["4 ms (3.5 ms … 4.5 ms)", "2.4 ms (2 ms … 3 ms)"]
    assert row(page, "First call of 20 lines")[1:] == ["6 ms (5 ms … 7 ms)", "4.5 ms (4 ms … 5 ms)"]


def test_the_bars_of_hooks_and_loops_are_those_of_the_slowest():
    page = markdown(Results(control_flow=FLOW))
    assert row(page, "The slowest hook of rewritten code, `callee`")[1:5] == [
        "≤ 200 ns",
        "120 ns (120 ns … 120 ns)",
        "0.60",
        "reached",
    ]
    assert row(page, "The slowest staged loop (slow)")[1:4] == ["≤ 1.5×", "1.6× (1.5× … 1.7×)", "1.07"]
    assert row(page, "slow")[1:] == ["10 µs", "16 µs", "1.60 (1.50 … 1.70)", "2 µs", "0.20 (0.10 … 0.30)"]
    assert row(page, "`item`")[1:] == ["30 ns", "60 ns", "2.00 (1.90 … 2.10)"]


def test_a_dataset_is_held_against_the_time_of_one_element():
    page = markdown(Results(datasets=RATES))
    bar, measured, _, verdict = row(page, "One small element of a Dataset (slices)")[1:5]
    assert (bar, measured, verdict) == ("≤ 3.33 µs", "4 µs (2.5 µs … 5 µs)", "**falls short**")
    assert row(page, "One small element of a Dataset (range)")[4] == "reached"
    assert row(page, "slices")[1:] == ["0.25 (0.20 … 0.40)"]


def test_a_missing_browser_is_no_failure_and_no_success():
    page = markdown(Results(graph_on_screen="there is no Chromium"))
    assert row(page, "300-node graph")[2:5] == ["–", "–", "not measured: there is no Chromium"]
    assert [bar.reached for bar in bars(Results(graph_on_screen="there is no Chromium"))] == [False]
    for ended, reached in ((38, True), (60, False)):
        assert [bar.reached for bar in bars(Results(panel_memory=PanelMemory(1_000_000, 40, ended)))] == [reached]


def test_a_run_of_some_parts_reports_these_alone():
    page = markdown(Results(imports=RESULTS.imports))
    assert "Calls of a traced function" not in page and "Stream and panel" not in page
    assert [bar.title for bar in bars(Results(imports=RESULTS.imports))] == ["`import tracefn` after `import numpy`"]


def test_the_page_of_plots_is_complete():
    page = html(figures(RESULTS))
    assert page.count('class="plotly-graph-div"') == 5
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


@pytest.mark.parametrize("function, count", [(python_lines, 20), (fifty_lines, 50)])
def test_the_functions_have_as_many_lines_as_they_say(function, count):
    assert len(inspect.getsource(function).splitlines()) == count


@pytest.mark.parametrize("title", LOOPS)
def test_a_loop_is_staged_and_gives_what_eager_python_gives(title):
    function, arguments = LOOPS[title]
    traced = tracefn.function(function)
    found, expected = traced(*arguments), function(*arguments)
    assert type(found) is type(expected) and np.asarray(found).dtype == np.asarray(expected).dtype
    assert np.array_equal(found, expected)
    graph = traced.get_concrete_function(*arguments).traced_graph
    assert len(graph) < 20 and any(node.op.name in ("for_loop", "while_loop") for node in graph)


@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_does_what_it_stands_for(name):
    class Owner:
        a = 1

    def run(statement):
        given = {"hooks": operators, "owner": Owner(), "items": [1], "table": {}, "function": len, "one": 1}
        found = eval(statement, given) if "=" not in statement else exec(statement, given)
        return found, vars(given["owner"]), given["items"], given["table"]

    own, plain = map(run, HOOKS[name])
    assert own[1:] == plain[1:] and (own[0] == plain[0] or name == "method")


def spread(value: float) -> Spread:
    return Spread(value, value, value, 9)


BESIDE = full.Beside(spread(2.0), spread(4.0), spread(0.5), spread(0.8))
FOUND = {key: {name: None if name == "numba" else BESIDE for name in EVERYONE} for key in TASKS}
FIRST = {name: (spread(2e-3), spread(1e-3)) for name in EVERYONE}


@pytest.mark.parametrize("key", TASKS)
def test_what_all_peers_compute_is_the_same(key):
    task = TASKS[key]
    if max(map(math.prod, task.shapes)) > 10**5:
        task = dataclasses.replace(task, shapes=tuple(tuple([min(n, 12) for n in shape]) for shape in task.shapes))
        if task.group == "Stencils":
            task = dataclasses.replace(task, shapes=(task.shapes[0], tuple([n - 2 for n in task.shapes[0]])))
    x, y = task.arrays()
    traced = tracefn.function(task.make(np))
    np.testing.assert_allclose(traced(x, y), task.make(np)(x, y), rtol=1e-5)
    if task.group.startswith("Chains"):
        text = text_of(task.make(Expressions()))
        np.testing.assert_allclose(eval(text, {**vars(np), "x": x, "y": y}), traced(x, y), rtol=1e-5)


def test_the_section_of_a_full_run_is_kept_by_a_quick_one():
    found = section(FOUND, FIRST)
    assert found.startswith(HEAD)
    page = markdown(RESULTS, found)
    assert page.index(HEAD) < page.index("## How it is measured")
    assert kept_section(page).strip() == found.strip()
    assert kept_section(markdown(RESULTS)) == ""
    assert markdown(RESULTS, kept_section(page)) == page
    (line,) = [line for line in found.splitlines() if line.startswith("| softmax")]
    assert "| 0.50 (" in line and "| – |" in line
    (line,) = [line for line in found.splitlines() if line.startswith("| 30 operations, float64")]
    assert line.count("0.00, 0.00 ns") == len(EVERYONE)  # NumPy, and all but Numba
    assert len(list(full_figures(FOUND))) == 7
