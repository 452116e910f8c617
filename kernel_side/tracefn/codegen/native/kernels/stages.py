"""How a kernel that calls functions of functions is cut into stages: loops over a block of elements.

A function is a long chain of operations, each of which waits for the one before, and a function of its result waits for
all of them. Where each function has a loop of its own, over a block that stays in the cache, a processor is busy with
many elements at a time. One more loop computes the operations between two functions. Values that pass from loop to
loop wait in *rooms*, which other values take when they are not needed any more.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict

from ....ir.graph import Node
from ....ir.template import Ref
from ....records import dataclass
from ..fusion.lowering import lowering
from ..scalar.emitter import DType, literal
from ..scalar.functions import FUNCTIONS
from .kernel import Kernel

Value = tuple[Node | str, DType]
"""A node and the dtype that it is cast to, or a literal and its dtype."""

Room = tuple[DType, int]
"""The dtype of its elements, and its number among the rooms of this dtype."""


@dataclass(frozen=True)
class Call:
    """A function by NumPy's name, and its operands."""

    name: str
    dtype: DType
    operands: tuple[Value, ...]


@dataclass(frozen=True)
class Stage:
    """A loop that computes `steps`, keeps values and writes results; then, functions of the kept values."""

    steps: list[Node] = dataclasses.field(default_factory=list)
    kept: list[Value] = dataclasses.field(default_factory=list)
    results: list[Node] = dataclasses.field(default_factory=list)
    calls: dict[Node, Call] = dataclasses.field(default_factory=dict)


class Stages:
    """The stages of a kernel, in order, and the rooms of values."""

    def __init__(self, kernel: Kernel) -> None:
        self._calls = calls(kernel)
        self._levels = _levels(kernel, self._calls)
        self.all = [Stage() for _ in range(1 + max(map(self._after, self._levels), default=0))]
        for node, level in self._levels.items():
            if node in self._calls:
                self.all[level].calls[node] = self._calls[node]
            else:
                self.all[level].steps.append(node)
        for node in kernel.results:
            self.all[self._after(node)].results.append(node)
        uses = self._uses()
        for value in uses:
            if (time := self._time(value, uses)) % 2 == 0:
                self.all[time // 2].kept.append(value)
        self.rooms = self._found_rooms(uses)

    @property
    def depth(self) -> int:
        """How many functions wait for one another."""
        return len(self.all) - 1

    def _after(self, node: Node) -> int:
        """The first stage whose loop can read the value of a step."""
        return self._levels[node] + (node in self._calls)

    def _uses(self) -> dict[Value, list[int]]:
        """When values are needed that must wait. The loop of stage k is at the time 2k, its functions at 2k + 1."""
        uses: dict[Value, list[int]] = defaultdict(list)
        for level, stage in enumerate(self.all):
            for read in [n for step in stage.steps for n in step.inputs]:
                if read in self._levels and (read in self._calls or self._levels[read] < level):
                    uses[read, read.type.dtype].append(2 * level)
            for node in stage.results:
                if node in self._calls:
                    uses[node, node.type.dtype].append(2 * level)
            for call in stage.calls.values():
                for value in call.operands:
                    uses[value].append(2 * level + 1)
        for source, dtype in list(uses):
            if (
                isinstance(source, Node) and source in self._calls and dtype != source.type.dtype
            ):  # it is cast as soon as it is there
                uses[source, source.type.dtype].append(2 * self._after(source))
        return uses

    def _time(self, value: Value, uses: dict[Value, list[int]]) -> int:
        """When a value gets into its room."""
        source, dtype = value
        if source in self._calls and dtype == source.type.dtype:
            return 2 * self._levels[source] + 1
        return 2 * (self._after(source) if source in self._levels else min(uses[value]) // 2)

    def _found_rooms(self, uses: dict[Value, list[int]]) -> dict[Value, Room]:
        rooms: dict[Value, Room] = {}
        taken: dict[DType, list[int]] = defaultdict(list)  # until when each room is
        times = {value: self._time(value, uses) for value in uses}
        for value, time in sorted(times.items(), key=lambda item: item[1]):
            until = taken[value[1]]
            number = next((k for k, last in enumerate(until) if last < time), len(until))
            until[number : number + 1] = [max(uses[value])]
            rooms[value] = value[1], number
        return rooms


def _levels(kernel: Kernel, calls: dict[Node, Call]) -> dict[Node, int]:
    """The stage of each step. A step that needs no function is computed where it is first needed, and waits in no
    room."""
    levels: dict[Node, int] = {}
    free: set[Node] = set()
    for node in kernel.steps:
        own = [n for n in node.inputs if n in levels]
        levels[node] = max([levels[n] + (n in calls) for n in own], default=0)
        if node not in calls and free.issuperset(own):
            free.add(node)
    first: dict[Node, int] = {}
    for node in reversed(kernel.steps):
        if node in free and node not in kernel.results:
            levels[node] = first.get(node, 0)
        for source in node.inputs:
            first[source] = min(levels[node], first.get(source, levels[node]))
    return levels


def calls(kernel: Kernel) -> dict[Node, Call]:
    """The steps that are functions of floats, which can have loops of their own."""
    found: dict[Node, Call] = {}
    for node in kernel.steps:
        step = lowering(node)
        if step is None or step.rule not in FUNCTIONS or step.dtypes[-1].char not in "fd":
            continue
        pairs = zip(step.operands, step.dtypes, strict=True)
        operands = [(node.inputs[o.index] if isinstance(o, Ref) else literal(o, t), t) for o, t in pairs]
        found[node] = Call(step.rule, step.dtypes[-1], tuple(operands))
    return found


def can_have_stages(kernel: Kernel) -> bool:
    """True if all that a kernel reads are elements of arrays and numbers, none of them complex or a float16."""
    more = kernel.reductions or kernel.scans or kernel.moving or kernel.tables or kernel.masked or kernel.picked
    dtypes = {n.type.dtype for n in (*kernel.graph.inputs, *kernel.steps)}
    return bool(kernel.shape) and not more and all(d.kind in "biu" or d.char in "fd" for d in dtypes)
