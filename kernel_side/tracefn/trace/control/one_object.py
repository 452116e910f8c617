"""Identity of containers across branches: a container under several names stays one object after the branches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..active import current
from ..state.place import MISSING
from ..tree import LEAF, Tree, parts, unflatten
from ..values.graph_list import GraphList
from .chosen import Chosen, ChosenDict
from .one_of import VALUE, OneOf
from .outside_containers import is_outside_container
from .selected import note_selected
from .undefined import Maybe, Undefined
from .unsettled import Unsettled


class _Node(NamedTuple):
    """A container in the branches' results. `parts` are its leaves, and the numbers of inner containers. `given` has
    the container's object in each branch, None if the branch has none."""

    tree: Tree
    parts: list[tuple[bool, Any]]
    like: Any
    given: tuple[Any, ...]


class OneObject:
    """Joins the results of branches, and keeps the identity of containers. `left` has the results of each branch by
    key, before their structures were unified.

    Two places hold one object after the branches if they hold one object in every branch that has both. `is_kept` is
    true for a container that existed before the branches.
    """

    def __init__(self, left: Sequence[dict[Any, Any]], is_kept: Callable[[Any], bool]) -> None:
        self._left = left
        self._is_kept = is_kept
        self._nodes: list[_Node] = []
        self._by_object: dict[tuple[int, int], list[int]] = {}
        self._roots: dict[Any, tuple[bool, Any]] = {}
        self._made: dict[int, Any] = {}

    def add(self, key: Any, tree: Tree, leaves: list[Any], settled: Sequence[Any], like: Any) -> None:
        """Adds the result under a key: its structure and leaves, the unified values of the branches, and a value of the
        same type."""
        originals = [left.get(key) for left in self._left]
        self._roots[key] = self._add(tree, iter(leaves), list(settled), originals, like)

    def _add(
        self, tree: Tree, leaves: Iterator[Any], settled: list[Any], originals: list[Any], like: Any
    ) -> tuple[bool, Any]:
        if tree.is_leaf:
            return True, next(leaves)
        number = len(self._nodes)
        given = tuple([_given(*pair) for pair in zip(settled, originals, strict=True)])
        self._nodes.append(_Node(tree, [], like, given))
        for side, value in enumerate(given):
            if value is not None:
                self._by_object.setdefault((side, id(value)), []).append(number)
        children = [parts(value) for value in settled]
        likes = None if like is None else parts(like)
        inside = [_inside(*pair, len(tree.children)) for pair in zip(settled, originals, strict=True)]
        for position, child in enumerate(tree.children):
            column = [None if found is None else found.children[position] for found in children]
            held = [found[position] for found in inside]
            inner = None if likes is None else likes.children[position]
            self._nodes[number].parts.append(self._add(child, leaves, column, held, inner))
        return False, number

    def value(self, key: Any) -> Any:
        """The joined result under a key."""
        return self._value(*self._roots[key])

    def _value(self, is_leaf: bool, found: Any) -> Any:
        if is_leaf:
            return found
        number = self._representing(found)
        if number not in self._made:
            tree, inner, like, given = self._nodes[number]
            kept = next((value for value in given if value is not None), None)
            if kept is not None and all(v is None or v is kept for v in given) and self._is_kept(kept):
                self._made[number] = kept
            else:
                shallow = Tree(tree.kind, tree.type, tree.keys, (LEAF,) * len(inner), tree.metadata)
                made = self._made[number] = unflatten(shallow, [self._value(*part) for part in inner], like=like)
                if isinstance(made, Chosen | ChosenDict) and (trace := current()) is not None:
                    note_selected(trace, [made], [v for v in given if isinstance(v, list | dict)])
        return self._made[number]

    def _representing(self, number: int) -> int:
        """The number of the container with this one's identity: the one that is present in most branches."""
        node = self._nodes[number]
        found = {n for side, v in enumerate(node.given) if v is not None for n in self._by_object[side, id(v)]}
        fitting = [n for n in found if self._covers(self._nodes[n], node)]
        return max(fitting, key=self._rank, default=number)

    def _rank(self, number: int) -> Any:
        node = self._nodes[number]
        return sum(value is not None for value in node.given), node.tree.type in (Chosen, ChosenDict), -number

    @staticmethod
    def _covers(node: _Node, other: _Node) -> bool:
        pairs = zip(node.given, other.given, strict=True)
        return all(theirs is None or theirs is mine for mine, theirs in pairs) and _form(node.tree) == _form(other.tree)


def _form(tree: Tree) -> Any:
    """The structure of a container. A mutable container and its immutable form are equal."""
    if tree.is_leaf:
        return None
    cls = list if tree.type is Chosen else dict if tree.type is ChosenDict else tree.type
    keys, metadata = (tree.metadata, None) if tree.type is ChosenDict else (tree.keys, tree.metadata)
    return cls, keys, metadata, [_form(child) for child in tree.children]


_NO_OBJECTS = (OneOf, Maybe, Unsettled)
"""Wrappers of values without an identity of their own. No name refers to the containers in an `Unsettled`."""


def _given(settled: Any, original: Any) -> Any:
    """The object that a branch has in the place of a container, None if there is none. A value that was converted is a
    new object."""
    if original is None or type(original) is Undefined or original is MISSING or type(settled) in _NO_OBJECTS:
        return None
    return original if _is_made_of(settled, original) else object()


def _is_made_of(settled: Any, original: Any) -> bool:
    """True if a unified value is the container that the branch had before the structures were unified."""
    cls = type(original)
    return type(settled) is cls or type(settled) in (Chosen, ChosenDict) and cls in (list, dict, GraphList)


def _inside(settled: Any, original: Any, count: int) -> list[Any]:
    """The parts of a branch's value before the structures were unified. None for a part that the branch lacks."""
    none = [None] * count
    if original is None or settled is None or type(settled) is Unsettled:
        return none
    if type(settled) is Maybe:
        return [original.value if type(original) is Maybe else original, None] if settled.is_set is not False else none
    if type(settled) is OneOf:
        if type(original) is OneOf:
            return [None, *original.values, *none][:count]
        if type(settled.which) is not int or settled.which > VALUE:
            return none
        return [original if VALUE - i == settled.which else None for i in range(-1, count - 1)]
    if is_outside_container(original) or not _is_made_of(settled, original):
        return none
    found = parts(original)
    return none if found is None or len(found.children) != count else list(found.children)
