"""Control flow: branches and loops whose bodies are graphs.

The bodies are `Body` leaves of a node's template. The first inputs of a body are the values that the op passes to it,
the others are the values from around it that it uses: the node's `operands`. Bodies return tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir.op import Op, register

BodyCall = Callable[..., tuple[Any, ...]]


def _no_rule(*args: Any) -> Any:
    raise TypeError("control flow is typed where it is traced")


def _cond(pred: Any, if_true: BodyCall, if_false: BodyCall, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The results of one of two bodies."""
    return (if_true if pred else if_false)(*operands)


def _while(test: BodyCall, body: BodyCall, state: Sequence[Any], operands: Sequence[Any]) -> tuple[Any, ...]:
    """The state after running `body` on it for as long as `test` holds."""
    state = tuple(state)
    while test(*state, *operands)[0]:
        state = body(*state, *operands)
    return state


def _for(
    start: int, stop: int, step: int, body: BodyCall, state: Sequence[Any], operands: Sequence[Any]
) -> tuple[Any, ...]:
    """The state after running `body` on each index of a range and the state."""
    state = tuple(state)
    for index in range(start, stop, step):
        state = body(index, *state, *operands)
    return state


cond = register(Op("cond", _cond, _no_rule, style="control", fresh_dims=True))
while_loop = register(Op("while_loop", _while, _no_rule, style="control", fresh_dims=True))
for_loop = register(Op("for_loop", _for, _no_rule, style="control", fresh_dims=True))
