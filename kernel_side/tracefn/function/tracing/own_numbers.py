"""Numbers in containers among the arguments that are state: a step counter in a dict, a field of a dataclass.

They are part of the key at first, as all numbers are. One that the function changes itself is an input of the next
trace, and so is a field of a dataclass or named tuple, an attribute of an object, that was another one twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...trace.signature import CallSignature, LeafSpec, ValueSpec
from ...trace.tree import Tree
from ..concrete import ConcreteFunction
from .changing import MAX_GUARDED


class OwnNumbers:
    """The facts that a function has learned about such numbers, by path."""

    def __init__(self) -> None:
        self._inputs: frozenset[str] = frozenset()
        self._fixed: frozenset[str] = frozenset()

    def of(self, call: CallSignature) -> CallSignature:
        """The signature of a call with these numbers as inputs."""
        return call.with_numbers(self._inputs) if self._inputs else call

    def learn(
        self, call: CallSignature, storing: Iterable[ConcreteFunction], traces: Iterable[ConcreteFunction]
    ) -> bool:
        """Notes a call that no trace fits. True if another signature may fit it now. Those of the `traces` that are
        `storing` change the outside."""
        for concrete in storing:
            signature = concrete.signature
            if signature.trees != call.trees:
                continue
            pairs = zip(signature.leaves, call.leaves, strict=True)
            differ = {i for i, (mine, theirs) in enumerate(pairs) if mine != theirs}
            changed = set(_changed(concrete))
            if not differ or not differ <= changed or not all(_is_number(call.leaves[i]) for i in differ):
                continue
            found = {call.paths[i] for i in differ} - self._fixed
            if found - self._inputs:
                self._inputs |= found
                return True
        often = frozenset(_often_others(call, traces)) - self._inputs - self._fixed
        self._inputs |= often
        return bool(often)

    def fix(self, call: CallSignature) -> frozenset[str]:
        """Called after a failed trace: its number inputs become part of the key."""
        found = frozenset(p for p, leaf in zip(call.paths, call.leaves, strict=True) if p in self._inputs)
        self._inputs -= found
        self._fixed |= found
        return found

    def is_not_to_blame(self, fixed: frozenset[str]) -> None:
        """Notes that the trace failed without them, too."""
        self._inputs |= fixed
        self._fixed -= fixed


def _often_others(call: CallSignature, traces: Iterable[ConcreteFunction]) -> Iterator[str]:
    """The paths of numbers in fields of objects that were others in several traces."""
    kinds = [kind for _, tree in call.trees for kind in _kinds(tree, "")]
    fields = [i for i, kind in enumerate(kinds) if kind in ("dataclass", "namedtuple") and _is_number(call.leaves[i])]
    alike = [c.signature.leaves for c in traces if c.signature.trees == call.trees] if fields else []
    for i in fields:
        mine = call.leaves[i]
        others = {leaves[i] for leaves in alike if _is_number(leaves[i]) and leaves[i] != mine}
        if len(others) >= MAX_GUARDED:
            yield call.paths[i]


def _kinds(tree: Tree, around: str) -> Iterator[str]:
    """For each leaf the kind of the container that it is in."""
    if tree.is_leaf:
        yield around
    for child in tree.children:
        yield from _kinds(child, tree.kind)


def _changed(concrete: ConcreteFunction) -> Iterator[int]:
    """The leaves that are in containers which the calls of a trace change."""
    assert concrete._built.store is not None
    changed, position = set(concrete._built.store.changed), 0
    for name, tree in concrete.signature.trees:
        for place in _owners(tree, (name,), ()):
            if place in changed:
                yield position
            position += 1


def _owners(tree: Tree, place: tuple[object, ...], owner: tuple[object, ...]) -> Iterator[tuple[object, ...]]:
    """For each leaf the place of the container that is changed where the leaf is: a tuple in it is replaced."""
    if tree.is_leaf:
        yield owner
        return
    inner = owner if tree.kind in ("tuple", "namedtuple") else place
    for key, child in zip(tree.keys, tree.children, strict=True):
        yield from _owners(child, (*place, key), inner)


def _is_number(leaf: LeafSpec) -> bool:
    return type(leaf) is ValueSpec and type(leaf.value) in (int, float, complex)
