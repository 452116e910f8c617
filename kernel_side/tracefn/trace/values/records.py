"""Tuples, lists and dicts as items of a list that the graph keeps: a struct of arrays, with a column for each leaf."""

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
    """The structure of such items: their class, the keys of a dict, and for each part `COLUMN`, another record, or a
    text, bytes or None that is the same in all items.

    >>> record = record_of(("low", 1, [2.0]))
    >>> record.columns(("low", 3, [4.0])), record.columns(("high", 3, [4.0]))
    ([3, 4.0], None)
    >>> record.item([5, 6.0])
    ('low', 5, [6.0])
    """

    kind: type
    keys: tuple[Any, ...]
    parts: tuple[Any, ...]

    @property
    def width(self) -> int:
        """The number of columns."""
        return sum(part.width if type(part) is Record else part is COLUMN for part in self.parts)

    @property
    def is_flat(self) -> bool:
        """True for tuples and lists of numbers or arrays alone."""
        return self.kind in (tuple, list) and all(part is COLUMN for part in self.parts)

    @property
    def is_compared(self) -> bool:
        """True for tuples and lists that Python can order: dicts it cannot."""
        return self.kind is not dict and all(part.is_compared for part in self.parts if type(part) is Record)

    @property
    def may_change(self) -> bool:
        """True if there are lists or dicts in the items."""
        return self.kind in (list, dict) or any(type(part) is Record and part.may_change for part in self.parts)

    def columns(self, item: Any) -> list[Any] | None:
        """The values of an item for the columns. None if it has another structure."""
        return self._values(item) if record_of(item) == self else None

    def _values(self, item: Any) -> list[Any]:
        found: list[Any] = []
        for part, value in zip(self.parts, parts_of(item), strict=True):
            if type(part) is Record:
                found += part._values(value)
            elif part is COLUMN:
                found.append(value)
        return found

    def item(self, values: Iterable[Any]) -> Any:
        """The item that has these values."""
        rest = iter(values)
        parts = [p.item(rest) if type(p) is Record else next(rest) if p is COLUMN else p for p in self.parts]
        if self.kind is dict:
            return dict(zip(self.keys, parts, strict=True))
        return parts if self.kind is list else tuple.__new__(self.kind, parts)  # `_make` may be decorated


def record_of(item: Any) -> Record | None:
    """The structure of a tuple, list or dict of numbers, arrays, texts and such containers. None for other values."""
    kind = _kind(item)
    if kind is None:
        return None
    keys = tuple(item) if kind is dict else ()
    found = Record(kind, keys, tuple(map(_part, parts_of(item))))
    is_known = _OTHER not in found.parts and all(type(key) in (str, int) for key in keys)
    return found if is_known and found.width else None


def _kind(item: Any) -> type | None:
    cls = type(item)
    if cls in (tuple, list, dict):
        return cls
    if hasattr(cls, "is_staged"):  # a list that a loop may fill
        return None if item.is_staged else list
    is_named = issubclass(cls, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_make")
    return cls if is_named else None


def _part(value: Any) -> Any:
    if isinstance(value, _COLUMNS):
        return COLUMN
    found = value if type(value) in _CONSTANTS else record_of(value)
    return _OTHER if found is None and value is not None else found


def parts_of(item: Any) -> Iterable[Any]:
    """The parts of a container."""
    return item.values() if type(item) is dict else item


def common_record(items: Sequence[Any]) -> Record | None:
    """The structure that all of these items have. None if there is none."""
    first = record_of(items[0]) if items else None
    return first if first is not None and all(record_of(item) == first for item in items[1:]) else None


def as_python(columns: Sequence[list[Any]], record: Record | None) -> list[Any]:
    """The Python list that is kept in these columns."""
    return columns[0] if record is None else [record.item(values) for values in zip(*columns, strict=True)]
