"""Kernels that go row by row: reductions along the last axis, and operations on their results for the same row.

A row is read several times, in phases, while it is in the cache: `np.exp(x - x.max(-1, keepdims=True))` and the sum of
that are one kernel. Steps of a phase are computed again in a later one, but for slow ones, which wait in the
row of a result.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ....ir.graph import Node
from ....ir.types import Shape
from ....records import dataclass
from ..fusion.lowering import lowering
from ..fusion.reduction import Reduction, reduction
from ..scalar.functions import FUNCTIONS
from .kernel import Kernel


@dataclass(frozen=True)
class RowKernel(Kernel):
    """The source of such a kernel's code. The length of its rows is known."""

    @cached_property
    def steps(self) -> tuple[Node, ...]:
        return tuple([n for n in self.graph.nodes if not n.is_leaf])

    @cached_property
    def operands(self) -> tuple[Node, ...]:
        read = {s for n in self.steps for s in n.inputs}
        return tuple([n for n in self.graph.inputs if n in read and n.type.ndim])

    @cached_property
    def row_reductions(self) -> dict[Node, Reduction]:
        """The steps that reduce rows."""
        return {n: r for n in self.steps if (r := reduction(n)) is not None}

    @property
    def reductions(self) -> dict[Node, Reduction]:
        """None that the code of other kernels would have to do with."""
        return {}

    @property
    def is_for_strides(self) -> bool:
        return True

    @property
    def adds_up(self) -> bool:
        return True

    @cached_property
    def shape(self) -> Shape:
        return next(iter(self.row_reductions)).inputs[0].type.shape

    @cached_property
    def axes(self) -> tuple[tuple[int, ...], ...]:
        last = len(self.shape) - 1
        return tuple(range(last)), (last,)

    def lengths_of(self, node: Node, lengths: list[Any], one: Any) -> list[Any]:
        return lengths if self.is_whole(node) else [*lengths[:-1], one][: node.type.ndim]

    def is_whole(self, node: Node) -> bool:
        """True for a node with an element for each of a row, False for one with an element for each row."""
        return node.type.shape == self.shape

    @cached_property
    def phases(self) -> dict[Node, int]:
        """For each step the phase that its result is known after; of elements that are computed when they are needed,
        the one that they can be computed after."""
        found: dict[Node, int] = {}
        for node in self.steps:
            found[node] = max([found.get(n, 0) for n in node.inputs], default=0) + (node in self.row_reductions)
        return found

    @cached_property
    def last(self) -> int:
        """The phase in which the elements of results are computed."""
        return max(self.phases[n] for n in self.row_reductions) + 1

    def wanted(self, phase: int) -> list[Node]:
        """The elements that a phase is for: operands of reductions, or results."""
        if phase == self.last:
            return [n for n in self.results if self.is_whole(n)]
        return [n.inputs[0] for n in self.row_reductions if self.phases[n] == phase]

    @cached_property
    def needed(self) -> dict[int, dict[Node, None]]:
        """The steps that each phase computes for each element, where nothing is kept."""
        found: dict[int, dict[Node, None]] = {}
        for phase in range(1, self.last + 1):
            inside: set[Node] = set()
            waiting = self.wanted(phase)
            while waiting:
                node = waiting.pop()
                if node not in inside and node in self.phases and self.is_whole(node):
                    inside.add(node)
                    waiting += node.inputs
            found[phase] = dict.fromkeys(n for n in self.steps if n in inside)
        return found

    @cached_property
    def kept(self) -> dict[Node, Node]:
        """The steps whose elements wait in the memory of a result, with that result: functions that a later phase
        needs, too."""
        rooms = [n for n in self.results if self.is_whole(n)]
        found: dict[Node, Node] = {n: n for n in rooms if self.is_slow(n) and self._first(n) < self.last}
        rooms = [n for n in rooms if n not in found]
        for node in self.steps:
            if node in found or not self.is_slow(node) or not self.is_whole(node) or not self._returns(node):
                continue
            room = next((n for n in rooms if n.type.dtype == node.type.dtype), None)
            if room is not None:
                found[node] = room
                rooms.remove(room)
        return found

    def is_slow(self, node: Node) -> bool:
        """True for mathematical functions."""
        step = lowering(node)
        return step is not None and step.rule in FUNCTIONS

    def _first(self, node: Node) -> int:
        return next((p for p, needed in self.needed.items() if node in needed), self.last)

    def _returns(self, node: Node) -> bool:
        """True if several phases need a step."""
        return sum(node in needed for needed in self.needed.values()) > 1

    @property
    def count(self) -> int:
        """The number of elements of a row."""
        return int(self.shape[-1])  # type: ignore[arg-type]
