"""Functions of the leaves of nested structures: parameters, gradients and the state of optimizers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..trace.reads import all_read, as_value
from ..trace.tree import flatten, unflatten


def mapped(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """The structure of `first`, each leaf of which is `function` of it and of its counterparts in `others`.

    Where one of these is None, as the gradient of a leaf that is no number, the leaf of `first` stays. `function` is
    given the values of Variables. Raises ValueError where structures differ.
    """
    leaves, tree = flatten(all_read(first))
    columns = [[as_value(leaf) for _, leaf in leaves]]
    for other in others:
        found, structure = flatten(all_read(other))
        if structure != tree:
            raise ValueError(f"the structures differ: {_paths(first)} and {_paths(other)}")
        columns.append([as_value(leaf) for _, leaf in found])
    rows = zip(*columns, strict=True)
    return unflatten(tree, [row[0] if any(x is None for x in row) else function(*row) for row in rows], like=first)


def leaves_of(value: Any) -> list[Any]:
    """The leaves of a structure that are not None, in order."""
    return [as_value(leaf) for _, leaf in flatten(all_read(value))[0] if leaf is not None]


def _paths(value: Any) -> str:
    return ", ".join(path or "one array" for path, _ in flatten(value)[0]) or "nothing"
