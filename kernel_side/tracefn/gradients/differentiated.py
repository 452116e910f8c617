"""A function that is run in a trace to be differentiated: its arguments, its results, and the walk back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..autodiff import result_of, reverse, source_of
from ..errors import GradientError, message
from ..function.replay import replayed
from ..ir.graph import Node
from ..ir.types import Kind, TensorType
from ..runtime.calls.source import MISS
from ..trace import provided
from ..trace.active import current
from ..trace.context import Trace
from ..trace.kinds import is_variable
from ..trace.origin import user_source, where
from ..trace.reads import as_value
from ..trace.tensor import Tensor
from ..trace.tree import flatten, unflatten
from ..trace.values.symbolic_int import SymbolicInt


def under_way(name: str) -> Trace:
    """The trace under way."""
    trace = current()
    assert trace is not None, f"tracefn.{name} runs in a trace"
    return trace


class Differentiated:
    """Runs `function` with sources of derivatives in the place of values: the leaves of some of `args`.

    `returned` is the function's result. Raises `GradientError` for leaves that are no floats, unless
    `allow_int`. Variables among the leaves stay themselves where they are not `by_variables`.
    """

    def __init__(
        self,
        trace: Trace,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        argnums: Sequence[int],
        allow_int: bool = False,
        by_variables: bool = True,
    ) -> None:
        start = len(trace.nodes)
        given = list(args)
        self.arguments: list[Argument] = []
        for number in argnums:
            argument = Argument(trace, args[number], f"argument {number}", allow_int, by_variables)
            self.arguments.append(argument)
            given[number] = argument.given
        trace.root.inlines_calls += 1
        try:
            returned = replayed(trace, function, tuple(given), kwargs)
            self.returned = provided.callee(function)(*given, **kwargs) if returned is MISS else returned
        finally:
            trace.root.inlines_calls -= 1
            for argument in self.arguments:
                argument.leave()
        self.leaves = [(path, as_value(leaf)) for path, leaf in flatten(self.returned, "result")[0]]
        self.outputs = [trace.value_node(v) if is_number(v) else None for _, v in self.leaves]
        self.home, self.nodes = trace, trace.nodes[start:]

    def pulled_back(self, cotangents: Sequence[Any]) -> list[Any]:
        """The derivatives by the arguments, each in the structure of its argument, given the cotangents of the leaves
        that the function returned; None for those that do not count."""
        pairs = zip(self.outputs, cotangents, strict=True)
        targets = [(node, g) for node, g in pairs if node is not None and g is not None]
        sources = [s for argument in self.arguments for s in argument.sources if s is not None]
        found = iter(reverse(self.home, self.nodes, targets, sources))
        taken: set[Node] = set()
        return [argument.results(found, taken) for argument in self.arguments]


class Argument:
    """One argument that derivatives are taken by: `given` is passed to the function in its place."""

    def __init__(self, trace: Trace, value: Any, name: str, allow_int: bool, by_variables: bool = True) -> None:
        self._trace = trace
        self._by_variables = by_variables
        self.value = value
        self.leaves, self._tree = flatten(value, name)
        self.sources: list[Node | None] = []
        self._tensors: list[Any] = []
        self._before: list[Any] = []
        for path, leaf in self.leaves:
            self._take(path, leaf, allow_int)
        tensors = zip(self.leaves, self._tensors, strict=True)
        self.given = unflatten(self._tree, [x if t is None or is_variable(x) else t for (_, x), t in tensors], value)

    def _take(self, path: str, leaf: Any, allow_int: bool) -> None:
        held = as_value(leaf)
        is_source = is_float(held) and (self._by_variables or not is_variable(leaf))
        if not is_source and not self._may_stay(held, allow_int):
            refuse_leaf(path, held)
        made = source_of(self._trace, held) if is_source else None
        self._tensors.append(made)
        self.sources.append(None if made is None else made._node)
        self._before.append(held)
        if is_variable(leaf) and made is not None:
            self._trace.variables.hold(leaf, made)

    def _may_stay(self, leaf: Any, allow_int: bool) -> bool:
        """True for a leaf that is given to the function as it is: no number, in a structure of others."""
        return allow_int if is_number(leaf) else not self._tree.is_leaf

    def leave(self) -> None:
        """Repeats the function's writes into its argument on the caller's value."""
        of_leaves = zip(self.leaves, self._tensors, self.sources, self._before, strict=True)
        for (_, leaf), made, source, before in of_leaves:
            if made is None:
                continue
            if is_variable(leaf):
                if leaf.value()._node is source:
                    self._trace.variables.hold(leaf, before)
            elif made._node is not source:
                provided.set_item(leaf if type(leaf) is Tensor else self._trace.captured(leaf), ..., made)

    def results(self, found: Iterator[Any], taken: set[Node]) -> Any:
        """The derivatives in the structure of the argument. `found` gives the cotangents of the sources in order."""
        leaves: list[Any] = []
        for (_, leaf), source in zip(self.leaves, self.sources, strict=True):
            if source is not None:
                trace = under_way("grad")
                leaves.append(result_of(trace, next(found), Tensor(source, self._trace, owned=False), taken))
            else:
                leaves.append(self._zeros(leaf) if is_number(leaf) else None)
        return unflatten(self._tree, leaves, self.value)

    def _zeros(self, leaf: Any) -> Any:
        """The derivative by integers, which are no floats."""
        zeros = np.zeros_like(Tensor(self._trace.value_node(leaf), self._trace, owned=False), dtype=float)
        return zeros if type(leaf) is Tensor and leaf._node.type.kind is Kind.ARRAY else zeros[()]


def is_number(value: Any) -> bool:
    """True for an array or number of any dtype."""
    if isinstance(value, SymbolicInt | bool | int | float | complex):
        return True
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc"


def is_float(value: Any) -> bool:
    """True for an array or number of a floating-point or complex dtype."""
    return is_number(value) and (type(value) in (float, complex) or getattr(value, "dtype", _INT).kind in "fc")


_INT = np.dtype(int)


def refuse_leaf(path: str, value: Any) -> None:
    shown = repr(value._node.type) if type(value) is Tensor else _shown(value)
    what = f"{path} is {shown}, by which there is no derivative"
    fix = "Pass floats (`3.0`, `x.astype(float)`), or other arguments in `argnums`; `allow_int=True` gives zeros."
    raise GradientError(message(what, where(user_source(3)), fix))


def _shown(value: Any) -> str:
    if type(value) is Tensor:
        return value.describe()
    return f"{type(value).__name__} {value!r:.40}"


def scalar_seed(run: Differentiated, leaves: Sequence[Any], name: str) -> list[Any]:
    """The cotangents of a function whose result, the leaves that come first, is one real number or an array of one.
    Raises `GradientError` for any other result."""
    node = run.outputs[0] if len(leaves) == 1 else None
    if node is None or not _is_one_real_number(node.type):
        found = (_shown(leaves[0]) if node is None else repr(node.type)) if len(leaves) == 1 else "several things"
        fix = "Return one real number: `np.sum(...)`, `np.mean(...)`; or use tracefn.jacobian, or tracefn.vjp."
        what = f"the function returned {found}, and {name} needs one real number"
        raise GradientError(message(what, where(user_source(3)), fix))
    trace = under_way(name)
    one = Tensor(trace.value_node(node.dtype.type(1)), trace, owned=False)
    seed = np.broadcast_to(one, (1,) * node.type.ndim) if node.type.shape else one
    return [seed, *[None] * (len(run.outputs) - 1)]


def _is_one_real_number(found: TensorType) -> bool:
    return found.dtype.kind == "f" and all(type(n) is int and n == 1 for n in found.shape)
