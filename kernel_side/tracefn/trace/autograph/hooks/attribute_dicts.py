"""The dict of an object's attributes in rewritten code, `o.__dict__` and `vars(o)`: reads and changes of its items are
those of the attributes."""

from __future__ import annotations

import types
import weakref
from collections.abc import Iterator, MutableMapping
from typing import Any, NoReturn

from ... import provided
from ...active import current
from ...code.plain import plain, stored
from ...context import Trace
from ...control.undefined import Maybe
from ...control.where_set import where_set
from ...state.place import own_method
from ..containers.changes import decided
from .attributes import refuse_dict
from .places import delete_plainly, store_plainly


class AttributeDict(MutableMapping[str, Any]):
    """Stands for `vars(owner)` in a trace. Code that takes it as a whole, and not by its items, is refused."""

    __slots__ = ("__weakref__", "_owner", "_trace")

    def __init__(self, owner: Any, trace: Trace) -> None:
        self._owner, self._trace = owner, trace

    @property
    def _held(self) -> dict[str, Any]:
        held: dict[str, Any] = stored(self._owner, "__dict__")
        return held

    def __getitem__(self, name: str) -> Any:
        if not self._asks_for(name):
            raise KeyError(name)
        if type(held := self._held[name]) is Maybe:
            return where_set(held, KeyError(name))
        return provided.attribute(self._owner, name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._check(name)
        store_plainly(value, self._owner, name, own_method(type(self._owner), "__setattr__"))

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        delete_plainly(self._owner, name, own_method(type(self._owner), "__delattr__"))

    def __contains__(self, name: object) -> bool:
        is_there = self._asks_for(name)
        if is_there and type(held := self._held[str(name)]) is Maybe:
            decided([held])  # refuses: only the call knows
        return is_there

    def _asks_for(self, name: Any) -> bool:
        self._check(name)
        self._trace.root.asks_for(self._owner, name)
        return name in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def copy(self) -> dict[str, Any]:
        return dict(self)

    def __or__(self, other: Any) -> dict[str, Any]:
        return dict(self) | dict(other)

    def __ror__(self, other: Any) -> dict[str, Any]:
        return dict(other) | dict(self)

    def __ior__(self, other: Any) -> AttributeDict:
        self.update(other)
        return self

    def _names(self) -> list[str]:
        held = self._held
        decided([value for value in held.values() if type(value) is Maybe])
        self._trace.root.read_names(self._owner)
        for name in held:
            self._check(name)
        return list(held)

    def _check(self, name: Any) -> None:
        """Raises for an item that is not the attribute of its name."""
        if type(name) is not str or current() is None:
            refuse_dict("a dict of attributes")
        found = next((vars(cls)[name] for cls in type(self._owner).__mro__ if name in vars(cls)), None)
        if hasattr(type(found), "__set__"):
            refuse_dict(f"`.__dict__[{name!r}]`")

    def _refuse_whole(self, *args: Any) -> NoReturn:
        refuse_dict("`.__dict__` as a whole")

    __repr__ = __str__ = __format__ = __eq__ = __ne__ = __array__ = __reduce_ex__ = _refuse_whole
    __hash__ = None  # type: ignore[assignment]


_DICTS: weakref.WeakKeyDictionary[Any, dict[int, AttributeDict]] = weakref.WeakKeyDictionary()
"""Those of a trace by the ids of their objects: the dict of an object is one."""


def attribute_dict(owner: Any) -> Any:
    """`owner.__dict__`. Raises UnsupportedFunctionError for objects that do more than to hold attributes."""
    trace, cls = current(), type(owner)
    held = stored(owner, "__dict__")
    if trace is None or type(held) is not dict or isinstance(owner, _OTHERS) or isinstance(owner, dict):
        refuse_dict("`.__dict__` of this object")
    own = (cls.__getattribute__, cls.__setattr__, cls.__delattr__)
    if type(plain(own[0])) is types.FunctionType or any("__dict__" in vars(c) and _is_code(c) for c in cls.__mro__):
        refuse_dict(f"`.__dict__` of the class {cls.__name__}, which has code for its attributes,")
    known = _DICTS.setdefault(trace.root, {})
    if id(owner) not in known:
        known[id(owner)] = AttributeDict(owner, trace)
    return known[id(owner)]


_OTHERS = (types.ModuleType, types.FunctionType, types.MethodType, type)


def _is_code(cls: type) -> bool:
    """True for a class with a `__dict__` that is no dict of attributes as Python makes it."""
    return type(vars(cls)["__dict__"]) not in (types.GetSetDescriptorType, types.MemberDescriptorType)
