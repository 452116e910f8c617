"""The arrays that a trace is given or finds outside: which of them it writes into, and what it takes for granted."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import InPlaceWriteError, message
from ..ir.graph import Node
from .origin import user_source, where
from .tensor import Tensor


@dataclasses.dataclass(eq=False)
class OutsideArray:
    """`node` is the leaf of the graph that stands for what it holds at first, `array` the array of the call that is
    traced, None where there is none."""

    tensor: Tensor
    node: Node
    array: Any


class Outside:
    """The arrays. `same` are pairs that are one array, `contiguous` those that must be so in C order."""

    def __init__(self) -> None:
        self._arrays: dict[int, OutsideArray] = {}
        self._written: dict[int, OutsideArray] = {}
        self.same: list[tuple[OutsideArray, OutsideArray]] = []
        self.contiguous: list[OutsideArray] = []

    def add(self, tensor: Tensor, node: Node, array: Any) -> None:
        found = self._arrays[id(tensor)] = OutsideArray(tensor, node, array)
        for written in self._written.values():
            self._relate(written, found)

    def writes(self, tensor: Tensor) -> None:
        """Told before one of them is written into: others may be the same array."""
        if id(tensor) not in self._written:
            written = self._written[id(tensor)] = self._arrays[id(tensor)]
            for other in self._arrays.values():
                self._relate(written, other)

    def _relate(self, written: OutsideArray, other: OutsideArray) -> None:
        """Makes an array that is the same as one that is written into another name of it."""
        if other is written or other.tensor._base is written.tensor or written.array is None or other.array is None:
            return
        if other.array is written.array:
            self.same.append((written, other))
            other.tensor._base = written.tensor
            for tensor in (other.tensor, *other.tensor._alive_views()):
                tensor._seen = None
                if tensor._doubts:
                    tensor._doubts = {id(written.tensor): (written.tensor, written.tensor._node)}
                if tensor._base is other.tensor:
                    tensor._base = written.tensor
                written.tensor._is_viewed_by(tensor)
        elif np.may_share_memory(written.array, other.array):
            raise InPlaceWriteError(
                message(
                    f"{written.tensor.describe()} is written to in place, and {other.tensor.describe()} is another "
                    "view of the same memory",
                    where(user_source(4)),
                    "Pass the whole array and take both views in the traced function, or pass a copy.",
                )
            )

    def assume_contiguous(self, leaves: Iterable[Node]) -> bool:
        """True if all of these are contiguous in C order, which is guarded from here on."""
        found = [a for a in self._arrays.values() if a.node in leaves]
        if not all(a.array is None or a.array.flags.c_contiguous for a in found):
            return False
        self.contiguous += [a for a in found if a not in self.contiguous]
        return True

    def updates(self) -> list[OutsideArray]:
        """Those that hold something else at the end of the trace."""
        return [a for a in self._written.values() if a.tensor._base is None and a.tensor._node is not a.node]

    def apart(self) -> list[tuple[OutsideArray, OutsideArray]]:
        """The pairs that must not share memory: one of them is written into."""
        known = {frozenset((id(a), id(b))) for a, b in self.same}
        found = []
        for written in self._written.values():
            for other in self._arrays.values():
                pair = frozenset((id(written), id(other)))
                if other is not written and pair not in known:
                    known.add(pair)
                    found.append((written, other))
        return found
