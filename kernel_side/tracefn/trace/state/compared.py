"""Comparison of containers and values in guards."""

from __future__ import annotations

import array
import collections
import enum
import weakref
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from ..code.plain import stored
from ..keys import compares_itself
from ..kinds import is_variable


def is_stored(path: str, stored: AbstractSet[str]) -> bool:
    """True for a path at which a trace stores something, or in a container that it changes, or an object that it
    replaces, as a whole."""
    return path in stored or any(path.startswith((f"{place}[", f"{place}.")) for place in stored)


def same_value(left: Any, right: Any) -> bool:
    """Equal in type and value; NaN equals NaN, 0.0 and -0.0 differ. Objects that change, and objects of the user's that
    compare themselves, are not asked: one is the same as itself."""
    if left is right:
        return True
    if type(left) is not type(right) or is_variable(left):
        return False
    if isinstance(left, float | complex | np.floating | np.complexfloating):
        return repr(left) == repr(right)
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same_value, left, right))
    if isinstance(left, range | slice):  # equal ranges may have other ends
        return same_value((left.start, left.stop, left.step), (right.start, right.stop, right.step))
    if isinstance(left, frozenset) or type(left) is set:
        return left == right and set(map(_with_type, left)) == set(map(_with_type, right))
    if type(left) is collections.deque:
        return left.maxlen == right.maxlen and same_value(tuple(left), tuple(right))
    if type(left).__hash__ is None or compares_itself(left):
        return False
    return bool(left == right) and _same_attributes(left, right)


def _same_attributes(left: Any, right: Any) -> bool:
    """True for equal objects without attributes, or with the same ones: one of a subclass of `str` may have some."""
    mine, other = stored(left, "__dict__", None), stored(right, "__dict__", None)
    if type(mine) is not dict or type(other) is not dict:
        return True
    return mine.keys() == other.keys() and all(same_value(mine[name], other[name]) for name in mine)


def _with_type(member: Any) -> Any:
    """A member of a set, which differs from an equal one of another type: `1`, `1.0` and `True`, also in tuples."""
    inner = tuple(map(_with_type, member)) if isinstance(member, tuple) else member
    return type(member), repr(member) if isinstance(member, float | complex) else inner


def same_items(container: Any, items: tuple[Any, ...]) -> bool:
    """True if a container holds the same objects, or equal plain values, as `items`: pairs of a key and an item."""
    if len(container) != len(items):
        return False
    return all(
        (key is k or same_value(key, k)) and (item is i or same_value(item, i))
        for (key, item), (k, i) in zip(pairs(container), items, strict=True)
    )


def content_of(value: Any) -> Any:
    """The content of a set, deque, bytearray or the like, also of subclasses of list and dict. None for other objects,
    and for content that is too large or not plain."""
    base = next((cls for cls in CONTAINERS if isinstance(value, cls)), None)
    if base is None or base.__len__(value) > MAX_LEAVES:  # the class may have another `len`, with effects
        return None
    items = tuple(in_order(value) if base is dict else base.__iter__(value))
    parts = [part for item in items for part in item] if base is dict else items
    if not all(part is None or isinstance(part, VALUES) or (base is set and is_plain_tuple(part)) for part in parts):
        return None
    return frozenset(items) if base is set else items


def reference(value: Any) -> Any:
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


def refers_to(reference: Any, value: Any) -> bool:
    """True if a reference leads to this object. One to an object that is gone leads to none, and not to None."""
    return reference() is value and (value is not None or type(reference) is not weakref.ref)


def is_container(value: Any) -> bool:
    """True for a container whose items are all that is in it, and are found as Python's own containers find them."""
    cls = type(value)
    if cls in _PLAIN_CONTAINERS:
        return True
    base = next((c for c in (dict, list, tuple, set, collections.deque) if isinstance(value, c)), None)
    if base is None or base is tuple:
        return False
    known = next((c for c in _PLAIN_CONTAINERS if issubclass(cls, c) and c is not base), base)
    return all(getattr(cls, n) is getattr(known, n) for n in _ITEM_METHODS if hasattr(known, n))


def like(container: Any, found: Any) -> Any:
    """A container as another one, with this in it."""
    cls = type(container)
    if cls is collections.deque:
        return cls(found, container.maxlen)
    return cls(container.default_factory, found) if cls is collections.defaultdict else cls(found)


_PLAIN_CONTAINERS = (
    dict, list, tuple, set, collections.deque, collections.OrderedDict, collections.defaultdict, collections.Counter,
)  # fmt: skip
_ITEM_METHODS = ("__getitem__", "__iter__", "__len__", "__contains__", "__missing__", "__eq__")


def in_order(value: Any) -> Any:
    """The items of a dict, whichever methods its class has. `dict.items` does not see how an OrderedDict was moved."""
    return (collections.OrderedDict if isinstance(value, collections.OrderedDict) else dict).items(value)


def items(value: Any) -> Any:
    return [v for _, v in in_order(value)] if isinstance(value, dict) else value


def pairs(value: Any) -> Any:
    return in_order(value) if isinstance(value, dict) else enumerate(value)


def is_plain_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and all(v is None or isinstance(v, VALUES) for v in value)


def is_named_tuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(type(value), "_make")


CONTAINERS = (list, dict, set, collections.deque, bytearray, array.array, memoryview)
VALUES = (bool, int, float, complex, str, bytes, np.generic, np.dtype, enum.Enum, range, frozenset, slice)


MAX_LEAVES = 4096
"""Leaves of one captured container that are guarded one by one; a larger one is guarded by length alone."""
