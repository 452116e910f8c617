"""Deques and sets that the graph keeps."""

from __future__ import annotations

from typing import Any

from .graph_container import INT, GraphContainer, known_items
from .item_forms import asked, item_of, operand


class GraphDeque(GraphContainer):
    __slots__ = ()
    _may_differ = False

    @property
    def maxlen(self) -> Any:
        return self._found.extra

    def append(self, value: Any) -> None:
        self._change("append", (), self._put("items", value))

    def appendleft(self, value: Any) -> None:
        self._change("appendleft", (), self._put("items", value))

    def extend(self, values: Any) -> None:
        for value in known_items(self, values):
            self.append(value)

    def extendleft(self, values: Any) -> None:
        for value in known_items(self, values):
            self.appendleft(value)

    def pop(self) -> Any:
        return self._removed("pop", "items")

    def popleft(self) -> Any:
        return self._removed("popleft", "items")

    def rotate(self, number: Any = 1) -> None:
        self._change("rotate", (), operand(number))

    def reverse(self) -> None:
        self._change("reverse", ())

    def remove(self, value: Any) -> None:
        self._change("remove", (), asked(value))

    def index(self, value: Any) -> Any:
        return self._read("index", (INT,), asked(value))

    def count(self, value: Any) -> Any:
        return self._read("count", (INT,), asked(value))

    def __getitem__(self, index: Any) -> Any:
        form = self._form()
        return item_of(form, self._read("getitem", form.types, operand(index)))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._change("setitem", (), operand(index), self._put("items", value))

    def __delitem__(self, index: Any) -> None:
        self._change("delitem", (), operand(index))


class GraphSet(GraphContainer):
    __slots__ = ()

    def add(self, value: Any) -> None:
        self._change("add", (), self._key(value))

    def discard(self, value: Any) -> None:
        self._change("discard", (), asked(value))

    def remove(self, value: Any) -> None:
        self._change("remove", (), asked(value))

    def pop(self) -> Any:
        return self._removed("pop", "items")

    def update(self, *others: Any) -> None:
        for other in others:
            for value in known_items(self, other):
                self.add(value)
