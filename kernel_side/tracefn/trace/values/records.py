"""Tuples as items of a list that the graph keeps: a list for each number or array in them, a column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...records import dataclass
from ..tensor import Tensor
from .symbolic_int import SymbolicInt

NUMBERS = (np.ndarray, np.generic, bool, int, float, complex)
"""Types of the values, besides traced ones, that a list in the graph can hold."""

_COLUMNS = (Tensor, SymbolicInt, *NUMBERS)
_CONSTANTS = (str, bytes, type(None))


class _Column:
    def __repr__(self) -> str:
        return "COLUMN"


COLUMN = _Column()
"""Stands in a record for a number or array."""

_OTHER = object()


@dataclass(frozen=True, slots=True)
class Record:
    """The structure of such items: the class of the tuple, and for each part `COLUMN`, another record, or a text, bytes
    or None that is the same in all items.

    >>> record = record_of(("low", 1, 2.0))
    >>> record.columns(("low", 3, 4.0)), record.columns(("high", 3, 4.0))
    ([3, 4.0], None)
    >>> record.item([5, 6.0])
    ('low', 5, 6.0)
    """

    kind: type
    parts: tuple[Any, ...]

    @property
    def width(self) -> int:
        """The number of columns."""
        return sum(part.width if type(part) is Record else part is COLUMN for part in self.parts)

    @property
    def is_flat(self) -> bool:
        """True for tuples of numbers or arrays alone."""
        return self.kind is tuple and all(part is COLUMN for part in self.parts)

    def columns(self, item: Any) -> list[Any] | None:
        """The values of an item for the columns. None if it has another structure."""
        return self._values(item) if record_of(item) == self else None

    def _values(self, item: Any) -> list[Any]:
        found: list[Any] = []
        for part, value in zip(self.parts, item, strict=True):
            if type(part) is Record:
                found += part._values(value)
            elif part is COLUMN:
                found.append(value)
        return found

    def item(self, values: Iterable[Any]) -> Any:
        """The item that has these values."""
        rest = iter(values)
        parts = [p.item(rest) if type(p) is Record else next(rest) if p is COLUMN else p for p in self.parts]
        return tuple.__new__(self.kind, parts)  # a named tuple's `_make` may be decorated


def record_of(item: Any) -> Record | None:
    """The structure of a tuple of numbers, arrays, texts and such tuples. None for other values."""
    cls = type(item)
    if cls is not tuple and not (issubclass(cls, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_make")):
        return None
    parts = tuple(map(_part, item))
    found = Record(cls, parts)
    return None if _OTHER in parts or not found.width else found


def _part(value: Any) -> Any:
    if isinstance(value, _COLUMNS):
        return COLUMN
    found = value if type(value) in _CONSTANTS else record_of(value)
    return _OTHER if found is None and value is not None else found


def common_record(items: Sequence[Any]) -> Record | None:
    """The structure that all of these items have. None if there is none."""
    first = record_of(items[0]) if items else None
    return first if first is not None and all(record_of(item) == first for item in items[1:]) else None


def as_python(columns: Sequence[list[Any]], record: Record | None) -> list[Any]:
    """The Python list that is kept in these columns."""
    return columns[0] if record is None else [record.item(values) for values in zip(*columns, strict=True)]
