"""Elements and their leaves: functions that take elements of one structure apart and put them together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..ir.types import Kind
from ..trace.signature import TensorSpec
from ..trace.tree import Tree, flatten, step, unflatten

Leaves = tuple[Any, ...]


def packer(tree: Tree) -> Callable[[Leaves], Any]:
    """The function that makes an element of its leaves."""
    if tree.is_leaf:
        return lambda leaves: leaves[0]
    flat = all(child.is_leaf for child in tree.children)
    if flat and tree.kind == "tuple":
        return tuple
    if flat and tree.type is dict:
        keys = tree.keys
        return lambda leaves: dict(zip(keys, leaves, strict=True))
    return lambda leaves: unflatten(tree, list(leaves))


def opener(tree: Tree) -> Callable[[Any], Leaves]:
    """The function that takes an element apart into its leaves."""
    if tree.is_leaf:
        return lambda element: (element,)
    flat = all(child.is_leaf for child in tree.children)
    if flat and tree.kind == "tuple":
        return tuple
    if flat and tree.type is dict:
        return lambda element: tuple(element.values())
    return lambda element: tuple([leaf for _, leaf in flatten(element)[0]])


def elements(tree: Tree, columns: Sequence[Iterable[Any]]) -> Iterator[Any]:
    """The elements whose leaves come from the columns, one column for each leaf; ends with the shortest."""
    if tree.is_leaf:
        return iter(columns[0])
    rows = zip(*columns, strict=False)
    return rows if packer(tree) is tuple else map(packer(tree), rows)


def columns(tree: Tree, found: Sequence[Any]) -> list[Sequence[Any]]:
    """The leaves of some elements, one column for each leaf."""
    return [found] if tree.is_leaf else list(zip(*map(opener(tree), found), strict=True))


def branches(tree: Tree, value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The parts of a value at the leaves of `tree`, with paths. Parts are not taken apart further.

    Raises TypeError with the path at which the structures part.
    """
    if tree.is_leaf:
        yield path, value
        return
    cls: Any = type(value)
    if cls is not tree.type:
        raise TypeError(f"{path}: a {getattr(tree.type, '__name__', '')} is expected, not a {cls.__name__}")
    if tree.kind == "dict":
        if value.keys() != set(tree.keys):
            raise TypeError(f"{path}: the keys {list(tree.keys)} are expected, not {list(value)}")
        parts = [value[key] for key in tree.keys]
    elif tree.kind == "dataclass":
        parts = [getattr(value, name) for name in tree.keys]
    else:
        parts = list(value.__tracefn_flatten__()[0] if tree.kind == "custom" else value)
        if len(parts) != len(tree.children):
            raise TypeError(f"{path}: {len(tree.children)} parts are expected, not {len(parts)}")
    for key, child, part in zip(tree.keys, tree.children, parts, strict=True):
        yield from branches(child, part, path + step(tree.kind, key))


def spec_leaves(spec: Any) -> tuple[list[str], list[TensorSpec], Tree]:
    """Paths and specs of an element's leaves, and its structure."""
    leaves, tree = flatten(spec, "element")
    return [path for path, _ in leaves], [leaf for _, leaf in leaves], tree


def copier(spec: Any) -> Callable[[Any], Any] | None:
    """The function that copies the arrays of an element; None where there are only scalars, which cannot change."""
    _, specs, tree = spec_leaves(spec)
    if all(leaf.kind is Kind.SCALAR for leaf in specs):
        return None
    if tree.is_leaf:
        return np.ndarray.copy
    open_, pack = opener(tree), packer(tree)
    return lambda element: pack(tuple([leaf.copy() for leaf in open_(element)]))


def is_text(dtype: np.dtype[Any]) -> bool:
    """True for texts and bytes, whose width is part of NumPy's dtype and differs from element to element."""
    return dtype.kind in "US"
