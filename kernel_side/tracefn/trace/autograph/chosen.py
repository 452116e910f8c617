"""Lists and tuples of which a traced value chooses one: read part by part, and not to be changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ...errors import ControlFlowError, message
from ..origin import user_source, where
from ..tensor import Tensor
from ..tree import Tree, flatten, unflatten

MOST = 4096
"""Values in all of the elements of a list that is chosen from so."""


class Chosen(list[Any]):
    """A list that is one of several. Which of them a change would have to go to, the call decides."""


def _refusing(name: str) -> Callable[..., Any]:
    def method(self: Chosen, *args: Any, **kwargs: Any) -> NoReturn:
        refuse_change()

    method.__name__ = name
    return method


for _name in (
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "__setitem__", "__delitem__", "__iadd__",
    "__imul__",
):  # fmt: skip
    setattr(Chosen, _name, _refusing(_name))


def refuse_change() -> NoReturn:
    raise ControlFlowError(
        message(
            "a list or dict is changed, and a traced value says which of several it is",
            where(user_source(2)),
            "Keep the values in an array with one more axis, or choose by a Python value.",
        )
    )


def frozen(value: Any) -> Any:
    """A value that is chosen: lists in it are not to be changed. Raises `ControlFlowError` for dicts."""
    if type(value) is list:
        return Chosen(map(frozen, value))
    if type(value) is tuple:
        return tuple(map(frozen, value))
    if isinstance(value, dict | set) or (isinstance(value, list) and type(value) is not Chosen):
        refuse_change()
    return value


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
    return frozen(unflatten(tree, [pick(column, key) for column in columns]))


def _is_sequence(value: Any) -> bool:
    return type(value) in (list, tuple)


def _is_of_sequences(tree: Tree) -> bool:
    return tree.is_leaf or (tree.kind in ("list", "tuple") and all(map(_is_of_sequences, tree.children)))
