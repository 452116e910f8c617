"""Dicts that the graph keeps, also an OrderedDict, a Counter and a defaultdict of numbers."""

from __future__ import annotations

from typing import Any

from .. import provided
from .graph_container import DictView, GraphContainer
from .item_forms import asked, form_of, item_of, operand


class GraphDict(GraphContainer):
    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        if (default := self._default()) is None:
            form = self._form("values")
            return item_of(form, self._read("getitem", form.types, asked(key)))
        if self._found.kind == "Counter":
            return self.get(key, default)
        return self.setdefault(key, default)

    def old_item(self, key: Any) -> Any:
        """The item that an `op=` changes. A default of another type than the values is set by that alone: until then
        nothing may ask for it."""
        default = self._default()
        if default is None or form_of(default) == self._found.values:
            return self[key]
        found = self.get(key, default)
        if self._found.kind == "defaultdict" and self._found.values is not None:
            self._trace.root.list_kinds.owed = self
        return found

    def _default(self) -> Any:
        """The value for a missing key. None where that raises."""
        if self._found.kind == "Counter":
            return 0
        return {"int": 0, "float": 0.0}[self._found.extra] if self._found.kind == "defaultdict" else None

    def __setitem__(self, key: Any, value: Any) -> None:
        key, value = self._key(key), self._put("values", value)
        if (kinds := self._trace.root.list_kinds).owed is self:
            kinds.owed = None
        self._change("setitem", (), key, value)

    def __delitem__(self, key: Any) -> None:
        self._change("delitem", (), asked(key))

    def get(self, key: Any, default: Any = None, /) -> Any:
        form = self._found.values
        if form is None:
            self._asked_early()
            return default
        if form_of(default) == form:
            return item_of(form, self._read("get", form.types, asked(key), operand(default)))
        return provided.if_exp(self.holds(key), lambda: self.held(key), lambda: default)

    def held(self, key: Any) -> Any:
        """The item at a key that is there. The call raises `KeyError` for others."""
        form = self._form("values")
        return item_of(form, self._read("getitem" if self._default() is None else "held", form.types, asked(key)))

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        key, value = self._key(key), self._put("values", default)
        return self._removed("setdefault", "values", key, value)

    def pop(self, key: Any, *default: Any) -> Any:
        form = self._form("values")
        if default and form_of(default[0]) != form:
            self._refuse("asked to `pop` with a default of another type than its values")
        return item_of(form, self._change("pop", form.types, asked(key), *map(operand, default)))

    def popitem(self, last: Any = True) -> Any:
        key, value = self._form(), self._form("values")
        if key.is_tuple or value.is_tuple:
            self._refuse("asked to `popitem`, and its items are tuples")
        args = (last,) if self._found.kind == "OrderedDict" else ()
        return tuple(self._change("popitem", (*key.types, *value.types), *args))

    def move_to_end(self, key: Any, last: Any = True) -> None:
        self._change("move_to_end", (), asked(key), last)

    def keys(self) -> DictView:
        return DictView(self, "keys")

    def values(self) -> DictView:
        return DictView(self, "values")

    def items(self) -> DictView:
        return DictView(self, "pairs")
