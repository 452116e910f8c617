"""`vectorized_map`: a function of each row, done to all rows at once where the bits are surely the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir import template
from ...ir.graph import Node
from ...ir.op import CONSTANT, DIM, ITEM, Op, by_name
from ...ir.template import Ref, SliceOf
from ...ir.types import Kind, TensorType
from ..active import current
from ..body import BodyTrace
from ..context import Trace
from ..tensor import Tensor
from ..tree import flatten, unflatten
from .joins import is_value
from .one_of import refuse_choices
from .scans import Rows, map_fn


def vectorized_map(fn: Callable[[Any], Any], elems: Any) -> Any:
    """`fn(x)` for each row x along the leading axis of `elems`, stacked: the result of `map_fn`, bit by bit.

    In a trace, a function of elementwise operations (on bool, integer, float32 and float64 values), casts, `np.where`,
    basic indexing, `np.transpose`, reductions of bool and integer values, `np.any` and `np.all` is computed on whole
    arrays, without a loop. Any other function becomes the scan that `map_fn` is: sums of floats, `@` and transcendental
    functions of float16 round differently in an array of another shape. Outside a trace it is `map_fn`.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda xs: tracefn.vectorized_map(lambda x: np.where(x > 1, np.sqrt(x), -x), xs))
    >>> f(np.array([[1.0, 4.0], [0.5, 9.0]]))
    array([[-1. ,  2. ],
           [-0.5,  3. ]])
    >>> [n.op.name for n in f.concrete_functions[0].graph if n.op.style == "control"]
    []
    """
    trace = current()
    if trace is None:
        return map_fn(fn, elems)
    rows = Rows(elems)
    body = BodyTrace(trace, "row")
    inputs = rows.enter(body)
    returned = body.run(fn, inputs)
    refuse_choices(returned, "stacked by vectorized_map")
    leaves, tree = flatten(returned, "y")
    values = [body.value_node(v) if is_value(v) else None for _, v in leaves]
    body.ended = True
    batch = _Batch(trace, body, rows)
    if body.journal.take_back() or not all(map(batch.can_batch, body.nodes)):
        return map_fn(fn, elems)
    for node in body.nodes:
        batch.add(node)
    found = [v if node is None else batch.result(node) for (_, v), node in zip(leaves, values, strict=True)]
    return unflatten(tree, found)


class _Batch:
    """The nodes of one row as values of all rows."""

    def __init__(self, trace: Trace, body: BodyTrace, rows: Rows) -> None:
        self._trace = trace
        self._length = trace.public(rows.length)
        arrays = [Tensor(trace.value_node(a), trace, owned=False) for a in rows.arrays]
        self._values: dict[Node, Any] = dict(zip(body.explicit, arrays, strict=True))
        self._batched = set(body.explicit)
        for outer, inner in body.lifted.items():
            self._values[inner] = Tensor(outer, trace, owned=False)

    def can_batch(self, node: Node) -> bool:
        """True if the node's result from batched values is certainly the same for all rows at once."""
        if node in self._values or node.op is CONSTANT:
            return True
        if not node.pure or node.container is not None or node.op is ITEM or node.op.style in ("control", "list"):
            return False
        if not any(n in self._batched for n in node.inputs):
            return True
        rule = _rule(node.op)
        self._batched.add(node)
        return rule is not None and node.type.kind is not Kind.PYTHON and rule.fits(node)

    def add(self, node: Node) -> None:
        """Records the batched node in the trace around."""
        if node in self._values:
            return
        if node.op is CONSTANT:
            self._trace.nodes.append(node)
            self._values[node] = Tensor(node, self._trace, owned=False)
            return
        if node.op is DIM:
            self._values[node] = self._trace.dimension(node.args[0])
            return
        rule = _rule(node.op)
        args, kwargs = self._arguments(node)
        if node not in self._batched or rule is None:
            self._values[node] = self._trace.record(node.op, args, kwargs)
        else:
            self._values[node] = rule.apply(self._trace, node, args, kwargs)

    def _arguments(self, node: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        rank = max([node.type.ndim, *[n.type.ndim for n in node.inputs if n in self._batched]])

        def leaf(item: Any) -> Any:
            if type(item) is not Ref:
                return self._trace.public(item)
            source = node.inputs[item.index]
            value, missing = self._values[source], rank - source.type.ndim
            if source in self._batched and missing and _rule(node.op) in (_ELEMENTWISE, _WHERE):
                return value[(slice(None), *[np.newaxis] * missing)]  # axes of length 1 after the rows' axis
            return value

        args = tuple([template.fill(a, leaf) for a in node.args])
        return args, {k: template.fill(v, leaf) for k, v in node.kwargs}

    def result(self, node: Node) -> Any:
        """A result stacked: an array of its own in C order."""
        value = self._values[node]
        if node not in self._batched:
            value = np.broadcast_to(value, (self._length, *self._trace.public(node.type.shape)))
        return self._trace.record(by_name("copy"), (value,), {"order": "C"})


class _Rule:
    """How an op works on all rows at once: whether it does so for a node, and the record of it."""

    def __init__(self, fits: Callable[[Node], bool], apply: Callable[[Trace, Node, Any, Any], Any]) -> None:
        self.fits = fits
        self.apply = apply


def _is_exact(node: Node) -> bool:
    """True for values that each loop of a ufunc computes alike, for contiguous arrays and others."""
    return not node.kwargs and all(_is_plain(t) for t in (node.type, *[n.type for n in node.inputs]))


def _is_plain(found: TensorType) -> bool:
    return found.dtype.kind in "biu" or found.dtype in (np.dtype("f4"), np.dtype("f8"))


def _is_power(node: Node) -> bool:
    """True for an array to the power of a number: on NumPy scalars, `**` is another function."""
    return _is_exact(node) and node.args[0] == Ref(0) and node.args[1] != Ref(0) and node.inputs[0].type.ndim > 0


def _same(trace: Trace, node: Node, args: Any, kwargs: Any) -> Any:
    return trace.record(node.op, args, kwargs)


def _as_ufunc(trace: Trace, node: Node, args: Any, kwargs: Any) -> Any:
    """A Python operator on NumPy scalars: on arrays it is a ufunc."""
    return trace.record(by_name(_UFUNCS.get(node.op.name, node.op.name)), args, kwargs)


def _is_basic(node: Node) -> bool:
    """True for indices that are ints, slices, None and Ellipsis, known while tracing."""
    index = node.args[1]
    items = index if isinstance(index, tuple) else (index,)
    return all(type(i) in (int, SliceOf) or i is None or i is Ellipsis for i in items) and len(node.inputs) == 1


def _indexed(trace: Trace, node: Node, args: Any, kwargs: Any) -> Any:
    index = args[1] if isinstance(args[1], tuple) else (args[1],)
    return args[0][(slice(None), *index)]


def _transposed(trace: Trace, node: Node, args: Any, kwargs: Any) -> Any:
    ndim = node.type.ndim
    axes = kwargs.get("axes") or tuple(reversed(range(ndim)))
    return np.transpose(args[0], (0, *[1 + axis % ndim for axis in axes]))


def _is_reduction(node: Node) -> bool:
    axis = dict(node.kwargs).get("axis")
    known = axis is None or type(axis) is int
    return known and not set(dict(node.kwargs)) - {"axis"} and node.inputs[0].dtype.kind in "biu"


def _reduced(trace: Trace, node: Node, args: Any, kwargs: Any) -> Any:
    ndim, axis = node.inputs[0].type.ndim, kwargs.get("axis")
    axes = tuple(range(1, ndim + 1)) if axis is None else 1 + axis % ndim
    return trace.record(node.op, args, {"axis": axes})


def _rule(op: Op) -> _Rule | None:
    return _ELEMENTWISE if op.elementwise else _RULES.get(op.name)


_UFUNCS = {
    "operator.add": "add",
    "operator.sub": "subtract",
    "operator.mul": "multiply",
    "operator.truediv": "divide",
    "operator.eq": "equal",
    "operator.ne": "not_equal",
    "operator.lt": "less",
    "operator.le": "less_equal",
    "operator.gt": "greater",
    "operator.ge": "greater_equal",
    "operator.and_": "bitwise_and",
    "operator.or_": "bitwise_or",
    "operator.xor": "bitwise_xor",
    "operator.neg": "negative",
    "operator.pos": "positive",
    "operator.invert": "invert",
}
_ELEMENTWISE = _Rule(_is_exact, _as_ufunc)
_WHERE = _Rule(lambda node: len(node.args) == 3 and not node.kwargs, _same)
_REDUCTION = _Rule(_is_reduction, _reduced)
_RULES = {
    "operator.pow": _Rule(_is_power, _same),
    **dict.fromkeys(_UFUNCS, _ELEMENTWISE),
    **dict.fromkeys(("sum", "prod", "max", "min", "any", "all"), _REDUCTION),
    "where": _WHERE,
    "astype": _Rule(lambda node: not node.kwargs, _same),
    "getitem": _Rule(_is_basic, _indexed),
    "transpose": _Rule(lambda node: True, _transposed),
}
