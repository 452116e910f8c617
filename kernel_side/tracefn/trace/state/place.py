"""A place of the state: an attribute, an item, the contents of a container, an outer variable, a state of its own."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable
from types import FunctionType
from typing import Any

from ..code.plain import plain, stored


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()
"""The content of a missing place: an attribute that is not set, a key that is not in a dict."""


class Place:
    """Something that holds a value and can be changed. Two with equal `key` are the same place."""

    __slots__ = ("key", "name")

    def __init__(self, key: Hashable, name: str) -> None:
        self.key = key
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return self.name

    @property
    def owner(self) -> Any:
        """The object that holds the value."""
        raise NotImplementedError

    @property
    def step(self) -> tuple[str, Any] | None:
        """The last step of a path to the place, None for places that no path leads to."""
        return None

    def load(self) -> Any:
        """The current content, `MISSING` if there is none."""
        raise NotImplementedError

    def store(self, value: Any) -> None:
        raise NotImplementedError


class Attribute(Place):
    __slots__ = ("_attribute", "_object")

    def __init__(self, owner: Any, attribute: str, name: str = "") -> None:
        super().__init__((id(owner), attribute), f"{name or type(owner).__name__}.{attribute}")
        self._object = owner
        self._attribute = attribute

    @property
    def owner(self) -> Any:
        return self._object

    @property
    def attribute(self) -> str:
        return self._attribute

    @property
    def step(self) -> tuple[str, Any]:
        return "attr", self._attribute

    def load(self) -> Any:
        held = stored(self._object, "__dict__")
        if held is not None and self._attribute not in held and not _is_slot(type(self._object), self._attribute):
            return MISSING  # attributes of the class are not the instance's
        if isinstance(self._object, type) and self._attribute in vars(self._object):
            return vars(self._object)[self._attribute]  # the static method itself, which a class gives as a function
        return stored(self._object, self._attribute, MISSING)

    def store(self, value: Any) -> None:
        cls = type(self._object)
        if value is not MISSING:
            own_method(cls, "__setattr__")(self._object, self._attribute, value)
        elif self.load() is not MISSING:
            own_method(cls, "__delattr__")(self._object, self._attribute)


def names_of(owner: Any) -> list[str]:
    """The attributes in the dict of an object, in their order."""
    held = stored(owner, "__dict__")
    return list(held) if type(held) is dict else []


def put_in_order(owner: Any, names: list[str]) -> None:
    """Puts the attributes in the dict of an object in this order, others after them."""
    held = stored(owner, "__dict__")
    if type(held) is not dict:
        return
    order = [n for n in names if n in held] + [n for n in held if n not in names]
    if order != list(held):
        for name in order:
            held[name] = held.pop(name)


def own_method(cls: type, name: str) -> Any:
    """Python's own `__setattr__` or `__delattr__` of a class: one of the user's is not asked again."""
    own = getattr(cls, name)
    if not isinstance(plain(own), FunctionType):
        return own
    found = [c.__dict__[name] for c in cls.__mro__ if name in c.__dict__]
    return next(f for f in found if not isinstance(plain(f), FunctionType))


def reads_itself(cls: type) -> bool:
    """True for a class of the user's with a `__getattribute__` of its own."""
    return isinstance(plain(cls.__getattribute__), FunctionType)


def _is_slot(cls: type, attribute: str) -> bool:
    """True for a slot, or a property that can be set."""
    return any(hasattr(type(c.__dict__[attribute]), "__set__") for c in cls.__mro__ if attribute in c.__dict__)


def own_kind(container: Any) -> Any:
    """The class whose methods put something into a container and do no more: not one that inherits from it."""
    cls = type(container)
    if hasattr(cls, "_set_state"):  # a list of the graph
        return cls
    return next((kind for kind in _KINDS if isinstance(container, kind)), cls)


def content_of(container: Any) -> Any:
    """A copy of a list, dict, set or deque. Of a class of the user's, whose constructor may take something else, it is
    one of the base."""
    cls, own = type(container), own_kind(container)
    if cls in _KINDS or cls in _KINDS_OF_DICTS or own not in _KINDS:
        return cls.copy(container)
    return _COPIES.get(own, own.copy)(container)


def own_item(container: Any, key: Any) -> Any:
    """The item of a list or dict at a key, whichever `__getitem__` a class of the user's has."""
    return own_kind(container).__getitem__(container, key)


def put_content(container: Any, content: Any) -> None:
    """Gives a list, dict, set or deque another content, by methods of its kind: the `update` of a Counter counts."""
    kind = own_kind(container)
    if isinstance(container, list):
        getattr(kind, "__tracefn_put__", kind.__setitem__)(container, slice(None), content)
        return
    kind.clear(container)
    if kind is OrderedDict:
        fill(container, content.items())
    elif hasattr(kind, "update"):
        kind.update(container, content)
    else:
        kind.extend(container, content)


def fill(container: Any, items: Iterable[tuple[Any, Any]]) -> None:
    """Puts items into an OrderedDict, whose `update` calls the `__setitem__` of a class of the user's."""
    for key, value in items:
        OrderedDict.__setitem__(container, key, value)


_KINDS: tuple[Any, ...] = (list, OrderedDict, dict, set, deque)
_KINDS_OF_DICTS = (defaultdict, Counter)
_COPIES: dict[Any, Callable[[Any], Any]] = {
    OrderedDict: lambda held: OrderedDict(OrderedDict.items(held)),
    deque: lambda held: deque(deque.__iter__(held), held.maxlen),
}
"""How the content of a container is copied, where the `copy` of its kind calls the class of the container."""


class Item(Place):
    """An item of a dict or list (or of an object with items whose `in` tests keys)."""

    __slots__ = ("_container", "_item")

    def __init__(self, container: Any, item: Any, name: str) -> None:
        super().__init__((id(container), "item", item), name)
        self._container = container
        self._item = item

    @property
    def owner(self) -> Any:
        return self._container

    @property
    def item(self) -> Any:
        return self._item

    @property
    def step(self) -> tuple[str, Any]:
        return "item", self._item

    def load(self) -> Any:
        if issubclass(type(self._container), dict):  # one with defaults would make the item
            return dict.get(self._container, self._item, MISSING)
        try:
            return own_item(self._container, self._item)
        except (LookupError, TypeError):
            return MISSING

    def store(self, value: Any) -> None:
        kind = own_kind(self._container)
        if value is not MISSING:
            kind.__setitem__(self._container, self._item, value)
        else:
            kind.pop(self._container, self._item, None)


class Contents(Place):
    """The whole content of a list, dict, set or deque."""

    __slots__ = ("_container",)

    def __init__(self, container: Any, name: str) -> None:
        super().__init__((id(container), "contents"), name)
        self._container = container

    @property
    def owner(self) -> Any:
        return self._container

    def load(self) -> Any:
        return content_of(self._container)

    def store(self, value: Any) -> None:
        put_content(self._container, value)


class Outer(Place):
    """A variable of an outer function."""

    __slots__ = ("_cell", "_get", "_set")

    def __init__(self, get: Callable[[], Any], set_: Callable[[Any], None], name: str) -> None:
        cell = (get.__closure__ or (get,))[0]
        super().__init__((id(cell), "cell"), name)
        self._cell, self._get, self._set = cell, get, set_

    @property
    def owner(self) -> Any:
        return self._cell

    def load(self) -> Any:
        try:
            return self._get()
        except NameError:
            return MISSING

    def store(self, value: Any) -> None:
        self._set(value)


class Held(Place):
    """An object whose state is read by `_state()` and written by `_set_state(state)`."""

    __slots__ = ("_object",)

    def __init__(self, held: Any, name: str) -> None:
        super().__init__((id(held), "state"), name)
        self._object = held

    @property
    def owner(self) -> Any:
        return self._object

    def load(self) -> Any:
        return self._object._state()

    def store(self, value: Any) -> None:
        self._object._set_state(value)
