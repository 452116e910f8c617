"""Positions in loop kernels: of the first extremum, and of a number in a sorted array."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ....ir.graph import Node, input_node
from ....ir.types import Kind, TensorType
from ..fusion.reduction import axes_of
from ..scalar.emitter import BOOL, DType, llvm_type, supported
from .arrays import Array, Memory, dense_strides, is_array
from .checked import INT, Unfit
from .nests.nest import Fold, Position, Step
from .nests.pending import Group, aligned
from .scalars import Number
from .scatter import Scatters


class Positions(Scatters):
    """Emits searches for the positions of elements of arrays."""

    def first_extremum(self, node: Node) -> None:
        """The index of the first extremum, or NaN: the extremum is found first, and then the first that is the same."""
        how, options = node.op.combines, dict(node.kwargs)
        assert how is not None
        array = self.array(node.args[0], node)
        axes = axes_of(options.pop("axis", None), array.ndim)
        if options or len(node.args) > 1 or not axes or array.dtype.kind not in "iuf":
            raise Unfit("another extremum")
        for axis in axes:
            if array.lengths[axis] == "0":
                raise Unfit("an extremum of nothing")
            if not array.lengths[axis].isdigit():
                self.e.leave_if(self.e.do(f"icmp eq i64 {array.lengths[axis]}, 0"))
        self.settle(array, only_writes=True)
        self.flush()
        lengths, read, dtype = array.lengths, aligned(array, array.lengths), array.dtype
        kept = [a for a in range(array.ndim) if a not in axes]
        own = tuple([lengths[a] for a in kept]), tuple([array.bounds[a] for a in kept])
        extremum = input_node("extremum", TensorType(dtype, node.type.shape))
        best = self.between(extremum, *own) if kept else self._slot(extremum)
        there = self._along(best, kept, array)
        self._fold_now(node, array, axes, Fold(read, there, how.ufunc.__name__, dtype))
        counted = dense_strides(self.e, lengths, np.dtype(np.int8))
        along = tuple([("1" if len(axes) == 1 else s) if a in axes else "0" for a, s in enumerate(counted)])
        place = Position(Array("null", array.node, lengths, along, Memory(False), array.bounds, is_dense=False))
        is_it = Step("equal", (read, there), (dtype, dtype), BOOL)
        if dtype.kind == "f":
            odd = Step("not_equal", (read, read), (dtype, dtype), BOOL)
            is_it = Step("logical_or", (is_it, odd), (BOOL, BOOL), BOOL)
        nowhere = Number(str(np.iinfo(INT).max), TensorType(INT, (), Kind.SCALAR))
        found = self._made(node, *own) if kept else self._slot(node)
        element = Step("where", (is_it, place, nowhere), (BOOL, INT, INT), INT)
        self._fold_now(node, array, axes, Fold(element, self._along(found, kept, array), "minimum", INT))
        self.known[node] = found if kept else self._loaded(node, found)

    def _slot(self, node: Node) -> Array:
        """Memory for one number."""
        return Array(self.e.variable(llvm_type(node.type.dtype)), node, (), (), Memory(True), ())

    def _along(self, array: Array, axes: list[int], whole: Array) -> Array:
        """An array as it lies along the axes of another, of which it has these."""
        strides = ["0"] * whole.ndim
        for axis, stride in zip(axes, array.strides, strict=True):
            strides[axis] = stride
        return dataclasses.replace(array, lengths=whole.lengths, strides=tuple(strides), is_dense=False)

    def _fold_now(self, node: Node, array: Array, axes: tuple[int, ...], fold: Fold) -> None:
        self._nest(Group(array.lengths, array.bounds, folds={node: fold}, reduced=frozenset(axes)))

    def search(self, node: Node) -> None:
        """Where a number belongs in a sorted array, found in NumPy's steps: of any other array it is the same, too."""
        given: dict[str, Any] = dict(zip(("a", "v", "side"), node.args, strict=False)) | dict(node.kwargs)
        side = given.pop("side", "left")
        if set(given) != {"a", "v"} or side not in ("left", "right"):
            raise Unfit("another search")
        array, key = self.array(given["a"], node), self.number(given["v"], node)
        t = np.result_type(array.dtype, np.asarray(key.value).dtype if key.value is not None else key.dtype)
        if array.ndim != 1 or not supported(t) or t.kind == "b":
            raise Unfit("a search in something else than a row of numbers")
        self.settle(array, only_writes=True)
        e, wanted = self.e, self._number(key, t).name
        low, high = e.variable("i64"), e.variable("i64")
        e.put(f"store i64 0, ptr {low}")
        e.put(f"store i64 {array.lengths[0]}, ptr {high}")
        head, inside, after, before, done = [e.block("search") for _ in range(5)]
        e.jump(head)
        e.begin(head)
        first, last = e.do(f"load i64, ptr {low}"), e.do(f"load i64, ptr {high}")
        e.branch(e.compare("slt", INT, first, last), inside, done)
        e.begin(inside)
        distance = e.do(f"sub i64 {last}, {first}")
        middle = e.do(f"add i64 {first}, {e.do(f'lshr i64 {distance}, 1')}")
        value = e.cast(self.arrays.unchecked(array, middle), array.dtype, t)
        is_after = self._is_less(t, value, wanted)
        if side == "right":
            is_after = e.do(f"xor i1 {self._is_less(t, wanted, value)}, true")
        e.branch(is_after, after, before)
        e.begin(after)
        e.put(f"store i64 {e.do(f'add i64 {middle}, 1')}, ptr {low}")
        e.jump(head)
        e.begin(before)
        e.put(f"store i64 {middle}, ptr {high}")
        e.jump(head)
        e.begin(done)
        self.known[node] = Number(e.do(f"load i64, ptr {low}"), node.type)

    def _is_less(self, t: DType, left: str, right: str) -> str:
        """Whether NumPy sorts one number before another: NaN comes last."""
        e = self.e
        if t.kind != "f":
            return e.compare("slt" if t.kind == "i" else "ult", t, left, right)
        beyond = e.do(f"and i1 {e.compare('uno', t, right, right)}, {e.compare('ord', t, left, left)}")
        return e.do(f"or i1 {e.compare('olt', t, left, right)}, {beyond}")


def is_search(node: Node) -> bool:
    """True for the search of one number."""
    return node.op.name == "searchsorted" and not is_array(node)
