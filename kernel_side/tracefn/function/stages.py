"""The graph of a trace after each step: the passes, the programs, the kernels."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..ir.graph import Graph
from ..passes.pipeline import steps
from ..records import dataclass

if TYPE_CHECKING:
    from ..runtime.kept_program import KeptProgram
    from ..runtime.native_program import NativeProgram


@dataclass(frozen=True, slots=True)
class Stage:
    """A graph after one step: `name` says which, `nodes` how many nodes it has, those in bodies included.

    The steps that make a program of a graph leave it as it is, and have the program as their `text`.
    """

    name: str
    graph: Graph = dataclasses.field(repr=False)
    _source: Callable[[], str] | None = dataclasses.field(default=None, repr=False)

    @property
    def nodes(self) -> int:
        return self.graph.total()

    @property
    def text(self) -> str:
        """The graph as Python source that runs, or the program that was made of it."""
        return str(self.graph) if self._source is None else self._source()


class Stages(tuple[Stage, ...]):
    """The stages of a trace in order. It prints as a table of names and node counts."""

    def __str__(self) -> str:
        width = max(len(stage.name) for stage in self)
        return "\n".join(f"{stage.name:{width}}  {stage.nodes:5} nodes" for stage in self)

    __repr__ = __str__


def stages(traced: Graph, source: str, precise: bool, native: Callable[[], NativeProgram | KeptProgram]) -> Stages:
    """All stages of a traced graph: as the Python code made it, after each pass, the `source` of its NumPy program, and
    on the way to native code. `native` gives the native program; it is called when that is read."""
    return Stages(_stages(traced, source, precise, native))


def _stages(
    traced: Graph, source: str, precise: bool, native: Callable[[], NativeProgram | KeptProgram]
) -> Iterator[Stage]:
    from ..codegen.machine import abi
    from ..codegen.native import steps as native_steps  # LLVM is imported with the first stage that is made

    yield Stage("traced", traced)
    graph = traced
    for name, run in steps(traced):
        graph = run(graph)
        yield Stage(name, graph)
    yield Stage("NumPy program", graph, lambda: source)
    for name, run in native_steps(precise):
        graph = run(graph)
        yield Stage(name, graph)
    if not abi.unavailable():
        yield Stage("native program", graph, lambda: native().program.source)
        yield Stage("LLVM", graph, lambda: "\n\n".join(f"; {k.name}\n{k.text}" for k in native().kernels))
