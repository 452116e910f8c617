"""What one trace gives: graphs, program, guards, and what each call writes."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from ...codegen import Program, locate
from ...events import PassCount
from ...ir.graph import Graph
from ...ir.place import Source
from ...ir.types import TensorType
from ...runtime.calls.memory_guards import MemoryGuard
from ...runtime.calls.target import Target
from ...runtime.calls.writes import Assignment
from ...runtime.store import StoreSource
from ...trace.context import SideEffect
from ...trace.signature import CallSignature, GeneratorSpec, TensorSpec
from ...trace.state.content import ContentGuard
from ...trace.trace_parts.staging_log import Staged
from ...trace.tree import Tree
from ..fallback.retry import Retry
from .creation import Created
from .variables import calls_python


@dataclasses.dataclass(eq=False)
class Built:
    """What one trace gives."""

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

    def target(
        self, signature: CallSignature, run: Callable[..., Any], counter: Any, again: Callable[..., Any] | None
    ) -> Target:
        """What the dispatch functions of this trace need. `again` takes calls whose program raises."""
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
            outputs=len(self.graph.outputs),
            store=None if self.store is None else self.store.function(),
            store_text="" if self.store is None else self.store.source,
            only_sets=None if self.store is None else self.store.only_sets,
            gives_result=self.store is not None and bool(self.store.result),
            again=None if self.retry is None else again,
            again_is_free=self.retry is None or self.retry.is_free,
            store_arguments=() if self.store is None else tuple(self.store.arguments),
            changed=frozenset() if self.store is None else frozenset(self.store.changed),
            assignments=self.assignments,
            aliases=self.aliases,
            memory=self.memory,
            calls_python=calls_python(self.graph),
            locate=functools.partial(locate, self.program),
        )


def _spec(value_type: TensorType) -> TensorSpec | GeneratorSpec:
    if value_type.kind.is_random:
        return GeneratorSpec(value_type.kind, None)
    return TensorSpec(value_type.shape, value_type.dtype, kind=value_type.kind)  # type: ignore[arg-type]
