"""A function that is run in a trace to be differentiated: what it is given, what it returns, and the walk back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autodiff import result_of, reverse, source_of
from ..autodiff.fitting import is_differentiable
from ..errors import GradientError, message
from ..ir.graph import Node
from ..ir.types import Kind
from ..trace import provided
from ..trace.context import Trace
from ..trace.kinds import is_variable
from ..trace.origin import user_source, where
from ..trace.tensor import Tensor
from ..trace.tree import flatten, unflatten
from ..trace.values.symbolic_int import SymbolicInt


class Differentiated:
    """Runs `function` with sources in the place of what derivatives are taken by: the leaves of some of `args`.

    `returned` is what the function has returned. Raises `GradientError` for leaves that are no floats, unless
    `allow_int`.
    """

    def __init__(
        self,
        trace: Trace,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        argnums: Sequence[int],
        allow_int: bool = False,
    ) -> None:
        self._trace = trace
        self._start = len(trace.nodes)
        given = list(args)
        self.arguments: list[Argument] = []
        for number in argnums:
            argument = Argument(trace, args[number], f"argument {number}", allow_int)
            self.arguments.append(argument)
            given[number] = argument.given
        trace.root.inlines_calls += 1
        try:
            self.returned = provided.callee(function)(*given, **kwargs)
        finally:
            trace.root.inlines_calls -= 1
            for argument in self.arguments:
                argument.leave()

    def pulled_back(self, cotangents: Sequence[tuple[Any, Any]]) -> list[Any]:
        """The derivatives by the arguments, each in the structure of its argument, given (value, cotangent) of what the
        function returned."""
        trace = self._trace
        targets = [(trace.value_node(value), g) for value, g in cotangents]
        sources = [s for argument in self.arguments for s in argument.sources]
        nodes = trace.nodes[self._start :]
        found = iter(reverse(trace, nodes, targets, [s for s in sources if s is not None]))
        taken: set[Node] = set()
        return [argument.results(found, taken) for argument in self.arguments]


class Argument:
    """One argument that derivatives are taken by: `given` is what the function gets in its place."""

    def __init__(self, trace: Trace, value: Any, name: str, allow_int: bool) -> None:
        self._trace = trace
        self._value = value
        self._leaves, self._tree = flatten(value, name)
        self.sources: list[Node | None] = []
        self._tensors: list[Any] = []
        self._before: list[Any] = []
        for path, leaf in self._leaves:
            self._take(path, leaf, allow_int)
        tensors = zip(self._leaves, self._tensors, strict=True)
        self.given = unflatten(self._tree, [x if t is None or is_variable(x) else t for (_, x), t in tensors], value)

    def _take(self, path: str, leaf: Any, allow_int: bool) -> None:
        held = leaf.value() if is_variable(leaf) else leaf
        is_source = _is_float(held)
        if not is_source and not self._may_stay(held, allow_int):
            _refuse_leaf(path, held)
        made = source_of(self._trace, held) if is_source else None
        self._tensors.append(made)
        self.sources.append(None if made is None else made._node)
        if is_variable(leaf):
            self._before.append(held)
            if made is not None:
                self._trace.variables.hold(leaf, made)

    def _may_stay(self, leaf: Any, allow_int: bool) -> bool:
        """True for a leaf that is given to the function as it is: no number, in a structure of others."""
        return allow_int if _is_number(leaf) else not self._tree.is_leaf

    def leave(self) -> None:
        """What the function has written into its argument is written into what the caller has given."""
        before = iter(self._before)
        for (_, leaf), made, source in zip(self._leaves, self._tensors, self.sources, strict=True):
            if is_variable(leaf):
                held = next(before)
                if made is not None and leaf.value()._node is source:
                    self._trace.variables.hold(leaf, held)
            elif made is not None and made._node is not source:
                provided.set_item(leaf if type(leaf) is Tensor else self._trace.captured(leaf), ..., made)

    def results(self, found: Any, taken: set[Node]) -> Any:
        """The derivatives in the structure of the argument. `found` gives the cotangents of the sources in order."""
        leaves = []
        for (_, leaf), source in zip(self._leaves, self.sources, strict=True):
            if source is not None:
                made = result_of(self._trace, next(found), Tensor(source, self._trace, owned=False), taken)
                leaves.append(made)
            else:
                leaves.append(self._zeros(leaf) if _is_number(leaf) else None)
        return unflatten(self._tree, leaves, self._value)

    def _zeros(self, leaf: Any) -> Any:
        """The derivative by integers, which are no floats."""
        zeros = np.zeros_like(Tensor(self._trace.value_node(leaf), self._trace, owned=False), dtype=float)
        return zeros if type(leaf) is Tensor and leaf._node.type.kind is Kind.ARRAY else zeros[()]


def _is_number(value: Any) -> bool:
    """True for an array or number of any dtype."""
    if isinstance(value, SymbolicInt | bool | int | float | complex):
        return True
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc"


def _is_float(value: Any) -> bool:
    return _is_number(value) and (type(value) in (float, complex) or getattr(value, "dtype", _INT).kind in "fc")


_INT = np.dtype(int)


def _refuse_leaf(path: str, value: Any) -> None:
    what = f"{path} is {_shown(value)}, by which there is no derivative"
    fix = "Pass floats (`3.0`, `x.astype(float)`), or other arguments in `argnums`; `allow_int=True` gives zeros."
    raise GradientError(message(what, where(user_source(3)), fix))


def _shown(value: Any) -> str:
    if type(value) is Tensor:
        return value.describe()
    return f"{type(value).__name__} {value!r:.40}"


def scalar_seed(trace: Trace, value: Any, what: str) -> Any:
    """The cotangent 1 of one real number. Raises `GradientError` for any other value."""
    is_number = _is_number(value)
    node = trace.value_node(value) if is_number else None
    if node is None or node.type.shape or not is_differentiable(node.type) or node.type.dtype.kind == "c":
        shown = _shown(value) if node is None else repr(node.type)
        fix = "Return one real number: `np.sum(...)`, `np.mean(...)`; or use tracefn.jacobian, or tracefn.vjp."
        raise GradientError(message(f"the function returned {shown}, and {what} needs one real number",
                                    where(user_source(3)), fix))  # fmt: skip
    return Tensor(trace.value_node(node.dtype.type(1)), trace, owned=False)
