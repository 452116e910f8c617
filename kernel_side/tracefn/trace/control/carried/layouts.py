"""How the arrays that a loop carries lie in memory: the same in each round, or it is not known."""

from __future__ import annotations

from typing import Any

from ....ir.graph import Node
from ...aliasing.layout import lie_alike, stand_in
from ...tensor import Tensor


class CarriedLayouts:
    """The part of a loop's state that knows how its leaves lie. `_lies` has those of which a round asks that, `_moved`
    those whose layout a round changes, `_assumed` the positions of which it is being found out."""

    _carried: list[Any]
    _first: list[Any]
    _last: list[Any]
    _settled: bool
    _lies: dict[Any, Any]
    _moved: set[Any]
    _assumed: set[int]

    def _lies_as(self, inputs: list[Node], node: Node) -> Any:
        """The memory layout of the array behind one of the `inputs` of a body. None if rounds differ."""
        for position, (leaf, found, first) in enumerate(zip(self._carried, inputs, self._first, strict=True)):
            if found is node and leaf not in self._moved and type(first) is Tensor:
                if leaf not in self._lies:
                    if self._settled:
                        return stand_in(first) if self._lies_always(position) else None
                    self._lies[leaf] = stand_in(first)
                return self._lies[leaf]
        return None

    def _lies_always(self, position: int) -> bool:
        """True if the result of a round has the memory layout of its input, given that all inputs have theirs."""
        if position in self._assumed:
            return True
        self._assumed.add(position)
        try:
            return lie_alike(self._first[position], self._last[position])
        finally:
            self._assumed.discard(position)

    def _lie_as_before(self) -> bool:
        """True if a round leaves arrays that lie in memory as those that it found, where that was asked for."""
        for leaf, last in zip(self._carried, self._last, strict=True):
            if self._lies.get(leaf) is not None and leaf not in self._moved:
                found = stand_in(last) if type(last) is Tensor else None
                if found is None or found.strides != self._lies[leaf].strides or found.shape != self._lies[leaf].shape:
                    self._moved.add(leaf)
                    return False
        return True

    def _number_leaves(self) -> None:
        """Has numbers stand for the leaves from here on."""
        numbers = {leaf: number for number, leaf in enumerate(self._carried)}
        self._lies = {numbers[leaf]: lies for leaf, lies in self._lies.items() if leaf in numbers}
        self._moved = {numbers[leaf] for leaf in self._moved if leaf in numbers}
        self._carried = list(numbers.values())
