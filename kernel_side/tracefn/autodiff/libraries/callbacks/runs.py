"""Runs of functions that a library calls back, in the trace of a derivative, and how these are pulled back.

All that such a function reads counts as its arguments do: values of the variables around it, and Variables.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ....ir.graph import Node
from ....ir.op import ITEM
from ....ops.derivatives.common import as_array
from ....records import dataclass
from ....trace import provided
from ....trace.active import current
from ....trace.foreign import Step
from ....trace.tensor import Tensor
from ...sources import fresh_source
from .. import above

Rule = Callable[..., Any]

OWN_RULE = "__tracefn_rule__"
"""The attribute of a function of this package, which is a step of the graph, that has its rule."""


@dataclass(frozen=True, slots=True)
class OfValues:
    """A rule that gives the cotangents of all values that a step is given, those that a function reads among them:
    `rule(g, out, given, *args, **kwargs)` with the arguments of the call made of those values."""

    rule: Rule

    def parts(self, g: Any, out: Any, step: Any, values: Sequence[Any]) -> Any:
        """The cotangents of the values of a step."""
        given = Given(step, tuple([fresh_source(v) if is_float(v) else v for v in values]))
        with given_to(step, given.values) as (args, kwargs):
            return self.rule(g, out, given, *args, **kwargs)


@dataclass(frozen=True, slots=True)
class Given:
    """The values that a step is given, each apart from other uses of it."""

    step: Any
    values: tuple[Any, ...]


@contextlib.contextmanager
def given_to(step: Any, values: Sequence[Any]) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """The arguments of the call of a step, made of such values. In the block the Variables that the call reads have
    theirs."""
    trace, variables = current(), step.variables
    assert trace is not None
    with trace.variables.instead(variables, values[len(values) - len(variables) :]):
        yield step.arguments_of(tuple(values))


def is_float(value: Any) -> bool:
    return type(value) is Tensor and value._node.type.dtype.kind in "fc"


class Run:
    """A run of a function of the user's in the trace under way. `result` is an array, or a number."""

    def __init__(self, function: Any, *args: Any, **kwargs: Any) -> None:
        trace = current()
        assert trace is not None
        self._trace, start = trace, len(trace.nodes)
        trace.root.inlines_calls += 1
        try:
            self.result = as_array(provided.callee(function)(*args, **kwargs))
        finally:
            trace.root.inlines_calls -= 1
        self._node = None if self.result is NotImplemented else trace.value_node(self.result)
        self._nodes = trace.nodes[start:]

    def back(self, cotangent: Any, values: Sequence[Any]) -> list[Any]:
        """The cotangents of values, given that of the result; None for those that it does not depend on."""
        floats = [self._trace.value_node(v) for v in values if is_float(v)]
        found = iter(above.walk_back(self._trace, self._nodes, [(self._node, cotangent)], floats))
        return [next(found) if is_float(v) else None for v in values]


class Later:
    """The derivative of a function, which is traced once where no trace is under way."""

    def __init__(self, function: Callable[..., Any], argnums: Sequence[int]) -> None:
        self._make = lambda: above.gradient(function, argnums=argnums)
        self._made: Any = None

    def __call__(self, *args: Any) -> Any:
        if current() is not None:
            return self._make()(*args)
        if self._made is None:
            self._made = self._make()
        return self._made(*args)


def as_tuple(args: Any) -> tuple[Any, ...]:
    return tuple(args) if isinstance(args, tuple | list) else (args,)


def found(result: Any, name: str) -> Any:
    """The solution of a solver, an attribute of its result. Where the function has read it, that is the value: it has
    a derivative in the body of a Jacobian, too, which knows nothing of the solver."""
    for node in result._trace.nodes:
        if node.op is ITEM and result._node in node.inputs[0].inputs and _is_read(node.inputs[0], name):
            return Tensor(node, result._trace, owned=False)
    return provided.call_foreign(getattr, (result, name), {}, f"result.{name}", reads=True)


def _is_read(node: Node, name: str) -> bool:
    step = node.args[0] if node.args else None
    return isinstance(step, Step) and step.function is getattr and step.arguments_of(node.inputs)[0][1] == name


def of_first(rule: Rule) -> Rule:
    """The rule of a function from that of the first of its results. Derivatives by others are not known."""

    def of_all(g: Any, out: Any, given: Given, *args: Any, **kwargs: Any) -> Any:
        if type(out) is tuple:
            if any(part is not None for part in g[1:]):
                return NotImplemented
            g, out = g[0], out[0]
        return rule(g, out, given, *args, **kwargs)

    return of_all
