"""The values of variables, in the place of variables, and structures as traced code reads them."""

from __future__ import annotations

from typing import Any

from . import provided
from .active import current
from .kinds import is_variable
from .tree import LEAF, Tree, flatten, map_leaves, parts, unflatten


def as_value(value: Any) -> Any:
    """The content of a Variable, a Tensor in a trace; any other value as it is."""
    return value.value() if is_variable(value) else value


def in_trace(value: Any) -> Any:
    """The Tensor of a Variable's content, in a trace; any other value as it is."""
    return as_value(value) if current() is not None else value


def all_in_trace(value: Any) -> Any:
    """The structure with such Tensors in the place of variables."""
    if current() is None or not any(is_variable(v) for _, v in flatten(value)[0]):
        return value
    return map_leaves(lambda path, leaf: as_value(leaf), value)


def all_read(value: Any) -> Any:
    """The structure with all that is in it as traced code reads it, item by item: arrays and numbers from outside are
    Tensors. For code of this package, which is not rewritten."""
    found = parts(value) if current() is not None else None
    if found is None:
        return value
    if found.kind == "custom":
        children = list(found.children)
    elif found.kind == "dataclass":
        children = [provided.attribute(value, name) for name in found.keys]
    else:
        keys = range(len(found.keys)) if found.kind == "namedtuple" else found.keys
        children = [provided.item(value, key) for key in keys]
    tree = Tree(found.kind, type(value), found.keys, (LEAF,) * len(children), found.metadata)
    return unflatten(tree, [all_read(child) for child in children], value)
