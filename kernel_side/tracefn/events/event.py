"""The header that every event carries, the records inside of events, and their JSON form."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, ClassVar

from tracefn.records import dataclass

PROTOCOL_VERSION = 1


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the user's code.

    `file` is the name the code was compiled under, `line` counts from 1. `cell` is the id of the notebook cell that the
    file stands for and `cell_number` its execution count; both are None outside a notebook.
    """

    file: str
    line: int
    cell: str | None = None
    cell_number: int | None = None

    @property
    def text(self) -> str:
        """The place in words: `cell [7] line 5`, `model.py line 5`."""
        file = self.file if self.cell_number is None else f"cell [{self.cell_number}]"
        return f"{file} line {self.line}"


@dataclass(frozen=True, slots=True)
class Argument:
    """One leaf of a call signature.

    `path` names it as a user would (`batch['x'][0]`). `kind` is 'tensor' (dtype and shape given), 'value' (a Python
    value, keyed by type and value), 'object' (keyed by identity) or 'variable'. A dimension is an int, None (any
    length), or the text of a symbolic dimension. `text` is the whole leaf on one line: `float32[2, 3]` or `3 (int)`.
    """

    path: str
    kind: str
    text: str
    dtype: str | None = None
    shape: tuple[int | str | None, ...] | None = None


@dataclass(frozen=True, slots=True)
class Cause:
    """One difference between a call and an earlier signature.

    `kind` is one of: dtype, rank, dimension, value, type, length, keys, structure, identity, captured, device, guard,
    alias, memory; or why a trace that would have fitted is gone: evicted, removed, cleared, creating.
    `dimension` is set for kind 'dimension'. `text` is the whole sentence: `x: shape (2, 3) → (4, 3) at dimension 0`.
    """

    path: str
    kind: str
    old: str
    new: str
    text: str
    dimension: int | None = None


@dataclass(frozen=True, slots=True)
class PassCount:
    """The record of one pass: node counts before and after it, and its duration in ns."""

    name: str
    before: int
    after: int
    duration_ns: int


@dataclass(frozen=True, slots=True)
class ProfileStep:
    """One step of a profile, in the order of the program: the line `text` ran `rounds` times in a call, `ns` in all.

    `kind` is kernel, linalg, numpy, copy or python. `nodes` are the ids of the nodes of the graph that it computes:
    `v7/if_true/v2` in a body. `memory` is in use after it, `peak` is the most while it ran, in bytes.
    """

    text: str
    kind: str
    ns: float
    rounds: int
    nodes: tuple[str, ...]
    location: Location | None
    memory: int
    peak: int


@dataclass(frozen=True, slots=True)
class ProfileTime:
    """The time of a step of a profile in a call, in ns, and the ids of the nodes that it computes."""

    ns: float
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """The time of a line of the user's code in a call, in ns: in the graph, and as plain Python."""

    location: Location
    graph_ns: float
    eager_ns: float


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """The times of a call at one size, in ns (lower quartile, median, upper quartile): as plain Python, as a NumPy
    program, and as a native program, None where there is none. `copy_ns` is the time of copying the arguments."""

    size: float
    eager_ns: tuple[float, float, float]
    numpy_ns: tuple[float, float, float]
    native_ns: tuple[float, float, float] | None
    copy_ns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The header that every event carries.

    `function` is the id of the traced function (`f#3`: its name and a number unique in this process) and `signature`
    the id of one of its traces (`f#3/1`), or None where an event is about no function or no trace.
    """

    type: ClassVar[str] = "event"

    seq: int = -1
    time_ns: int = 0
    engine: str = "tracefn"
    function: str | None = None
    signature: str | None = None
    location: Location | None = None

    def to_json(self) -> dict[str, Any]:
        """The event as JSON-able data: its fields, `type` and `v` (the protocol version)."""
        return {"v": PROTOCOL_VERSION, "type": self.type} | _fields_to_json(self)


#: The types of nearly all fields, which are JSON as they are: to look a type up is quicker than `isinstance`.
_PLAIN = frozenset({str, int, float, bool, type(None)})


def _fields_to_json(value: Any) -> dict[str, Any]:
    cls: Any = type(value)
    found = {}
    for name in _field_names(cls):
        item = getattr(value, name)
        found[name] = item if type(item) in _PLAIN else _to_json(item)
    return found


def _to_json(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, dict):
        return {str(k): _to_json(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(v) for v in value]
    return _fields_to_json(value) if dataclasses.is_dataclass(value) else value


@functools.cache
def _field_names(cls: Any) -> tuple[str, ...]:
    fields = [field.name for field in dataclasses.fields(cls) if not field.metadata.get("by_reference")]
    return (*fields, *getattr(cls, "computed", ()))
