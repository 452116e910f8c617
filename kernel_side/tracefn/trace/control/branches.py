"""Branches: one of several functions runs, chosen by a traced value at each call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.graph import Node
from ...ir.types import Kind, TensorType
from ...ops.control import branch_at
from ..body import BodyTrace
from ..captures.resolve import same_value
from ..context import Trace, current
from ..symbolic_int import SymbolicInt
from ..tensor import Tensor
from ..tree import flatten, unflatten
from .joins import is_value, join, meet, refuse, structure
from .record import bodies_of, record


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], *operands: Any) -> Any:
    """`true_fn(*operands)` if `pred` is true, else `false_fn(*operands)`; only one of the two runs at each call.

    `pred` is a Python bool, or an array or NumPy value of one element. Where it is traced, both functions are traced
    and must return the same structure with the same dtypes and ranks; a Python number takes the other side's dtype.
    Raises `ControlFlowError` where they do not.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: cond(x.sum() > 0, lambda: x * 2, lambda: -x))
    >>> f(np.array([1.0, 2.0])), f(np.array([-1.0, -2.0])), f.tracing_count
    (array([2., 4.]), array([1., 2.]), 1)
    """
    trace = current()
    if trace is None or not isinstance(pred, Tensor):
        return true_fn(*operands) if pred else false_fn(*operands)
    check_condition(pred)
    return _choose(trace, "cond", pred, {"if_true": true_fn, "if_false": false_fn}, operands)


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """`branches[index](*operands)`; only that branch runs at each call.

    `index` is a Python int, or an integer NumPy value or array without axes; a negative one counts from the end. Where
    it is traced, all branches are traced and must return the same structure with the same dtypes and ranks; a Python
    number takes the dtype of the other branches. Raises `ControlFlowError` where they do not, and `IndexError`, in a
    trace at the call, where there is no such branch.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda n, x: switch(n, [np.sin, np.cos, lambda x: 0], x))
    >>> [f(np.int64(n), np.zeros(1)[0]) for n in (0, 1, -1)], f.tracing_count
    ([np.float64(0.0), np.float64(1.0), np.float64(0.0)], 1)
    """
    trace = current()
    if trace is None or not isinstance(index, Tensor):
        return branch_at(branches, index)(*operands)
    _check_index(index)
    if not branches:
        refuse("a switch has no branches", "nothing to choose from", "Give it at least one function.")
    return _choose(trace, "switch", index, {f"branch_{i}": b for i, b in enumerate(branches)}, operands)


def _choose(
    trace: Trace, op_name: str, selector: Tensor, functions: dict[str, Callable[..., Any]], operands: tuple[Any, ...]
) -> Any:
    """Traces every branch and records the choice between them."""
    bodies = [BodyTrace(trace, name) for name in functions]
    returned = [body.run(f, *operands) for body, f in zip(bodies, functions.values(), strict=True)]
    return choose(trace, op_name, selector, bodies, returned)


def choose(
    trace: Trace, op_name: str, selector: Tensor, bodies: list[BodyTrace], returned: list[Any], root: str = "result"
) -> Any:
    """Records the choice between traced bodies; `returned` is what each of them gives, `root` what messages call it."""
    flat = [flatten(value, root) for value in returned]
    tree = flat[0][1]
    for _, other in flat:
        if other != tree:
            refuse("the branches return different structures", f"{structure(tree)} and {structure(other)}")
    outputs: list[list[Node]] = [[] for _ in bodies]
    types: list[TensorType] = []
    leaves: list[Any] = []
    for position, (name, first) in enumerate(flat[0][0]):
        values = [found[position][1] for found, _ in flat]
        different = [v for v in values if not _is_same(first, v)]
        if not different:
            leaves.append(first)
            continue
        if not all(map(is_value, values)):
            detail = " and ".join(map(repr, values))
            refuse(f"the branches differ in `{name}`, and it is no array or number", detail)
        nodes = [body.value_node(v) for body, v in zip(bodies, meet(values), strict=True)]
        types.append(functools.reduce(functools.partial(join, name), [n.type for n in nodes]))
        for column, node in zip(outputs, nodes, strict=True):
            column.append(node)
        leaves.append(_CHOSEN)
    graphs, outer = bodies_of(list(zip(bodies, outputs, strict=True)))
    results = record(trace, op_name, [selector, *graphs, outer], types)
    return unflatten(tree, [next(results) if leaf is _CHOSEN else leaf for leaf in leaves])


_CHOSEN = object()


def _is_same(first: Any, other: Any) -> bool:
    """True if the two are fixed while tracing and certainly the same value."""
    if isinstance(first, Tensor | SymbolicInt | np.ndarray) or isinstance(other, Tensor | SymbolicInt | np.ndarray):
        return False
    return first is other or same_value(first, other)


def check_condition(pred: Tensor) -> None:
    size = pred._node.type.size
    if isinstance(size, int) and size != 1:
        refuse(f"a condition has shape {pred.shape}; its truth is ambiguous", "Use np.any or np.all, or np.where.")


def _check_index(index: Tensor) -> None:
    found = index._node.type
    kinds = "biu" if found.kind is Kind.PYTHON else "iu"
    if found.shape or found.dtype.kind not in kinds:
        fix = "Give it one integer: `n.astype(np.int64)`, `np.argmax(x)`, `n[0]`."
        refuse("the index of a switch is no single integer", repr(found), fix)
