"""Deques, sets and dicts of numbers that the graph keeps: each is one value, and the program calls its methods.

A trace makes them in the place of real ones where it has failed with those (`trace_parts/list_kinds.py`).
"""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterator
from typing import Any, NoReturn

from ...ir.op import by_name
from ...ir.types import python
from .. import provided
from ..active import current
from ..context import Trace
from ..origin import user_source
from ..state.place import Held
from ..tensor import Tensor
from ..trace_parts.list_kinds import Maker
from .eagerly_once import NAN, eagerly_where, told_by_value
from .graph_list import GraphList
from .item_forms import Form, asked, form_of, item_of, operand, refuse, types_of
from .records import COLUMN, Record

BOOL, INT = ("|b1", "python"), (python(int).dtype.str, "python")
"""The types of Python's bools and ints, as ops of containers name them."""

CLASSES: dict[str, type] = {
    "deque": collections.deque, "set": set, "dict": dict, "OrderedDict": collections.OrderedDict,
    "Counter": collections.Counter, "defaultdict": collections.defaultdict,
}  # fmt: skip
"""The classes of real containers, by name."""


class Found:
    """The facts about a container that all of its changes share: the class, what `extra` its making takes, and the
    forms of its items. `None` for a form that is not known: it never had an item, as far as the trace has come."""

    def __init__(self, kind: str, extra: Any, maker: Maker | None) -> None:
        self.kind = kind
        self.extra = extra
        self.maker = maker
        self.items: Form | None = None  # the keys of a dict
        self.values: Form | None = None
        self.differ = False  # there are keys of several types
        self.are_read = False  # keys were read, as of one type

    @property
    def facts(self) -> tuple[Any, ...]:
        """All that must be the same of containers that one variable may hold."""
        return self.kind, self.extra, self.items, self.values, self.differ

    @classmethod
    def of(cls, facts: tuple[Any, ...]) -> Found:
        found = cls(facts[0], facts[1], None)
        found.items, found.values, found.differ = facts[2:]
        return found


class GraphContainer:
    """Made by rewritten code in the place of a deque, set or dict. Returned from a traced function it is the real
    one."""

    __slots__ = ("__weakref__", "_found", "_is_alias", "_rounds", "_tensor", "_trace")
    _may_differ = True  # lookups compare numbers of all types

    def __init__(self, found: Found, items: Any, trace: Trace) -> None:
        self._found = found
        self._trace = trace
        self._rounds = 0  # loops over it that are under way
        self._is_alias = False  # it may be one that another name holds, too, whose changes are seen here
        self._tensor: Tensor = items if type(items) is Tensor else self._made_of(items)

    def _made_of(self, items: Any) -> Tensor:
        """A new container with these items; for dicts, pairs."""
        found = self._found
        if issubclass(self.real_class, dict):
            items = [(self._put("items", k), self._put("values", v)) for k, v in items]
        else:
            items = [self._put("items", v) for v in items]
        arguments = (found.kind, items, found.extra, types_of(items))
        return self._trace.record(by_name("container_new"), arguments, {})

    def __tracefn_flatten__(self) -> tuple[tuple[Any, ...], Any]:
        return (self._tensor,), self._found.facts

    @classmethod
    def __tracefn_unflatten__(cls, facts: tuple[Any, ...], children: tuple[Any, ...]) -> Any:
        trace = current()
        if trace is None or type(children[0]) is not Tensor:
            return children[0]
        made = cls(Found.of(facts), children[0], trace)
        made._is_alias = trace.root.list_kinds.has_aliases = True
        return made

    def _state(self) -> Tensor:
        return self._tensor

    def _set_state(self, state: Tensor) -> None:
        self._tensor = state

    @property
    def real_class(self) -> type:
        """The class that it has at the call."""
        return CLASSES[self._found.kind]

    @property
    def empty(self) -> Any:
        """A real one without items."""
        return self.real_class()

    def attribute(self, name: str) -> Any:
        """`container.name` in rewritten code."""
        return attribute_of(self, name)

    # --- the graph

    def _now(self) -> Trace:
        trace = current()
        if trace is None or self._trace.ended:
            self._refuse("used outside the trace that made it")
        return trace

    def _read(self, method: str, types: Any, *args: Any) -> Any:
        arguments = (self._tensor, method, types, types_of(args), *args)
        return self._asked("container_read", arguments)

    def _asked(self, op_name: str, arguments: tuple[Any, ...]) -> Any:
        if self._is_alias:
            op_name += "_now"  # a later lookup may find another item
        trace = self._now()
        self._refuse_owed(trace)
        return trace.record(by_name(op_name), arguments, {})

    def _refuse_owed(self, trace: Trace) -> None:
        """Raises where a default may be missing that is there in Python."""
        owed = trace.root.list_kinds.owed
        if owed is not None and (owed is self or self._is_alias):
            self._refuse("used while a default of it is changed")

    def _change(self, method: str, types: Any, *args: Any) -> Any:
        """Changes it by a method. Gives the numbers that this removes."""
        trace = self._now()
        if self._rounds:
            self._refuse("changed in a loop over it")
        if self._is_alias:
            self._refuse("changed where a branch or loop has chosen which it is")
        self._refuse_owed(trace)
        if trace is not self._trace:
            trace.journal.will_change(Held(self, self._found.kind), user_source(4))
        arguments = (self._tensor, method, types, types_of(args), *args)
        has_aliases = trace.root.list_kinds.has_aliases  # one may show the change
        found = trace.record(by_name("container_change_now" if has_aliases else "container_change"), arguments, {})
        self._tensor, *removed = found if types else (found,)
        return removed

    def length(self) -> Tensor:
        """The number of items, a traced Python int."""
        return self._read("len", (INT,))

    def holds(self, value: Any) -> Tensor:
        """`value in container`"""
        return self._read("contains", (BOOL,), asked(value))

    @contextlib.contextmanager
    def in_rounds(self) -> Iterator[None]:
        """Around a loop over its items, in which it may not change."""
        self._rounds += 1
        try:
            yield
        finally:
            self._rounds -= 1

    def listed(self, part: str = "") -> Any:
        """A list of the items now: of a dict the keys, or its `values`, or its `pairs`."""
        columns: list[Tensor] = []
        parts: list[Any] = []
        for name in ("items", "values") if part == "pairs" else ("values" if part == "values" else "items",):
            if getattr(self._found, name) is None:
                self._asked_early()
                return ()
            form = self._form(name)
            arguments = (self._tensor, name, form.width, form.types)
            columns += self._asked("container_columns", arguments)
            parts.append(form.part)
        record = Record(tuple, (), tuple(parts)) if part == "pairs" else None if parts[0] is COLUMN else parts[0]
        return GraphList.of(*columns, record=record)

    def copy(self) -> GraphContainer:
        return type(self)(self._found, self._asked("container_copy", (self._tensor,)), self._now())

    def made_as(self, kind: str, stand_in: type[GraphContainer]) -> GraphContainer:
        """A new container of another class with its items: `set(q)`, `dict(d)`, `Counter(q)`."""
        mine, found = self._found, Found(kind, None, None)
        is_dict, is_counted = issubclass(self.real_class, dict), kind == "Counter"
        if issubclass(CLASSES[kind], dict) and not (is_dict or is_counted):
            self._refuse(f"made a {kind}")
        found.items, found.differ = mine.items, mine.differ
        if found.items is not None and found.items.has_floats and self.real_class is collections.deque:
            eagerly_where(self._now(), self._read("has_nan", (BOOL,)), NAN)
        found.values = mine.values if is_dict else Form((INT,), False) if is_counted else None
        if found.items is None:
            self._asked_early()
        return stand_in(found, self._asked("container_new", (kind, self._tensor, None, ())), self._now())

    def made_by(self, maker: Maker) -> None:
        """Notes the code that gives a new one to a variable."""
        if self._found.maker is None and not self._is_alias:
            self._found.maker = maker
            for name, form in self._trace.root.list_kinds.forms_of(maker).items():
                if getattr(self._found, name) is None:
                    setattr(self._found, name, form)

    def __getitem__(self, key: Any) -> Any:
        self._refuse("asked for an item")

    def old_item(self, key: Any) -> Any:
        """The item that an `op=` changes."""
        return self[key]

    def clear(self) -> None:
        self._change("clear", ())

    def refuse_asked(self, other: GraphContainer) -> None:
        """Raises where only the call knows whether it is another one."""
        if self is not other and (self._is_alias or other._is_alias):
            self._refuse("asked whether it is another one")

    # --- forms

    def _put(self, name: str, value: Any) -> Any:
        """An item, or a value of a dict, as the program takes it. Its form becomes known, if it was not."""
        form, found = form_of(value), self._found
        known = getattr(found, name)
        if form is None:
            refuse(f"a {type(value).__name__} is put into a {found.kind} that the graph keeps")
        if known is None:
            setattr(found, name, form)
            self._trace.root.list_kinds.learn(found.maker, name, form)
        elif known != form:
            if name != "items" or not self._may_differ or found.are_read or known.is_tuple or form.is_tuple:
                refuse(f"numbers of several types are put into a {found.kind} that the graph keeps")
            found.differ = True
        return operand(value)

    def _key(self, value: Any) -> Any:
        """The same for a key of a dict, or an item of a set."""
        return told_by_value(self._put("items", value))

    def _asked_early(self) -> None:
        """Notes that code has asked for an item before the trace has come to one."""
        self._trace.root.list_kinds.asked_early(self._found.maker)

    def _form(self, name: str = "items") -> Form:
        form = getattr(self._found, name)
        if form is None:
            self._asked_early()
            kind = IndexError if self.real_class is collections.deque else KeyError
            provided.raise_in_graph(kind("a container without items was asked for one"))
        if name == "items" and self._found.differ:
            self._refuse("asked for its keys, which are numbers of several types")
        self._found.are_read |= name == "items"
        return form

    def _removed(self, method: str, name: str, *args: Any) -> Any:
        form = self._form(name)
        return item_of(form, self._change(method, form.types, *args))

    def _refuse(self, what: str) -> NoReturn:
        refuse(f"a {self._found.kind} that a loop of the graph changes was {what}")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.listed())

    def _python(self, *args: Any) -> NoReturn:
        self._refuse("used as a Python object")

    __hash__ = None  # type: ignore[assignment]


class DictView:
    """`d.keys()`, `d.values()` or `d.items()` of a dict that the graph keeps: its content when it is used."""

    def __init__(self, container: GraphContainer, part: str) -> None:
        self.container = container
        self._part = part

    @property
    def empty(self) -> Any:
        return getattr(self.container.empty, "items" if self._part == "pairs" else self._part)()

    @property
    def real_class(self) -> type:
        return type(self.empty)

    def attribute(self, name: str) -> Any:
        """`view.name` in rewritten code."""
        return attribute_of(self, name)

    def listed(self) -> Any:
        return self.container.listed(self._part)

    def in_rounds(self) -> Any:
        return self.container.in_rounds()

    def length(self) -> Tensor:
        return self.container.length()

    def holds(self, value: Any) -> Any:
        return self.container.holds(value) if self._part == "keys" else self.listed().holds(value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.listed())

    def _python(self, *args: Any) -> NoReturn:
        self.container._refuse("asked for its " + self._part)

    __hash__ = None  # type: ignore[assignment]


for _name in ("len bool contains eq ne lt le gt ge or ror and rand sub rsub xor rxor add radd mul rmul repr str format "
              "array copy deepcopy reduce_ex").split():  # fmt: skip
    for _class in (GraphContainer, DictView):
        setattr(_class, f"__{_name}__", _class._python)


def is_container(value: Any) -> bool:
    """True for a container that the graph keeps, or a view of one."""
    return isinstance(value, GraphContainer | DictView)


def attribute_of(stand_in: GraphContainer | DictView, name: str) -> Any:
    """An attribute of a stand-in. Real ones that lack it raise AttributeError. Raises `ControlFlowError` where the
    stand-in alone lacks it."""
    if name == "__class__":
        return stand_in.real_class
    found = getattr(stand_in.empty, name)
    if hasattr(object, name) or not hasattr(stand_in, name):
        stand_in._python(found)
    return getattr(stand_in, name)


def known_items(container: GraphContainer, values: Any) -> Any:
    """The items to add, of which Python knows how many there are."""
    if not isinstance(values, list | tuple | set | range) or (type(values) is GraphList and values.is_staged):
        container._refuse("extended by items of which only the call knows how many there are")
    return values
