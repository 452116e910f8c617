"""The log of calls that needed a trace: their keys as numbers in columns, so that they can be replayed by the thousand.

Calls that find their trace are not logged: the trace counts them. The numbers of a key are the lengths of arrays and
the values of Python numbers; all else of it (structure, dtypes, types) is its `Form`. A column that never changes takes
no memory.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from ...trace.code.plain import seen, stored
from ...trace.code.source import SIMPLE, source_of
from ...trace.signature import (
    CallSignature,
    GeneratorSpec,
    LeafSpec,
    ObjectSpec,
    TensorSpec,
    ValueSpec,
    VariableSpec,
)
from ...trace.tree import Tree

MAX_ROWS = 100_000
"""Calls that are remembered for each function; of more, the older half is forgotten."""

MAX_BYTES = 200 * MAX_ROWS
"""Memory of the columns of one function in all; where it is reached, the older half is forgotten, too."""

MAX_VALUES = 20_000
"""Texts, objects and the like that are distinguished; of more, all that was logged is forgotten."""

OPEN = -1
"""The number of a length that the trace leaves open."""


class Column(NamedTuple):
    """The meaning of one number of a key: a 'length' (axis `axis`), or 'int', 'float', 'bool', another 'value', an
    'object' by identity and its 'content', a 'function' by identity and its 'source'. `leaf` is the number of the
    leaf."""

    kind: str
    leaf: int
    axis: int = 0


class Form(NamedTuple):
    """All of a key but its numbers. `leaves` has a description of each leaf, the dtype of a tensor first."""

    trees: tuple[tuple[str, Tree], ...]
    paths: tuple[str, ...]
    leaves: tuple[tuple[Any, ...], ...]
    columns: tuple[Column, ...]


class Rows:
    """The calls of one form. `traces`, `costs` (ns), `surroundings` and `positions` have a number for each call."""

    def __init__(self) -> None:
        self.positions = array("q")
        self.traces = array("i")
        self.costs = array("q")
        self.surroundings = array("i")
        self.surroundings_but_numbers = array("i")
        self._first: tuple[int, ...] = ()
        self._changing: dict[int, array[int]] = {}

    def __len__(self) -> int:
        return len(self.traces)

    def append(
        self, position: int, trace: int, cost: int, surroundings: tuple[int, int], numbers: tuple[int, ...]
    ) -> None:
        if not self.traces:
            self._first = numbers
        elif numbers != self._first or self._changing:
            for number, (first, now) in enumerate(zip(self._first, numbers, strict=True)):
                column = self._changing.get(number)
                if column is not None:
                    column.append(now)
                elif now != first:
                    self._changing[number] = array("q", [first]) * len(self.traces)
                    self._changing[number].append(now)
        self.positions.append(position)
        self.traces.append(trace)
        self.costs.append(cost)
        self.surroundings.append(surroundings[0])
        self.surroundings_but_numbers.append(surroundings[1])

    def column(self, number: int) -> array[int]:
        """The numbers of one column, call by call."""
        changing = self._changing.get(number)
        return array("q", [self._first[number]]) * len(self) if changing is None else changing

    @property
    def nbytes(self) -> int:
        return len(self) * (28 + 8 * len(self._changing))

    def forget(self, before: int) -> None:
        """Drops the calls whose position is lower."""
        count = next((i for i, p in enumerate(self.positions) if p >= before), len(self))
        surroundings = self.surroundings, self.surroundings_but_numbers
        for kept in (self.positions, self.traces, self.costs, *surroundings, *self._changing.values()):
            del kept[:count]
        if self._changing:
            changing = self._changing
            self._first = tuple(
                [changing[n][0] if n in changing and len(self) else v for n, v in enumerate(self._first)]
            )


class CallLog:
    """The keys of the calls of one function that needed a trace, in order.

    `forgotten` counts the calls that the bound let go.
    """

    def __init__(self) -> None:
        self.forms: dict[Form, Rows] = {}
        self.forgotten = 0
        self._position = 0
        self._values: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return sum(len(rows) for rows in self.forms.values())

    @property
    def nbytes(self) -> int:
        """The memory of the columns."""
        return sum(rows.nbytes for rows in self.forms.values())

    def append(
        self, signature: CallSignature, trace: int, cost_ns: int, surroundings: tuple[int, int] = (0, 0)
    ) -> None:
        """Logs a call that was traced for this signature. `surroundings` number the state outside the arguments, all of
        it and all but Python numbers: calls with equal keys in another surrounding need a trace of their own."""
        if len(self._values) > MAX_VALUES:
            self.forgotten += len(self)
            self.forms, self._values = {}, {}
        elif len(self) >= MAX_ROWS or self.nbytes > MAX_BYTES:
            self._forget_older_half()
        columns: list[Column] = []
        numbers: list[int] = []
        leaves = []
        for leaf, spec in enumerate(signature.leaves):
            described, found = self._leaf(spec)
            leaves.append(described)
            for axis, (kind, number) in enumerate(found):
                columns.append(Column(kind, leaf, axis))
                numbers.append(number)
        form = Form(signature.trees, signature.paths, tuple(leaves), tuple(columns))
        rows = self.forms.setdefault(form, Rows())
        rows.append(self._position, trace, cost_ns, surroundings, tuple(numbers))
        self._position += 1

    def _forget_older_half(self) -> None:
        positions = sorted(p for rows in self.forms.values() for p in rows.positions)
        middle = positions[len(positions) // 2]
        before = len(self)
        for rows in self.forms.values():
            rows.forget(middle)
        self.forms = {form: rows for form, rows in self.forms.items() if len(rows)}
        self.forgotten += before - len(self)

    def _leaf(self, spec: LeafSpec) -> tuple[tuple[Any, ...], list[tuple[str, int]]]:
        """The description of a leaf, and its numbers with their meaning."""
        if isinstance(spec, TensorSpec):
            lengths = [("length", OPEN if n is None else n) for n in spec.shape]
            return ("tensor", spec.dtype, len(spec.shape), spec.kind, spec.device), lengths
        if isinstance(spec, ValueSpec):
            return _number(spec.value) or (("value", type(spec.value)), [("value", self._number_of(spec))])
        if isinstance(spec, ObjectSpec):
            target = spec.target
            content = self._number_of(("content", *_content(target)))
            kinds = ("function", "source") if seen(target, "__code__") is not None else ("object", "content")
            which = self._number_of(spec.released())
            return ("object", type(target)), [(kinds[0], which), (kinds[1], content)]
        if isinstance(spec, VariableSpec):
            lengths = [("length", n) for n in spec.shape]
            return ("variable", spec.dtype, spec.declared, spec.alias), lengths
        assert isinstance(spec, GeneratorSpec)
        return ("generator", spec.kind, spec.bits, spec.alias), []

    def _number_of(self, value: Hashable) -> int:
        return self._values.setdefault(value, len(self._values))


def _number(value: Any) -> tuple[tuple[Any, ...], list[tuple[str, int]]] | None:
    """A Python number that fits in a column; None for all else."""
    if type(value) is bool:
        return ("bool",), [("bool", int(value))]
    if type(value) is int and -(2**63) <= value < 2**63:
        return ("int",), [("int", value)]
    if type(value) is float:
        return ("float",), [("float", struct.unpack("q", struct.pack("d", value))[0])]
    return None


def _content(target: Any) -> Iterator[Hashable]:
    """Values that are equal for interchangeable objects: the source of a function, the simple attributes of others."""
    code = seen(target, "__code__")
    if code is not None:
        yield source_of(target)
        return
    yield target.__class__.__module__, target.__class__.__qualname__
    attributes = stored(target, "__dict__")
    if not isinstance(attributes, dict):
        yield id(target)
        return
    for name, value in sorted(attributes.items()):
        yield (name, type(value), repr(value) if isinstance(value, SIMPLE) else id(value))
