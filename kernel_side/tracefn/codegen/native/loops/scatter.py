"""Writes by arrays of indices in loop kernels: `x[i] = v`, `np.add.at(x, i, v)`, `np.put(x, i, v)`.

All indices are looked at before anything is written. Elements are written one after the other in the order of the
indices, as NumPy does: of two with the same index the later one stays.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection
from typing import Any

import numpy as np

from ....ir.graph import Graph, Node, input_node
from ....ir.template import ListOf, Ref, fill
from ....ir.types import Kind, TensorType, ufunc_dtypes
from ....ops.index import item_type
from ....ops.write import view_type
from ..scalar.emitter import castable, supported
from ..scalar.functions import FUNCTIONS
from ..scalar.rules import RULES
from .arrays import Array, is_array, may_overlap
from .checked import Unfit
from .elements import in_order
from .gather import Flat, along, is_number
from .nests.nest import Lookup, Nest, Pick, Step, Store, Update
from .nests.nest import Value as Element
from .nests.pending import Group, Pending
from .scalars import Number, number
from .undo_log import Undoing
from .writes import Owners, items_of

_WAYS = ("%leave", "%undo", "%interrupted")

_FUNCTIONS = {"put_in_place": ("ind", "v", "mode"), "put_along_axis_in_place": ("indices", "values", "axis")}
"""The functions that write by indices, with their parameters."""


class Scatters(Undoing):
    """Emits writes by arrays of indices. `is_ordered` is set if there is one."""

    def __init__(self, graph: Graph, owners: Owners, unkept: Collection[Node], noted: Collection[Node]) -> None:
        super().__init__(graph, owners, unkept, noted)
        self.is_ordered = False
        self._begun: dict[Node, str] = {}  # arguments that are written into here first, each with a line before that

    def write(self, node: Node) -> Array | Pending:
        if node.op.name == "bincount":
            return self._counted(node)
        if not is_scatter(node):
            return super().write(node)
        base, path, *given = node.args
        old = self.array(base, node)
        is_first = old in self.given_arrays and not (old.memory.is_own or self.depth) and node in self.replaceable
        array = self._writable(node, old)
        if is_first:
            self.begin(old.node, array.memory)
        target = self.target(node, array, path)
        name, index, value = self._how(node, target, given)
        self.settle(target)
        self._scatter(node, target, index, value, name, old.node if is_first else None)
        return array

    def _counted(self, node: Node) -> Array:
        """How often each number occurs, or the sum of its weights, where none is larger than the length that is asked
        for."""
        x, weights, count = _arguments_of_bincount(node)
        if self.depth:
            raise Unfit("an array that is made in a loop")
        index, dtype = self.array(x, node), node.type.dtype
        if weights is not None:  # of nothing NumPy gives integers all the same
            self.e.leave_if(self.e.do(f"icmp eq i64 {index.lengths[0]}, 0"))
        made = self.arrays.new(input_node("counts", TensorType(dtype, (count,))), (str(count),))
        self._nest(Group(made.lengths, made.bounds, stores=[Store(self._number(number(0), dtype), made)]))
        self.settle(index, only_writes=True)
        check = Pick(dataclasses.replace(index, is_dense=False), str(count), "0", wraps=False)
        self.nests.call(Nest(index.lengths, (), checks=(check,)))
        group, (element,) = self._fitting(node, index, [1 if weights is None else weights])
        element = self._number(element, dtype) if isinstance(element, Number) else element
        if not castable(element.dtype, dtype):
            raise Unfit(f"{element.dtype} as {dtype}")
        read = group.read(dataclasses.replace(index, lengths=group.lengths, is_dense=False))
        if read is None or _calls(element) or not all(map(in_order, group.reads)):
            raise Unfit("weights that are not known yet")
        where = dataclasses.replace(made, lengths=group.lengths, strides=("0",), is_dense=False)
        pick = Pick(read, str(count), str(dtype.itemsize), wraps=False)
        group.stores.append(Store(element, where, (pick,), Update("add", dtype, dtype)))
        self.is_ordered = True
        self.flush()
        return made

    def needless(self) -> set[Node]:
        """The arguments of which no copy is needed: the kernel is not left once they are written into."""
        if self.e.may_flag:
            return set()
        ways = [k for k, line in enumerate(self.e.lines) if any(way in line for way in _WAYS)]
        last = max(ways, default=-1)
        return {node for node, line in self._begun.items() if self.e.lines.index(line) > last}

    def _begin_write(self, argument: Node) -> None:
        """Notes that an argument is written into here first. Flags raised before leave the kernel now."""
        e = self.e
        if e.may_flag:
            self._begun.clear()
            if argument in self.unkept:
                e.leave_where_flagged()
            e.may_flag = False
        self._begun[argument] = f"; %a{self.graph.inputs.index(argument)} is written into"
        e.put(self._begun[argument])

    def _how(self, node: Node, target: Array, given: list[Any]) -> tuple[str, Any, Any]:
        """The ufunc that a write combines old and new elements with, if there is one, its index and its value."""
        name = node.op.name
        if name == "setitem":
            return "", *given
        if name == "ufunc_at":
            if len(given) != 3 or node.kwargs:
                raise Unfit("ufunc.at of one operand")
            ufunc, index, value = given
            return ufunc, index, value
        options = dict(zip(_FUNCTIONS[name], given, strict=False)) | dict(node.kwargs)
        if name == "put_in_place":
            index, value = options.pop("ind", None), options.pop("v", None)
            if options or not isinstance(index, Ref) or (is_listed(value, node) and self._ndim(index, node) != 1):
                raise Unfit("put in another mode")
            return "", Flat(index), value
        index, value, axis = options.pop("indices", None), options.pop("values", None), options.pop("axis", None)
        if options or not isinstance(index, Ref) or type(axis) is not int:
            raise Unfit("put_along_axis with other arguments")
        return "", along(index, axis, target.ndim, True), value

    def _ndim(self, index: Ref, node: Node) -> int:
        return node.inputs[index.index].type.ndim

    def _scatter(self, node: Node, target: Array, index: Any, value: Any, name: str, begun: Node | None) -> None:
        """Writes the elements of a value where an index says, or combines them with the old elements. `begun` is an
        argument that is written into for the first time."""
        place = self.place(node, target, index)
        for item, _, length, _ in place.picks:
            self._check(item if isinstance(item, Array) else self.array(item, node), length, target)
        is_noted = self.note(target, place)
        if is_noted:
            self.flush()
        whole = Array("", node, place.lengths, place.strides, target.memory, place.bounds)
        group, (element,) = self._fitting(node, whole, [value])
        if group.stores or group.folds:
            self.flush()
            group, (element,) = self._fitting(node, whole, [value])
        place = dataclasses.replace(place, lengths=group.lengths)
        reads = [r for r in (*group.reads, *group.tables) if may_overlap(r, target)]
        update = self._update(name, target, value, node) if name else None
        dtype = update.through if update else target.dtype
        if isinstance(element, Number):
            element = self._number(element, dtype)
        elif not castable(element.dtype, dtype):
            raise Unfit(f"{element.dtype} as {dtype}")
        if reads or _calls(element):
            element = self._detoured(group, self._step("astype", [element], (dtype,), dtype), target)
            group = self._join(group.lengths, group.bounds)
        picks = self.picks(node, place, group)
        if picks is None or not all(map(in_order, group.reads)):
            raise Unfit("indices in another order")
        where = dataclasses.replace(
            target, address=place.address, lengths=place.lengths, strides=place.strides, is_dense=False
        )
        self.is_ordered, store = True, Store(element, where, picks, update)
        if is_noted:
            self._group = None
            self.write_noted(store, group, place)
            return
        group.stores.append(store)
        group.absorbed.add(node)
        if begun is not None:
            self._begin_write(begun)
        self.flush()

    def _check(self, index: Array, length: str, target: Array) -> None:
        """Leaves the kernel where an index is wrong."""
        if may_overlap(index, target):
            raise Unfit("an array is its own index")
        self.settle(index, only_writes=True)
        own = dataclasses.replace(index, is_dense=False)
        self.nests.call(Nest(index.lengths, (), checks=(Pick(own, length, "0"),)))

    def _update(self, name: str, target: Array, value: Any, node: Node) -> Update:
        """How a ufunc combines old elements with new ones."""
        given = node.inputs[value.index].type.dtype if isinstance(value, Ref) else np.asarray(value).dtype
        ufunc = getattr(np, name)
        if name not in RULES or not RULES[name].updates or not supported(given):
            raise Unfit(f"{name}.at is not computed natively")
        through, other, result = ufunc_dtypes(ufunc, (target.dtype, given))
        if through != other or not (supported(through) and supported(result)) or through.kind not in RULES[name].kinds:
            raise Unfit(f"{name} of several dtypes")
        if not castable(result, target.dtype) or not np.can_cast(result, target.dtype, "same_kind"):
            raise Unfit(f"{result} into {target.dtype}")
        return Update(name, through, result)


def is_scatter(node: Node) -> bool:
    """True for writes by arrays of indices, and for counts of a given number of values."""
    if node.op.name in ("ufunc_at", *_FUNCTIONS):
        return True
    if node.op.name == "bincount":
        return _is_count(node)
    if node.op.name != "setitem":
        return False
    arrays = [i for i in items_of(node.args[2]) if isinstance(i, Ref | ListOf) and not is_number(i, node)]
    return bool(arrays) and all(isinstance(i, ListOf) or node.inputs[i.index].type.dtype.kind in "iu" for i in arrays)


def _arguments_of_bincount(node: Node) -> tuple[Any, Any, Any]:
    given = dict(zip(("x", "weights", "minlength"), node.args, strict=False)) | dict(node.kwargs)
    return given["x"], given.get("weights"), given.get("minlength", 0)


def _is_count(node: Node) -> bool:
    """True for counts of numbers which are all smaller than a known one, as it seems."""
    x, weights, count = _arguments_of_bincount(node)
    if x != Ref(0) or type(count) is not int or count < 1 or not isinstance(weights, Ref | None):
        return False
    given = [node.inputs[0].type, *([node.inputs[weights.index].type] if weights is not None else [])]
    if any(t.kind is not Kind.ARRAY or t.ndim != 1 or not supported(t.dtype) for t in given):
        return False
    return given[0].dtype.kind in "iu" and np.can_cast(given[0].dtype, np.intp)


def _calls(value: Element) -> bool:
    """True if functions are called for an element: many at once take less time, and writes come one after the other."""
    if isinstance(value, Lookup):
        return any(_calls(p.index) for p in value.picks)
    return isinstance(value, Step) and (value.rule in FUNCTIONS or any(map(_calls, value.operands)))


def elements_written(node: Node) -> float:
    """How many elements a write by indices writes. Infinite where that is not known."""
    if node.op.name == "bincount":
        counted = node.inputs[0].type.size
        return counted if isinstance(counted, int) else math.inf
    base, path, *given = fill(node.args, lambda i: node.inputs[i.index].type if isinstance(i, Ref) else i)
    if node.op.name in _FUNCTIONS:
        options = dict(zip(_FUNCTIONS[node.op.name], given, strict=False)) | dict(node.kwargs)
        index = options[_FUNCTIONS[node.op.name][0]]
        size = node.inputs[index.index].type.size if isinstance(index, Ref) else np.size(index)
    else:
        size = item_type(view_type(base, path), given[0 if node.op.name == "setitem" else 1]).size
    return size if isinstance(size, int) else math.inf


def is_listed(value: Any, node: Node) -> bool:
    """True for a value that is an array with axes."""
    return isinstance(value, Ref) and is_array(node.inputs[value.index])
