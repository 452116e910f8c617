"""Usual advice where no change is proved: lists that grow, dicts with other keys, objects that are made anew."""

from __future__ import annotations

from collections.abc import Sequence

from ..events import Cause
from ..function.history.traces import TraceRecord
from ..trace.signature import TensorSpec
from .outside import OutsideRead

_NUMBERS = {"bool": "a bool", "int": "an int", "float": "a float", "complex": "a complex number"}
"""Python's numbers, the narrowest first."""


def hint(record: TraceRecord, causes: Sequence[Cause], reads: Sequence[OutsideRead]) -> str:
    """Advice on the first cause that there is any for; empty where there is none. No replay has proved it."""
    for cause in causes:
        if found := _hint(record, cause, reads):
            return found
    return ""


def _hint(record: TraceRecord, cause: Cause, reads: Sequence[OutsideRead]) -> str:
    path = cause.path
    match cause.kind:
        case "length":
            return _of_length(record, path)
        case "keys":
            return f"Pass {path} with the same keys at each call, or pass the items that the function reads."
        case "structure":
            return f"Pass {path} as one kind of container at each call."
        case "type":
            return _of_type(cause)
        case "identity":
            return _of_object(path, reads)
        case "evicted":
            return "Raise `max_traces`, so that the trace is kept."
        case "memory" | "alias":
            return f"Pass {path} with the same memory layout at each call: a copy has one of its own."
    return ""


def _of_length(record: TraceRecord, path: str) -> str:
    """A container among the arguments whose length is another one: an array in its place may have any length."""
    items = [leaf for p, leaf in zip(record.call.paths, record.call.leaves, strict=True) if p.startswith(f"{path}[")]
    types = {(str(leaf.dtype), leaf.shape) if isinstance(leaf, TensorSpec) else None for leaf in items}
    if not items or len(types) > 1:
        return ""
    array = f"np.asarray({path})" if types == {None} else f"np.stack({path})"
    return (
        f"Pass {path} as one array, {array}: with `reduce_retracing=True` its length is left open, "
        "and a loop over it is part of the graph."
    )


def _of_type(cause: Cause) -> str:
    """A number that comes as an int and as a float: `1 (int) → 1.0 (float)`."""
    names = [text.rpartition("(")[2].rstrip(")") for text in (cause.old, cause.new)]
    wider = max(names, key=lambda name: list(_NUMBERS).index(name) if name in _NUMBERS else -1)
    if not all(name in _NUMBERS for name in names):
        return f"Pass {cause.path} with one type at each call."
    return f"Pass {cause.path} with one type at each call: {_NUMBERS[wider]} holds both."


def _of_object(path: str, reads: Sequence[OutsideRead]) -> str:
    """Another object: only the parts that the function reads matter, and they can be passed by themselves."""
    read = [r.path for r in reads if r.path.startswith((f"{path}.", f"{path}["))]
    if not read:
        return f"Keep one object for {path}."
    listed = ", ".join(read[:3]) + (", …" if len(read) > 3 else "")
    return (
        f"Pass the parts of {path} that the function reads ({listed}) as arguments, numbers as np.asarray(…), "
        f"or keep one object for {path} whose arrays change."
    )
