"""Views in loop kernels: slices, rows and columns that are chosen while the loop runs, and axes in another order."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ....ir.dims import Dim
from ....ir.graph import Node
from ....ir.op import by_name
from ....ir.template import Ref, SliceOf, fill, leaves
from .arrays import Array, Arrays, product
from .checked import INT, Checking, Unfit
from .value_ranges import is_known

Integer = Callable[[Any], str]
"""The register of an item of an index."""


class Views:
    """Emits where views of arrays lie."""

    def __init__(self, e: Checking, arrays: Arrays) -> None:
        self._e = e
        self._arrays = arrays

    def step(self, array: Array, node: Node, name: str, args: tuple[Any, ...], kwargs: Any, integer: Integer) -> Array:
        """The view of an array that an op gives: `args` are those after the array."""
        if name in ("getitem", "getitem_slice"):
            return self.item(array, node, args[0], integer)
        if any(isinstance(i, Ref | Dim) for i in leaves((args, tuple([v for _, v in kwargs])))):
            raise Unfit(f"{name} with arguments that are found out in a call")
        call, more = by_name(name).call, {k: fill(v, _none) for k, v in kwargs}
        return self._known(array, node, lambda a: call(a, *[fill(i, _none) for i in args], **more))

    def _known(self, array: Array, node: Node, view: Callable[[Any], Any]) -> Array:
        """A view of which all is known: NumPy is asked where it would lie."""
        if not all(map(is_known, (*array.lengths, *array.strides))):
            raise Unfit("a view of an array whose lengths are open")
        lengths, strides = tuple(map(int, array.lengths)), tuple(map(int, array.strides))
        if any(s < 0 for s in strides) or 0 in lengths:
            raise Unfit("a view of a reversed or empty array")
        size = sum((n - 1) * s for n, s in zip(lengths, strides, strict=True)) + array.dtype.itemsize
        whole = np.ndarray(lengths, array.dtype, np.empty(size, np.uint8), 0, strides)
        found = view(whole)
        first = whole.__array_interface__["data"][0]
        low, high = np.lib.array_utils.byte_bounds(found) if found.size else (first, first)
        if found.dtype != whole.dtype or not first <= low <= high <= first + size:
            raise Unfit("a view that may be a copy")
        moved = found.__array_interface__["data"][0] - first
        made = tuple(map(str, found.shape)), tuple(map(str, found.strides)), found.shape
        return self._moved(array, node, str(moved), (), *made)

    def item(self, array: Array, node: Node, index: Any, integer: Integer) -> Array:
        """`array[index]` for integers, slices, new axes and `...`."""
        e, lengths, strides, bounds = self._e, list(array.lengths), list(array.strides), list(array.bounds)
        items = list(index if type(index) is tuple else (index,))
        given = sum(i is not None and i is not Ellipsis for i in items)
        if Ellipsis not in items:
            items.append(Ellipsis)
        at = items.index(Ellipsis)
        items[at : at + 1] = [SliceOf(None, None, None)] * (len(lengths) - given)
        found: list[tuple[str, str, int | None]] = []
        moved, more, axis = "0", list(array.offset[1]), 0
        static = 0
        for item in items:
            if item is None:
                found.append(("1", "0", 1))
                continue
            length, stride, bound = lengths[axis], strides[axis], bounds[axis]
            axis += 1
            if isinstance(item, SliceOf):
                key, first, taken, jump = self._slice(item, length, integer)
                found.append((taken, product(e, stride, jump), int(taken) if is_known(taken) else bound))
            elif isinstance(item, Ref | Dim | int | np.integer) and not isinstance(item, bool):
                key = integer(item)
                first = self._arrays.index(key, length)
            else:
                raise Unfit("an index that is no number and no slice")
            distance = product(e, first, stride)
            if is_known(distance):
                static += int(distance)
            else:
                more.append((key, length, stride))
                moved = distance if moved == "0" else e.do(f"add nsw i64 {moved}, {distance}")
        if static:
            moved = str(static) if moved == "0" else e.do(f"add nsw i64 {moved}, {static}")
        made = tuple([n for n, _, _ in found]), tuple([s for _, s, _ in found]), tuple([b for _, _, b in found])
        return self._moved(array, node, moved, tuple(more), *made, static=static)

    def _moved(
        self,
        array: Array,
        node: Node,
        moved: str,
        more: tuple[Any, ...],
        lengths: Any,
        strides: Any,
        bounds: Any,
        static: int | None = None,
    ) -> Array:
        address = array.address
        if moved != "0":
            address = self._e.do(f"getelementptr i8, ptr {address}, i64 {moved}")
        offset = array.offset[0] + (int(moved) if static is None else static), more or array.offset[1]
        typed = dataclasses.replace(array, node=node) if node.type.dtype == array.dtype else array
        return dataclasses.replace(
            typed, address=address, lengths=lengths, strides=strides, bounds=bounds, offset=offset, is_dense=False
        )

    def _slice(self, item: SliceOf, length: str, integer: Integer) -> tuple[str, str, str, str]:
        """Of a slice: its start as it was given, its first index, its length, and its step."""
        step = "1" if item.step is None else integer(item.step)
        parts = [None if p is None else integer(p) for p in (item.start, item.stop)]
        if all(map(is_known, (step, length, *[p for p in parts if p is not None]))):
            low, high = [None if p is None else int(p) for p in parts]
            found = slice(low, high, int(step)).indices(int(length))
            rounds = len(range(*found))
            return str(found[0]), str(found[0] if rounds else 0), str(rounds), step
        e = self._e
        if is_known(step):
            if int(step) < 1:
                raise Unfit("a slice that runs backwards from an unknown index")
        else:
            e.leave_if(e.compare("slt", INT, step, "1"))
        start = "0" if parts[0] is None else self._within(parts[0], length)
        stop = length if parts[1] is None else self._within(parts[1], length)
        distance = stop if start == "0" else e.do(f"sub nsw i64 {stop}, {start}")
        if step != "1":
            less = e.do(f"sub nsw i64 {step}, 1")
            distance = e.do(f"sdiv i64 {e.do(f'add nsw i64 {distance}, {less}')}, {step}")
        e.intrinsics.add("declare i64 @llvm.smax.i64(i64, i64)")
        taken = e.do(f"call i64 @llvm.smax.i64(i64 {distance}, i64 0)")
        return parts[0] or "0", start, taken, step

    def _within(self, bound: str, length: str) -> str:
        """A bound of a slice as Python understands it."""
        e = self._e
        e.intrinsics |= {f"declare i64 @llvm.{f}.i64(i64, i64)" for f in ("smax", "smin")}
        if is_known(bound) and int(bound) >= 0:
            return e.do(f"call i64 @llvm.smin.i64(i64 {bound}, i64 {length})")
        below = e.compare("slt", INT, bound, "0")
        bound = e.select(below, INT, e.do(f"add i64 {bound}, {length}"), bound)
        bound = e.do(f"call i64 @llvm.smax.i64(i64 {bound}, i64 0)")
        return e.do(f"call i64 @llvm.smin.i64(i64 {bound}, i64 {length})")


def _none(item: Any) -> Any:
    raise Unfit(f"{item!r} in a view")
