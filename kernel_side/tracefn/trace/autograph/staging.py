"""Branches and loops over the variables of a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ir.types import ghost, python
from ..body import BodyTrace
from ..context import Trace
from ..control.branches import check_condition, choose
from ..control.carry import Carry
from ..control.record import bodies_of, record
from ..tensor import Tensor
from ..tree import map_leaves
from .syntax import RETURN_VALUE
from .undefined import Undefined

State = tuple[Any, ...]


def branch(trace: Trace, test: Tensor, sides: Sequence[tuple[str, Callable[[], State]]], names: Sequence[str]) -> State:
    """The variables after one of two sides, chosen by a traced condition. Each side returns them in order of `names`.

    A variable that only one side sets is undefined afterwards. Raises `ControlFlowError` naming the variable where the
    sides leave it with values that do not fit together.
    """
    check_condition(test)
    bodies = [BodyTrace(trace, name) for name, _ in sides]
    results = [body.run(run) for body, (_, run) in zip(bodies, sides, strict=True)]
    after: dict[str, Any] = {}
    joined: list[dict[str, Any]] = [{} for _ in sides]
    for name, values in zip(names, zip(*results, strict=True), strict=True):
        if all(type(v) is Undefined for v in values):
            after[name] = values[0]
        elif name == RETURN_VALUE and any(type(v) is Undefined for v in values):
            set_value = next(v for v in values if type(v) is not Undefined)
            for column, value in zip(joined, values, strict=True):
                column[name] = placeholder(set_value) if type(value) is Undefined else value
        elif any(type(v) is Undefined for v in values):
            after[name] = Undefined(name, "only one branch of an `if` sets it, and the condition is a traced value")
        else:
            for column, value in zip(joined, values, strict=True):
                column[name] = value
    after |= choose(trace, "cond", test, bodies, joined, root="variables")
    return tuple(after[n] for n in names)


def while_staged(
    trace: Trace, names: Sequence[str], initial: State, test: Callable[..., Any], run: Callable[..., State]
) -> State:
    """The variables after `run(*variables)` for as long as `test(*variables)` holds."""
    carry = Carry(dict(zip(names, initial, strict=True)), "variables")
    body = carry.trace_body(trace, lambda b: _named(names, b.run(run, *carry.enter(b).values())))
    check = BodyTrace(trace, "test")
    condition = check.value_node(check.run(test, *carry.enter(check).values()))
    outputs, first = carry.outputs(body), carry.initial(trace)
    bodies, outer = bodies_of([(check, [condition]), (body, outputs)])
    return tuple(carry.filled(record(trace, "while_loop", [*bodies, first, outer], carry.types)).values())


def for_staged(
    trace: Trace, names: Sequence[str], initial: State, bounds: list[Any], run: Callable[..., State]
) -> State:
    """The variables after `run(index, *variables)` for each index of `range(*bounds)`."""
    carry = Carry(dict(zip(names, initial, strict=True)), "variables")

    def trace_round(body: BodyTrace) -> dict[str, Any]:
        index = body.input("i", python(int))
        return _named(names, body.run(run, index, *carry.enter(body).values()))

    body = carry.trace_body(trace, trace_round)
    outputs, first = carry.outputs(body), carry.initial(trace)
    bodies, outer = bodies_of([(body, outputs)])
    return tuple(carry.filled(record(trace, "for_loop", [*bounds, *bodies, first, outer], carry.types)).values())


def enter(body: BodyTrace, names: Sequence[str], values: State) -> State:
    """The variables as a loop's body finds them: inputs of the body in the place of arrays and numbers."""
    return tuple(Carry(_named(names, values), "variables").enter(body).values())


def placeholder(value: Any) -> Any:
    """A value of the same structure and types that stands where nothing has been returned yet; it is never read."""
    return map_leaves(lambda _, leaf: ghost(leaf._node.type) if type(leaf) is Tensor else leaf, value)


def _named(names: Sequence[str], values: State) -> dict[str, Any]:
    return dict(zip(names, values, strict=True))
