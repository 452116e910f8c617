"""The description of a kernel: the values that it reads, computes and returns, and their places in memory."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ....ir.graph import Graph, Node
from ....ir.types import Shape, TensorType
from ....records import dataclass
from ..fusion.gather import Gather, Index, WholeAxis, composed, elements_read, gather, indices_read
from ..fusion.layouts import Order, is_rounded_by_steps, orders, strides_of
from ..fusion.lowering import lowering
from ..fusion.masked import Masked, MaskedReduction, masked_reduction, masked_write
from ..fusion.reduction import MOST_OF_SCAN, Reduction, reduction, work_shape
from ..fusion.scan import Scan, scan
from ..fusion.search import Search, search
from ..fusion.views import chain, ghost, is_view, place
from ..scalar.folds import FOLDS
from ..scalar.functions import FUNCTIONS

MOST_OF_POSITIONS = 1 << 31
"""Indices of elements on the way to the first extremum are numbers of 32 bits."""

FEW_ROUNDS, MANY_ROUNDS = 8, 64
"""A loop of fewer rounds than `FEW_ROUNDS` is not the innermost one of a reduction where another has `MANY_ROUNDS`."""

FEW_BYTES, NEARBY_BYTES = 64, 1 << 20
"""Columns of rows of fewer bytes are added up one after the other, if they are still in the cache for the next."""

PARALLEL, LIGHT = 1 << 18, 8
"""So many elements are worth more than one thread, and the time that Python takes to share them out, where each costs
as much as `LIGHT` additions: a function or an element to be written is this or half of it."""


@dataclass(frozen=True)
class Moving:
    """An argument along which the loops move by strides: a table of rows, or indices of other axes than the last."""

    array: Node
    strides: tuple[int, ...]

    @property
    def type(self) -> TensorType:
        return self.array.type


@dataclass(frozen=True)
class Kernel:
    """The source of a kernel's code: a graph of nodes that work on elements of one shape. `strides` are those
    of arguments, where they are not C-contiguous."""

    graph: Graph
    strides: Mapping[Node, tuple[int, ...]] = dataclasses.field(default_factory=dict)

    @cached_property
    def steps(self) -> tuple[Node, ...]:
        """The nodes that are computed for each element."""
        tables = {g.table for n in self.graph.nodes if (g := gather(n)) is not None}
        return tuple([n for n in self.graph.nodes if not n.is_leaf and not is_view(n) and n not in tables])

    @cached_property
    def reductions(self) -> dict[Node, Reduction]:
        """The steps that reduce the values of others, or of arguments. Each is a result, and none is read by a step."""
        plain = {n: r for n in self.steps if (r := reduction(n)) is not None}
        return plain | {n: m.how for n, m in self._masked_reductions.items()}

    @cached_property
    def _masked_reductions(self) -> dict[Node, MaskedReduction]:
        return {n: m for n in self.steps if (m := masked_reduction(n)) is not None}

    @cached_property
    def scans(self) -> dict[Node, Scan]:
        """The steps that are running totals. All are results, and go along one axis."""
        return {n: s for n in self.steps if (s := scan(n)) is not None}

    @cached_property
    def masked(self) -> dict[Node, Masked]:
        """The steps that write where a mask is true."""
        return {n: m for n in self.steps if (m := masked_write(n)) is not None}

    @cached_property
    def picked(self) -> dict[Node, Node]:
        """The steps that compute with picked elements, each with its mask. Their values are those of all elements, of
        which others than these count for nothing."""
        written = {n: m.mask for m in self.masked.values() for n in m.picked}
        return written | {n: m.mask for m in self._masked_reductions.values() for n in m.picked}

    @cached_property
    def whole(self) -> tuple[Node, ...]:
        """The steps that compute with all elements."""
        return tuple([n for n in self.steps if n not in self.picked])

    @cached_property
    def scan_axis(self) -> int | None:
        return next((s.axis for s in self.scans.values()), None)

    @cached_property
    def has_product(self) -> bool:
        """True if floats are multiplied in another order than NumPy's: where one of their products has lost digits, as
        it is smaller than all normal numbers, NumPy must do it."""
        return any(r.rule == "multiply" and n.type.dtype.kind == "f" for n, r in self.reductions.items())

    @cached_property
    def reduced(self) -> tuple[int, ...]:
        """The axes that are reduced."""
        return next((r.axes for r in self.reductions.values()), ())

    @property
    def adds_up(self) -> bool:
        """True if results depend on the order in which elements are combined."""
        return bool(self.reductions)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The axes in the order of the loops over them: as they lie in memory, where those that are reduced come last.
        Axes of length 1 are left out."""
        axes = self._in_memory
        kept = [a for a in axes if a not in self.reduced]
        reduced = list(self.reduced) if self._has_positions else [a for a in axes if a in self.reduced]
        long = [[a for a in group if self.shape[a] != 1 or a == self.scan_axis] for group in (kept, reduced)]
        return (*(long[0] or ([] if self.reduced else kept[-1:])), *(long[1] or reduced[-1:]))

    @cached_property
    def _orders(self) -> dict[Node, Order]:
        """How all values lie in memory, where this is known and they are not all C-contiguous."""
        if not self.is_static or not (any(is_view(n) for n in self.operands) or self.moving or self.strides):
            return {}
        return orders(self.whole, self.reductions, {n: ghost(n, self._given(n)) for n in self.operands})

    def _given(self, node: Node) -> tuple[int, ...] | None:
        """The strides of the argument that a value is a view of."""
        return self.strides.get(chain(node)[0])

    @cached_property
    def layouts(self) -> dict[Node, Order]:
        """How results lie in memory that are not C-contiguous."""
        return {n: o for n in self.results if (o := self._orders.get(n)) and o != tuple(range(n.type.ndim))}

    @cached_property
    def _in_memory(self) -> Order:
        """The axes of the shape as they lie in memory, the innermost last: of operands of reductions, or of results."""
        first = self.results[0]
        return self._orders.get(first.inputs[0] if first in self.reductions else first, tuple(range(len(self.shape))))

    @cached_property
    def is_by_columns(self) -> bool:
        """True if neighbours in memory belong to different results of a reduction, more than a few."""
        long = [a for a in self._in_memory if self.shape[a] != 1]
        if not self.reduced or not long or long[-1] in self.reduced:
            return False
        columns, rows = [[a for a in self._in_memory if (a in self.reduced) == is_row] for is_row in (False, True)]
        if not self.is_static or self._has_positions or not all(n in self.reductions for n in self.results):
            return True
        across, along = [
            math.prod([n for a in axes if isinstance(n := self.shape[a], int)]) for axes in (columns, rows)
        ]
        row = across * max((n.type.dtype.itemsize for n in self.operands), default=1)
        return row >= FEW_BYTES or along < MANY_ROUNDS or row * along > NEARBY_BYTES

    @cached_property
    def _has_positions(self) -> bool:
        return any(FOLDS[r.rule].gives_position for r in self.reductions.values())

    @cached_property
    def most(self) -> int:
        """Of more elements than this nothing is computed: NumPy does it better."""
        found = [self.reductions.get(n) for n in self.steps]
        if self._has_positions:
            return MOST_OF_POSITIONS
        is_scan = len(self.reduced) == len(self.shape) and all(
            r is not None and r.rule in ("maximum", "minimum") for r in found
        )
        return MOST_OF_SCAN if is_scan else sys.maxsize

    @cached_property
    def has_functions(self) -> bool:
        """True if there are mathematical functions among the steps."""
        return any((found := lowering(n)) is not None and found.rule in FUNCTIONS for n in self.steps)

    @cached_property
    def worth_sharing(self) -> int:
        """So many elements are worth more than one thread."""
        if self.scans:
            return sys.maxsize
        rules = [found.rule if (found := lowering(n)) is not None else "" for n in self.steps]
        written = sum(n not in self.reductions for n in self.results)
        work = (
            sum(LIGHT if rule in FUNCTIONS else 1 for rule in rules) + written * LIGHT // 2 + len(self.searches) * LIGHT
        )
        return PARALLEL * LIGHT // min(work, LIGHT)

    @cached_property
    def shape(self) -> Shape:
        """The shape that all steps work on. Open lengths that NumPy would broadcast are taken to be the same: calls in
        which they are not are none for the kernel."""
        reduced = self._masked_reductions
        axes = zip(*[reduced[n].shape if n in reduced else work_shape(n) for n in self.whole], strict=True)
        return tuple([next((n for n in lengths if isinstance(n, int)), lengths[-1]) for lengths in axes])

    @cached_property
    def arrays(self) -> tuple[Node, ...]:
        """The arguments that are arrays with axes."""
        return tuple([n for n in self.graph.inputs if n.type.ndim])

    @cached_property
    def operands(self) -> tuple[Node, ...]:
        """The arrays that are read element by element: arguments, and views of them."""
        read = dict.fromkeys(s for n in self.steps for s in self._elements_read(n) if s.type.ndim)
        for mask in self._row_masks:
            read.pop(mask, None)
        return tuple([n for n in read if is_view(n) or n in self.graph.inputs])

    @cached_property
    def gathers(self) -> dict[Node, Gather]:
        """The steps that read elements which indices point to."""
        return {n: g for n in self.steps if (g := composed(n)) is not None}

    @cached_property
    def searches(self) -> dict[Node, Search]:
        """The steps that look for numbers in a table."""
        return {n: s for n in self.steps if (s := search(n)) is not None}

    def _elements_read(self, node: Node) -> tuple[Node, ...]:
        found = self.gathers.get(node)
        return elements_read(node) if found is None else indices_read(found, node.type.ndim)

    @cached_property
    def _row_masks(self) -> tuple[Node, ...]:
        """The masks that pick rows."""
        masks = dict.fromkeys(self.picked.values())
        return tuple([m for m in masks if m.type.ndim < len(self.shape)])

    def moving_mask(self, mask: Node) -> Moving:
        return self.moving_index(Index(mask, 0))

    @cached_property
    def moving(self) -> tuple[Moving, ...]:
        """The moving positions that the gathers of a static kernel need besides operands."""
        found: list[Moving | None] = [self.moving_mask(mask) for mask in self._row_masks]
        for node, gathered in self.gathers.items():
            if self.moving_table(node) is not None:
                found.append(self.moving_table(node))
            for item in gathered.items:
                if isinstance(item, Index) and not item.is_last(node.type.ndim):
                    found.append(self.moving_index(item))
        return tuple(dict.fromkeys(m for m in found if m is not None))

    def moving_table(self, node: Node) -> Moving | None:
        """The table of a gather that reads all of some axes."""
        found = self.gathers[node]
        strides, own = [0] * len(self.shape), self._dense_strides(found.lengths, found.table)
        for item, stride in zip(found.items, own, strict=True):
            if isinstance(item, WholeAxis):
                strides[item.axis] = stride
        return Moving(found.table, tuple(strides)) if any(isinstance(i, WholeAxis) for i in found.items) else None

    def moving_index(self, index: Index) -> Moving:
        """An index that is read along other axes than the last."""
        lengths = [n for n in index.node.type.shape if isinstance(n, int)]
        strides = [0] * len(self.shape)
        for axis, stride in enumerate(self._dense_strides(lengths, index.node)):
            strides[index.first + axis] = stride if lengths[axis] != 1 else 0
        return Moving(index.node, tuple(strides))

    def _dense_strides(self, lengths: Sequence[int], node: Node) -> tuple[int, ...]:
        return strides_of(lengths, tuple(range(len(lengths))), node.type.dtype.itemsize)

    @cached_property
    def tables(self) -> tuple[Node, ...]:
        """The arguments that are read by indices."""
        searched = [t for s in self.searches.values() for t in s.tables]
        return tuple(dict.fromkeys([*[g.table for g in self.gathers.values()], *searched]))

    @cached_property
    def scalars(self) -> tuple[Node, ...]:
        """The arguments that are one number."""
        return tuple([n for n in self.graph.inputs if not n.type.ndim])

    @cached_property
    def results(self) -> tuple[Node, ...]:
        """The outputs, each once."""
        return tuple(dict.fromkeys(self.graph.outputs))

    @cached_property
    def is_static(self) -> bool:
        """True if all lengths are known, so that it is known where each element lies."""
        return all(n.type.is_static for n in (*self.arrays, *self.whole)) and all(self.shape)

    @property
    def is_for_strides(self) -> bool:
        """True if a kernel can be made for arguments that are not C-contiguous."""
        return self.is_static and not self.tables and not self.moving

    @cached_property
    def places(self) -> dict[Node, tuple[int, tuple[int, ...]]]:
        """For each operand and result of a static kernel its offset in its array and its strides along the axes of the
        shape, in bytes."""
        found = {}
        for node in (*self.operands, *self.results):
            if node in self.reductions:
                found[node] = (0, self._reduced_strides(node))
                continue
            where = place(node, self._given(node))
            assert where is not None
            if node in self.layouts:
                strides = strides_of(node.type.shape, self.layouts[node], node.type.dtype.itemsize)
                where = dataclasses.replace(where, strides=strides)
            strides = (0,) * (len(self.shape) - node.type.ndim) + where.strides
            own = (1,) * (len(self.shape) - node.type.ndim) + tuple(node.type.shape)
            found[node] = (where.offset, tuple([0 if n == 1 else s for s, n in zip(strides, own, strict=True)]))
        return found

    def _reduced_strides(self, node: Node) -> tuple[int, ...]:
        shape, own = node.type.shape, iter(range(node.type.ndim))
        order = self.layouts.get(node, tuple(own))
        strides = iter(strides_of(shape, order, node.type.dtype.itemsize))
        keeps = node.type.ndim == len(self.shape)
        found = [next(strides) if keeps or a not in self.reduced else 0 for a in range(len(self.shape))]
        return tuple([0 if a in self.reduced or self.shape[a] == 1 else s for a, s in enumerate(found)])

    @cached_property
    def axes(self) -> tuple[tuple[int, ...], ...]:
        """The axes of the shape in groups that one loop runs over, in their order, where arguments are C-contiguous."""
        groups: list[tuple[int, ...]] = []
        for axis in self.order:
            if groups and self._is_one_loop(groups[-1][-1], axis):
                groups[-1] = (*groups[-1], axis)
            else:
                groups.append((axis,))
        return tuple(self._with_long_loop_inside(groups))

    def _with_long_loop_inside(self, groups: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """The groups in an order in which the innermost loop has many rounds, where elements are only reduced: to write
        them far apart takes longer."""
        is_only_reduced = self.is_static and all(n in self.reductions for n in self.results)
        if not is_only_reduced or self._has_positions or self.is_by_columns or len(groups) < 2:
            return groups
        movable = [g for g in groups if g[0] in self.reduced]
        sizes = {g: math.prod([n for a in g if isinstance(n := self.shape[a], int)]) for g in movable}
        longest = max(movable, key=sizes.__getitem__)
        if sizes[groups[-1]] > FEW_ROUNDS or sizes[longest] < MANY_ROUNDS:
            return groups
        return [*[g for g in groups if g != longest], longest]

    @cached_property
    def is_flat(self) -> bool:
        """True if one loop runs over all elements of all arrays, whatever the order in which their axes lie in memory,
        if it is one for all."""
        tables = self.gathers or self.searches
        is_plain = not (self.reductions or self.scans or tables or self.masked or self.picked or self.layouts)
        if not is_plain or self.strides or any(map(is_rounded_by_steps, self.steps)):
            return False
        if len(self.shape) < 2 or len(self.axes) != 1:
            return False
        axes = range(len(self.shape))
        return all(n in self.graph.inputs and all(self.is_full(n.type, a) for a in axes) for n in self.operands)

    def _is_one_loop(self, axis: int, following: int) -> bool:
        """True if two neighbouring axes are one in all arrays."""
        if (axis in self.reduced) != (following in self.reduced) or self.scan_axis in (axis, following):
            return False
        if self.is_static:
            length = self.shape[following]
            strides = [*[s for _, s in self.places.values()], *[m.strides for m in self.moving]]
            return all(s[axis] == s[following] * length for s in strides)
        between = self.shape[axis + 1 : following]
        return all(n == 1 for n in between) and all(
            self.is_full(n.type, axis) == self.is_full(n.type, following) for n in self.operands
        )

    def is_full(self, value_type: TensorType, axis: int) -> bool:
        """True if a value has as many elements along an axis of the shape as the shape has: it is not stretched."""
        own = axis - (len(self.shape) - value_type.ndim)
        return own >= 0 and (value_type.shape[own] != 1 or self.shape[axis] == 1)

    def spans(self, node: Node, axis: int) -> bool:
        """True if a value differs from element to element along an axis of the shape."""
        return axis not in self.reduced if node in self.reductions else self.is_full(node.type, axis)

    def lengths_of(self, node: Node, lengths: list[Any], one: Any) -> list[Any]:
        """The lengths of a result, given those of the shape."""
        if node not in self.reductions:
            return lengths
        keeps = node.type.ndim == len(self.shape)
        return [one if a in self.reduced else n for a, n in enumerate(lengths) if keeps or a not in self.reduced]

    def length(self, axis: int) -> tuple[Node, int] | int:
        """The length of an axis, or where it is read: an argument, and the axis of that. Raises LookupError where no
        argument has it."""
        if isinstance(length := self.shape[axis], int):
            return length
        for node in self.operands:
            if self.is_full(node.type, axis):
                return node, axis - (len(self.shape) - node.type.ndim)
        raise LookupError(f"no argument has the length {length}")
