"""The memory of the page over a million events: its heap after the first of them, and after all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.panel_page import in_lab, report

if TYPE_CHECKING:
    from browser.lab import Lab

#: The number of events of a cell.
EVENTS = 100_000
#: The number of cells.
CELLS = 10

#: A trace, and its events again and again under other names, as a storm of retraces has them.
SOURCE = """
import dataclasses
import numpy as np
import tracefn
from tracefn.events import BUS, record

@tracefn.function(max_traces=None, jit="off")
def stormy(x):
    return np.tanh(x * 2) + 1

stormy(np.ones(2))
with record() as events:
    stormy(np.ones(3))

def flood(first):
    traces = EVENTS // len(events)
    for trace in range(first, first + traces):
        for event in events:
            fields = {"signature": f"{event.function}/{trace}"}
            if hasattr(event, "trace"):
                fields["trace"] = trace
            BUS.emit(dataclasses.replace(event, **fields))
    return first + traces

trace = 10
""".replace("EVENTS", str(EVENTS))


@dataclass(frozen=True, slots=True)
class PanelMemory:
    """Bytes of the page's heap: `begun` after the first fifth of the `events`, and `ended` after all of them."""

    events: int
    begun: int
    ended: int


def panel_memory() -> PanelMemory | str:
    """Measures in a JupyterLab of its own. Names the missing part where there is no browser."""
    return in_lab(_measure)


def _measure(lab: Lab) -> PanelMemory:
    from browser.panel import Panel

    notebook = lab.new_notebook(SOURCE, *["trace = flood(trace)"] * CELLS)
    Panel(lab).open()
    notebook.run(0)
    devtools = lab.page.context.new_cdp_session(lab.page)
    devtools.send("Performance.enable")
    heaps = []
    for number in range(1, CELLS + 1):
        notebook.start(number)
        while notebook.is_running(number):
            lab.page.wait_for_timeout(500)
        _wait_for_the_stream(lab)
        heaps.append(_heap(devtools))
        report(f"{number * EVENTS} events, {heaps[-1] / 1e6:.1f} MB")
    return PanelMemory(EVENTS * CELLS, heaps[CELLS // 5 - 1], heaps[-1])


def _wait_for_the_stream(lab: Lab) -> None:
    """Waits until the panel has shown all events, and no more come."""
    summary = lab.page.locator('[data-tracefn="summary"]')
    before = None
    while (now := summary.inner_text()) != before:
        before = now
        lab.page.wait_for_timeout(2000)


def _heap(devtools: Any) -> int:
    devtools.send("HeapProfiler.collectGarbage")
    metrics = {metric["name"]: metric["value"] for metric in devtools.send("Performance.getMetrics")["metrics"]}
    return int(metrics["JSHeapUsedSize"])
