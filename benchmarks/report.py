"""The results as a Markdown page."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Iterable, Sequence

from tracefn.events.units import duration

from benchmarks.control_flow import Beside, ControlFlow
from benchmarks.engines import TITLES, TRACERS
from benchmarks.gradients import ENGINES, Differentiated, Gradients
from benchmarks.measure import Spread
from benchmarks.programs import Program
from benchmarks.results import Bar, Results, bars
from benchmarks.scalar_loops import ScalarLoop
from benchmarks.steady import Steady
from benchmarks.training import TASKS
from benchmarks.workloads import WORKLOADS

PEERS = [name for name in TRACERS if name != "tracefn"]
SHOWN_VERSIONS = ("numpy", "jax", "autograd", "tensorflow", "numba", "numexpr", "torch", "ipykernel", "jupyterlab")

HEAD = """\
# Performance

`make bench` measured this and wrote this page and `build/benchmarks.html`, a page of plots. Everything ran side by side
in one run, on the CPU. A value is a median, with the quartiles in brackets.
"""

HOW = """\
## How it is measured

- **First call, retrace, import**: in fresh processes, the engines in turns, once each engine's module files are
  compiled. The function has ten elementwise operations and gets two arrays of 16 float32, which exist before the
  clock starts; a retrace is a call with another length. `import tracefn` is timed after `import numpy`; JAX's and
  TensorFlow's imports too.
- **Calls**: the engine and eager NumPy in one process, in turns, samples of a millisecond each, garbage collection
  off. A ratio is that of neighbouring samples. Each engine gets its own kind of array and is waited for. Before that,
  its result is compared with NumPy's.
  tracefn runs until its native program is ready. The cost of one call over another is the difference of neighbouring
  samples of calls on 4 floats, after 10,000 of each.
- **Kernels**: compiling is all that makes a native program of a graph, in a process that has loaded LLVM. Copying is
  that of NumPy, in turns with the chain, which reads two arrays and writes one; the bytes are those of all three.
- **In the background**: in fresh processes. An earlier one has built the ten operations and keeps them on disk; time
  goes from the event that tells the end of the trace to that which tells that native code is in use, with `jit='now'`.
  The main thread does nothing but look at the clock while a chain of 100 operations is built; its longest stall is that
  between two looks.
- **Building**: in fresh processes without a cache. The first ten calls are timed together, those of NumPy and then
  those of the traced function, on copies that are made before the clock starts; NumPy has run once before. A pause is
  the longest time between two looks at the clock, beyond that of as long a time in which nothing is built. Building for
  a node is time of the processor.
- **Loops over numbers**: tracefn and Numba compile the same functions and take turns; JAX runs its own idiom in a
  process of its own.
- **Control flow**: first calls happen in fresh processes that traced a smaller loop before, the engines in turns and
  each in its own idiom; so does rewriting, whose bar is for the later times, with the rewritten code forgotten. Loops
  run in one process, the traced function and the plain one in turns; the bar is for their NumPy programs. They get
  NumPy scalars, as they come out of arrays, and their results are compared first. So are hooks beside the code
  that they stand for.
- **Programs**: those of `tests/conformance/programs`, unchanged, with arrays of 10,000 elements or more; traced and
  eager in turns, on copies of the arguments that are made before the clock starts; first the NumPy program, then the
  native one. The peak is of the memory that NumPy and Python
  allocate in a call. Tracing is the phase `trace` of a first call, without rewriting, divided by all nodes.
- **Gradients**: each engine in a process of its own, in one run; value and gradient in turns with the value alone, on
  the same arrays. Losses are written once, but for convolutions, and loops in JAX, which are `scan` and `fori_loop`.
  Values and norms of gradients are compared first. The peak is that of the process for NumPy's arrays, and XLA's plan
  for JAX, with arguments and results. The first gradient is the first call in a fresh process.
- **Datasets**: 300,000 numbers or rows, iterated to the end in one go.
- **Retraces**: in one process, in turns. The function has a nested argument, guards, and 100 traces; 100,000 calls with
  lengths, numbers and texts, nearly all different, are replayed under each policy. The cached call is timed in two
  functions of one source, in one of which 100 other calls were logged before.
- **Events**: one cell of a real kernel traces until there are 5000 events, each graph among them; a client of the
  kernel takes down the messages. The delay is that from the emission of an event to the arrival of its message.
- **Graph on screen**: in a real Chromium with JupyterLab and the panel open, from the `graph.built` event in the
  kernel to the frame after the drawing was made. The graphs differ, so that none is laid out before; the very first
  does not count. Large ones are residual layers, and rounds of a chain of operations without a pattern, unrolled; the
  longest task is that of Chromium's list of tasks over 50 ms.
- **Storm**: 2000 traces of a small function in one cell, with the panel open, against a script of the same code. The
  page's tasks and frames are those of another such cell, as watching them takes time.
"""


def markdown(results: Results, more: str = "") -> str:
    """The page. Parts that were not measured are left out; `more` comes before the part on how it is measured."""
    parts = [HEAD, _machine(), "## Bars\n", table(*_bar_table(bars(results)))]
    if results.steady is not None:
        parts += ["## Calls of a traced function, against eager NumPy\n", table(*_steady_table(results.steady))]
    if results.control_flow is not None:
        parts += _flow_parts(results.control_flow)
    if results.programs is not None:
        parts += ["## Whole NumPy programs, against eager NumPy\n", table(*_programs_table(results.programs))]
    if results.scalar_loops is not None:
        parts += ["## Loops over numbers and elements, native\n", table(*_scalar_loops_table(results.scalar_loops))]
    if results.gradients is not None:
        parts += ["## Values and gradients\n", table(*_gradients_table(results.gradients))]
    if results.datasets is not None:
        parts += ["## Datasets, iterated eagerly\n", table(*_datasets_table(results.datasets))]
    details = list(_details(results))
    if details:
        parts += ["## Stream and panel\n", "\n".join(f"- {line}" for line in details) + "\n"]
    return "\n".join([*parts, *([more] if more else []), HOW])


def _machine() -> str:
    versions = [f"{name} {version}" for name in SHOWN_VERSIONS if (version := _version(name))]
    machine = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores"
    return f"{machine}; Python {platform.python_version()}, {', '.join(versions)}.\n"


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown: the first column to the left, the others to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _bar_table(found: Iterable[Bar]) -> tuple[list[str], list[list[str]]]:
    head = ["", "bar", "measured", "of the bar", "", *[TITLES[name] for name in PEERS]]
    return head, [_bar_row(bar) for bar in found]


def _bar_row(bar: Bar) -> list[str]:
    if bar.measured is None:
        measured, share, verdict = "–", "–", f"not measured: {bar.missing}"
    else:
        measured = spread(bar.measured, bar.unit)
        share = f"{bar.measured.median / bar.limit:.2f}" if bar.limit else "–"
        verdict = "reached" if bar.reached else "**falls short**"
    peers = [_peer(bar.peers[name], bar.unit) if name in bar.peers else "–" for name in PEERS]
    return [bar.title, f"≤ {amount(bar.limit, bar.unit)}", measured, share, verdict, *peers]


def _peer(found: Spread | None, unit: str) -> str:
    return "not installed" if found is None else amount(found.median, unit)


def _steady_table(steady: dict[str, dict[str, Steady | None]]) -> tuple[list[str], list[list[str]]]:
    """NumPy's time is that beside tracefn; the other engines show their time and their ratio to NumPy beside them."""
    head = ["", TITLES["numpy"], TITLES["tracefn"], "of NumPy's time", *[TITLES[name] for name in PEERS]]
    rows = []
    for workload, found in steady.items():
        own = found["tracefn"]
        assert own is not None
        ratio = f"{own.ratio.median:.2f} ({own.ratio.lower:.2f} … {own.ratio.upper:.2f})"
        peers = [_steady_peer(found[name]) for name in PEERS]
        eager, engine = amount(own.eager.median, "s"), amount(own.engine.median, "s")
        rows.append([WORKLOADS[workload].title, eager, engine, ratio, *peers])
    return head, rows


def _steady_peer(found: Steady | None) -> str:
    return "not installed" if found is None else f"{amount(found.engine.median, 's')} ({found.ratio.median:.2f})"


def _flow_parts(flow: ControlFlow) -> Iterable[str]:
    yield "## Control flow\n"
    yield table(*_once_table(flow))
    yield "Loops of traced functions, against the same functions in eager Python:\n"
    yield table(*_loops_table(flow))
    yield "The hooks of rewritten code while nothing is traced, against the code that they stand for:\n"
    yield table(*_beside_table({f"`{name}`": hook for name, hook in flow.hooks.items()}))


def _once_table(flow: ControlFlow) -> tuple[list[str], list[list[str]]]:
    head = ["", "first in its process", "again, the rewritten code forgotten"]
    rows = [["Rewriting of 50 lines", flow.rewriting, flow.rewriting_again]]
    if (first := flow.first_call["tracefn"]) is not None:
        rows.append(["First call of 20 lines", first, flow.first_call_again])
    return head, [[title, spread(once, "s"), spread(again, "s")] for title, once, again in rows]


def _beside_table(found: dict[str, Beside]) -> tuple[list[str], list[list[str]]]:
    rows = []
    for title, times in found.items():
        ratio = f"{times.ratio.median:.2f} ({times.ratio.lower:.2f} … {times.ratio.upper:.2f})"
        rows.append([title, amount(times.plain.median, "s"), amount(times.own.median, "s"), ratio])
    return ["", "Python, eager", TITLES["tracefn"], "of Python's time"], rows


def _loops_table(flow: ControlFlow) -> tuple[list[str], list[list[str]]]:
    head, rows = _beside_table(flow.loops)
    _, native = _beside_table(flow.native_loops)
    head = [*head[:2], "NumPy program", head[3], "native program", head[3]]
    return head, [[*row, *others[2:]] for row, others in zip(rows, native, strict=True)]


def _programs_table(programs: dict[str, Program]) -> tuple[list[str], list[list[str]]]:
    head = ["", "NumPy", "NumPy program", "of NumPy's time", "native program", "of NumPy's time", "kernels"]
    head += ["of its peak of memory", "nodes", "tracing of one"]
    rows = []
    for name, found in sorted(programs.items(), key=lambda item: item[1].native_ratio.median):
        ratio = f"{found.ratio.median:.2f} ({found.ratio.lower:.2f} … {found.ratio.upper:.2f})"
        times = [amount(found.eager.median, "s"), amount(found.traced.median, "s")]
        tracing = amount(found.microseconds_per_node * 1e-6, "s")
        native = [amount(found.native.median, "s"), f"{found.native_ratio.median:.2f}", str(found.kernels)]
        rows.append([name, *times, ratio, *native, f"{found.memory:.2f}", str(found.nodes), tracing])
    return head, rows


def _scalar_loops_table(found: dict[str, ScalarLoop]) -> tuple[list[str], list[list[str]]]:
    rows = []
    for title, loop in found.items():
        numba, jax = [amount(t.median, "s") if t else "–" for t in (loop.numba, loop.jax)]
        rows.append(
            [title, amount(loop.own.median, "s"), numba, f"{loop.ratio.median:.2f}" if loop.ratio else "–", jax]
        )
    return ["", TITLES["tracefn"], "Numba", "of Numba's time", TITLES["jax"]], rows


def _gradients_table(found: Gradients) -> tuple[list[str], list[list[str]]]:
    """The time of value and gradient together; in brackets, as a multiple of that of the value alone."""
    head = ["", *[f"{TITLES[name]} (of the value's time)" for name in ENGINES], "peak of memory", "that of JAX"]
    rows = []
    for key, engines in found.tasks.items():
        times = [_gradients_cell(engines[name]) for name in ENGINES]
        peaks = [e and e.peak for e in (engines["tracefn"], engines["jax"])]
        rows.append([TASKS[key].title, *times, *[f"{p / 1e6:.2f} MB" if p else "–" for p in peaks]])
    return head, rows


def _gradients_cell(found: Differentiated | None) -> str:
    return "–" if found is None else f"{amount(found.both.median, 's')} ({found.over_forward.median:.1f})"


def _datasets_table(rates: dict[str, Spread]) -> tuple[list[str], list[list[str]]]:
    rows = []
    for name, rate in rates.items():
        millions = rate.times(1e-6)
        rows.append([name, f"{millions.median:.2f} ({millions.lower:.2f} … {millions.upper:.2f})"])
    return ["", "million small elements/s"], rows


def _details(results: Results) -> Iterable[str]:
    if (stream := results.streaming) is not None:
        yield (
            f"{stream.sent - stream.lost} events and their graphs came in {amount(stream.seconds, 's')}, "
            f"{stream.while_running} of them while the cell still ran, in {stream.batches} batches of together "
            f"{stream.size / 1e6:.1f} MB; the delay of an event was {spread(stream.delay, 's')}."
        )
    if isinstance(results.graph_on_screen, dict):
        for network, shown in results.graph_on_screen.items():
            event, arrival = (spread(times.times(1e-3), "s") for times in (shown.from_event, shown.from_arrival))
            yield f"{shown.nodes} nodes ({network}): painted {event} after the event, {arrival} after its arrival."


def amount(value: float, unit: str) -> str:
    """A value with its unit.

    >>> amount(0.0025, "s"), amount(1.5, "×"), amount(0, "events")
    ('2.5 ms', '1.5×', '0')
    """
    if unit == "s":
        return duration(value * 1e9)
    return f"{value:.3g}×" if unit == "×" else f"{value:g}"


def spread(found: Spread, unit: str) -> str:
    """A median with its quartiles."""
    if found.samples == 1:
        return amount(found.median, unit)
    return f"{amount(found.median, unit)} ({amount(found.lower, unit)} … {amount(found.upper, unit)})"
