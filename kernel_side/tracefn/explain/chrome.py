"""Traces as a timeline in the JSON of Chrome's tracing, which Perfetto opens.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .costs import Entry


COMPILE = "compile"


def chrome_trace(entries: Sequence[Entry]) -> dict[str, Any]:
    """One track for each function, a slice for each trace, and in it one for each phase. Times are in µs.

    What makes native code, later and in the background, has a track of its own.
    """
    process = os.getpid()
    tracks: dict[str, int] = {}
    compiled: list[tuple[int, int, str]] = []
    events: list[dict[str, Any]] = [_name("process_name", process, 0, "tracefn")]
    for entry in entries:
        track = tracks.setdefault(entry.function_id, len(tracks) + 1)
        if track == len(tracks) and not any(e["tid"] == track for e in events):
            events.append(_name("thread_name", process, track, entry.function_id))
        spans = _spans(entry)
        if not spans:
            continue
        start = spans[0][1]
        end = max(begin + length for _, begin, length in spans)
        label = f"{entry.function} #{entry.trace}"
        told: dict[str, Any] = {"signature": entry.signature, "cause": entry.cause, "site": entry.site}
        told |= {"verdict": entry.verdict, "calls": entry.calls, "memory": entry.memory, "state": entry.state}
        events.append(_slice(label, "trace", process, track, start, end - start, told))
        events += [_slice(p, "phase", process, track, begin, length, {}) for p, begin, length in spans]
        if COMPILE in entry.phases:
            compiled.append((entry.ends[COMPILE], entry.phases[COMPILE], label))
    if compiled:
        track = len(tracks) + 1
        events.append(_name("thread_name", process, track, "native code"))
        for label, begin, length in _in_a_row(sorted(compiled)):
            events.append(_slice(label, COMPILE, process, track, begin, length, {}))
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _spans(entry: Entry) -> list[tuple[str, int, int]]:
    """The phases of a first call with their begin and length. Rewriting, reported when tracing has ended, comes
    before it."""
    ends = {phase: end for phase, end in entry.ends.items() if phase != COMPILE}
    if "rewrite" in ends and "trace" in ends:
        ends["rewrite"] = ends["trace"] - entry.phases["trace"]
    return _in_a_row(sorted((end, entry.phases[phase], phase) for phase, end in ends.items()))


def _in_a_row(spans: list[tuple[int, int, str]]) -> list[tuple[str, int, int]]:
    """Names with begin and length, of spans with their ends and lengths in order.

    A span is known by the moment when its end was told, a little later than it was: the next may seem to begin before.
    Slices of one track that overlap are none that a viewer can draw.
    """
    found: list[tuple[str, int, int]] = []
    free = 0
    for end, length, name in spans:
        begin = max(free, end - length)
        free = begin + length
        found.append((name, begin, length))
    return found


def _name(what: str, process: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": track, "args": {"name": name}}


def _slice(
    name: str, category: str, process: int, track: int, start_ns: int, length_ns: int, told: dict[str, Any]
) -> dict[str, Any]:
    times = {"ts": start_ns / 1e3, "dur": length_ns / 1e3}
    return {"ph": "X", "name": name, "cat": category, "pid": process, "tid": track, **times, "args": told}
