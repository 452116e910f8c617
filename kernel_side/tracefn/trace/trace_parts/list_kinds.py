"""How the graph keeps the lists that lines of a function make, as far as earlier attempts at a trace have found out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.place import Source


class ListKinds:
    """What the graph has learned about the lists that lines of a function make. `plain` are lines whose lists it cannot
    keep; `records` have the structure of the tuples in those that are empty at first (`values.records.Record`)."""

    def __init__(self, plain: Iterable[Source] = (), records: Iterable[tuple[Source, Any]] = ()) -> None:
        self.plain = set(plain)
        self.records = dict(records)

    def __len__(self) -> int:
        return len(self.plain) + len(self.records)

    def record_of(self, source: Source | None) -> Any:
        """The items of the empty list that a line makes. None where they are no tuples, or not known."""
        return None if source is None else self.records.get(source)

    def copy(self) -> ListKinds:
        return ListKinds(self.plain, self.records.items())
