"""The part that the functions for the calls of one signature share, and how a call is written."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...ir.dims import Length
from ...records import dataclass
from ...trace.code.made_of import HasCode
from ...trace.signature import CallSignature, GeneratorSpec, LeafSpec, TensorSpec
from ...trace.state.content import ContentGuard
from ...trace.state.paths import IdentityCapture, Path, ValueCapture
from ...trace.tree import Tree
from ..store import ContainerPlace, Place, Set
from ..unseen_frames import unseen_by_warnings
from .memory_guards import MemoryGuard
from .writes import Assignment


@dataclass(frozen=True, slots=True)
class Form:
    """How a call was written: the number of positional arguments, and the keywords in order."""

    positional: int
    keywords: tuple[str, ...]

    def leaves_out(self, parameters: Sequence[inspect.Parameter]) -> bool:
        """True for calls in which parameters take their defaults."""
        by_position = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        given = {*by_position[: self.positional], *self.keywords}
        return any(p.name not in given for p in parameters if p.default is not p.empty)


@dataclass(frozen=True, eq=False)
class Target:
    """The parts that the generated functions of one signature share.

    `run` takes the tensor leaves in order and then the captured arrays in order. `captures` are the paths of these
    arrays, or the arrays themselves where no path is known. `result` is the structure of the result; `result_leaves`
    has an item for each of its leaves: ('output', i), ('argument', leaf index) or ('value', value). `symbols` maps a
    symbolic length to (leaf index, axis). `aliases` are (leaf index, weak reference to a Variable, whether it is that
    one). `memory` has the assumptions about arrays that may share memory. `calls_python` says that the program runs
    code of the user's. `own` is the function whose trace it is. `libraries` are the values of the names that it reads
    in modules of libraries. `locate(error)` completes the traceback of an error that the program raised.
    """

    signature: CallSignature
    run: Callable[..., Any]
    counter: Any
    captures: tuple[Path | Any, ...]
    capture_specs: tuple[TensorSpec | GeneratorSpec, ...]
    values: tuple[ValueCapture, ...]
    identities: tuple[IdentityCapture, ...]
    contents: tuple[ContentGuard, ...]
    dim_guards: tuple[tuple[str, Length, Length, bool], ...]
    symbols: dict[str, tuple[int, int]]
    result: Tree
    result_leaves: tuple[tuple[str, Any], ...]
    outputs: int
    store: Callable[..., Any] | None = None
    store_text: str = ""
    only_sets: tuple[Set, ...] | None = None
    gives_result: bool = False
    again: Callable[..., Any] | None = None
    again_is_free: bool = True
    store_arguments: tuple[Place, ...] = ()
    changed: frozenset[ContainerPlace] = frozenset()
    apart: tuple[tuple[ContainerPlace, Path], ...] = ()
    assignments: tuple[Assignment, ...] = ()
    aliases: tuple[tuple[int, Any, bool], ...] = ()
    memory: tuple[MemoryGuard, ...] = ()
    calls_python: bool = False
    own: HasCode | None = None
    libraries: tuple[IdentityCapture, ...] = ()
    locate: Callable[[BaseException], None] = lambda error: None


def takes(spec: LeafSpec) -> bool:
    """True for the leaves that a program is given: arrays, NumPy scalars and random generators."""
    return isinstance(spec, TensorSpec | GeneratorSpec)


@unseen_by_warnings
def timed_run(counter: Any, run: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Runs a program, and lets the counter know how long that took."""
    start = time.perf_counter_ns()
    result = run(*args, **kwargs)
    counter.time(time.perf_counter_ns() - start)
    return result
