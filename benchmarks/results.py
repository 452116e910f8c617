"""All that one run measures, and the bars it is held against."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.background import Background
from benchmarks.beyond import Beyond
from benchmarks.building import Building
from benchmarks.control_flow import ControlFlow
from benchmarks.gradients import Gradients
from benchmarks.graph_on_screen import OnScreen
from benchmarks.kernels import Kernels
from benchmarks.measure import Spread
from benchmarks.panel_load import SIZES, PanelLoad
from benchmarks.panel_memory import PanelMemory
from benchmarks.programs import Program
from benchmarks.retraces import EARLIER, LOGGED, Retraces
from benchmarks.scalar_loops import LOGISTIC, SUM, ScalarLoop
from benchmarks.steady import Steady
from benchmarks.streaming import Streamed
from benchmarks.training import TASKS
from benchmarks.workloads import CACHED_CALL, SMALL_OPS

Peers = dict[str, Spread | None]

ELEMENTS_PER_SECOND = 300_000


@dataclass(frozen=True, slots=True)
class Results:
    """The findings of each part of the run; None for a part that was not asked for. Times are in seconds."""

    imports: Peers | None = None
    first_call: dict[str, tuple[Spread, Spread] | None] | None = None
    steady: dict[str, dict[str, Steady | None]] | None = None
    beyond: Beyond | None = None
    control_flow: ControlFlow | None = None
    programs: dict[str, Program] | None = None
    kernels: Kernels | None = None
    background: Background | None = None
    building: Building | None = None
    scalar_loops: dict[str, ScalarLoop] | None = None
    gradients: Gradients | None = None
    datasets: dict[str, Spread] | None = None
    retraces: Retraces | None = None
    streaming: Streamed | None = None
    graph_on_screen: dict[str, OnScreen] | str | None = None
    panel_load: PanelLoad | str | None = None
    panel_memory: PanelMemory | str | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """One thing to reach: `measured` at most `limit`, in `unit` ('s', '×', 'bytes' or 'events').

    Where nothing could be measured, `missing` says why. `peers` has the times of other engines for the same; those
    that do nothing of the kind are not in it.
    """

    title: str
    limit: float
    unit: str
    measured: Spread | None
    peers: Peers
    missing: str = ""

    @property
    def reached(self) -> bool:
        """By the median."""
        return self.measured is not None and self.measured.median <= self.limit


def bars(results: Results) -> list[Bar]:
    """The bars of all that was measured."""
    return list(_bars(results))


def _bars(results: Results) -> Iterator[Bar]:
    if results.first_call is not None:
        first = {name: spreads and spreads[0] for name, spreads in results.first_call.items()}
        again = {name: spreads and spreads[1] for name, spreads in results.first_call.items()}
        own, retrace = first.pop("tracefn"), again.pop("tracefn")
        yield Bar("First call of a 10-operation function", 3e-3, "s", own, first)
        yield _ratio("The same, against jax.jit", 1 / 15, own, first["jax"], "JAX")
        yield Bar("One retrace of it", 1e-3, "s", retrace, again)
        yield _ratio("The same, against tf.function", 1 / 20, retrace, again["tensorflow"], "TensorFlow")
    if results.steady is not None:
        ratios = {name: steady and steady.ratio for name, steady in results.steady[CACHED_CALL].items()}
        title = "Cached call of `(x + y) * 2` on 4 floats, against eager NumPy"
        yield Bar(title, 0.2, "×", ratios.pop("tracefn"), ratios)
        yield from _beside_jax(results.steady)
    if (found := results.beyond) is not None:
        yield Bar("Cached call that runs eagerly, over eager code", 1e-6, "s", found.eager, {})
        yield Bar("The same of a method", 1e-6, "s", found.eager_method, {})
        title = "Cached call of `self.n += 1; return x * self.n`, over one without state"
        yield Bar(title, 0.3e-6, "s", found.state, {})
    if (flow := results.control_flow) is not None:
        yield Bar("AutoGraph rewrites a 50-line function", 3e-3, "s", flow.rewriting_again, {})
        first = dict(flow.first_call)
        title = "First call of a 20-line function with an if in a loop"
        yield Bar(title, 5e-3, "s", first.pop("tracefn"), first)
        name, hook = max(flow.hooks.items(), key=lambda item: item[1].own.median)
        yield Bar(f"The slowest hook of rewritten code, `{name}`, nothing traced", 0.2e-6, "s", hook.own, {})
        name, loop = max(flow.loops.items(), key=lambda item: item[1].ratio.median)
        yield Bar(f"The slowest staged loop ({name}), against eager Python", 1.5, "×", loop.ratio, {})
    if results.programs is not None:
        name, slowest = max(results.programs.items(), key=lambda item: item[1].ratio.median)
        title = f"The slowest of {len(results.programs)} NumPy programs ({name}), against eager NumPy"
        yield Bar(title, 1.1, "×", slowest.ratio, {})
        name, slowest = max(results.programs.items(), key=lambda item: item[1].native_ratio.median)
        yield Bar(f"The slowest of them ({name}) as a native program", 1.05, "×", slowest.native_ratio, {})
        mean = math.exp(statistics.fmean(math.log(p.native_ratio.median) for p in results.programs.values()))
        yield Bar("All of them as native programs, geometric mean", 0.25, "×", Spread(mean, mean, mean, 1), {})
        each = Spread.of([p.microseconds_per_node * 1e-6 for p in results.programs.values()])
        yield Bar("Tracing of one node, over these programs", 25e-6, "s", each, {})
    if (kernels := results.kernels) is not None:
        for count, limit in ((10, 30e-3), (100, 100e-3)):
            yield Bar(f"Compiling a kernel of {count} operations", limit, "s", kernels.compiling[count], {})
        title = "Arithmetic on 10,000,000 elements, against copying as many bytes"
        yield Bar(title, 1.25, "×", kernels.bandwidth, {})
        yield Bar("Peak of memory of a chain, against its arguments and result", 1.1, "×", kernels.memory, {})
    if results.background is not None:
        title = "Native code in use after the first trace of a later process"
        yield Bar(title, 5e-3, "s", results.background.later, {})
        title = "Longest stall of the main thread while 100 operations are compiled"
        yield Bar(title, 5e-3, "s", results.background.stall, {})
    if results.building is not None:
        yield from _building(results.building)
    if results.scalar_loops is not None:
        for title in (SUM, LOGISTIC):
            loop = results.scalar_loops[title]
            missing = "" if loop.ratio else "Numba is not installed"
            yield Bar(f"{title[0].upper()}{title[1:]}, against Numba", 1.5, "×", loop.ratio, {}, missing)
            yield _ratio("The same, against jax.jit", 0.1, loop.own, loop.jax, "JAX")
    if results.gradients is not None:
        yield from _of_gradients(results.gradients)
    if results.datasets is not None:
        for name in ("range", "slices", "pairs of slices"):
            rate = results.datasets[name]
            each = Spread(1 / rate.upper, 1 / rate.median, 1 / rate.lower, rate.samples)
            yield Bar(f"One small element of a Dataset ({name})", 1 / ELEMENTS_PER_SECOND, "s", each, {})
    if (told := results.retraces) is not None:
        yield Bar(f"A miss explained against {EARLIER} earlier signatures", 2e-3, "s", told.explaining, {})
        name, replayed = max(told.replaying.items(), key=lambda item: item[1].median)
        yield Bar(f"{LOGGED:,} logged calls replayed ({name})", 1, "s", replayed, {})
        yield Bar("A row of the call log", 200, "bytes", told.row_bytes, {})
        yield Bar(f"A cached call with {EARLIER} logged calls, beyond one without", 0.1e-6, "s", told.cached_call, {})
    if results.imports is not None:
        found = dict(results.imports)
        yield Bar("`import tracefn` after `import numpy`", 0.15, "s", found.pop("tracefn"), found)
    if results.streaming is not None:
        lost = results.streaming.lost
        title = f"Events lost of {results.streaming.sent} streamed during one busy cell"
        yield Bar(title, 0, "events", Spread(lost, lost, lost, 1), {})
    if isinstance(results.graph_on_screen, str):
        yield Bar("300-node graph on screen", 0.5, "s", None, {}, results.graph_on_screen)
    elif results.graph_on_screen is not None:
        for network, shown in results.graph_on_screen.items():
            title = f"{shown.nodes}-node graph on screen ({network})"
            yield Bar(title, 0.5, "s", shown.from_event.times(1e-3), {})
    if isinstance(results.panel_load, str):
        yield Bar("Large graphs and a storm in the panel", 0.1, "s", None, {}, results.panel_load)
    elif results.panel_load is not None:
        yield from _of_the_panel(results.panel_load)
    if isinstance(results.panel_memory, PanelMemory):
        memory = results.panel_memory
        grown = memory.ended / memory.begun
        title = f"Heap of the page after {memory.events:,} events, against that after a fifth of them"
        yield Bar(title, 1.1, "×", Spread(grown, grown, grown, 1), {})


def _of_gradients(found: Gradients) -> Iterator[Bar]:
    """Bars of values and gradients, against JAX, autograd and the function alone; of the first one, and of memory."""
    for key, engines in found.tasks.items():
        own, title = engines["tracefn"], TASKS[key].title
        if own is None:
            continue
        for name, limit, peer in (("jax", 1.0, "jax.jit"), ("autograd", 0.33, "autograd")):
            other, text = engines[name], f"Value and gradient of {title}, against {peer}"
            if other is not None or name == "jax":
                yield _ratio(text, limit, own.both, other and other.both, peer)
        yield Bar("The same, against the value alone", 3.0, "×", own.over_forward, {})
    first = dict(found.first)
    yield Bar("First gradient of a 30-operation function", 8e-3, "s", first.pop("tracefn"), first)
    for key in ("mlp", "chain"):
        peaks = [e.peak if (e := found.tasks[key][name]) else None for name in ("tracefn", "jax")]
        own_peak, others = [None if p is None else Spread(p, p, p, 1) for p in peaks]
        title = f"Peak of memory of value and gradient of {TASKS[key].title}, against jax.jit"
        yield _ratio(title, 1.1, own_peak, others, "JAX")


def _of_the_panel(load: PanelLoad) -> Iterator[Bar]:
    """Bars of large graphs on screen, of a storm of retraces with the panel open, and of JupyterLab's start."""
    for picture in load.pictures:
        title = f"{picture.nodes:,}-node graph on screen ({picture.shape})"
        yield Bar(title, SIZES[picture.asked], "s", picture.from_event, {})
        yield Bar("The longest task of the page meanwhile", 0.1, "s", picture.longest_task, {})
    once = [
        (f"The longest task of the page during a storm of {load.events:,} events", 0.1, "s", load.longest_task),
        ("The time between its frames, 95th percentile", 0.033, "s", load.frame),
        ("That storm in a notebook with the panel open, against plain Python", 1.2, "×", load.storm),
        ("JavaScript loaded at JupyterLab's start, after gzip", 60_000, "bytes", load.start),
    ]
    for title, limit, unit, found in once:
        yield Bar(title, limit, unit, Spread(found, found, found, 1), {})


def _building(found: Building) -> Iterator[Bar]:
    """The cost of building native code to its caller."""
    count = len(found.first_calls)
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in found.first_calls.values()))
    title = f"First ten calls of {count} programs together, cold, against NumPy, geometric mean"
    yield Bar(title, 1, "×", Spread(mean, mean, mean, 1), {})
    beyond = {name: ratio - 15e-3 / eager for name, (ratio, eager) in found.first_calls.items()}
    name, worst = max(beyond.items(), key=lambda item: item[1])
    yield Bar(f"The slowest of them ({name}), but for 15 ms", 1.2, "×", Spread(worst, worst, worst, 1), {})
    yield Bar("Longest pause of a thread while anything is built", 1e-3, "s", found.stall, {})
    for nodes, each in found.nodes.items():
        yield Bar(f"Building the kernels of {nodes:,} unrolled nodes, for a node", 1.2e-3, "s", each, {})
    name, slowest = max(found.of_blas.items(), key=lambda item: item[1].median)
    yield Bar(f"The slowest program of BLAS ({name}), never built, against NumPy", 1 / 0.97, "×", slowest, {})
    yield Bar("Eight threads while all is built: eager calls for one of theirs", 1 / 0.9, "×", found.threads, {})
    yield Bar("First call of 1,000 nodes in a later process, beyond its run", 1e-3, "s", found.later, {})


def _ratio(title: str, limit: float, own: Spread | None, other: Spread | None, peer: str) -> Bar:
    """One time against the median of another engine's."""
    if own is None or other is None:
        return Bar(title, limit, "×", None, {}, f"{peer} is not installed")
    return Bar(title, limit, "×", own.times(1 / other.median), {})


def _beside_jax(steady: dict[str, dict[str, Steady | None]]) -> Iterator[Bar]:
    """Calls against those of `jax.jit`, in the same run and in a process of its own."""
    wanted = [
        (CACHED_CALL, 0.05, "Cached call of `(x + y) * 2` on 4 floats, against jax.jit"),
        (SMALL_OPS, 0.4, "1000 operations on 16 floats, against jax.jit"),
        ("ten_ops_float32_1000000", 0.8, "10 operations on 1,000,000 float32, against jax.jit"),
        ("ten_ops_float64_1000000", 0.8, "10 operations on 1,000,000 float64, against jax.jit"),
    ]
    for workload, limit, title in wanted:
        own, other = steady[workload]["tracefn"], steady[workload]["jax"]
        yield _ratio(title, limit, own and own.engine, other and other.engine, "JAX")
    for dtype in ("float32", "float64"):
        own = steady[f"ten_ops_{dtype}_1000000"]["tracefn"]
        if own is not None:
            yield Bar(f"10 operations on 1,000,000 {dtype}, against eager NumPy", 0.3, "×", own.ratio, {})
