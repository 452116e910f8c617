"""Views that a kernel reads through: where in the memory of a whole array their elements are."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ....ir.dims import Dim
from ....ir.graph import Node
from ....ir.template import fill, leaves
from ....ir.types import Kind
from ....records import dataclass
from ..scalar.emitter import part


@dataclass(frozen=True)
class ViewPlace:
    """Where a value lies in a C-contiguous array: `root` is the array's node, `offset` and `strides` are in bytes."""

    root: Node
    offset: int
    strides: tuple[int, ...]


def is_view(node: Node) -> bool:
    """True for views that are made of one array and of nothing that is found out in a call."""
    return (
        node.op.view is True
        and len(node.inputs) == 1
        and _is_array(node)
        and _is_array(node.inputs[0])
        and not any(isinstance(item, Dim) for item in leaves((node.args, tuple([v for _, v in node.kwargs]))))
    )


def _is_array(node: Node) -> bool:
    return node.container is None and node.type.kind is Kind.ARRAY and node.type.ndim > 0 and node.type.is_static


def chain(node: Node) -> list[Node]:
    """The views that lead from a whole array to a node, the array first. The node alone where it is no view."""
    found = [node]
    while is_view(found[0]):
        found.insert(0, found[0].inputs[0])
    return found


Strides = tuple[int, ...] | None
"""Those of the array that a value is a view of, in bytes. None where it is C-contiguous."""


def place(node: Node, strides: Strides = None) -> ViewPlace | None:
    """Where an array lies in the one that it is a view of. None where it may be a copy.

    NumPy is asked: it makes the views of an array whose memory is never touched.
    """
    root, *views = chain(node)
    if not _is_array(root) or not root.type.nbytes or root.type.dtype.kind not in "biufc":
        return None
    try:
        whole = ghost(root, strides)
        value: Any = whole
        for view in views:
            value = apply(view, value)
    except MemoryError:
        return None
    first, bounds = whole.__array_interface__["data"][0], np.lib.array_utils.byte_bounds
    low, high = bounds(value) if value.size else (first, first)
    if value.dtype not in (whole.dtype, part(whole.dtype)) or not bounds(whole)[0] <= low <= high <= bounds(whole)[1]:
        return None
    return ViewPlace(root, value.__array_interface__["data"][0] - first, tuple(value.strides))


def ghost(node: Node, strides: Strides = None) -> Any:
    """An array that lies in memory as one that a kernel reads. It is never touched."""
    root, *views = chain(node)
    shape: Any = root.type.shape
    if strides is None:
        whole = np.empty(shape, root.type.dtype)
    else:
        steps = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
        memory = np.empty(sum(map(abs, steps)) + root.type.dtype.itemsize, np.uint8)
        whole = np.ndarray(shape, root.type.dtype, memory, -sum(s for s in steps if s < 0), strides)
    return functools.reduce(lambda array, view: apply(view, array), views, whole)


def apply(view: Node, value: Any) -> Any:
    """A view of a concrete array."""
    leaf: Callable[[Any], Any] = lambda item: value  # noqa: E731
    return view.op.call(*[fill(a, leaf) for a in view.args], **{k: fill(v, leaf) for k, v in view.kwargs})
