"""Loops whose rounds swap arrays from outside (`x, new = new, x`): they run on copies, and note which is which."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ....errors import InPlaceWriteError, SymbolicDimensionError, TracefnError
from ....ir.types import Kind
from ...aliasing.writes import rebind
from ...context import Trace
from ...control.choices import choice, is_up_to_date
from ...numpy_api.in_place import same_shape
from ...tensor import Tensor
from .variables import State, Variables


def stage_swapped(
    trace: Trace,
    variables: Variables,
    refusal: TracefnError,
    stage: Callable[[Variables, Callable[..., Any]], None],
) -> None:
    """Stages a loop whose rounds swap arrays: `stage` is given the variables of the loop, and a wrapper of its body.
    Raises `refusal` where that is not all that they do with them."""
    count, before = len(trace.nodes), variables.get()
    for kind in (_is_outside, _is_array):
        try:
            _SwappedArrays(trace, variables, refusal, kind).loop(stage)
            return
        except InPlaceWriteError:
            trace.forget_from(count)
            variables.set(before)
    raise refusal


class _SwappedArrays:
    """The loop variables that hold arrays from outside, or any arrays, all of one dtype and shape.

    In the loop they are arrays of its own, and a number says for each of them which array it stands for. After the loop
    each array from outside gets the content of the variable that stands for it then.
    """

    def __init__(
        self, trace: Trace, variables: Variables, refusal: TracefnError, is_one: Callable[[Any], bool]
    ) -> None:
        self._trace = trace
        self._variables = variables
        self._refusal = refusal
        self._arrays = {n: v for n, v in zip(variables.names, variables.get(), strict=True) if is_one(v)}
        self._numbers: list[Any] = list(range(len(self._arrays)))
        arrays = list(self._arrays.values())
        if len(arrays) < 2 or len(set(map(id, arrays))) < len(arrays):
            raise refusal
        if any(array._aliased or array._choice is not None or array._alive_views() for array in arrays):
            raise refusal
        try:
            if any(array.dtype != arrays[0].dtype or not same_shape(array, arrays[0]) for array in arrays):
                raise refusal
        except SymbolicDimensionError:
            raise refusal from None

    def loop(self, stage: Callable[[Variables, Callable[..., Any]], None]) -> None:
        """Stages the loop. `stage` is given the variables of the loop, and a wrapper of its body."""
        names = (*self._variables.names, *[f"which array {name} is" for name in self._arrays])
        self._put({name: array.copy() for name, array in self._arrays.items()})
        with self._out_of_use():
            stage(Variables(names, self._get, self._set), self._round)
        values, arrays = self._now(), tuple(self._arrays.values())
        given = [self._of_number(number, values) for number in range(len(values))]
        for array, value in zip(arrays, given, strict=True):
            if array._outside:
                array[...] = value
            else:
                rebind(array, value)
        held = zip(self._arrays, self._numbers, values, strict=True)
        self._put({name: _one_of(self._trace, number, arrays, value) for name, number, value in held})

    @contextlib.contextmanager
    def _out_of_use(self) -> Iterator[None]:
        """Refuses the arrays themselves inside, which others may hold: their content is that of before."""
        doubts = {name: array._doubts for name, array in self._arrays.items()}
        for (name, array), copy in zip(self._arrays.items(), self._now(), strict=True):
            array._doubts = {**doubts[name], id(copy): (copy, array._node)}
        try:
            yield
        finally:
            for name, array in self._arrays.items():
                array._doubts = doubts[name]

    def _of_number(self, number: int, values: list[Any]) -> Any:
        """The content of the variable that stands for the array of this number."""
        found = values[-1]
        for value, which in zip(values[:-1], self._numbers[:-1], strict=True):
            found = np.where(which == number, value, found)
        return found

    def _round(self, body: Callable[..., None]) -> Callable[..., None]:
        """A round that moves the numbers as it moves the arrays."""

        def run(*index: Any) -> None:
            before, numbers = self._now(), list(self._numbers)
            body(*index)
            moved = [next((i for i, was in enumerate(before) if was is now), -1) for now in self._now()]
            if sorted(moved) != list(range(len(before))):
                raise self._refusal
            self._numbers[:] = [numbers[i] for i in moved]

        return run

    def _now(self) -> list[Any]:
        state = dict(zip(self._variables.names, self._variables.get(), strict=True))
        return [state[name] for name in self._arrays]

    def _put(self, values: dict[str, Any]) -> None:
        state = dict(zip(self._variables.names, self._variables.get(), strict=True))
        self._variables.set(tuple((state | values).values()))

    def _get(self) -> State:
        return (*self._variables.get(), *self._numbers)

    def _set(self, state: State) -> None:
        count = len(self._variables.names)
        self._variables.set(state[:count])
        self._numbers[:] = state[count:]


def _one_of(trace: Trace, number: Any, arrays: tuple[Tensor, ...], value: Tensor) -> Tensor:
    """The array of this number, which holds this value."""
    first, *others = arrays
    for position, array in enumerate(others, 1):
        is_it = number == position
        if type(is_it) is bool:
            first = array if is_it else first
            continue
        like = Tensor(value._node, value._trace, owned=False)
        first = choice(trace, "cond", is_it, (array, first), like)
        if first is like:
            is_up_to_date(first)
    return first


def _is_array(value: Any) -> bool:
    return type(value) is Tensor and value._base is None and value._node.type.kind is Kind.ARRAY


def _is_outside(value: Any) -> bool:
    return _is_array(value) and value._outside
