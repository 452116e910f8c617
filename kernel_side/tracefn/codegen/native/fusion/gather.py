"""Which elements that integer arrays point to are read by native code: `x[i]`, `x[i, j]`, whole rows and columns."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from ....ir.graph import Node
from ....ir.template import Ref, SliceOf
from ....ir.types import Kind
from ....records import dataclass
from ..scalar.emitter import elementwise
from .search import search


@dataclass(frozen=True, slots=True)
class Index:
    """An array of integers that index an axis. Its own axes are those of the result from `first` on."""

    node: Node
    first: int

    def is_last(self, ndim: int) -> bool:
        """True if it is read as any other operand of a result with `ndim` axes: it has the last of them."""
        return self.first + self.node.type.ndim == ndim


@dataclass(frozen=True, slots=True)
class WholeAxis:
    """All of an axis, which is one of the result."""

    axis: int


Item = Index | WholeAxis | int


@dataclass(frozen=True, slots=True)
class Gather:
    """How one node reads elements of an array of known lengths, the table. `lengths` are those of the axes, and for
    each there is an item."""

    table: Node
    items: tuple[Item, ...]
    lengths: tuple[int, ...]

    def is_plain(self, ndim: int) -> bool:
        """True if indices, which are read as other operands are, select all that it reads of a table for a result with
        `ndim` axes."""
        return all(i.is_last(ndim) if isinstance(i, Index) else isinstance(i, int) for i in self.items)


def gather(node: Node) -> Gather | None:
    """How a node reads elements that indices point to. None where it does something else."""
    if node.op.name == "take_along_axis":
        return _along_axis(node)
    if node.op.name not in ("getitem_advanced", "take") or node.container is not None or len(node.args) != 2:
        return None
    if node.args[0] != Ref(0) or node.type.kind is not Kind.ARRAY or not node.type.ndim:
        return None
    table, index = node.inputs[0], node.args[1]
    indices = list(index) if isinstance(index, tuple) else [index]
    if table.container is not None or table.type.kind is not Kind.ARRAY or not elementwise(table.type.dtype):
        return None
    lengths = table.type.shape
    if node.op.name == "take":
        options = dict(node.kwargs)
        axis = options.get("axis")
        if not {"axis"}.issuperset(options) or not (axis is None or isinstance(axis, int)) or len(indices) > 1:
            return None
        if axis is None or len(lengths) < 2:
            lengths = (math.prod([n for n in lengths if isinstance(n, int)]),) if table.type.is_static else lengths
        else:
            indices = [_ALL] * (axis % len(lengths)) + indices
    elif node.kwargs:
        return None
    indices = _complete(indices, len(lengths))
    known = tuple([n for n in lengths if isinstance(n, int) and n])
    if not lengths or len(known) < len(lengths) or len(indices) != len(lengths):
        return None
    if not all(i == _ALL or _is_index(node, i) for i in indices):
        return None
    items = _items(node, indices)
    found = Gather(table, items, known)
    return found if found.is_plain(node.type.ndim) or (node.type.is_static and node.type.size) else None


def _along_axis(node: Node) -> Gather | None:
    """How a node reads the elements that indices point to along one axis, with those of the other axes."""
    options = dict(node.kwargs)
    axis = options.pop("axis", -1)
    if options or node.args != (Ref(0), Ref(1)) or not isinstance(axis, int) or not _is_index(node, Ref(1)):
        return None
    table, index = node.inputs
    ndim = node.type.ndim
    if table.container is not None or table.type.kind is not Kind.ARRAY or not elementwise(table.type.dtype):
        return None
    if not (table.type.ndim == index.type.ndim == ndim and table.type.is_static and node.type.is_static):
        return None
    lengths, axis = tuple([n for n in table.type.shape if isinstance(n, int) and n]), axis % ndim
    same = all(table.type.shape[a] == index.type.shape[a] for a in range(ndim) if a != axis)
    if not (same and len(lengths) == ndim and node.type.size):
        return None
    return Gather(table, tuple([Index(index, 0) if a == axis else WholeAxis(a) for a in range(ndim)]), lengths)


_ALL = SliceOf(None, None, None)


def _complete(indices: list[Any], ndim: int) -> list[Any]:
    """An index with an item for each axis."""
    at = next((k for k, i in enumerate(indices) if i is Ellipsis), len(indices))
    given = [i for i in indices if i is not Ellipsis]
    return [*given[:at], *[_ALL] * (ndim - len(given)), *given[at:]]


def _items(node: Node, indices: list[Any]) -> tuple[Item, ...]:
    """The index of each axis of a table. The axes of index arrays take the place of those that they index, or come
    first where something else is between them."""
    picked = [k for k, i in enumerate(indices) if i != _ALL]
    together = picked == list(range(picked[0], picked[-1] + 1))
    first = picked[0] if together else 0
    arrays = {k: node.inputs[i.index] for k, i in enumerate(indices) if isinstance(i, Ref)}
    width = max(n.type.ndim for n in arrays.values())
    whole = iter([a for a in range(node.type.ndim) if not first <= a < first + width])
    found: list[Item] = []
    for k, index in enumerate(indices):
        if index == _ALL:
            found.append(WholeAxis(next(whole)))
        elif k in arrays:
            found.append(Index(arrays[k], first + width - arrays[k].type.ndim))
        else:
            found.append(int(index))
    return tuple(found)


def _is_index(node: Node, index: Any) -> bool:
    if not isinstance(index, Ref):
        return type(index) is int
    given = node.inputs[index.index]
    return (
        index.index > 0
        and given.container is None
        and given.type.kind is Kind.ARRAY
        and given.type.dtype.kind in "iu"
        and given.type.dtype.isnative
    )


def composed(node: Node) -> Gather | None:
    """How a node reads the table of a table: `x[i][:, j]` reads `x`. As `gather` where it is no such node."""
    found = gather(node)
    inner = gather(found.table) if found is not None else None
    if found is None or inner is None or found.table.is_leaf:
        return found
    if len(inner.items) != inner.table.type.ndim or len(found.items) != found.table.type.ndim:
        return None
    items: list[Item] = []
    for item in inner.items:
        if isinstance(item, WholeAxis):
            items.append(found.items[item.axis])
        elif isinstance(item, Index):
            along = found.items[item.first : item.first + item.node.type.ndim]
            axes = [a.axis for a in along if isinstance(a, WholeAxis)]
            if not axes or axes != list(range(axes[0], axes[0] + len(along))):
                return None
            items.append(Index(item.node, axes[0]))
        else:
            items.append(item)
    return Gather(inner.table, tuple(items), inner.lengths)


def tables(nodes: Collection[Node]) -> set[Node]:
    """The arrays that nodes read by indices, or otherwise than element by element."""
    found = [(n, g) for n in nodes if (g := gather(n)) is not None]
    moved = {i.node for n, g in found for i in g.items if isinstance(i, Index) and not i.is_last(n.type.ndim)}
    return moved | {g.table for _, g in found} | {t for n in nodes if (s := search(n)) is not None for t in s.tables}


def elements_read(node: Node) -> tuple[Node, ...]:
    """The inputs of a node that it reads element by element."""
    if (looked_for := search(node)) is not None:
        return (looked_for.keys,)
    found = gather(node)
    return node.inputs if found is None else indices_read(found, node.type.ndim)


def indices_read(found: Gather, ndim: int) -> tuple[Node, ...]:
    """The indices that are read element by element."""
    return tuple([i.node for i in found.items if isinstance(i, Index) and i.is_last(ndim)])
