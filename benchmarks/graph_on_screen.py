"""A graph of 300 nodes, from its event in the kernel to its drawing on the screen of a real browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.measure import Spread
from benchmarks.panel_page import in_lab

if TYPE_CHECKING:
    from browser.lab import Lab

GRAPHS = 10

#: Two networks of some 300 nodes: layers that have their own weights, and layers that share them, as steps in time do.
#: Each `scale` gives a graph of its own. The time of its event is kept.
DEFINE = """
import time
import numpy as np
import tracefn
from tracefn import events

emitted = {}
def keep(event):
    if isinstance(event, events.GraphBuilt):
        emitted[event.graph_hash] = (1000 * time.time(), event.nodes_after)
events.listen(keep)

def layer(x, w, b, scale):
    h = np.tanh(x @ w + b)
    gate = 1 / (1 + np.exp(-h))
    return x + gate * (h * scale)

@tracefn.function
def own(x, ws, bs, scale):
    for w, b in zip(ws, bs):
        x = layer(x, w, b, scale)
    return np.sum(x, axis=1) - scale

@tracefn.function
def shared(x, w, b, scale):
    for weights in [w] * 30:  # which is unrolled: a count of rounds would be a loop in the graph
        x = layer(x, weights, b, scale)
    return np.sum(x, axis=1) - scale

def show(f, scale):
    x, w, b = np.ones((4, 8)), np.ones((8, 8)), np.ones(8)
    f(x, *([w] * 25, [b] * 25) if f is own else (w, b), scale)
    name = f.concrete_functions[-1].graph.drawn_hash
    print(name, *emitted[name])
"""

#: Kind of network → the function of the notebook.
NETWORKS = {"weights of their own": "own", "shared weights": "shared"}

#: In the page: when the message of a graph arrived, and when a drawing of it was painted, by the wall clock in ms.
WATCH = """
window.tracefnArrived = {};
window.tracefnPainted = {};
const now = () => performance.timeOrigin + performance.now();
find(a).sessionContext.session.kernel.iopubMessage.connect((_, { content }) => {
  for (const hash of Object.keys(content.data?.graphs ?? {})) window.tracefnArrived[hash] = now();
});
const panel = document.getElementById('tracefn-panel');
const look = () => {
  const hash = panel.querySelector('[data-tracefn="graph"]')?.dataset.hash;
  if (hash && !(hash in window.tracefnPainted)) {
    window.tracefnPainted[hash] = null;
    requestAnimationFrame(() => setTimeout(() => { window.tracefnPainted[hash] = now(); }));
  }
};
new MutationObserver(look).observe(panel, { subtree: true, attributeFilter: ['data-hash'] });
"""


@dataclass(frozen=True, slots=True)
class OnScreen:
    """Milliseconds to the painted graph, from its event in the kernel and from its arrival in the page."""

    nodes: int
    from_event: Spread
    from_arrival: Spread


def graph_on_screen() -> dict[str, OnScreen] | str:
    """Network → its times, from a notebook with the panel open. Names the missing part where there is no browser."""
    return in_lab(_measure)


def _measure(lab: Lab) -> dict[str, OnScreen]:
    from browser.panel import Panel

    page = lab.page
    # The very first graph waits for the panel to fill and for Graphviz to start, and does not count.
    calls = [("own", 0.5), *((f, 1 + n / 16) for n in range(1, GRAPHS + 1) for f in NETWORKS.values())]
    notebook = lab.new_notebook(DEFINE, *[f"show({f}, {scale})" for f, scale in calls])
    Panel(lab).open()
    notebook.run(0)
    lab.evaluate(WATCH, notebook.path)
    times: dict[str, list[tuple[float, float, int]]] = {f: [] for f in NETWORKS.values()}
    for number, (f, _) in enumerate(calls, 1):
        notebook.run(number)
        name, emitted, nodes = notebook.output(number).first.inner_text().split()
        page.wait_for_function(f"window.tracefnPainted['{name}']")
        arrived, painted = page.evaluate(f"[window.tracefnArrived['{name}'], window.tracefnPainted['{name}']]")
        times[f].append((painted - float(emitted), painted - arrived, int(nodes)))
    del times["own"][0]
    return {
        title: OnScreen(times[f][0][2], Spread.of(t[0] for t in times[f]), Spread.of(t[1] for t in times[f]))
        for title, f in NETWORKS.items()
    }
