"""Writes into arrays in loop kernels: a write never changes an element that is still to be read."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

import numpy as np

from ....ir.dims import Dim
from ....ir.graph import Graph, Node
from ....ir.template import Ref, SliceOf
from ....ir.types import ufunc_dtypes, weak_operand
from ...ownership import Ownership
from ..scalar.emitter import BOOL, supported
from ..scalar.rules import RULES
from .arrays import Array, Memory, is_array
from .checked import Unfit
from .elements import size_of
from .gather import Indexed
from .nests.nest import Step, Store
from .nests.nest import Value as Element
from .nests.pending import Group, Pending, aligned
from .scalars import Number

PART = 4
"""An operand that shares memory with the target of a write is copied first, where it is at most this part of it."""


Owners = tuple[Ownership, Ownership, Ownership, Ownership]
"""Cases of ownership: no argument belongs to the kernel, all do, and the actual one. The actual one distinguishes
arguments with visible changes."""


def owners_of(graph: Graph, owned: Collection[Node], fresh: Collection[Node]) -> Owners:
    """`owned` are the arguments that the caller sees changed, and `fresh` others that may be."""
    taken = Ownership(graph, graph.inputs)
    seen = taken if set(owned) == set(graph.inputs) else Ownership(graph, owned)
    return Ownership(graph), taken, seen, Ownership(graph, [*owned, *fresh]) if fresh else seen


class Writes(Indexed):
    """Emits writes. Their target is a copy, or an argument of which a copy is kept. `unkept` are arguments that
    need none: once they are written into the kernel is not left any more."""

    def __init__(self, graph: Graph, owners: Owners, unkept: Collection[Node]) -> None:
        super().__init__(graph)
        self.unkept = unkept
        written, taken, hidden, mine = owners
        self.written = written.copied  # by loops
        self.taken, self.hidden = taken.copied, hidden.copied
        self._in_place, self._replacing, self.replaceable = taken.in_place, hidden.in_place, mine.in_place
        self._begin = len(self.e.lines)
        self.given_arrays = [a for n in graph.inputs if isinstance(a := self.known[n], Array)]

    def write(self, node: Node) -> Array | Pending:
        """A write into an array, or into a view of it."""
        base, path, *given = node.args
        pending = self.known.get(node.inputs[base.index])
        if isinstance(pending, Pending) and node.op.name == "ufunc_into" and not (path or node.kwargs):
            return self._instead(node, pending, *given)
        array = self.array(base, node)
        if is_element_write(node):
            number, indices = self.number(given[1], node), self.indices(given[0], node)
            array = self._writable(node, array)
            self.settle(array)
            self.arrays.write(array, indices, number)
            return array
        if node.kwargs:
            raise Unfit(f"{node.op.name} with {', '.join(k for k, _ in node.kwargs)}")
        is_whole = node.op.name == "setitem" and not path and _is_all(given[0])
        array = self._writable(node, array, is_whole)
        target = self.target(node, array, path)
        if node.op.name == "ufunc_into":
            self.assign_ufunc(node, target, *given)
            return array
        index, value = given
        if isinstance(index, Ref) and is_array(node.inputs[index.index]):
            self._write_where(node, target, index, value)
        else:
            self.assign(node, self.views.item(target, node, index, lambda i: self.integer(i, node)), value)
        return array

    def target(self, node: Node, array: Array, path: Any) -> Array:
        """The view of an array that a write goes into."""
        for name, *step in path:
            if name == "item":
                raise Unfit("a write into one of several views")
            args, kwargs = step
            array = self.views.step(array, node, name, args, kwargs, lambda i: self.integer(i, node))
        return array

    def _write_where(self, node: Node, target: Array, index: Ref, value: Any) -> None:
        """A write where a mask is true."""
        mask, found = node.inputs[index.index], self.given(index, node)
        if mask.type.dtype != BOOL or isinstance(found, Number) or found.lengths != target.lengths:
            raise Unfit("an index that is an array of numbers")
        if isinstance(value, Ref) and is_array(node.inputs[value.index]):
            value = self.picked(node.inputs[value.index], mask)
        self.assign(node, target, value, index)

    def _writable(self, node: Node, array: Array, is_whole: bool = False) -> Array:
        """The array that a write goes into: a copy, unless the old one is dead. An array that is
        overwritten as a whole needs no copy of the old content."""
        if array.node in self.unkept and array in self.given_arrays:
            array.memory.is_own = True
        if node in self._in_place and array.memory.is_own:
            return array
        return self.copy(array, node, node in self._replacing, is_whole)

    def copy(self, old: Array, node: Node, replaces: bool, is_whole: bool = False) -> Array:
        """A new array with the same elements, which is to be the node."""
        if replaces and old in self.given_arrays:
            self._keep(old)
            return old
        if node in self.escaping:
            if self.depth:
                raise Unfit("an array is copied in a loop")
            new = self.arrays.new(node, old.lengths)
        else:
            new = self.between(old.node, old.lengths, old.bounds)
        if not is_whole:
            self.copy_into(old, new)
        return new

    def _keep(self, argument: Array) -> None:
        """Keeps the content that an argument has before all else, for when the kernel must be left."""
        made = self.arrays.new(argument.node, argument.lengths, keeps=True)
        kept = dataclasses.replace(argument, address=made.address, memory=made.memory)
        lines, self.e.lines = self.e.lines, []
        self._nest(Group(argument.lengths, argument.bounds, stores=[Store(argument, kept)]))
        lines[self._begin : self._begin] = self.e.lines
        self.e.lines = lines
        argument.memory.is_own = True

    def assign(self, node: Node, target: Array, item: Any, mask: Any = None) -> None:
        """Writes the elements of a value into an array, or of those where a mask is true."""
        dtype = target.dtype
        if mask is None:
            group, (element,) = self._fitting(node, target, [item])
            value = self._step("astype", [element], (dtype,), dtype)
        else:
            group, (element, chosen) = self._fitting(node, target, [item, mask])
            old = group.read(aligned(target, group.lengths))
            if old is None:
                self.flush()
                group, (element, chosen) = self._fitting(node, target, [item, mask])
                old = group.read(aligned(target, group.lengths))
            if not isinstance(element, Number):
                element = self._step("astype", [element], (dtype,), dtype)
            value = self._step("where", [chosen, element, old], (BOOL, dtype, dtype), dtype)
        self._append(node, group, value, aligned(target, group.lengths))

    def _instead(self, node: Node, pending: Pending, name: str, items: tuple[Any, ...]) -> Pending:
        """A ufunc's result in the place of an array that no nest has computed yet."""
        whole = Array("", node, pending.lengths, ("0",) * len(pending.lengths), Memory(True), pending.bounds)
        group, value = self._of_ufunc(node, whole, name, items)
        group.values[node] = value
        group.absorbed.add(node)
        return Pending(node, group.lengths, group.bounds)

    def assign_ufunc(self, node: Node, target: Array, name: str, items: tuple[Any, ...]) -> None:
        """Writes the result of a ufunc into an array."""
        group, value = self._of_ufunc(node, target, name, items)
        self._append(node, group, value, aligned(target, group.lengths))

    def _of_ufunc(self, node: Node, target: Array, name: str, items: tuple[Any, ...]) -> tuple[Group, Step]:
        """A ufunc's result for the elements of an array, and the group that computes it."""
        ufunc, dtype = getattr(np, name), target.dtype
        if (
            name not in RULES
            or ufunc.nout != 1
            or not all(isinstance(i, Ref | bool | int | float | np.generic) for i in items)
        ):
            raise Unfit(f"{name} is not computed natively")
        operands = tuple([weak_operand(node.inputs[i.index].type if isinstance(i, Ref) else i) for i in items])
        dtypes = ufunc_dtypes(ufunc, operands)
        if len(set(dtypes[: len(items)])) > 1 or not all(map(supported, dtypes)):
            raise Unfit(f"{name} of several dtypes")
        if not np.can_cast(dtypes[-1], dtype, "same_kind"):
            raise Unfit(f"{dtypes[-1]} into {dtype}")
        group, elements = self._fitting(node, target, list(items))
        result = self._step(name, elements, dtypes[: len(items)], dtypes[-1])
        return group, self._step("astype", [result], (dtype,), dtype)

    def _fitting(self, node: Node, target: Array, items: list[Any]) -> Any:
        """The group and elements of values that are to be written into an array."""
        values = self._operands(node, items)
        arrays = [v for v in values if not isinstance(v, Number)]
        if any(not supported(v.node.type.dtype) for v in arrays):
            raise Unfit("a value of another dtype")
        lengths, bounds = target.lengths, target.bounds
        for value in arrays:
            own = value.lengths
            if len(own) > len(lengths):
                raise Unfit("a value with more axes than what it is written into")
            for axis, length in enumerate(own, len(lengths) - len(own)):
                if length not in ("1", lengths[axis]):
                    if length.isdigit() and lengths[axis].isdigit():
                        raise Unfit("a value of another shape than what it is written into")
                    self.e.leave_if(self.e.do(f"icmp ne i64 {length}, {lengths[axis]}"))
                    if isinstance(value, Pending) or length.isdigit():
                        lengths = (*lengths[:axis], length, *lengths[axis + 1 :])
        return self._elements(node, items, (lengths, bounds))

    def _append(self, node: Node, group: Group, value: Element, target: Array) -> None:
        if (
            group.writes_elsewhere(target)
            or group.looks_into(target)
            or any(not self._copied_first(group, r, target) for r in group.reads_elsewhere(target))
        ):
            value = self._detoured(group, value, target)
            group = self._join(group.lengths, group.bounds)
        group.stores.append(Store(value, target))
        group.absorbed.add(node)

    def _copied_first(self, group: Group, read: Array, target: Array) -> bool:
        """True if the operand was copied, as it is small."""
        axes = [a for a, s in enumerate(read.strides) if s != "0"]
        size = size_of(
            [
                read.bounds[a] if a < len(read.bounds) and len(read.bounds) == len(read.lengths) else group.bounds[a]
                for a in axes
            ]
        )
        whole = size_of(group.bounds)
        if size is None or whole is None or size * PART > whole:
            return False
        lengths = tuple([read.lengths[a] for a in axes])
        own = dataclasses.replace(read, lengths=lengths, strides=tuple([read.strides[a] for a in axes]))
        bounds = tuple([group.bounds[a] for a in axes])
        made = self.between(read.node, lengths, bounds)
        self._nest(Group(lengths, bounds, stores=[Store(own, made)]))
        strides = ["0"] * len(read.lengths)
        for axis, stride in zip(axes, made.strides, strict=True):
            strides[axis] = stride
        group.instead[read] = dataclasses.replace(
            made, lengths=read.lengths, strides=tuple(strides), is_dense=False, bounds=group.bounds
        )
        return True

    def _detoured(self, group: Group, value: Element, target: Array) -> Element:
        """Has a group compute a value into memory of its own first. A new group is to write it where it belongs."""
        made = self.between(target.node, group.lengths, group.bounds)
        group.stores.append(Store(value, made))
        self.flush()
        found = self._join(group.lengths, group.bounds).read(made)
        assert found is not None
        return found

    def copy_into(self, source: Array, target: Array) -> None:
        """Copies all elements of an array now."""
        self.settle(source, only_writes=True)
        self.settle(target)
        lengths, bounds = target.lengths, target.bounds
        self._nest(Group(lengths, bounds, stores=[Store(aligned(source, lengths), aligned(target, lengths))]))


def is_element_write(node: Node) -> bool:
    """True if a write changes one element of an array."""
    if node.op.name != "setitem" or node.args[1]:
        return False
    items = items_of(node.args[2])
    integers = all(
        type(i) is Ref and not node.inputs[i.index].type.ndim or isinstance(i, Dim | int | np.integer) for i in items
    )
    return integers and not any(isinstance(i, bool) for i in items) and len(items) == node.type.ndim


def is_part_write(node: Node) -> bool:
    """True if a write changes more than one element of an array, and not all."""
    if node.op.name == "ufunc_into":
        return bool(node.args[1])
    is_item = node.op.name == "setitem" and not is_element_write(node)
    return is_item and (bool(node.args[1]) or not _is_all(node.args[2]))


def items_of(index: Any) -> tuple[Any, ...]:
    return index if type(index) is tuple else (index,)


def _is_all(index: Any) -> bool:
    """True for `[...]` and `[:]`."""
    return index is Ellipsis or (type(index) is SliceOf and index == (None, None, None))
