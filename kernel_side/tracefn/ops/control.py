"""Control flow: branches and loops whose bodies are graphs.

The bodies are `Body` leaves of a node's template. The first inputs of a body are the values that the op passes to it,
the others are the values from around it that it uses: the node's `operands`. Bodies return tuples.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..ir.op import Op, register

BodyCall = Callable[..., tuple[Any, ...]]


def _no_rule(*args: Any) -> Any:
    raise TypeError("control flow is typed where it is traced")


def _cond(pred: Any, if_true: BodyCall, if_false: BodyCall, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The results of one of two bodies."""
    return (if_true if pred else if_false)(*operands)


def _call(body: BodyCall, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The results of a function that is called."""
    return body(*operands)


def branch_at(branches: Sequence[Any], index: Any) -> Any:
    """`branches[index]`. Raises `IndexError` where there is none, `TypeError` where the index is no integer."""
    position = operator.index(index)
    if not -len(branches) <= position < len(branches):
        raise IndexError(f"switch: index {position} is outside of its {len(branches)} branches")
    return branches[position]


def _switch(index: Any, *branches_and_operands: Any) -> tuple[Any, ...]:
    """The results of one of several bodies."""
    *branches, operands = branches_and_operands
    results: tuple[Any, ...] = branch_at(branches, index)(*operands)
    return results


def _while(test: BodyCall, body: BodyCall, state: Sequence[Any], operands: Sequence[Any]) -> tuple[Any, ...]:
    """The state after running `body` on it for as long as `test` holds."""
    state = tuple(state)
    while test(*state, *operands)[0]:
        state = body(*state, *operands)
    return state


def _for(
    start: int, stop: int, step: int, body: BodyCall, state: Sequence[Any], operands: Sequence[Any]
) -> tuple[Any, ...]:
    """The state after running `body` on each index of a range and the state.

    A body may return one value more than the state: whether the loop goes on.
    """
    return _rounds(range(start, stop, step), body, tuple(state), operands)


def _rounds(items: Iterable[Any], body: BodyCall, state: tuple[Any, ...], operands: Sequence[Any]) -> tuple[Any, ...]:
    for item in items:
        parts = item if isinstance(item, tuple) else (item,)
        returned = body(*parts, *state, *operands)
        state, going = returned[: len(state)], returned[len(state) :]
        if going and not going[0]:
            break
    return state


class Elements:
    """The elements of a dataset as tuples of their leaves; of a single leaf, the leaf itself."""

    def __init__(self, dataset: Any, leaves_of: Callable[[Any], tuple[Any, ...]] | None) -> None:
        self.dataset = dataset
        self._leaves_of = leaves_of

    def __iter__(self) -> Iterator[Any]:
        return iter(self.dataset) if self._leaves_of is None else map(self._leaves_of, self.dataset)

    def __repr__(self) -> str:
        return repr(self.dataset)


def _for_each(elements: Elements, body: BodyCall, state: Sequence[Any], operands: Sequence[Any]) -> tuple[Any, ...]:
    """The state after running `body` on each element of a dataset and the state."""
    return _rounds(elements, body, tuple(state), operands)


def stacked(rows: Sequence[Any], dtype: Any = None, shape: Sequence[int | None] = ()) -> Any:
    """The rows as one array in C order. `dtype` and the row's `shape` (None: unknown) are those of no rows at all."""
    if not rows:
        return np.empty((0, *[n or 0 for n in shape]), dtype)
    found = np.stack(rows)
    return found if found.flags.c_contiguous else np.copy(found, order="C")


def _scan(
    body: BodyCall, state: Sequence[Any], xs: Sequence[Any], ys: Sequence[Any], operands: Sequence[Any]
) -> tuple[Any, ...]:
    """The state after running `body` on it and each row of `xs`, and the body's other results, stacked.

    `ys` has the dtype and the shape of a row of each stacked result; None stands for a length that the body decides.
    """
    state = tuple(state)
    found: list[tuple[Any, ...]] = []
    for row in zip(*xs, strict=True):
        returned = body(*state, *row, *operands)
        state = returned[: len(state)]
        found.append(returned[len(state) :])
    return (*state, *[stacked([y[i] for y in found], *ys[i]) for i in range(len(ys))])


def _with_derivative(
    values: Sequence[Any], operands: Sequence[Any], kept: Sequence[Any], pulled_back: BodyCall | None
) -> tuple[Any, ...]:
    """The values, whose derivative by the operands is that of a body: it gives the cotangents of the operands from
    those of the values and the residuals. None: they have no derivative."""
    return tuple(values)


call = register(Op("call", _call, _no_rule, style="control", fresh_dims=True, is_branch=True))
kernel = register(Op("kernel", _call, _no_rule, style="control", fresh_dims=True))
cond = register(Op("cond", _cond, _no_rule, style="control", fresh_dims=True, is_branch=True))
switch = register(Op("switch", _switch, _no_rule, style="control", fresh_dims=True, is_branch=True))
while_loop = register(Op("while_loop", _while, _no_rule, style="control", fresh_dims=True, is_loop=True))
for_loop = register(Op("for_loop", _for, _no_rule, style="control", fresh_dims=True, is_loop=True))
for_each = register(Op("for_each", _for_each, _no_rule, style="control", fresh_dims=True, is_loop=True, pure=False))
scan = register(Op("scan", _scan, _no_rule, style="control", fresh_dims=True, is_loop=True))
recompute = register(Op("recompute", _call, _no_rule, style="control", fresh_dims=True, is_branch=True))
with_derivative = register(Op("with_derivative", _with_derivative, _no_rule, style="control", fresh_dims=True))


def _computed_again(value: Any) -> Any:
    return value


computed_again = register(
    Op(
        "computed_again",
        _computed_again,
        lambda value: value,
        style="operator",
        view=True,
        fresh_dims=True,
        partials=(1,),
    )
)
"""A value itself, where steps on it are not to be merged with earlier steps on it."""


def _drawn(value: Any, name: str, args: tuple[Any, ...], **kwargs: Any) -> Any:
    return value


drawn = register(Op("drawn", _drawn, lambda value, name, args, **kwargs: value, style="operator", fresh_dims=True))
"""The result of a call of the op `name` with an effect, once more: it has the derivative of the call."""

CALLS = frozenset({"call", "recompute"})
"""The names of the ops whose one body runs once."""
