"""The reverse walk: from the cotangents of results to those of their operands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any

import numpy as np

from ..ir.graph import Node
from ..ir.op import ITEM, by_name
from ..ir.types import Kind
from ..trace.active import current
from ..trace.context import Trace
from ..trace.operators import combined
from ..trace.tensor import Tensor
from .fitting import own
from .left_out import infinite_slopes, leaves_out
from .libraries import above
from .lists import zeros_of
from .placing import Placing
from .rules import Call, Sparse, contributions, has_derivative, holds_operands, objects_outside


def reverse(
    trace: Trace,
    nodes: Sequence[Node],
    targets: Iterable[tuple[Node, Any]],
    sources: Sequence[Node],
    active: Set[Node] | None = None,
) -> list[Any]:
    """The cotangents of `sources`, given those of `targets`; None for a source that no target depends on.

    `nodes` are those that the trace recorded between the two, in order. The steps here are recorded in the trace,
    each at the line of the node that it belongs to (`placing`). `active` are those through which derivatives flow,
    if not all.

    Raises `MissingDerivativeError` for a node without a known derivative.
    """
    if any(node.bodies for node in nodes):
        above.import_control_flow()
    active = active_nodes(nodes, sources) if active is None else active
    items = _items(nodes)
    found: dict[Node, Any] = {}
    for node, cotangent in targets:
        _add(found, node, cotangent, trace)
    wanted = frozenset(sources)
    may_be_infinite = infinite_slopes(nodes)
    placing = Placing(trace)
    masked: set[Node] = set()  # whose cotangents are 0 where a selection has left their elements out
    for node in reversed(nodes):
        if node not in active or (active.isdisjoint(node.inputs) and not objects_outside(node)):
            continue
        if (g := _of(found, node, items, wanted)) is None:
            continue
        with placing.at(node):
            is_masked = node in masked
            is_unsafe = is_masked and may_be_infinite(node)
            call = Call(trace, node, items.get(node, {}), is_unsafe, lambda n: found.pop(n, None))
            for operand, part in contributions(call, g, active):
                _add(found, operand, part, trace)
                if is_masked or leaves_out(node):
                    masked.add(operand)
    return [found.get(source) for source in sources]


def _of(found: dict[Node, Any], node: Node, items: dict[Node, dict[int, Node]], wanted: frozenset[Node]) -> Any:
    """The cotangent of a node; a list where it has several outputs. None for one that has none."""
    if node.op is ITEM:
        return None
    if node.container is None:
        return found.get(node) if node in wanted else found.pop(node, None)
    outputs = items.get(node, {})
    parts = [found.get(outputs[i]) if i in outputs else None for i in range(len(node.types))]
    return None if all(part is None for part in parts) else parts


def active_nodes(nodes: Iterable[Node], sources: Iterable[Node]) -> set[Node]:
    """The nodes through which derivatives flow: they depend on a source, and are differentiable.

    An object of another library may keep all that it is called with.
    """
    active = set(sources)
    keeping: dict[int, Any] = {}  # objects from outside, by their ids
    for node in nodes:
        outside = {id(found): found for found in objects_outside(node)}
        if active.isdisjoint(node.inputs) and keeping.keys().isdisjoint(outside):
            continue
        if has_derivative(node):
            active.add(node)
        active.update(filter(holds_operands, node.inputs))
        keeping |= outside
    return active


def _items(nodes: Iterable[Node]) -> dict[Node, dict[int, Node]]:
    """The outputs of nodes that have several, by their numbers."""
    found: dict[Node, dict[int, Node]] = {}
    for node in nodes:
        if node.op is ITEM:
            found.setdefault(node.inputs[0], {})[node.args[1]] = node
    return found


def _add(found: dict[Node, Any], node: Node, part: Any, home: Trace) -> None:
    """Adds to the cotangent of a node, that of elements alone in place."""
    known = found.get(node)
    if isinstance(part, Sparse):
        found[node] = _with_part(known, Tensor(node, home, owned=False), part)
    elif part is not None:
        found[node] = part if known is None else combined(np.add, known, part)


def _with_part(known: Any, like: Tensor, sparse: Sparse) -> Any:
    trace = current()
    assert trace is not None
    index, part = sparse.index, sparse.part
    if known is None:
        known = zeros_of(like) if like._node.type.kind is Kind.LIST else np.zeros_like(like)
    else:
        known, part = own(trace, known), np.add(known[index], part)
        if known._node.type.kind is Kind.SCALAR:  # into which nothing can be written
            known = np.copy(known)
    return trace.record(by_name("setitem"), (known, (), index, part), {})


above.walk_back = reverse
