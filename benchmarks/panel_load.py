"""The panel with large graphs and many events: the time to the picture, and how long the page is blocked."""

from __future__ import annotations

import gzip
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import storm
from benchmarks.graph_on_screen import DEFINE, WATCH
from benchmarks.measure import Spread, in_fresh_process
from benchmarks.panel_page import in_lab, report
from benchmarks.storm import TRACES

if TYPE_CHECKING:
    from browser.lab import Lab

#: Nodes of a large graph → the bar for its picture, in seconds.
SIZES = {1_000: 0.3, 10_000: 1.0, 50_000: 2.5}

#: Graphs of each size.
GRAPHS = 3

#: A network of residual layers, and rounds of a chain of operations in an order without a pattern, each of about
#: `nodes` nodes. Three loops, since one of more than 20,000 operations would run eagerly.
LARGE = """
operations = [np.tanh, np.sin, np.cos, np.arctan, np.exp2, np.negative, np.square, np.cbrt]

def layers(nodes, n):
    steps = (layer,) * (nodes // 30)
    @tracefn.function(jit="off")
    def network(x, w, b, scale):
        for step in steps:
            x = step(x, w, b, scale)
        for step in steps:
            x = step(x, w, b, scale)
        for step in steps:
            x = step(x, w, b, scale)
        return x
    return network, (np.ones((4, 8)), np.ones((8, 8)), np.ones(8), n / 16)

def chain(nodes, n):
    steps = tuple(operations[i] for i in np.random.default_rng(n).integers(0, len(operations), min(1000, nodes // 3)))
    rounds = tuple(range(nodes // len(steps) // 3))
    def part(x):
        for _ in rounds:
            for step in steps:
                x = step(x)
        return x
    @tracefn.function(jit="off")
    def walk(x):
        return part(part(part(x)))
    return walk, (np.ones(4),)

def large(make, nodes, n):
    f, arguments = make(nodes, n)
    with np.errstate(all="ignore"):
        f(*arguments)
    name = f.concrete_functions[-1].graph.drawn_hash
    print(name, *emitted[name])
"""

SHAPES = ("layers", "chain")

#: In the page: the durations of tasks that block it, in ms, and the time between two frames.
WATCH_TASKS = """
window.tracefnTasks = [];
window.tracefnFrames = [];
new PerformanceObserver(list => window.tracefnTasks.push(...list.getEntries().map(e => [e.startTime, e.duration])))
  .observe({ type: 'longtask' });
let before = performance.now();
const frame = now => { window.tracefnFrames.push(now - before); before = now; requestAnimationFrame(frame); };
requestAnimationFrame(frame);
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """Seconds from the event of a graph to its picture, and the longest task of the page meanwhile. A graph of `asked`
    nodes was wanted, and it has `nodes`."""

    asked: int
    nodes: int
    shape: str
    from_event: Spread
    longest_task: Spread


@dataclass(frozen=True, slots=True)
class PanelLoad:
    """Pictures of large graphs, and a storm of `events` events in one cell.

    `longest_task` is the seconds of the longest task of the page during the storm, `frame` the 95th percentile of those
    between frames. `storm` is its time in the notebook with the panel open, over its time in plain Python. `start` is
    the bytes of the JavaScript, compressed by gzip, that the extension loads when JupyterLab starts.
    """

    pictures: list[Picture]
    events: int
    longest_task: float
    frame: float
    storm: float
    start: int


def panel_load() -> PanelLoad | str:
    """Measures in a JupyterLab of its own. Names the missing part where there is no browser."""
    return in_lab(_measure)


def _measure(lab: Lab) -> PanelLoad:
    start = _loaded_at_start(lab)
    pictures = _pictures(lab)
    report("the storm in plain Python")
    alone = statistics.median(in_fresh_process("benchmarks.storm") for _ in range(3))
    report("the storm in a notebook")
    longest, frame, events, seconds = _storm(lab)
    return PanelLoad(pictures, events, longest, frame, seconds / alone, start)


def _loaded_at_start(lab: Lab) -> int:
    """Bytes after gzip of the extension's JavaScript that a page without a notebook loads."""
    bodies: list[bytes] = []
    lab.page.on("response", lambda r: "/extensions/@tracefn/" in r.url and ".js" in r.url and bodies.append(r.body()))
    lab.reload()
    lab.page.wait_for_load_state("networkidle")
    assert bodies
    return sum(len(gzip.compress(body)) for body in bodies)


def _pictures(lab: Lab) -> list[Picture]:
    from browser.panel import Panel

    calls = [(shape, nodes, n) for nodes in SIZES for shape in SHAPES for n in range(1, GRAPHS + 1)]
    first = "show(own, 0.5)"  # waits for Graphviz to start, and does not count
    notebook = lab.new_notebook(DEFINE + LARGE, first, *[f"large({f}, {nodes}, {n})" for f, nodes, n in calls])
    Panel(lab).open()
    notebook.run(0)
    lab.evaluate(WATCH + WATCH_TASKS, notebook.path)
    notebook.run(1)
    _wait_for_picture(lab, notebook.output(1).first.inner_text().split()[0])
    found: dict[tuple[str, int], list[tuple[float, float, int]]] = {}
    for number, (shape, nodes, n) in enumerate(calls, 2):
        report(f"{shape}, {nodes} nodes, {n} of {GRAPHS}")
        notebook.run(number)
        name, emitted, made = notebook.output(number).first.inner_text().split()
        painted = _wait_for_picture(lab, name)
        begin = float(emitted)
        tasks = lab.evaluate("return window.tracefnTasks.map(([t, d]) => [performance.timeOrigin + t, d])")
        longest = max((d for t, d in tasks if begin <= t + d and t <= painted), default=0.0)
        report(f"painted after {painted - begin:.0f} ms, longest task {longest:.0f} ms")
        found.setdefault((shape, nodes), []).append(((painted - begin) / 1e3, longest / 1e3, int(made)))
    return [
        Picture(nodes, times[0][2], shape, Spread.of(t[0] for t in times), Spread.of(t[1] for t in times))
        for (shape, nodes), times in found.items()
    ]


def _wait_for_picture(lab: Lab, name: str) -> float:
    lab.page.wait_for_function(f"window.tracefnPainted['{name}']")
    return float(lab.page.evaluate(f"window.tracefnPainted['{name}']"))


def _storm(lab: Lab) -> tuple[float, float, int, float]:
    """The longest task, the 95th percentile between frames, the events and the seconds of a storm in a busy cell.

    Its seconds are those of a storm during which nothing looks at the page, which takes time of its own; the page is
    watched during the next one.
    """
    cells = [
        f"print(tracefn.events.BUS.ledger.last, storm({n} * {TRACES} + 1), tracefn.events.BUS.ledger.last)"
        for n in (1, 2)
    ]
    source = Path(storm.__file__).read_text(encoding="utf-8").partition("if __name__")[0]
    notebook = lab.new_notebook(source, "storm(1)", *cells)
    for number in (0, 1, 2):
        notebook.run(number)
    seconds = float(notebook.output(2).first.inner_text().split()[1])
    lab.page.wait_for_timeout(2000)
    lab.evaluate(WATCH_TASKS)
    notebook.start(3)
    lab.page.wait_for_timeout(500)
    while notebook.is_running(3):
        lab.page.wait_for_timeout(500)
    lab.page.wait_for_timeout(2000)
    tasks, frames = lab.evaluate("return [window.tracefnTasks.map(t => t[1]), window.tracefnFrames]")
    before, _, after = map(float, notebook.output(3).first.inner_text().split())
    longest, slow = max(tasks, default=0.0) / 1e3, statistics.quantiles(frames, n=20)[-1] / 1e3
    return longest, slow, int(after - before), seconds
