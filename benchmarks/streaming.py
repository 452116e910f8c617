"""Events of one busy cell, streamed from a real kernel: how many come, and how late."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from unit.notebook.real_kernel import real_kernel

from benchmarks.measure import Spread

EVENTS = 5000

SETUP = """
import numpy as np, tracefn
from tracefn import events

phases = []
events.listen(lambda event: event.type == "trace.phase" and phases.append(event.seq))

@tracefn.function(max_traces=None)
def f(x):
    return np.tanh(x * 2) + 1
"""

#: Traces until there are enough events: about ten and a graph for each trace.
BUSY = f"""
first = events.BUS.ledger.last + 1
length = 1
while (last := events.BUS.ledger.last) < first + {EVENTS} - 1:
    f(np.ones(length))
    length += 1
print(first, last, *phases)
"""


@dataclass(frozen=True, slots=True)
class Streamed:
    """The cell as a front end saw it: `while_running` events came before it ended, `lost` never.

    The phases of a trace that has ended are not sent (docs/protocol.md), and do not count.

    `delay` is the seconds from an event to the arrival of its message, `seconds` those from the first event to the last
    arrival.
    """

    sent: int
    lost: int
    while_running: int
    seconds: float
    delay: Spread
    batches: int
    size: int


def streaming() -> Streamed:
    """Runs the cell in a new kernel and compares the events that arrive with those that were emitted."""
    arrivals: list[tuple[float, dict[str, Any]]] = []
    span: list[int] = []
    before_idle: list[int] = []

    def note(message: dict[str, Any]) -> bool:
        """Takes a message down. True for the keyframe that ends the stream."""
        content = message["content"]
        if message["msg_type"] == "stream" and content["name"] == "stdout":
            span.extend(map(int, content["text"].split()))
        elif message["msg_type"] == "status" and content["execution_state"] == "idle":
            before_idle.append(len(arrivals))
        elif message["msg_type"] == "comm_msg" and content["data"]["kind"] == "batch":
            arrivals.append((time.perf_counter(), content["data"]))
        elif message["msg_type"] == "comm_msg" and content["data"]["kind"] == "keyframe" and span:
            return bool(content["data"]["last"] >= span[1])
        return False

    with real_kernel() as kernel:
        kernel.run(SETUP)
        kernel.run(BUSY, wait=False)
        kernel.read_until(note, timeout=300)
    first, last, *phases = span
    came = {
        event["seq"]: (arrived, event["time_ns"] / 1e9, number < before_idle[0])
        for number, (arrived, data) in enumerate(arrivals)
        for event in data["events"]
        if first <= event["seq"] <= last
    }
    sent = {*range(first, last + 1)} - ({*phases} - came.keys())
    return Streamed(
        sent=len(sent),
        lost=len(sent - came.keys()),
        while_running=sum(early for _, _, early in came.values()),
        seconds=max(arrived for arrived, _, _ in came.values()) - min(emitted for _, emitted, _ in came.values()),
        delay=Spread.of(arrived - emitted for arrived, emitted, _ in came.values()),
        batches=len(arrivals),
        size=sum(len(json.dumps(data)) for _, data in arrivals),
    )
