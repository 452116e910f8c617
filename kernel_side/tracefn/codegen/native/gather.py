"""Which elements that integer arrays point to are read by native code: `x[i]`, `x[i, j]`, an index for each axis."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from ...ir.graph import Node
from ...ir.template import Ref
from ...ir.types import Kind
from .emitter import elementwise


@dataclasses.dataclass(frozen=True, slots=True)
class Gather:
    """How one node reads elements of an array of known lengths, the table. For each axis of that there is an index, an
    input or a number; `lengths` are those of the axes."""

    table: Node
    indices: tuple[Any, ...]
    lengths: tuple[int, ...]


def gather(node: Node) -> Gather | None:
    """How a node reads elements that indices point to. None where it does something else."""
    if node.op.name not in ("getitem_advanced", "take") or node.container is not None or len(node.args) != 2:
        return None
    if node.args[0] != Ref(0) or node.type.kind is not Kind.ARRAY or not node.type.ndim:
        return None
    table, index = node.inputs[0], node.args[1]
    indices = index if isinstance(index, tuple) else (index,)
    if table.container is not None or table.type.kind is not Kind.ARRAY or not elementwise(table.type.dtype):
        return None
    lengths = table.type.shape
    if node.op.name == "take":
        options = dict(node.kwargs)
        if not {"axis"}.issuperset(options) or (len(lengths) > 1 and options.get("axis") is not None):
            return None
        lengths = (math.prod(lengths),) if table.type.is_static else lengths
    if node.op.name != "take" and node.kwargs:
        return None
    known = tuple([n for n in lengths if isinstance(n, int) and n])
    if not lengths or len(known) < len(lengths) or len(indices) != len(lengths):
        return None
    return Gather(table, indices, known) if all(_is_index(node, i) for i in indices) else None


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


def tables(nodes: Any) -> set[Node]:
    """The arrays that nodes read by indices."""
    return {found.table for n in nodes if (found := gather(n)) is not None}


def elements_read(node: Node) -> tuple[Node, ...]:
    """The inputs of a node that it reads element by element."""
    found = gather(node)
    if found is None:
        return node.inputs
    return tuple([node.inputs[i.index] for i in found.indices if isinstance(i, Ref)])
