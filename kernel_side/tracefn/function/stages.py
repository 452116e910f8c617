"""The graph of a trace after each pass, down to its kernels."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ..ir.graph import Graph
from ..passes.pipeline import steps


@dataclasses.dataclass(frozen=True, slots=True)
class Stage:
    """A graph after one pass: `name` says which, `nodes` how many nodes it has, those in bodies included."""

    name: str
    graph: Graph = dataclasses.field(repr=False)

    @property
    def nodes(self) -> int:
        return self.graph.total()

    @property
    def text(self) -> str:
        """The graph as Python source that runs."""
        return str(self.graph)


class Stages(tuple[Stage, ...]):
    """The stages of a trace in order. It prints as a table of names and node counts."""

    def __str__(self) -> str:
        width = max(len(stage.name) for stage in self)
        return "\n".join(f"{stage.name:{width}}  {stage.nodes:5} nodes" for stage in self)

    __repr__ = __str__


def stages(traced: Graph) -> Stages:
    """All stages of a traced graph: as the Python code made it, after each pass, and with its regions as kernels."""
    return Stages(_stages(traced))


def _stages(traced: Graph) -> Iterator[Stage]:
    from ..codegen.native.regions import with_kernels  # what native code needs is imported with the first that is made

    yield Stage("traced", traced)
    graph = traced
    for name, run in steps(traced):
        graph = run(graph)
        yield Stage(name, graph)
    yield Stage("kernels", with_kernels(graph))
