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
    """Facts about the lists, and other containers, of a function that failed attempts have found. `plain` are makers
    whose lists the graph cannot keep; `records` have the structure of the items of those that are empty at first
    (`values.records`). `in_graph` are makers of deques, sets and dicts that the graph keeps (`values.graph_container`),
    `may_be` those that it might keep; `forms` have the numbers in them (`values.item_forms`)."""

    def __init__(
        self,
        plain: Iterable[Maker] = (),
        records: Iterable[tuple[Maker, Any]] = (),
        in_graph: Iterable[Maker] = (),
        forms: Iterable[tuple[tuple[Maker, str], Any]] = (),
    ) -> None:
        self.plain = set(plain)
        self.records = dict(records)
        self.in_graph = set(in_graph)
        self.forms = dict(forms)
        self.may_be: set[Maker] = set()
        self._early: set[Maker | None] = set()  # asked for an item before one was put there
        self.has_aliases = False  # branches or rounds choose among containers of the graph
        self._had_aliases = False  # when the trace began
        self._learned = False  # since one of which the maker is not known was asked
        self.owed: Any = None  # a dict that lacks a default until an `op=` sets it

    def __len__(self) -> int:
        return len(self.plain) + self.told

    @property
    def told(self) -> int:
        """The number of facts that attempts have learned of what containers hold."""
        return len(self.records) + len(self.forms) + self.has_aliases

    def record_of(self, maker: Maker | None) -> Any:
        """The items of the empty list that this makes. None where they are numbers, or not known."""
        return None if maker is None else self.records.get(maker)

    def forms_of(self, maker: Maker) -> dict[str, Any]:
        """The forms that are known of the `items`, and the `values`, of the container that this makes."""
        return {name: form for (found, name), form in self.forms.items() if found == maker}

    def learn(self, maker: Maker | None, name: str, form: Any) -> None:
        """Notes the form of the items, or values, of an empty container."""
        self._learned |= None in self._early
        if maker is not None:
            self.forms.setdefault((maker, name), form)

    def asked_early(self, maker: Maker | None) -> None:
        """Notes that a container was asked for an item before the trace had come to one."""
        self._early.add(maker)

    def begins(self) -> None:
        """Notes that a trace begins."""
        self._early.clear()
        self._learned = False
        self.owed = None
        self._had_aliases = self.has_aliases

    @property
    def is_told_late(self) -> bool:
        """True if the trace has found the items of a container after code had asked for one, or that there are aliases
        after one was changed."""
        if self.has_aliases and not self._had_aliases:
            return True
        return self._learned or any(maker in self._early for maker, _ in self.forms)

    def keep_more(self) -> bool:
        """Lets the graph keep the containers that it might keep. False where it does so already."""
        has_more = not self.may_be <= self.in_graph
        self.in_graph |= self.may_be
        return has_more

    def copy(self) -> ListKinds:
        made = ListKinds(self.plain, self.records.items(), self.in_graph, self.forms.items())
        made.may_be = self.may_be
        made.has_aliases = self.has_aliases
        return made
