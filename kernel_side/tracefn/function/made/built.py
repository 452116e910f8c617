"""The product of one trace: graphs, program, guards, and the writes of each call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar

from ...codegen import Program, locate
from ...events import PassCount
from ...ir.dims import Dim
from ...ir.graph import Graph
from ...ir.op import CONSTANT
from ...ir.place import Source
from ...ir.types import TensorType
from ...records import dataclass
from ...runtime.calls.memory_guards import MemoryGuard
from ...runtime.calls.target import Target
from ...runtime.calls.writes import Assignment
from ...runtime.store import StoreSource
from ...trace.code.made_of import HasCode
from ...trace.context import SideEffect
from ...trace.signature import CallSignature, GeneratorSpec, TensorSpec
from ...trace.state.content import ContentGuard
from ...trace.trace_parts.staging_log import Staged
from ...trace.tree import Tree
from ..fallback.retry import Retry
from .creation import Created
from .variables import calls_python

NODE_BYTES = 600
"""The memory of a node of a graph, with its templates, types and place: measured on graphs of 1000 nodes."""

PROGRAM_BYTES = 6
"""The memory of a program for each character of its source: the text, the code made of it, and its lines in
linecache."""

EARLIER_PROCESS, OTHER_OBJECTS = "an earlier process", "other objects of the same classes"
"""Where traces come from that were not made for a function."""


@dataclass(eq=False)
class Built:
    """The result of one trace."""

    traced: Graph
    graph: Graph
    passes: tuple[PassCount, ...]
    program: Program
    module: dict[str, Any]
    result: Tree
    result_leaves: tuple[tuple[str, Any], ...]
    captures: tuple[Any, ...]
    values: tuple[Any, ...]
    identities: tuple[Any, ...]
    libraries: tuple[Any, ...]
    contents: tuple[ContentGuard, ...]
    store: StoreSource | None
    stored: frozenset[str]
    retry: Retry | None
    assignments: tuple[Assignment, ...]
    aliases: tuple[tuple[int, Any, bool], ...]
    memory: tuple[MemoryGuard, ...]
    created: Created
    effects: tuple[SideEffect, ...]
    staging: tuple[Staged, ...]
    line_ns: dict[Source, int]
    not_converted: tuple[tuple[Any, str], ...]
    dim_guards: tuple[Any, ...]
    symbols: dict[str, tuple[int, int]]
    phases: dict[str, int]
    replayed: tuple[str, ...] = ()
    gives_derivatives: bool = False
    watches_arrays: bool = False
    for_its_objects: bool = False
    """True where other objects need a trace of their own: it knows addresses, or did something once."""

    taken_from: ClassVar[str] = ""
    """Where a trace that was not made for this function comes from, in words."""

    @property
    def outputs(self) -> int:
        """How many values the program gives."""
        return len(self.graph.outputs)

    @property
    def calls_python(self) -> bool:
        """True where the program runs the user's Python code."""
        return calls_python(self.graph)

    @property
    def nbytes(self) -> int:
        """About how much memory the graphs, the constants in them and the program take, in bytes."""
        values = [n.args[0].value for n in self.traced.nodes if n.op is CONSTANT]
        constants = {id(v): v.nbytes for v in values if hasattr(v, "nbytes")}
        nodes = len({*self.traced.nodes, *self.graph.nodes}) + self.traced.total() - len(self.traced)
        return nodes * NODE_BYTES + sum(constants.values()) + PROGRAM_BYTES * len(self.program.source)

    def target(
        self,
        signature: CallSignature,
        run: Callable[..., Any],
        counter: Any,
        again: Callable[..., Any] | None,
        own: HasCode,
    ) -> Target:
        """The target of the dispatch functions of this trace. `again` takes calls whose program raises; `own` is the
        function with the code that it had."""
        return Target(
            signature=signature,
            run=run,
            counter=counter,
            captures=self.captures,
            capture_specs=tuple(_spec(n.type) for n in self.program.captures),
            values=self.values,
            identities=self.identities,
            libraries=self.libraries,
            contents=self.contents,
            dim_guards=self.dim_guards,
            symbols=self.symbols,
            result=self.result,
            result_leaves=self.result_leaves,
            outputs=self.outputs,
            store=None if self.store is None else self.store.function(),
            store_text="" if self.store is None else self.store.source,
            only_sets=None if self.store is None else self.store.only_sets,
            gives_result=self.store is not None and bool(self.store.result),
            again=None if self.retry is None else again,
            again_is_free=self.retry is None or self.retry.is_free,
            store_arguments=() if self.store is None else tuple(self.store.arguments),
            changed=frozenset() if self.store is None else frozenset(self.store.changed),
            apart=() if self.store is None else tuple(self.store.apart),
            assignments=self.assignments,
            aliases=self.aliases,
            memory=self.memory,
            calls_python=self.calls_python,
            locate=functools.partial(locate, self.program),
            own=own,
        )


def _spec(value_type: TensorType) -> TensorSpec | GeneratorSpec:
    if value_type.kind.is_random:
        return GeneratorSpec(value_type.kind, None)
    shape = tuple([None if isinstance(n, Dim) else n for n in value_type.shape])
    return TensorSpec(shape, value_type.dtype, kind=value_type.kind)
