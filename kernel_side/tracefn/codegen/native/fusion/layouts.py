"""How NumPy lays out the results of a kernel in memory: it decides for each operation, from its operands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ....ir.graph import Node
from ....ir.template import fill
from ..scalar.folds import FOLDS
from .gather import gather
from .lowering import lowering
from .search import search

Order = tuple[int, ...]
"""The axes of an array from the outermost to the innermost one in memory."""


COPIES = ("astype", "nan_to_num")
"""Functions that copy an array first. Where elements share memory, NumPy orders the axes of a copy in another way than
those of a computed result."""


def orders(steps: Iterable[Node], reductions: Mapping[Node, Any], given: Mapping[Node, Any]) -> dict[Node, Order]:
    """The layouts of elementwise results, of reductions, and of the arrays that they read.

    NumPy's iterator is asked. The memory of the arrays that it makes for that is never touched.
    """
    known = dict(given)
    found: dict[Node, Order] = {n: _order(a.strides) for n, a in given.items()}
    for node in steps:
        if not node.type.ndim and node not in reductions:
            continue
        if node in reductions:
            how = reductions[node]
            if FOLDS[how.rule].gives_position or how.mask is not None:  # which NumPy gives in C's order
                found[node] = tuple(range(node.type.ndim))
            else:
                found[node] = _kept(node, how.axes, known[node.inputs[0]])
            continue
        if gather(node) is not None and node.type.is_static:
            found[node] = _gathered(node)
            known[node] = empty([n for n in node.type.shape if isinstance(n, int)], node.type.dtype, found[node])
            continue
        if (looked_for := search(node)) is not None:  # which NumPy gives in C's order
            known[node] = np.empty(known[looked_for.keys].shape, node.type.dtype)
            found[node] = tuple(range(node.type.ndim))
            continue
        read = node.inputs[:1] if node.op.style == "write" else node.inputs
        arrays = [known[n] for n in read if n in known and known[n].ndim]
        if not arrays:
            continue
        if node.op.name in COPIES or is_rounded_by_steps(node):
            order: Any = "K" if node.op.name in COPIES else "F" if arrays[0].flags.fnc else "C"
            known[node] = np.empty_like(arrays[0], node.type.dtype, order)
            found[node] = _order(known[node].strides)
            continue
        kinds: list[Any] = [["readonly"]] * len(arrays) + [["writeonly", "allocate"]]
        dtypes = [*[a.dtype for a in arrays], node.type.dtype]
        iterator = np.nditer([*arrays, None], ["zerosize_ok"], kinds, dtypes, order="K")
        known[node] = iterator.operands[-1]
        found[node] = _order(known[node].strides)
    return found


def is_rounded_by_steps(node: Node) -> bool:
    """True for roundings to some decimals, for which NumPy makes an array."""
    step = lowering(node) if node.op.name == "round" else None
    return step is not None and step.rule != "rint"


def _gathered(node: Node) -> Order:
    """The layout of the elements that indices point to. NumPy is asked, with as many axes of few elements."""

    def few(source: Node) -> Any:
        shape = [min(n, 2) if isinstance(n, int) else 2 for n in source.type.shape]
        if gather(source) is not None and not source.is_leaf:
            return empty(shape, np.int64, _gathered(source))
        return np.zeros(shape, np.int64)

    given = [few(n) for n in node.inputs]
    index = fill(node.args[1], lambda item: given[item.index])
    first = tuple([0 if isinstance(i, int) else i for i in index]) if isinstance(index, tuple) else index
    found = node.op.call(given[0], first, **dict(node.kwargs))
    return _order(found.strides)


def _order(strides: Sequence[int]) -> Order:
    return tuple(sorted(range(len(strides)), key=lambda axis: -abs(strides[axis])))


def _kept(node: Node, reduced: Sequence[int], source: Any) -> Order:
    """The layout of a reduction: that of its operand, without the reduced axes."""
    axes = range(source.ndim) if node.type.ndim == source.ndim else [a for a in range(source.ndim) if a not in reduced]
    return tuple([list(axes).index(a) for a in _order(source.strides) if a in axes])


def strides_of(shape: Sequence[Any], order: Order, size: int) -> tuple[int, ...]:
    """The strides of an array with that layout, in bytes.

    >>> strides_of((2, 3), (1, 0), 8)
    (8, 16)
    """
    strides = [0] * len(shape)
    for axis in reversed(order):
        strides[axis] = size
        size *= shape[axis]
    return tuple(strides)


def empty(shape: Sequence[int], dtype: Any, order: Order | None) -> Any:
    """A new array with a layout, C-contiguous where there is none."""
    if order is None:
        return np.empty(tuple(shape), dtype)
    inverse = sorted(range(len(order)), key=order.__getitem__)
    return np.empty([shape[a] for a in order], dtype).transpose(inverse)
