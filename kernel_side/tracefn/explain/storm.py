"""The warning of a function that is traced again and again for one cause."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

from ..errors import RetraceWarning
from ..events import CELLS, Cause
from ..events.units import count, duration
from ..function import Function
from ..function.history.traces import TraceRecord
from .words import place

TRACES, CALLS = 5, 10
"""A storm is at least this number of traces in this number of calls."""


def watch(function: Function, record: TraceRecord, causes: Sequence[Cause]) -> None:
    """Warns once for each function and cause, when a trace has been made. Names the cause, the cost, and the advice.

    `causes` are the differences from the nearest earlier trace.
    """
    history = function._history
    keys = [(_ELEMENT.sub("", cause.path) if cause.kind == "value" else cause.path, cause.kind) for cause in causes]
    if history.warned.issuperset(keys):
        return
    calls = 1 + sum(r.calls for r in history.records)
    first = dict(zip(keys[::-1], list(causes)[::-1], strict=True))
    for key, cause in reversed(first.items()):
        seen = history.storms.setdefault(key, [])
        seen.append(calls)
        del seen[: 1 - TRACES]
        if len(seen) == TRACES - 1 and calls - seen[0] < CALLS - 1 and key not in history.warned:
            history.warned.add(key)
            _warn(function, record, cause, key[0])
            return


_ELEMENT = re.compile(r"\[\d+\]$")
"""The end of the path of an element: elements of one list count together."""


def _warn(function: Function, record: TraceRecord, cause: Cause, path: str) -> None:
    from .advice import advise
    from .hints import hint

    history, location = function._history, record.location
    cost = duration(sum(r.cost_ns for r in history.records))
    fix = advise(function)
    what = f"dimension {cause.dimension} of `{path}`" if cause.kind == "dimension" else f"`{path}`"
    otherwise = hint(record, [cause], ()) or "See `explain()` of the function."
    if path != cause.path:
        otherwise = f"Pass np.asarray({path}): an array is one argument, whatever is in it."
    why = f"{what} is another each time ({cause.text})" if path else cause.text
    text = (
        f"`{function.name}` is traced nearly every time it is called{place(location)}: {why}. "
        f"{count(function.tracing_count, 'trace')} so far, {cost}. "
        + (f"{fix.sentence[0].upper()}{fix.sentence[1:]}." if fix is not None else otherwise)
    )
    file, line = ("<unknown>", 0) if location is None else (location.file, CELLS.line_in_file(location))
    warnings.warn_explicit(text, RetraceWarning, file, line)
