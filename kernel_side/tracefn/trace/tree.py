"""Nested structures of arguments and results: taken apart into leaves, and put together again.

Containers are tuple, list, dict (also OrderedDict, Counter, defaultdict), named tuples, dataclasses, and classes that
follow the tracefn protocol:

    class Pair:
        def __tracefn_flatten__(self):                 # → (children, metadata)
            return (self.left, self.right), None
        @classmethod
        def __tracefn_unflatten__(cls, metadata, children):
            return cls(*children)

`children` is a tuple of values (again of any structure), `metadata` is anything hashable: it is part of the cache key.
All else is a leaf. `None` is a leaf.
"""

from __future__ import annotations

import copy
import dataclasses
import operator
import weakref
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from types import MemberDescriptorType
from typing import Any, NamedTuple

import numpy as np

from ..records import dataclass
from .keys import key_text
from .tensor import Tensor
from .values.symbolic_int import SymbolicInt


@dataclass(frozen=True, slots=True)
class Tree:
    """The structure of a value, without its leaves. Hashable; equal for equal structures.

    `kind` is 'leaf', 'tuple', 'list', 'dict', 'namedtuple', 'dataclass' or 'custom'; `type` the container's class;
    `keys` pick each child (index, key or field name); `metadata` is added by a custom class or a defaultdict.
    """

    kind: str
    type: type | None = None
    keys: tuple[Any, ...] = ()
    children: tuple[Tree, ...] = ()
    metadata: Any = None
    _hash: int | None = dataclasses.field(default=None, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        if self._hash is None:  # once: the keys of caches have it
            object.__setattr__(self, "_hash", hash((self.kind, self.type, self.keys, self.children, self.metadata)))
        assert self._hash is not None
        return self._hash

    @property
    def is_leaf(self) -> bool:
        return self.kind == "leaf"

    def count(self) -> int:
        """The number of leaves."""
        return 1 if self.kind == "leaf" else sum(c.count() for c in self.children)

    def paths(self, path: str) -> Iterator[str]:
        """The paths of its leaves, in their order, where `path` is its own."""
        if self.kind == "leaf":
            yield path
        for key, child in zip(self.keys, self.children, strict=True):
            yield from child.paths(path + step(self.kind, key))


LEAF = Tree("leaf")


class Parts(NamedTuple):
    """A container taken apart, one level deep: see `Tree` for `kind`, `keys` and `metadata`."""

    kind: str
    keys: tuple[Any, ...]
    children: tuple[Any, ...]
    metadata: Any


_LEAVES = frozenset({np.ndarray, Tensor, bool, int, float, complex, str, type(None)})
"""Types that are quickly known to be no containers."""


_OBJECTS: set[int] = set()


def is_an_object(instance: Any) -> None:
    """To be called for an instance with traced methods: a mutable dataclass is then an object with state instead of a
    structure. `is_gone` is called with its id at its end."""
    kind = getattr(type(instance), "__dataclass_params__", None)
    if kind is not None and not kind.frozen and not isinstance(instance, type):
        _OBJECTS.add(id(instance))


def is_gone(number: int) -> None:
    _OBJECTS.discard(number)


def parts(value: Any) -> Parts | None:
    """The parts of a container, None for a leaf."""
    cls = type(value)
    if cls in _LEAVES:
        return None
    if cls is tuple or cls is list:
        return Parts(cls.__name__, tuple(range(len(value))), tuple(value), None)
    if cls is dict or cls is OrderedDict or cls is Counter:
        return Parts("dict", _keys(value), tuple(value.values()), None)
    if cls is defaultdict:
        return Parts("dict", _keys(value), tuple(value.values()), value.default_factory)
    if issubclass(cls, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_make"):
        return Parts("namedtuple", cls._fields, tuple(value), None)
    if hasattr(cls, "__tracefn_flatten__"):
        children, metadata = value.__tracefn_flatten__()
        return Parts("custom", tuple(range(len(children))), tuple(children), metadata)
    if hasattr(cls, "__dataclass_fields__"):
        names = _field_names(cls)
        if id(value) in _OBJECTS or len(getattr(value, "__dict__", ())) > len(names):
            return None
        return fields_of(value) if _has_plain_fields(cls, names) else None
    return None


_FIELD_NAMES: weakref.WeakKeyDictionary[type, tuple[str, ...]] = weakref.WeakKeyDictionary()


def _field_names(cls: Any) -> tuple[str, ...]:
    """The names of a dataclass's fields, asked once: branches take the values around them apart again and again."""
    if (names := _FIELD_NAMES.get(cls)) is None:
        names = _FIELD_NAMES[cls] = tuple(f.name for f in dataclasses.fields(cls))
    return names


def _has_plain_fields(cls: Any, names: tuple[str, ...]) -> bool:
    """True for a dataclass that reads and sets its fields without code of its own, such as a property."""
    left = set(names)
    for base in cls.__mro__:
        held = vars(base)
        found = left & held.keys()
        if any(hasattr(type(held[n]), "__set__") and type(held[n]) is not MemberDescriptorType for n in found):
            return False
        left -= found
    return cls.__getattribute__ is object.__getattribute__ and not hasattr(cls, "__getattr__")


def fields_of(value: Any) -> Parts:
    """The parts of a dataclass, whatever attributes it has besides."""
    names = tuple([n for n in _field_names(type(value)) if hasattr(value, n)])
    return Parts("dataclass", names, tuple([getattr(value, n) for n in names]), None)


def _keys(value: dict[Any, Any]) -> tuple[Any, ...]:
    """The keys of a dict. An open length was looked up there, so that the number is guarded."""
    return tuple([operator.index(k) if type(k) is SymbolicInt else k for k in value])


def flatten(
    value: Any, path: str = "", is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[str, Any]], Tree]:
    """The leaves of a value with their paths, and its structure. Containers of which `is_leaf` is true are leaves, too.

    >>> leaves, tree = flatten({"x": [1, 2]}, "batch")
    >>> leaves
    [("batch['x'][0]", 1), ("batch['x'][1]", 2)]
    >>> unflatten(tree, [10, 20])
    {'x': [10, 20]}
    """
    if type(value) in _LEAVES:
        return [(path, value)], LEAF
    leaves: list[tuple[str, Any]] = []
    return leaves, _flatten(value, path, leaves, (), is_leaf)


def _flatten(
    value: Any,
    path: str,
    leaves: list[tuple[str, Any]],
    parents: tuple[int, ...],
    is_leaf: Callable[[Any], bool] | None,
) -> Tree:
    found = parts(value)
    if found is None or (is_leaf is not None and is_leaf(value)):
        leaves.append((path, value))
        return LEAF
    if id(value) in parents:
        raise ValueError(f"{path or 'the value'} contains itself")
    kind, keys, children, metadata = found
    inner = (*parents, id(value))
    pairs = zip(keys, children, strict=True)
    trees = tuple([_flatten(c, path + step(kind, k), leaves, inner, is_leaf) for k, c in pairs])
    return Tree(kind, type(value), keys, trees, metadata)


def containers(value: Any, place: tuple[Any, ...], tuples: bool = False) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The containers in a value that can be changed, each with its place: the given one and a key for each step. And
    those that cannot, where `tuples` are asked for."""
    found = parts(value)
    if found is None:
        return
    if tuples or found.kind not in ("tuple", "namedtuple"):
        yield place, value
    for key, child in zip(found.keys, found.children, strict=True):
        yield from containers(child, (*place, key), tuples)


def step(kind: str, key: Any) -> str:
    """The text after a container's path that names one of its children: `[0]`, `['x']`, `.w`."""
    return f".{key}" if kind in ("namedtuple", "dataclass") else f"[{key_text(key)}]"


def unflatten(tree: Tree, leaves: list[Any], like: Any = None) -> Any:
    """A value of this structure with these leaves. Dataclasses are copied from `like`, or made without `__init__`."""
    return _unflatten(tree, iter(leaves), like)


def _unflatten(tree: Tree, leaves: Iterator[Any], like: Any) -> Any:
    if tree.kind == "leaf":
        return next(leaves)
    likes = parts(like).children if like is not None else (None,) * len(tree.children)  # type: ignore[union-attr]
    children = [_unflatten(t, leaves, part) for t, part in zip(tree.children, likes, strict=True)]
    cls: Any = tree.type
    if tree.kind == "tuple":
        return tuple(children)
    if tree.kind == "list":
        return children
    if tree.kind == "dict":
        items = dict(zip(tree.keys, children, strict=True))  # a Counter would count pairs
        return defaultdict(tree.metadata, items) if cls is defaultdict else cls(items)
    if tree.kind == "namedtuple":
        return tuple.__new__(cls, children)  # `_make` may be decorated
    if tree.kind == "custom":
        return cls.__tracefn_unflatten__(tree.metadata, tuple(children))
    value = copy.copy(like) if like is not None else object.__new__(cls)
    for name, child in zip(tree.keys, children, strict=True):
        object.__setattr__(value, name, child)
    return value


def map_leaves(function: Callable[[str, Any], Any], value: Any, path: str = "") -> Any:
    """The same structure with every leaf replaced by `function(path, leaf)`."""
    leaves, tree = flatten(value, path)
    return unflatten(tree, [function(p, leaf) for p, leaf in leaves], like=value)
