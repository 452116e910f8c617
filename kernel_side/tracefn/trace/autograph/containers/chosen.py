"""An element of a list of lists or tuples at a traced position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...active import current
from ...control.chosen import frozen
from ...control.outside_containers import is_outside_container
from ...control.selected import note_selected
from ...tensor import Tensor
from ...tree import Tree, flatten, unflatten

MOST = 4096
"""Values in all of the elements of a list that is chosen from so."""


def picked_parts(owner: Sequence[Any], key: Tensor, pick: Callable[[Sequence[Any], Tensor], Any]) -> Any:
    """The element of a list at a traced position, where all elements are lists or tuples of one structure: each part is
    picked by itself. None where they are not."""
    if not owner or not all(map(_is_sequence, owner)):
        return None
    taken = [flatten(element) for element in owner]
    tree = taken[0][1]
    if any(other != tree for _, other in taken) or tree.count() * len(owner) > MOST or not _is_of_sequences(tree):
        return None
    columns = zip(*[[leaf for _, leaf in leaves] for leaves, _ in taken], strict=True)
    made = frozen(unflatten(tree, [pick(column, key) for column in columns]))
    if (trace := current()) is not None:
        trace.root.chose_outside |= any(map(is_outside_container, owner))
        note_selected(trace, [made], owner)
    return made


def _is_sequence(value: Any) -> bool:
    return type(value) in (list, tuple)


def _is_of_sequences(tree: Tree) -> bool:
    return tree.is_leaf or (tree.kind in ("list", "tuple") and all(map(_is_of_sequences, tree.children)))
