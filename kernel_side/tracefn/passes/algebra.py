"""Algebraic identities that are exact: same bits, dtype, shape and kind, also for NaN, Inf and -0.0."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ..ir.graph import Graph, Node
from ..ir.template import Ref
from ..ir.types import Kind
from .outputs import held_by_lists, memory_root
from .rewrite import rewrite

Identity = Callable[[Node], Node | None]


def simplify(graph: Graph) -> Graph:
    """Applies every identity once to every node, inputs first, but for arrays whose memory matters: an argument that
    took their place might be written into."""
    if not any(op.name in _IDENTITIES for op in graph.ops):
        return graph
    return rewrite(graph, _simplify, held_by_lists(graph) | _with_memory(graph))


def _with_memory(graph: Graph) -> set[Node]:
    """The nodes whose memory outlives the calls that use them: of outputs and of operands that are written into, or
    given to branches, loops and effects."""
    found = list(graph.outputs)
    for node in graph.nodes if not graph.styles.isdisjoint(("write", "control", "effect")) else ():
        if node.op.style == "write":
            found.append(node.inputs[node.args[0].index])
        elif (node.op.style == "control" and node.bodies) or (node.op.style == "effect" and node.op.name != "update"):
            found += node.inputs
    found = [node for node in found if node.container is not None or not _is_number(node)]
    return {*found, *map(memory_root, found)}  # a view of an argument is another object than that is


def _is_number(node: Node) -> bool:
    return node.type.kind in (Kind.SCALAR, Kind.PYTHON) and not node.type.has_memory


def _simplify(node: Node) -> Node | None:
    identity = _IDENTITIES.get(node.op.name)
    if identity is None or node.container is not None:
        return None
    found = identity(node)
    return found if found is not None and found.types == node.types else None


def _operand(node: Node, position: int) -> Any:
    """An operand: a Node, or the Python number that stands in its place."""
    item = node.args[position]
    return node.inputs[item.index] if isinstance(item, Ref) else item


def _is(value: Any, number: int) -> bool:
    """True for the Python number, not for a Node. -0.0 is not 0."""
    return type(value) in (int, float) and value == number and not (type(value) is float and str(value) == "-0.0")


def _neutral(right: int, left: int | None = None, kinds: str = "biufc") -> Identity:
    """`x op right` is x, and `left op x` too where `left` is given, for dtypes of these kinds."""

    def identity(node: Node) -> Node | None:
        if type(node.args[0]) is type(node.args[1]) is Ref or node.kwargs or node.dtype.kind not in kinds:
            return None  # most operands are no numbers
        x, y = _operand(node, 0), _operand(node, 1)
        if isinstance(x, Node) and _is(y, right):
            return x
        if left is not None and isinstance(y, Node) and _is(x, left):
            return y
        return None

    return identity


def _involution(node: Node) -> Node | None:
    """f(f(x)) is x."""
    inner = _operand(node, 0)
    if not isinstance(inner, Node) or node.kwargs or inner.op is not node.op or inner.kwargs:
        return None
    found = _operand(inner, 0)
    return found if isinstance(found, Node) else None


def _idempotent(node: Node) -> Node | None:
    """f(f(x)) is f(x)."""
    inner = _operand(node, 0)
    return inner if not node.kwargs and inner.op is node.op and not inner.kwargs else None


def _same_operands(node: Node) -> Node | None:
    """f(x, x) is x."""
    x, y = node.args[0], node.args[1]
    return node.inputs[x.index] if not node.kwargs and isinstance(x, Ref) and x == y else None


def _where_same(node: Node) -> Node | None:
    """where(c, x, x) is x."""
    if len(node.args) < 3:
        return None
    x, y = node.args[1], node.args[2]
    return node.inputs[x.index] if isinstance(x, Ref) and x == y else None


def _same_type(node: Node) -> Node | None:
    """A cast to the dtype that it has, or a reshape or broadcast to the shape that it has, is the value itself."""
    x = _operand(node, 0)
    return x if isinstance(x, Node) and not set(dict(node.kwargs)) & {"order", "copy"} else None


def _copy(node: Node) -> Node | None:
    """A copy of a read-only value is the value itself; only the layout of order 'K' is surely kept."""
    x = _operand(node, 0)
    return x if not node.kwargs and isinstance(x, Node) else None


def _real(node: Node) -> Node | None:
    x = _operand(node, 0)
    return x if isinstance(x, Node) and x.dtype is not None and x.dtype.kind in "biuf" and not node.kwargs else None


def _transpose(node: Node) -> Node | None:
    """Two transposes are one, or none."""
    inner = _operand(node, 0)
    if not isinstance(inner, Node) or inner.op is not node.op:
        return None
    first, second = (_axes(n) for n in (inner, node))
    if first is None or second is None:
        return None
    axes = tuple(first[a] for a in second)
    source = _operand(inner, 0)
    if not isinstance(source, Node):
        return None
    if axes == tuple(range(len(axes))):
        return source
    return dataclasses.replace(node, inputs=(source,), args=(Ref(0),), kwargs=(("axes", axes),))


def _axes(node: Node) -> tuple[int, ...] | None:
    ndim = node.type.ndim
    axes = dict(node.kwargs).get("axes", tuple(reversed(range(ndim))))
    items = getattr(axes, "items", axes)
    return tuple(a % ndim for a in items) if isinstance(items, tuple) else None


def _reshape(node: Node) -> Node | None:
    """Only the last of two reshapes in C order counts, but for a number: without axes it stays one, and no array."""
    inner = _operand(node, 0)
    if not isinstance(inner, Node) or node.kwargs or inner.op is not node.op or inner.kwargs:
        return _same_type(node)
    source = _operand(inner, 0)
    if not isinstance(source, Node) or source.type.kind is not inner.type.kind:
        return None
    if source.types == node.types:
        return source
    return dataclasses.replace(node, inputs=(source,)) if len(node.inputs) == 1 else None


# A complex number times (1+0j) is another one where a part is -0.0, Inf or NaN: no identities of products for kind "c".
_IDENTITIES: dict[str, Identity] = {
    "multiply": _neutral(1, 1, kinds="biuf"),
    "operator.mul": _neutral(1, 1, kinds="biuf"),
    "divide": _neutral(1, kinds="biuf"),
    "operator.truediv": _neutral(1, kinds="biuf"),
    "subtract": _neutral(0),
    "operator.sub": _neutral(0),
    "add": _neutral(0, 0, kinds="biu"),
    "operator.add": _neutral(0, 0, kinds="biu"),
    "power": _neutral(1, kinds="biuf"),
    "operator.pow": _neutral(1, kinds="biuf"),
    "bitwise_or": _neutral(0, 0, kinds="biu"),
    "bitwise_xor": _neutral(0, 0, kinds="biu"),
    "left_shift": _neutral(0),
    "right_shift": _neutral(0),
    "negative": _involution,
    "invert": _involution,
    "logical_not": _involution,
    "absolute": _idempotent,
    "floor": _idempotent,
    "ceil": _idempotent,
    "rint": _idempotent,
    "trunc": _idempotent,
    "maximum": _same_operands,
    "minimum": _same_operands,
    "bitwise_and": _same_operands,
    "where": _where_same,
    "positive": _same_type,
    "as_scalar": _same_type,
    "astype": _same_type,
    "broadcast_to": _same_type,
    "reshape": _reshape,
    "transpose": _transpose,
    "conjugate": _real,
    "real": _real,
    "copy": _copy,
}
