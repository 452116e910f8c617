"""Elements that integer arrays point to, in loop kernels: `x[i]`, `x[i, j]`, whole rows and columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....ir.dims import Dim
from ....ir.graph import Node, input_node
from ....ir.template import ListOf, Ref, SliceOf
from ....ir.types import Kind, TensorType
from ....records import dataclass
from .arrays import Array, dense_strides, is_array, product
from .checked import INT, Unfit
from .elements import Elements
from .nests.nest import Lookup, Pick
from .nests.pending import Bounds, Group, Pending, broadcast
from .scalars import Number
from .value_ranges import is_known

ALL = SliceOf(None, None, None)
"""The slice that is all of an axis."""


@dataclass(frozen=True, eq=False)
class GatherPlace:
    """The elements of an array, the table, that an index says: there are as many as `lengths` say. Those of its axes
    that are taken as they are move along axes of the result, by `strides`. For each other one `picks` has its
    item of the index, the axis of the result where those of the item begin, its length and its stride."""

    table: Array
    address: str
    lengths: tuple[str, ...]
    bounds: Bounds
    strides: tuple[str, ...]
    picks: tuple[tuple[Ref | Array, int, str, str], ...]


class Indexed(Elements):
    """Emits reads of elements by arrays of indices."""

    def gather(self, node: Node) -> None:
        """A node that reads elements."""
        place = self.place(node, self.array(node.args[0], node), self._index(node))
        for _ in range(2):
            group = self.picking(node, place)
            picks = self.picks(node, place, group)
            if picks is not None and not group.touches(place.table, only_writes=True):
                break
            self.flush()
        else:
            raise Unfit("a table that is read and written at once")
        where = dataclasses.replace(
            place.table, address=place.address, lengths=place.lengths, strides=place.strides, is_dense=False
        )
        self._leave_if_empty(place)
        group.tables.append(place.table)
        group.values[node] = Lookup(where, picks)
        group.absorbed.add(node)
        self.known[node] = Pending(node, group.lengths, group.bounds)

    def _index(self, node: Node) -> Any:
        """The index into the table of a node that reads elements; those along an axis, where only that has
        one, in a list."""
        name, args, options = node.op.name, node.args, dict(node.kwargs)
        if name == "getitem_advanced":
            return args[1]
        given = dict(zip(("table", "indices", "axis"), args, strict=False)) | options
        index, axis = given.pop("indices", None), given.pop("axis", None if name == "take" else -1)
        if set(given) != {"table"} or not isinstance(index, Ref) or not isinstance(axis, int | None):
            raise Unfit(f"{name} with other arguments")
        return along(index, axis, node.inputs[0].type.ndim, name == "take_along_axis")

    def place(self, node: Node, table: Array, index: Any) -> GatherPlace:
        """Where the elements are that an index says."""
        if isinstance(index, Flat):
            table, index = self._flattened(table), index.index
        if isinstance(index, Along):
            return self._place_along(node, table, index)
        items: list[Any] = [self._listed(i, node) for i in complete(index, table.ndim)]
        parts = [ALL if is_number(i, node) or isinstance(i, Ref | Array) else i for i in items]
        if any(i != ALL for i in parts):
            table = self.views.item(table, node, tuple(parts), lambda i: self.integer(i, node))
        arrays = {k: i for k, i in enumerate(items) if isinstance(i, Ref | Array) and not is_number(i, node)}
        picked = [k for k, i in enumerate(items) if k in arrays or is_number(i, node)]
        together = picked == list(range(picked[0], picked[-1] + 1))
        given = [self._extent_of(node, i) for i in arrays.values()]
        wide, most = broadcast(self.e, given)
        whole = [k for k in range(table.ndim) if k not in picked]
        first = picked[0] if together else 0
        before, after = whole[:first], whole[first:]
        axes = {k: a for a, k in enumerate(before)} | {k: a + len(wide) for a, k in enumerate(after, first)}
        ndim = len(whole) + len(wide)
        lengths, strides = [""] * ndim, ["0"] * ndim
        bounds: list[int | None] = [None] * ndim
        lengths[first : first + len(wide)], bounds[first : first + len(wide)] = wide, most
        for k, axis in axes.items():
            lengths[axis], bounds[axis], strides[axis] = table.lengths[k], table.bounds[k], table.strides[k]
        picks, address = [], table.address
        for k in picked:
            if k in arrays:
                own = len(self._extent_of(node, arrays[k])[0])
                picks.append((arrays[k], first + len(wide) - own, table.lengths[k], table.strides[k]))
                continue
            moved = product(self.e, self.arrays.index(self.integer(items[k], node), table.lengths[k]), table.strides[k])
            address = self.e.do(f"getelementptr i8, ptr {address}, i64 {moved}")
        return GatherPlace(table, address, tuple(lengths), tuple(bounds), tuple(strides), tuple(picks))

    def _place_along(self, node: Node, table: Array, index: Along) -> GatherPlace:
        """Where the elements are that an index says for one axis, with those of the others."""
        own, most = self._extent_of(node, index.index)
        if len(own) != table.ndim:
            raise Unfit("an index with other axes than its table")
        for axis, (length, wanted) in enumerate(zip(own, table.lengths, strict=True)):
            if axis != index.axis and length != wanted:
                raise Unfit("an index of another shape than its table")
        strides = ["0" if axis == index.axis else s for axis, s in enumerate(table.strides)]
        pick = (index.index, 0, table.lengths[index.axis], table.strides[index.axis])
        return GatherPlace(table, table.address, own, most, tuple(strides), (pick,))

    def _flattened(self, table: Array) -> Array:
        if table.ndim == 1:
            return table
        if not table.is_dense:
            raise Unfit("a view is flattened")
        length, bound = table.lengths[0], table.bounds[0]
        for own, most in zip(table.lengths[1:], table.bounds[1:], strict=True):
            length = product(self.e, length, own)
            bound = None if bound is None or most is None else bound * most
        strides = dense_strides(self.e, (length,), table.dtype)
        return dataclasses.replace(table, lengths=(length,), bounds=(bound,), strides=strides)

    def _listed(self, item: Any, node: Node) -> Any:
        """An item of an index, of which a list of numbers is made an array."""
        if not isinstance(item, ListOf):
            return item
        bound = len(item.items)
        made = self.between(input_node("index", TensorType(INT, (bound,))), (str(bound),), (bound,))
        for k, each in enumerate(item.items):
            self.arrays.write(made, [str(k)], Number(self.integer(each, node), TensorType(INT, (), Kind.SCALAR)))
        return made

    def _extent_of(self, node: Node, index: Ref | Array) -> tuple[tuple[str, ...], Bounds]:
        """The lengths of an index."""
        if isinstance(index, Array):
            return index.lengths, index.bounds
        source = node.inputs[index.index]
        if source.container is not None or not is_array(source) or source.type.dtype.kind not in "iu":
            raise Unfit("an index that is no array of integers")
        found = self.given(index, node)
        assert not isinstance(found, Number)
        return found.lengths, found.bounds

    def picking(self, node: Node, place: GatherPlace) -> Group:
        """The group that works on the elements of a place."""
        self._operands(node, [i for i, *_ in place.picks if isinstance(i, Ref)])
        return self._join(place.lengths, place.bounds)

    def picks(self, node: Node, place: GatherPlace, group: Group) -> tuple[Pick, ...] | None:
        """The indices of an element in a group. None where they are only known when the group has run."""
        found = []
        for item, first, length, stride in place.picks:
            value: Any = item if isinstance(item, Array) else self.given(item, node)
            element = None
            if isinstance(value, Pending):
                element = group.values.get(value.node) if value.lengths == place.lengths else None
            elif isinstance(value, Array):
                element = group.read(spread(value, first, place.lengths))
            if element is None:
                return None
            found.append(Pick(element, length, stride))
        return tuple(found)

    def _leave_if_empty(self, place: GatherPlace) -> None:
        """Leaves the kernel where there is no element that could be read in the place of a wrong one."""
        for length in place.table.lengths:
            if length == "0":
                raise Unfit("an empty table")
            if not is_known(length):
                self.e.leave_if(self.e.do(f"icmp eq i64 {length}, 0"))


@dataclass(frozen=True, slots=True)
class Along:
    """The elements along one axis, as `take_along_axis` reads them."""

    index: Ref
    axis: int


@dataclass(frozen=True, slots=True)
class Flat:
    """The index of an array as if it had one axis."""

    index: Any


def along(index: Ref, axis: int | None, ndim: int, has_all: bool) -> Any:
    """The index that stands for an array of integers along an axis of an array. `has_all`: it has all axes of that."""
    if axis is None:
        return Flat(index)
    axis %= ndim
    return Along(index, axis) if has_all else (*[ALL] * axis, index)


def complete(index: Any, ndim: int) -> list[Any]:
    """An index with an item for each axis."""
    items = list(index if type(index) is tuple else (index,))
    if any(i is None or isinstance(i, bool) for i in items):
        raise Unfit("an index that makes axes")
    if Ellipsis not in items:
        items.append(Ellipsis)
    at = items.index(Ellipsis)
    items[at : at + 1] = [ALL] * (ndim - len(items) + 1)
    return items


def is_number(item: Any, node: Node) -> bool:
    """True for an item of an index that is one integer."""
    if isinstance(item, Ref):
        return not is_array(node.inputs[item.index])
    return isinstance(item, Dim | int | np.integer)


def spread(array: Array, first: int, lengths: Sequence[str]) -> Array:
    """An array stretched to the lengths of a nest, with its first axis at a given one."""
    strides = ["0"] * len(lengths)
    for axis, (length, stride) in enumerate(zip(array.lengths, array.strides, strict=True), first):
        strides[axis] = "0" if length == "1" else stride
    return dataclasses.replace(array, lengths=tuple(lengths), strides=tuple(strides), is_dense=False)
