"""Traces as a timeline in the JSON of Chrome's tracing, which Perfetto opens.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .costs import Entry


def chrome_trace(entries: Sequence[Entry]) -> dict[str, Any]:
    """One track for each function, a slice for each trace, and in it one for each phase. Times are in µs."""
    process = os.getpid()
    tracks: dict[str, int] = {}
    events: list[dict[str, Any]] = [_name("process_name", process, 0, "tracefn")]
    for entry in entries:
        track = tracks.setdefault(entry.function_id, len(tracks) + 1)
        if track == len(tracks) and not any(e["tid"] == track for e in events):
            events.append(_name("thread_name", process, track, entry.function_id))
        spans = {p: (entry.ends[p] - entry.phases[p], entry.phases[p]) for p in entry.phases}
        if not spans:
            continue
        start = min(begin for begin, _ in spans.values())
        end = max(begin + length for begin, length in spans.values())
        label = f"{entry.function} #{entry.trace}"
        told: dict[str, Any] = {"signature": entry.signature, "cause": entry.cause, "site": entry.site}
        told |= {"verdict": entry.verdict, "calls": entry.calls, "memory": entry.memory, "state": entry.state}
        events.append(_slice(label, "trace", process, track, start, end - start, told))
        events += [_slice(p, "phase", process, track, begin, length, {}) for p, (begin, length) in spans.items()]
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _name(what: str, process: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": track, "args": {"name": name}}


def _slice(
    name: str, category: str, process: int, track: int, start_ns: int, length_ns: int, told: dict[str, Any]
) -> dict[str, Any]:
    times = {"ts": start_ns / 1e3, "dur": length_ns / 1e3}
    return {"ph": "X", "name": name, "cat": category, "pid": process, "tid": track, **times, "args": told}
