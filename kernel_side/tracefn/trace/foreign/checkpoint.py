"""The start of a program with foreign steps: where one of them bails out, all is again as it was here."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ...ir.graph import Node
from ...ir.op import LEAVES, by_name
from ...ir.template import reference
from ...ir.types import Kind
from ..context import Trace
from .states import set_state, state_of


class Checkpoint(threading.local):
    """Takes the states of random generators, and notes of steps that take back their changes of objects.

    Arrays that the program writes into are given to it, too: the program may then not write into them before its end.
    """

    __name__ = "checkpoint"

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []
        self._generators: list[tuple[Any, Any]] = []

    def __call__(self, *values: Any) -> None:
        self.undo.clear()
        self._generators = [(v, state_of(v)) for v in values if hasattr(v, "bit_generator") or hasattr(v, "get_state")]

    def restore(self) -> None:
        """Notes that the program ends, and the call is made again."""
        while self.undo:
            self.undo.pop()()
        for generator, state in self._generators:
            set_state(generator, state)


def add_checkpoint(trace: Trace) -> None:
    """Puts a checkpoint at the start of a traced program, where there is anything to take back."""
    if trace.foreign is not None and trace.foreign.steps:
        put_checkpoint(trace, trace.foreign.checkpoint, trace.foreign.changes)


def put_checkpoint(trace: Trace, checkpoint: Checkpoint, changes: Any = ()) -> None:
    """Puts this checkpoint there. `changes` are steps' changes of objects."""
    update = by_name("update")
    written = {n.inputs[0] for n in trace.nodes if n.op is update}
    needed = [n for n in trace.nodes if n.op in LEAVES and (n in written or n.type.kind.is_random)]
    if not needed and not changes:
        return
    op, kept = by_name("checkpoint"), [n for n in needed if n.type.kind.is_random or n.type.kind is Kind.ARRAY]
    args = (checkpoint, *map(reference, range(len(kept))))
    first = set(kept)
    node = Node(op, tuple(kept), args, (), (), tuple)
    trace.nodes[:] = [*[n for n in trace.nodes if n in first], node, *[n for n in trace.nodes if n not in first]]


def put_around(trace: Trace, begin: Callable[[], None], end: Callable[[], None]) -> None:
    """Puts these at the start and at the end of a traced program."""
    op = by_name("checkpoint")
    leaves = [n for n in trace.nodes if n.op in LEAVES]
    others = [n for n in trace.nodes if n.op not in LEAVES]
    first, last = (Node(op, (), (call,), (), (), tuple) for call in (begin, end))
    trace.nodes[:] = [*leaves, first, *others, last]
