"""`range` with a traced bound, and other iterables whose length may be traced."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import TensorIterationError, message
from ...ir.op import by_name
from ..active import current
from ..one_by_one import one_by_one
from ..origin import user_source, where
from ..tensor import Tensor
from ..values.symbolic_int import SymbolicInt


class Indexed:
    """Something with a length and an item for each index. `length` may be traced or open."""

    length: Any

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.length, SymbolicInt):
            return one_by_one(self, operator.index(self.length))
        if type(self.length) is not int:
            raise TensorIterationError(
                message(
                    "something whose length only the call knows is iterated over outside a `for` statement",
                    where(user_source(2)),
                    "Use a `for` statement, or pass the length as a Python int.",
                )
            )
        return one_by_one(self, self.length)


class TracedRange(Indexed):
    """`range` with a traced bound, or one that is to stay a loop."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = start, stop, step

    def __repr__(self) -> str:
        return f"range({self.start!r}, {self.stop!r}{'' if self.step == 1 else f', {self.step!r}'})"

    @property
    def length(self) -> Any:
        bounds = (self.start, self.stop, self.step)
        if type(self.start) is type(self.step) is int and (self.start, self.step) == (0, 1):
            if isinstance(self.stop, SymbolicInt):
                return self.stop
        if all(type(b) is int for b in bounds):
            rounds = range(*bounds)
            return rounds.index(rounds[-1]) + 1 if rounds else 0  # `len` refuses more than a machine word holds
        rounds = -((self.start - self.stop) // self.step)
        if any(type(b) is Tensor for b in bounds):
            return np.maximum(rounds, 0)
        return rounds if rounds > 0 else 0  # a guard

    def as_array(self) -> Any:
        """All its items, as an index takes them."""
        trace = current()
        assert trace is not None
        return trace.record(by_name("arange"), (self.start, self.stop, self.step), {})

    def __getitem__(self, index: Any) -> Any:
        bounds = (self.start, self.stop, self.step)
        if type(index) in (int, slice) and not any(type(b) is Tensor for b in bounds):
            return range(*map(operator.index, bounds))[index]
        return self.start + index * self.step
