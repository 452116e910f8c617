"""Writes where a mask is true, and arithmetic on the elements that it picks: `z[m] = z[m] ** 2 + c[m]`.

Native code works on all elements: those that are not picked are taken to be 1 on the way, which raises no
floating-point flag as a rule, and are left as they are.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ....ir.graph import Graph, Node
from ....ir.template import Ref
from ....ir.types import Kind, Shape
from ....records import dataclass
from ...ownership import Ownership
from ..scalar.emitter import BOOL, DType, castable, elementwise, literal
from .lowering import is_exact, is_operand, lowering
from .reduction import Reduction, is_plain, reduction


@dataclass(frozen=True, slots=True)
class Masked:
    """How one node writes into `base` where `mask` is true: a number, or an input. `picked` are the nodes, in order,
    that compute it of elements that the mask picks."""

    base: Node
    mask: Node
    value: Any
    picked: tuple[Node, ...]

    @property
    def read(self) -> tuple[Node, ...]:
        """The arrays that it reads element by element."""
        value = self.value if isinstance(self.value, Node) else None
        found = [s for n in self.picked for s in n.inputs]
        nodes = [self.base, self.mask, *found, *([value] if value is not None else [])]
        return tuple(dict.fromkeys(n for n in nodes if n not in self.picked))


def masked_write(node: Node) -> Masked | None:
    """How a node writes where a mask is true. None where it does something else."""
    if node.op.name != "setitem" or node.args[0] != Ref(0) or node.args[1] or node.kwargs:
        return None
    _, _, index, value = node.args
    base = node.inputs[0]
    mask = node.inputs[index.index] if isinstance(index, Ref) else None
    if mask is None or not is_operand(base) or not _is_mask(mask, base) or mask.type.ndim != base.type.ndim:
        return None
    if not isinstance(value, Ref):
        return Masked(base, mask, value, ()) if _is_literal(value, base.type.dtype) else None
    given = node.inputs[value.index]
    if not is_operand(given) or not castable(given.type.dtype, base.type.dtype):
        return None
    if given.type.kind is Kind.PYTHON and base.type.dtype.kind in "iu":
        return None  # NumPy raises where it does not fit
    picked: dict[Node, None] = {}
    if given.type.ndim and not _collect(given, mask, picked):
        return None
    return Masked(base, mask, given, tuple(picked))


def _is_mask(mask: Node, base: Node) -> bool:
    """True for truth values for an array's elements, or for its rows."""
    return (
        mask.container is None
        and base.type.kind is mask.type.kind is Kind.ARRAY
        and mask.type.dtype == BOOL
        and mask.type.ndim > 0
        and mask.type.shape == base.type.shape[: mask.type.ndim]
    )


def _is_literal(value: Any, dtype: DType) -> bool:
    if not isinstance(value, bool | int | float | complex | np.generic) or not elementwise(dtype):
        return False
    if isinstance(value, np.generic) and not (elementwise(value.dtype) and castable(value.dtype, dtype)):
        return False
    if dtype.kind in "iu" and not isinstance(value, bool | int | np.bool_ | np.integer):
        return False  # NumPy may warn
    try:
        literal(value, dtype)
    except (OverflowError, ValueError, TypeError):
        return False
    return True


def _collect(node: Node, mask: Node, found: dict[Node, None]) -> bool:
    """True if a node is computed of elements that a mask picks. These nodes are collected in order."""
    if node in found:
        return True
    if is_picking(node):
        known = node.inputs[1] is mask
    else:
        arrays = [n for n in node.inputs if n.type.ndim]
        known = lowering(node) is not None and bool(arrays) and all(_collect(n, mask, found) for n in arrays)
    if known:
        found[node] = None
    return known


def is_picking(node: Node) -> bool:
    """True for the elements of an array where a mask is true, or for its rows."""
    return (
        node.op.name == "getitem_mask"
        and node.args == (Ref(0), Ref(1))
        and is_operand(node.inputs[0])
        and _is_mask(node.inputs[1], node.inputs[0])
    )


@dataclass(frozen=True, slots=True)
class MaskedReduction:
    """How one node combines elements of arrays of a `shape` where `mask` is true, or the results of the
    `picked` nodes for these."""

    shape: Shape
    mask: Node
    picked: tuple[Node, ...]
    how: Reduction


def masked_reduction(node: Node) -> MaskedReduction | None:
    """How a node combines elements where a mask is true. None where it does something else."""
    found, combines, options = reduction(node), node.op.combines, dict(node.kwargs)
    if found is None or combines is None or not is_plain(combines) or combines.ufunc is np.multiply:
        return None
    if not {"axis"}.issuperset(options):
        return None
    mask = _mask_of(node.inputs[0])
    picked: dict[Node, None] = {}
    if options.get("axis") not in (None, 0) or mask is None or not _collect(node.inputs[0], mask, picked):
        return None
    shapes = {n.inputs[0].type.shape for n in picked if is_picking(n)}
    (shape, *others), dtype = shapes, node.type.dtype
    if others or dtype.kind not in "iufb" or dtype.char == "e" or not all(isinstance(n, int) and n for n in shape):
        return None
    if dtype.kind == "b" and node.op.name not in ("any", "all"):
        return None  # the extremum of no elements is an error, which the result would not show
    axes = range(len(shape) if "axis" not in options else mask.type.ndim)
    how = dataclasses.replace(found, axes=tuple(axes), mask=mask)
    return MaskedReduction(shape, mask, tuple(picked), how)


def _mask_of(node: Node) -> Node | None:
    """The mask that picks the elements that something is computed of."""
    while not is_picking(node):
        arrays = [n for n in node.inputs if n.type.ndim] if node.container is None and not node.is_leaf else []
        if not arrays or lowering(node) is None:
            return None
        node = arrays[0]
    return node.inputs[1]


def masked_reductions(graph: Graph) -> dict[Node, MaskedReduction]:
    """The reductions of picked elements of a graph that native code can do: these are needed for nothing else, nor is
    their number."""
    found = {n: m for n in graph.nodes if (m := masked_reduction(n)) is not None}
    if not found:
        return found
    users, counted = graph.users(), _counted(graph)

    def is_fit(node: Node, masked: MaskedReduction) -> bool:
        inside = {node, *masked.picked}
        if not counted.isdisjoint(masked.picked):
            return False
        same = all(n.errors == node.errors and n not in graph.outputs for n in masked.picked)
        return same and all(inside.issuperset(users[n]) for n in masked.picked)

    return {n: m for n, m in found.items() if is_fit(n, m)}


def _counted(graph: Graph) -> set[Node]:
    """The nodes whose lengths a program reads to compute with them."""
    return {graph.symbols[s][0] for s in graph.used_symbols if s in graph.symbols}


def masked_writes(graph: Graph, precise: bool) -> dict[Node, Masked]:
    """The writes of a graph that native code can do. The picked elements and their inputs have no other use. The
    written array was made in the graph, so a new array may take its place."""
    found = {n: m for n in graph.nodes if (m := masked_write(n)) is not None}
    if not found:
        return found
    owners, users, counted = Ownership(graph), graph.users(), _counted(graph)

    def is_fit(node: Node, masked: Masked) -> bool:
        inside = {node, *masked.picked}
        if not owners.is_fresh(masked.base) or any(n.errors != node.errors for n in masked.picked):
            return False
        if precise and not all(is_picking(n) or is_exact(n) for n in masked.picked):
            return False
        if not counted.isdisjoint(masked.picked):
            return False
        return not any(n in graph.outputs or not inside.issuperset(users[n]) for n in masked.picked)

    return {n: m for n, m in found.items() if is_fit(n, m)}
