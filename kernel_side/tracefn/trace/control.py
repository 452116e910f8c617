"""Control flow on traced values as functions: branches and loops that stay in the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import ControlFlowError, message
from ..ir.dims import Dim
from ..ir.graph import Node, item_node
from ..ir.op import by_name
from ..ir.template import Body, ListOf, Ref
from ..ir.types import Kind, TensorType, python, python_type, type_of, ufunc_dtypes, weak_operand
from .body import BodyTrace
from .captures.resolve import same_value
from .context import Trace, current
from .origin import user_source, where
from .symbolic_int import SymbolicInt
from .tensor import Tensor
from .tree import Tree, flatten, unflatten


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
    _check_condition(pred)
    sides = []
    for name, function in (("if_true", true_fn), ("if_false", false_fn)):
        body = BodyTrace(trace, name)
        sides.append((body, *flatten(body.run(function, *operands))))
    (left, left_leaves, tree), (right, right_leaves, other) = sides
    if tree != other:
        _refuse("the branches return different structures", f"{_shape_of(tree)} and {_shape_of(other)}")
    outputs: list[list[Node]] = [[], []]
    types: list[TensorType] = []
    leaves: list[Any] = []
    for (path, a), (_, b) in zip(left_leaves, right_leaves, strict=True):
        if _is_static(a) and _is_static(b) and (a is b or same_value(a, b)):
            leaves.append(a)
            continue
        name = f"result{path}"
        a, b = _meet(name, a, b), _meet(name, b, a)
        nodes = left.value_node(a), right.value_node(b)
        types.append(_join(name, nodes[0].type, nodes[1].type))
        outputs[0].append(nodes[0])
        outputs[1].append(nodes[1])
        leaves.append(None)
    outer = list(dict.fromkeys([*left.lifted, *right.lifted]))
    bodies = tuple(Body(b.name, b.graph(nodes, outer)) for b, nodes in zip((left, right), outputs, strict=True))
    results = _record(trace, "cond", [pred], bodies, [], outer, types)
    return unflatten(tree, [r if r is not None else next(results) for r in leaves])


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], init: Any) -> Any:
    """The state after `state = body_fn(*state)` for as long as `cond_fn(*state)` is true.

    `init` is a tuple or list, the state before the first round; `body_fn` returns the next state, of the same
    structure, dtypes and ranks. A Python number in `init` takes the dtype that the body gives it. Where the condition
    is traced the loop stays in the graph. Raises `ControlFlowError` where a round changes what it may not.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: while_loop(lambda x, n: x > 1, lambda x, n: (x / 2, n + 1), (x, 0)))
    >>> f(np.float64(10)), f(np.float64(3)), f.tracing_count
    ((np.float64(0.625), 4), (np.float64(0.75), 2), 1)
    """
    trace = current()
    state = init
    while True:
        test = cond_fn(*state)
        if trace is not None and isinstance(test, Tensor):
            break
        if not test:
            return state
        state = _like(init, body_fn(*state))
    _check_condition(test)
    return _loop(trace, "while_loop", [], cond_fn, body_fn, state)


def fori_loop(lower: Any, upper: Any, body_fn: Callable[..., Any], init: Any, step: int = 1) -> Any:
    """The state after `state = body_fn(i, state)` for each i in `range(lower, upper, step)`.

    `init` is the state before the first round, of any structure. In a trace the loop stays in the graph, also where the
    bounds are Python ints: the graph does not grow with the number of rounds. Raises `ControlFlowError` where a round
    changes a dtype, a rank or the structure of the state.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x, n: fori_loop(0, n, lambda i, s: s * x + i, 1.0))
    >>> f(np.float64(2), np.int64(3)), f(np.float64(2), np.int64(4))
    (np.float64(12.0), np.float64(27.0))
    """
    trace = current()
    if trace is None:
        state = init
        for index in range(lower, upper, step):
            state = body_fn(index, state)
        return state

    def body(index: Any, *state: Any) -> Any:
        return (body_fn(index, state[0]),)

    (result,) = _loop(trace, "for_loop", [lower, upper, step], None, body, (init,))
    return result


def _loop(
    trace: Trace,
    op_name: str,
    bounds: list[Any],
    cond_fn: Callable[..., Any] | None,
    body_fn: Callable[..., Any],
    init: Any,
) -> Any:
    """Records a loop. The body is traced again while its state's types still change: a weak number that becomes an
    array, a length that differs from round to round."""
    start, tree = flatten(init)
    carried = [not _is_static(v) or isinstance(v, bool | int | float | complex | np.generic) for _, v in start]
    first = [v for (_, v), c in zip(start, carried, strict=True) if c]
    paths = [f"state{p}" for (p, _), c in zip(start, carried, strict=True) if c]
    types = [_value_type(v) for v in first]
    for _ in range(4):
        body = BodyTrace(trace, "body")
        inputs = [body.input(p, t) for p, t in zip(paths, types, strict=True)]
        index = [] if cond_fn else [_index_input(body)]
        state = unflatten(tree, _merge(start, carried, inputs), like=init)
        returned = _like(init, body.run(body_fn, *index, *state))
        after, after_tree = flatten(returned)
        if after_tree != tree:
            _refuse(
                "a round of the loop changes the structure of its state", f"{_shape_of(tree)} → {_shape_of(after_tree)}"
            )
        for ((path, before), (_, value)), c in zip(zip(start, after, strict=True), carried, strict=True):
            if not c and not (before is value or same_value(before, value)):
                _refuse(
                    f"a round of the loop changes `state{path}`, which is no array or number", f"{before!r} → {value!r}"
                )
        ends = [v for (_, v), c in zip(after, carried, strict=True) if c]
        joined = [_carry(p, t, _value_type(v)) for p, t, v in zip(paths, types, ends, strict=True)]
        if joined == types:
            break
        types = joined
    else:
        _refuse("the types of the loop's state do not settle", ", ".join(map(repr, types)))
    outputs = [body.value_node(_as_type(v, t)) for v, t in zip(ends, types, strict=True)]
    initial = [trace.value_node(_as_type(v, t)) for v, t in zip(first, types, strict=True)]
    bodies = [(body, outputs)]
    if cond_fn is not None:
        test = BodyTrace(trace, "test")
        inputs = [test.input(p, t) for p, t in zip(paths, types, strict=True)]
        result = test.run(cond_fn, *unflatten(tree, _merge(start, carried, inputs), like=init))
        bodies.insert(0, (test, [test.value_node(result)]))
    if not cond_fn:
        body.explicit = [body.explicit[-1], *body.explicit[:-1]]
    outer = list(dict.fromkeys([n for b, _ in bodies for n in b.lifted]))
    made = tuple(Body(b.name, b.graph(nodes, outer)) for b, nodes in bodies)
    results = _record(trace, op_name, bounds, made, initial, outer, types)
    return unflatten(tree, _merge(start, carried, list(results)), like=init)


def _index_input(body: BodyTrace) -> Tensor:
    return body.input("i", python(int))


def _merge(start: list[tuple[str, Any]], carried: list[bool], values: Sequence[Any]) -> list[Any]:
    """The leaves of a state: those that are carried from `values`, the others as they were."""
    rest = iter(values)
    return [next(rest) if c else v for (_, v), c in zip(start, carried, strict=True)]


def _like(init: Any, returned: Any) -> Any:
    """What a body returned, as a state like `init`: tuple and list stand for each other, a value for one of it."""
    if type(init) not in (tuple, list) or type(returned) is type(init):
        return returned
    values = returned if isinstance(returned, tuple | list) else (returned,)
    return tuple(values) if type(init) is tuple else list(values)


def _record(
    trace: Trace,
    op_name: str,
    leading: list[Any],
    bodies: tuple[Body, ...],
    initial: list[Node],
    outer: list[Node],
    types: list[TensorType],
) -> Any:
    """Adds the node and its items; an iterator over the Tensors of its results."""
    inputs: list[Node] = []

    def ref(node: Node) -> Ref:
        if node not in inputs:
            inputs.append(node)
        return Ref(inputs.index(node))

    first = [
        ref(trace.node_of(v)) if isinstance(v, Tensor) else v.dim if isinstance(v, SymbolicInt) else v for v in leading
    ]
    state = [ListOf(tuple(map(ref, initial)))] if op_name != "cond" else []
    args = (*first, *bodies, *state, ListOf(tuple(map(ref, outer))))
    node = Node(by_name(op_name), tuple(inputs), args, (), tuple(types), tuple, trace.scope, user_source(3))
    trace.nodes.append(node)
    items = [item_node(node, i) for i in range(len(types))]
    trace.nodes += items
    return iter([Tensor(item, trace, owned=False) for item in items])


def _check_condition(pred: Tensor) -> None:
    size = pred._node.type.size
    if isinstance(size, int) and size != 1:
        _refuse(f"a condition has shape {pred.shape}; its truth is ambiguous", "Use np.any or np.all, or np.where.")


def _is_static(value: Any) -> bool:
    return not isinstance(value, Tensor | SymbolicInt | np.ndarray)


def _value_type(value: Any) -> TensorType:
    return (
        value._node.type
        if isinstance(value, Tensor)
        else type_of(value.dim if isinstance(value, SymbolicInt) else value)
    )


def _meet(name: str, value: Any, other: Any) -> Any:
    """A Python number as the dtype of what it must fit, where promotion allows it."""
    mine, theirs = _value_type_or_none(value), _value_type_or_none(other)
    if mine is None or theirs is None:
        return _refuse(f"the branches differ in `{name}`, and it is no array or number", f"{value!r} and {other!r}")
    if mine.kind is Kind.PYTHON and theirs.kind is not Kind.PYTHON:
        return _as_type(value, theirs)
    return value


def _value_type_or_none(value: Any) -> TensorType | None:
    if isinstance(value, Tensor | SymbolicInt | np.ndarray | np.generic | bool | int | float | complex):
        return _value_type(value)
    return None


def _as_type(value: Any, wanted: TensorType) -> Any:
    """A Python number as a NumPy scalar or Python number of the wanted type; everything else as it is."""
    if type(value) in (bool, int, float, complex):
        if wanted.kind is Kind.PYTHON:
            return python_type(wanted.dtype)(value)
        if ufunc_dtypes(np.add, (weak_operand(value), wanted.dtype))[-1] == wanted.dtype:
            return wanted.dtype.type(value)
    return value


def _join(name: str, left: TensorType, right: TensorType) -> TensorType:
    """The type of a value that is one or the other."""
    if left == right:
        return left
    if left.dtype != right.dtype or left.ndim != right.ndim:
        _refuse(f"the branches differ in `{name}`", f"{left!r} and {right!r}")
    shape = tuple(n if n == m else Dim.fresh() for n, m in zip(left.shape, right.shape, strict=True))
    return TensorType(left.dtype, shape, left.kind if left.kind is right.kind else Kind.ARRAY)


def _carry(name: str, before: TensorType, after: TensorType) -> TensorType:
    """The type of a loop variable that starts as one and is left as the other. Python numbers are weak."""
    if before == after:
        return before
    if after.kind is Kind.PYTHON:
        if before.kind is not Kind.PYTHON:
            return before
        return before if python_type(before.dtype) is _wider(before, after) else after
    if before.kind is Kind.PYTHON:
        return after
    if before.dtype != after.dtype or before.ndim != after.ndim:
        _refuse(f"a round of the loop changes `{name}`", f"{before!r} → {after!r}")
    shape = tuple(
        n if n == m or (isinstance(n, Dim) and n.depends_on_values) else Dim.fresh()
        for n, m in zip(before.shape, after.shape, strict=True)
    )
    return TensorType(before.dtype, shape, before.kind if before.kind is after.kind else Kind.ARRAY)


def _wider(a: TensorType, b: TensorType) -> type:
    order = [bool, int, float, complex]
    return max(python_type(a.dtype), python_type(b.dtype), key=order.index)


def _shape_of(tree: Tree) -> str:
    return "a single value" if tree.is_leaf else f"{tree.kind} of {len(tree.children)}"


def _refuse(what: str, detail: str) -> Any:
    raise ControlFlowError(
        message(f"{what}: {detail}", where(user_source(3)), "Give both sides the same structure, dtype and rank.")
    )
