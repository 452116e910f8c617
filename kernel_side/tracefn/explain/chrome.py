"""A timeline in the JSON of Chrome's tracing, which Perfetto opens.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .timeline import Span

CATEGORIES = ("cell", "calls", "trace", "compile")
"""Kinds of spans that are categories; all others are phases."""


def chrome_trace(spans: Sequence[Span]) -> dict[str, Any]:
    """One track for the cells, for each function and for native code, a slice for each span. Times are in µs.

    The builds of native code, later and in the background, have the last track.
    """
    process = os.getpid()
    names = dict.fromkeys(span.track for span in spans)
    ordered = sorted(names, key=lambda name: (name != "cells", name == "native code"))
    tracks = {name: number for number, name in enumerate(ordered, 1)}
    events = [_name("process_name", process, 0, "tracefn")]
    events += [_name("thread_name", process, number, name) for name, number in tracks.items()]
    events += [_slice(span, process, tracks[span.track]) for span in spans]
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _name(what: str, process: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": track, "args": {"name": name}}


def _slice(span: Span, process: int, track: int) -> dict[str, Any]:
    category = span.kind if span.kind in CATEGORIES else "phase"
    times = {"ts": span.start_ns / 1e3, "dur": span.length_ns / 1e3}
    return {"ph": "X", "name": span.name, "cat": category, "pid": process, "tid": track, **times, "args": span.details}
