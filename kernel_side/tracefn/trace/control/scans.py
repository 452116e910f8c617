"""Scans: a function runs along the leading axis of arrays, and its results for the rows are stacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...ir.dims import Dim, Length, definitely_different, length_value
from ...ir.types import TensorType, result
from ...ops.control import stacked
from ..active import current
from ..body import BodyTrace, FirstRow
from ..context import Trace
from ..reads import all_in_trace
from ..recording.recorder import Recorder
from ..state.compared import same_value
from ..tensor import Tensor
from ..this_call import rounds_now, staged_or_run
from ..tree import Tree, flatten, unflatten
from .carried.carry import Carry
from .joins import is_value, meet, refuse, structure, value_type
from .one_of import refuse_choices
from .record import bodies_of, record


def scan(f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any) -> tuple[Any, Any]:
    """Runs `carry, y = f(carry, x)` for each row x along the leading axis of `xs`: (the final carry, all ys stacked).

    `xs` is an array, or any structure of arrays with one leading length; `x` has the same structure. `init` is the
    carry before the first row, of any structure; each round must leave its dtypes and ranks as they were, and a Python
    number takes the dtype that `f` gives it. `y` is of any structure: arrays and numbers are stacked along a new
    leading axis, other values (None) must be the same for every row and stay the same. In a trace the loop stays
    in the graph. Where there are no rows, the ys have shape `(0, …)` with the dtype and shape that `f` gives, 0 for
    a length that values decide; outside a trace, `f` is traced once to learn them. Raises `ControlFlowError` where
    something does not fit, and `ValueError` where the ys of two rows differ in shape.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda xs: scan(lambda total, x: (total + x, total * x), 0, xs))
    >>> f(np.array([1.0, 2.0, 3.0]))
    (np.float64(6.0), array([0., 2., 9.]))
    """
    rows = Rows(all_in_trace(xs))
    trace = current()
    if trace is None:
        return _by_rows(f, init, rows)
    init = all_in_trace(init)
    return staged_or_run(trace, lambda: _traced(trace, f, init, rows), lambda: _by_rows(f, init, rows))


def map_fn(f: Callable[[Any], Any], xs: Any) -> Any:
    """`f(x)` for each row x along the leading axis of `xs`, stacked: a `scan` without carry.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda xs: map_fn(lambda x: {"sum": x.sum(), "sorted": np.sort(x)}, xs))
    >>> f(np.array([[2, 1], [4, 3]]))
    {'sum': array([3, 7]), 'sorted': array([[1, 2],
           [3, 4]])}
    """
    return scan(lambda carry, x: (carry, f(x)), (), xs)[1]


class Rows:
    """Arrays with one leading length, taken apart row by row."""

    def __init__(self, xs: Any) -> None:
        self._xs = xs
        leaves, self._tree = flatten(xs, "xs")
        self.paths = [path for path, _ in leaves]
        self.arrays = [array for _, array in leaves]
        self.length = self._common_length()

    def _common_length(self) -> Length:
        if not self.arrays:
            refuse("there is no array to scan", repr(self._xs), "Give `xs` at least one array.")
        lengths: list[Length] = []
        for path, array in zip(self.paths, self.arrays, strict=True):
            if not (value_type(array).shape if is_value(array) else getattr(array, "shape", ())):
                found = repr(value_type(array)) if is_value(array) else repr(array)
                refuse(f"`{path}` has no leading axis to scan", found, "Give arrays: `np.asarray([1, 2])` for a list.")
            lengths.append(value_type(array).shape[0])
        for path, length in zip(self.paths, lengths, strict=True):
            if not _may_be_equal(lengths[0], length):
                detail = f"{_shown(lengths[0])} in `{self.paths[0]}`, {_shown(length)} in `{path}`"
                refuse("the leading lengths of `xs` differ", detail, "Give arrays with one leading length.")
        return lengths[0]

    def __iter__(self) -> Iterator[Any]:
        for row in zip(*map(rounds_now, self.arrays), strict=True):
            yield self.filled(list(row))

    def filled(self, leaves: list[Any]) -> Any:
        return unflatten(self._tree, leaves, like=self._xs)

    def enter(self, body: BodyTrace) -> Any:
        """A row as the body finds it: new inputs of the body."""
        types = [value_type(a) for a in self.arrays]
        paths = [f"{path.replace('xs', 'x', 1)}" for path in self.paths]
        inputs = [body.input(p, result(t.dtype, t.shape[1:])) for p, t in zip(paths, types, strict=True)]
        known = [(t._node, a) for t, a in zip(inputs, self.arrays, strict=True) if isinstance(a, Tensor | np.ndarray)]
        body.first |= {node: FirstRow(array) for node, array in known}
        return self.filled(inputs)


def _may_be_equal(left: Length, right: Length) -> bool:
    """False if two lengths differ. Open lengths of the call that is traced are guarded; values decide others later."""
    trace = current()
    if left == right or definitely_different(left, right) or trace is None:
        return left == right
    return not (_is_given(left) and _is_given(right)) or bool(trace.public(left) == trace.public(right))


def _is_given(length: Length) -> bool:
    """True if the call that is traced tells the length."""
    trace = current()
    return not isinstance(length, Dim) or (trace is not None and length.symbols() <= trace.hints.keys())


def _shown(length: Length) -> Length:
    trace = current()
    return length_value(length, trace.hints) if trace is not None and _is_given(length) else length


def _pair(returned: Any) -> tuple[Any, Any]:
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        refuse("the function of a scan must return (carry, y)", repr(returned), "Return two things: `return carry, y`.")
    return returned[0], returned[1]


def _by_rows(f: Callable[..., Any], init: Any, rows: Rows) -> tuple[Any, Any]:
    """Runs the scan row by row."""
    if not rows.length:
        return _without_rows(f, init, rows)
    carry, found = init, []
    for row in rows:
        carry, y = _pair(f(carry, row))
        found.append(flatten(y, "y"))
    return carry, _stack(found)


def _traced(trace: Trace, f: Callable[..., Any], init: Any, rows: Rows) -> tuple[Any, Any]:
    """Records the scan."""
    carry = Carry({"carry": init})
    ys: list[tuple[str, Any]] = []
    tree = Tree("leaf")

    def run(body: BodyTrace) -> Any:
        nonlocal ys, tree
        after, y = _pair(body.run(f, carry.enter(body)["carry"], rows.enter(body)))
        refuse_choices(y, "stacked by a scan")
        ys, tree = flatten(y, "y")
        return {"carry": after}

    body = carry.trace_body(trace, run)
    outputs = carry.outputs(body) + [body.value_node(y) for _, y in ys if is_value(y)]
    initial = carry.initial(trace)
    arrays = [trace.value_node(a) for a in rows.arrays]
    bodies, outer = bodies_of([(body, outputs)])
    found = [n.type for n in outputs[len(initial) :]]
    known = {s for n in (*initial, *arrays, *outer) for d in n.type.shape if isinstance(d, Dim) for s in d.symbols()}
    # in its first round a number that becomes an array is not yet of the shape that its type says
    steady = all(n.type.ndim == t.ndim for n, t in zip(initial, carry.types, strict=True))
    shapes = [tuple(n if steady and _is_known(n, known) else None for n in t.shape) for t in found]
    templates = [(t.dtype, shape) for t, shape in zip(found, shapes, strict=True)]
    types = [
        TensorType(t.dtype, (rows.length, *[Dim.fresh() if n is None else n for n in shape]))
        for t, shape in zip(found, shapes, strict=True)
    ]
    results = record(trace, "scan", [*bodies, initial, arrays, templates, outer], [*carry.types, *types])
    last = carry.after(trace, [next(results) for _ in initial], ran=False)["carry"]
    return last, unflatten(tree, [next(results) if is_value(y) else y for _, y in ys])


def _is_known(length: Length, outside: set[str]) -> bool:
    """True if a length in the body is known before the first round."""
    return not isinstance(length, Dim) or not length.depends_on_values or length.symbols() <= outside


def _met(values: list[Any]) -> list[Any]:
    """The values of several rows, with Python numbers as the dtype of the others."""
    return meet(values, [Recorder("scan")] * len(values))


def _without_rows(f: Callable[..., Any], init: Any, rows: Rows) -> tuple[Any, Any]:
    """The result of a scan over no rows outside a trace: that of a trace of it."""
    trace = Recorder("scan")
    with trace.active():
        last, ys = _traced(trace, f, init, rows)
    types = [value_type(v) for _, v in flatten(last)[0] if isinstance(v, Tensor)]
    carry = Carry({"carry": init})
    carry.types = types
    leaves, tree = flatten(ys)
    return carry.filled(carry.first(trace))["carry"], unflatten(
        tree, [_empty(v) if isinstance(v, Tensor) else v for _, v in leaves]
    )


def _empty(ys: Tensor) -> np.ndarray[Any, Any]:
    shape = ys._node.type.shape
    return stacked([], ys.dtype, tuple(None if isinstance(n, Dim) else n for n in shape[1:]))


def _stack(found: list[tuple[list[tuple[str, Any]], Tree]]) -> Any:
    """The ys of all rows as one structure of stacked leaves."""
    tree = found[0][1]
    for _, other in found:
        if other != tree:
            refuse("two rows of a scan give different structures", f"{structure(tree)} and {structure(other)}")
    leaves = []
    for position, (path, first) in enumerate(found[0][0]):
        values = [ys[position][1] for ys, _ in found]
        if hasattr(first, "dtype") or is_value(first):
            met = _met(values) if is_value(first) else values
            leaves.append(stacked(met) if current() is None else np.stack(met))
            continue
        for other in values:
            if not (other is first or same_value(other, first)):
                what = f"two rows of a scan differ in `{path}`, which is no array or number"
                refuse(what, f"{first!r} and {other!r}")
        leaves.append(first)
    return unflatten(tree, leaves)
