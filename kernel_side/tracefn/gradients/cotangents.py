"""Cotangents and tangents that a caller gives: in the structure, the shapes and the dtypes of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autodiff.fitting import is_differentiable
from ..errors import GradientError, message
from ..ir.dims import definitely_different
from ..ir.graph import Node
from ..trace.context import Trace
from ..trace.origin import user_source, where
from ..trace.reads import as_value
from ..trace.tensor import Tensor
from ..trace.tree import flatten
from .differentiated import is_float


def matched(
    trace: Trace, given: Any, like: Any, nodes: Sequence[Node | None], name: str, of: str = "output"
) -> list[Any]:
    """The leaves of `given`, which has the structure of `like`, whose leaves are these nodes; None stands where a node
    has no derivative. Python numbers take the dtype. `name` and `of` say in messages which values these are.

    Raises `GradientError` where a structure, a shape or a dtype does not fit.
    """
    leaves = _leaves(given, like, name, of)
    return [_leaf(trace, value, node, path, of) for (path, value), node in zip(leaves, nodes, strict=True)]


def given_leaves(given: Any, like: Any, name: str, of: str = "output") -> list[Any]:
    """The leaves of `given` that belong to floats of `like`, where there is no trace: arrays of their dtypes.

    Raises `GradientError` where a structure, a shape or a dtype does not fit.
    """
    found = []
    for (path, value), (_, leaf) in zip(_leaves(given, like, name, of), flatten(like)[0], strict=True):
        held = as_value(leaf)
        if not is_float(held):
            continue
        array = np.asarray(as_value(value))
        dtype = getattr(held, "dtype", np.dtype(type(held)))
        if array.shape != np.shape(held):
            refuse(f"{path} has shape {array.shape}, and its {of} has {np.shape(held)}", _SAME)
        if array.dtype.kind == "c" and dtype.kind != "c":
            refuse(f"{path} is complex, and its {of} is real", "Take its real part.")
        array = array.astype(dtype, copy=False)
        found.append(array if isinstance(held, np.ndarray) else array[()])
    return found


def _leaves(given: Any, like: Any, name: str, of: str) -> list[tuple[str, Any]]:
    """The leaves of `given`, which must have the structure of `like`."""
    leaves, tree = flatten(given, name)
    if not _is_alike(tree, flatten(like, name)[1]):
        refuse(f"{name} has another structure than its {of}", f"Give it that of a {type(like).__name__}.")
    return leaves


_SAME = "Give it the same shape."


def _is_alike(tree: Any, wanted: Any) -> bool:
    """True for two structures where tuples and lists stand for each other."""
    if tree.is_leaf or wanted.is_leaf:
        return bool(tree.is_leaf and wanted.is_leaf)
    pairs = zip(tree.children, wanted.children, strict=False)
    return len(tree.children) == len(wanted.children) and all(_is_alike(a, b) for a, b in pairs)


def _leaf(trace: Trace, value: Any, node: Node | None, path: str, of: str) -> Any:
    if node is None or not is_differentiable(node.type) or value is None:
        return None
    wanted = node.type
    found = trace.value_node(as_value(value))
    shape = found.type.shape
    if len(shape) != len(wanted.shape) or any(map(definitely_different, shape, wanted.shape)):
        refuse(f"{path} has shape {shape}, and its {of} has {wanted.shape}", _SAME)
    if found.type.dtype.kind == "c" and wanted.dtype.kind != "c":
        refuse(f"{path} is complex, and its {of} is real", "Take its real part.")
    made = Tensor(found, trace, owned=False)
    return made if found.type.dtype == wanted.dtype else made.astype(wanted.dtype) if shape else wanted.dtype.type(made)


def refuse(what: str, fix: str) -> None:
    raise GradientError(message(what, where(user_source(3)), fix))


def ones(nodes: Sequence[Node | None], trace: Trace) -> list[Any]:
    """Cotangents of ones."""
    return [
        None if n is None or not is_differentiable(n.type) else np.ones_like(Tensor(n, trace, owned=False))
        for n in nodes
    ]


def summed(parts: Sequence[Any]) -> Any:
    """The sum of the parts that are not None. None where there is no such part."""
    total = None
    for part in parts:
        total = part if total is None else total if part is None else np.add(total, part)
    return total
