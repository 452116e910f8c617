"""Kernels of loops as machine code."""

from __future__ import annotations

from collections.abc import Collection

from ....ir.graph import Graph, Node
from ...machine.engine import compiled
from ..kernels.compiled import Entry
from .code import loop_code
from .entry import ADDRESS, STATE, LoopEntry, UnknownLength


class CompiledLoops:
    """The machine code of a kernel of loops. `text` is that of `run`, `loops` has the layout of its frame."""

    def __init__(self, body: Graph, owned: Collection[Node], fresh: Collection[Node]) -> None:
        self._body = body
        self.loops = loop_code(body, owned, fresh)
        self.text = self.loops.code.module()
        self.code = compiled(self.text)

    def entry(self, futile: int) -> Entry | None:
        """The code that Python calls. It gives up once `futile` calls in a row were not finished. None where lengths
        are computed in a way that only Python knows."""
        writer = LoopEntry(self._body, self.loops, futile)
        try:
            return Entry(compiled(writer.module(), has_loops=False), STATE, ADDRESS, tuple(writer.objects))
        except UnknownLength:
            return None


def compile_loops(body: Graph, owned: Collection[Node] = (), fresh: Collection[Node] = ()) -> CompiledLoops:
    """The kernel of a body of loops. It may write into the arguments that are `owned`, whose changes the caller sees,
    and into those that are `fresh`. Raises Unfit where the body does something that is not computed natively."""
    return CompiledLoops(body, owned, fresh)
