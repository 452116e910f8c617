"""Deques, sets and dicts that rewritten code makes and changes: the graph keeps them where a trace with real ones has
failed."""

from __future__ import annotations

import collections
from collections.abc import Iterable
from sys import getsizeof
from typing import Any

from ...active import current
from ...context import Trace
from ...origin import user_source
from ...references import PARAMETER, holders
from ...trace_parts.list_kinds import Maker
from ...values.graph_container import CLASSES, Found, GraphContainer
from ...values.graph_dict import GraphDict
from ...values.graph_sequences import GraphDeque, GraphSet
from ...values.item_forms import form_of


def new_container(value: Any, column: int) -> Any:
    """A value that a variable is given at this column of the line, and that its methods change."""
    if (trace := current()) is None or holders(value) > PARAMETER:
        return value
    maker = Maker(user_source(), column)
    if isinstance(value, GraphContainer):
        value.made_by(maker)
    if not _may_be_kept(value):
        return value
    if not _is_kept(trace, maker):
        return value
    items = value.items() if isinstance(value, dict) else value
    return _of_graph(trace, maker, type(value).__name__, items, _extra_of(value))


def new_dict(items: list[tuple[Any, Any]], column: int) -> Any:
    """`{key: value, …}`, the same."""
    return _displayed("dict", items, [part for pair in items for part in pair], column)


def new_set(items: list[Any], column: int) -> Any:
    """`{item, …}`, the same."""
    return _displayed("set", items, items, column)


def _displayed(kind: str, items: list[Any], parts: Iterable[Any], column: int) -> Any:
    if (trace := current()) is not None and all(form_of(part) is not None for part in parts):
        maker = Maker(user_source(), column)
        if _is_kept(trace, maker):
            return _of_graph(trace, maker, kind, items)
    return dict(items) if kind == "dict" else set(items)


def _is_kept(trace: Trace, maker: Maker) -> bool:
    """True if the graph keeps what this makes. Notes that it might."""
    kinds = trace.root.list_kinds
    kinds.may_be.add(maker)
    return maker in kinds.in_graph


def _of_graph(trace: Trace, maker: Maker, kind: str, items: Iterable[Any], extra: Any = None) -> GraphContainer:
    """A new container of the graph with these items, for dicts pairs."""
    found = Found(kind, extra, maker)
    for name, form in trace.root.list_kinds.forms_of(maker).items():
        setattr(found, name, form)
    return _STAND_INS[kind](found, list(items), trace)


def converted(cls: type, value: GraphContainer) -> GraphContainer | None:
    """`cls(value)` of a container that the graph keeps. None where it can keep none of that class."""
    stand_in = _STAND_INS.get(cls.__name__)
    if stand_in is None or CLASSES[cls.__name__] is not cls or cls is collections.defaultdict:
        return None
    return value.made_as(cls.__name__, stand_in)


def _extra_of(value: Any) -> Any:
    """What the making of a container like this takes besides its items."""
    if type(value) is collections.deque:
        return value.maxlen
    return _DEFAULTS[value.default_factory] if type(value) is collections.defaultdict else None


def _may_be_kept(value: Any) -> bool:
    """True for a container of a class that the graph can keep, with items that it can keep."""
    kind = type(value)
    if kind.__name__ not in _STAND_INS or kind is not CLASSES[kind.__name__]:
        return False
    if kind is collections.defaultdict and value.default_factory not in _DEFAULTS:
        return False
    if kind is set and not _is_as_new(value):
        return False
    values = list(value.values()) if isinstance(value, dict) else []
    forms = [[form_of(v) for v in part] for part in (list(value), values)]
    return all(None not in part and all(form == part[0] for form in part) for part in forms)


def _is_as_new(values: set[Any]) -> bool:
    """True for a set of which another one of the same items, put there in its order, has the same order for good: no
    two share a place in its table, which is as large."""
    if any(form_of(value) is None for value in values):
        return False
    mask = (1 << len(values).bit_length()) - 1
    return len({hash(v) & mask for v in values}) == len(values) and getsizeof(set(iter(values))) == getsizeof(values)


_STAND_INS: dict[str, type[GraphContainer]] = {
    "deque": GraphDeque, "set": GraphSet, "dict": GraphDict, "OrderedDict": GraphDict, "Counter": GraphDict,
    "defaultdict": GraphDict,
}  # fmt: skip


_DEFAULTS: dict[Any, str] = {int: "int", float: "float"}
