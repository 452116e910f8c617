"""How the graph keeps the lists that lines of a function make, as far as earlier attempts at a trace have found out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

from ...ir.place import Source


class Maker(NamedTuple):
    """The code that makes a list: its line, and what tells it from others of the line."""

    line: Source | None
    part: Hashable = None


class ListKinds:
    """Facts about the lists of a function that failed attempts have found. `plain` are makers whose lists the graph
    cannot keep; `records` have the structure of the items of those that are empty at first (`values.records`)."""

    def __init__(self, plain: Iterable[Maker] = (), records: Iterable[tuple[Maker, Any]] = ()) -> None:
        self.plain = set(plain)
        self.records = dict(records)

    def __len__(self) -> int:
        return len(self.plain) + len(self.records)

    def record_of(self, maker: Maker | None) -> Any:
        """The items of the empty list that this makes. None where they are numbers, or not known."""
        return None if maker is None else self.records.get(maker)

    def copy(self) -> ListKinds:
        return ListKinds(self.plain, self.records.items())
