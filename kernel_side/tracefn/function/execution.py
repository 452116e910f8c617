"""Runs the program of one trace: checks its guards, makes its entries, and takes native code into use."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import events
from ..codegen import Program, checked_program, locate
from ..config import traces_are_reused
from ..debugging import numerics_are_checked
from ..runtime.calls.entry import call_entry, use
from ..runtime.calls.source import MISS
from ..runtime.calls.target import Form, Target, takes
from ..runtime.calls.writes import Locked, assign_all
from ..runtime.device import array_module, to_device
from ..runtime.freed_memory import keep_freed_memory
from ..runtime.store import arguments_of
from ..trace.code.made_of import HasCode
from ..trace.code.source import source_of
from ..trace.signature import Parameters
from ..trace.state.paths import IdentityCapture, Path
from ..trace.tree import unflatten
from .guards import Broken, Now, broken_lengths, broken_outside, sharing
from .made.anew import with_function
from .made.built import Built
from .made.generators import refuse_draws
from .mutation_watch import changed_since, held_by

if TYPE_CHECKING:
    from ..runtime.calls.native_entry import DirectCalls
    from ..runtime.kept_program import KeptProgram, NotBetter
    from ..runtime.native_program import NativeProgram
    from .concrete import ConcreteFunction


class ProgramFailed(Exception):
    """A program has raised, and the call may be made again."""

    def __init__(self, reference: Callable[[], ConcreteFunction | None], error: Exception) -> None:
        super().__init__(str(error))
        self.reference = reference
        self.error = error


class _Entry(NamedTuple):
    """A generated function, or None if none can be generated. It is valid for one version of a trace and of the
    parameters."""

    function: Callable[..., Any] | None
    version: int
    parameters: Any


class Execution:
    """How the calls of a `ConcreteFunction` run: by the NumPy program first, and later by a native one.

    `target` is the trace as the generated entries see it. `version` counts its changes. `again` takes calls whose
    program raises.
    """

    def __init__(
        self,
        concrete: ConcreteFunction,
        built: Built,
        parameters: Parameters,
        earlier: Execution | None,
        again: Callable[..., Any] | None,
    ) -> None:
        keep_freed_memory()
        self.function_id = concrete.function_id
        self.signature_id = concrete.signature_id
        self.signature = concrete.signature
        self.graph = built.graph
        self.device = concrete.device
        self.calls = concrete.calls
        self.version = 0
        self.precise = False
        self.native: NativeProgram | KeptProgram | None = None
        self.on_native: Callable[[], None] = lambda: None
        self._instead: Callable[..., Any] | None = None
        self._has_guards = bool(
            built.captures
            or built.values
            or built.identities
            or built.contents
            or built.dim_guards
            or built.aliases
            or built.memory
        )
        self._module = built.module
        self._reference = weakref.ref(concrete)
        self._parameters = parameters
        function = parameters.function
        self.target = built.target(
            self.signature,
            self._runner(built.program),
            self.calls,
            again and functools.partial(again, self._reference),
            HasCode(function, function.__code__),
        )
        if earlier is not None:
            self.target = sharing(self.target, earlier.target)
        self._held = held_by(self.target) if built.identities or built.values else {}
        self._entries: dict[Form, _Entry] = {}
        self._direct: DirectCalls | None = None

    def _runner(self, program: Program) -> Callable[..., Any]:
        if self.device == "cpu":
            return program.function
        refuse_draws(self.graph)
        run = program.load(array_module(self.device))

        def run_on_device(*arrays: Any) -> Any:
            start = time.perf_counter_ns()
            there = [to_device(a, self.device) for a in arrays]
            moved = sum(a.nbytes for a, b in zip(arrays, there, strict=True) if a is not b)
            if moved:
                duration = time.perf_counter_ns() - start
                where: dict[str, Any] = {"function": self.function_id, "signature": self.signature_id}
                events.emit(events.Transfer(**where, direction="to_device", size=moved, duration_ns=duration))
            return run(*there)

        return run_on_device

    @functools.cached_property
    def _checked(self) -> Callable[..., Any]:
        return self._runner(checked_program(self.graph, self.function_id, self.signature_id))

    @property
    def has_guards(self) -> bool:
        """False where the arguments alone decide whether a call fits."""
        return self._has_guards or self.target.own is None or not self.target.own.holds

    @property
    def depends_on(self) -> Any:
        """The state besides arguments that decides whether a call fits the trace: None for guards of its own, else the
        function's code and the state of libraries. Traces with equal values fit or miss together."""
        own = self.target.own
        return None if self._has_guards or own is None else (id(own.function), id(own.code), id(self.target.libraries))

    @property
    def plan(self) -> str:
        """Which program runs now: 'numpy' or 'native'."""
        return "numpy" if self.native is None else "native"

    @contextlib.contextmanager
    def running(self, program: Program) -> Iterator[None]:
        """While the block runs, calls of the `ConcreteFunction` run a program that does the same as its own."""
        self._instead = self._runner(program)
        try:
            yield
        finally:
            self._instead = None

    def run(self, leaves: Sequence[Any], now: Now) -> Any:
        """Runs on the leaves of a call that fits the signature; `MISS` where a guard does not hold."""
        return self._locked(leaves, now, is_guarded=self.has_guards or bool(self.target.libraries))

    def run_traced_call(self, leaves: Sequence[Any], now: Now) -> Any:
        """Runs on the leaves of the call that was traced: its guards hold, also those that values decide."""
        return self._locked(leaves, now, is_guarded=False)

    def _locked(self, leaves: Sequence[Any], now: Now, is_guarded: bool) -> Any:
        target = self.target
        if not target.assignments:
            return self._run(leaves, (), now, is_guarded)
        variables = [a.target(leaves) for a in target.assignments]
        with Locked(variables, target.calls_python):
            return self._run(leaves, variables, Now(self.signature, leaves, now.arguments), is_guarded)

    def _run(self, leaves: Sequence[Any], variables: Sequence[Any], now: Now, is_guarded: bool) -> Any:
        if is_guarded and next(self.broken_guards(now), None):
            return MISS
        target = self.target
        tensors = [v for v, spec in zip(leaves, self.signature.leaves, strict=True) if takes(spec)]
        captured = [now.load(c) if isinstance(c, Path) else c for c in target.captures]
        given = arguments_of(target.store_arguments, target.changed, target.apart, now.arguments, leaves, now.load)
        self.calls.counted += 1
        run = self._instead or (self._checked if numerics_are_checked() else target.run)
        try:
            returned = run(*tensors, *captured)
        except Exception as error:
            target.locate(error)
            if target.again is not None:
                raise ProgramFailed(self._reference, error) from error
            raise
        outputs = (returned,) if target.outputs == 1 else returned
        assign_all(target.assignments, variables, outputs)
        if target.store is not None:
            stored = target.store(outputs, given) if given else target.store(outputs)
            if target.gives_result:
                return stored
        kinds = {"output": outputs.__getitem__, "argument": leaves.__getitem__, "value": lambda value: value}
        return unflatten(target.result, [kinds[kind](value) for kind, value in target.result_leaves])

    def entry(self, form: Form, parameters: Parameters) -> Callable[..., Any] | None:
        """The generated function for calls of one form, or None (`runtime.calls.entry`). It is kept while other traces
        have the entries: generating it costs as much as a hundred calls by key."""
        made = self._entries.get(form)
        if made is None or made.version != self.version or made.parameters is not parameters.parameters:
            entry = call_entry(self.target, form, parameters)
            made = self._entries[form] = _Entry(entry, self.version, parameters.parameters)
        return made.function

    # --- tiers

    def kept_native(self) -> KeptProgram | NotBetter | None:
        """The native program of the graph as an earlier process built it, if there is one. Nothing uses it yet."""
        from ..runtime import kept_program

        whole = functools.cache(self._native_program)
        return kept_program.load(self.graph, self.signature_id, self._module, self.precise, whole)

    @property
    def nodes(self) -> int:
        """The number of nodes of the graph, those in bodies included."""
        return self.graph.total()

    def serialised(self) -> bytes:
        """The graph as bytes, from which a compiler builds. Raises NotSerialisable."""
        from ..ir.serialise import serialise

        return serialise(self.graph)

    def take_native(self, content: bytes) -> KeptProgram:
        """The native program that a compiler has built. Raises LookupError where its code is not in memory."""
        from ..runtime.kept_program import KeptProgram

        whole = functools.cache(self._native_program)
        return KeptProgram(content, self.graph, self.signature_id, self._module, whole)

    def build_native(self) -> NativeProgram:
        """The native program of the graph, which is kept for other processes. Nothing uses it yet."""
        from ..runtime import kept_program

        native = self._native_program()
        kept_program.keep(native, self.graph, self.precise)
        native.direct = self._direct_calls(native)
        return native

    def make_direct(self) -> None:
        """Has machine code take the calls where a native program was built elsewhere, or is not better."""
        native = self.native
        if native is None:
            self._direct = self._direct_calls(None)
            self.on_native()
        elif native.direct is None:
            native.direct = self._direct_calls(native)
            self.use_native(native)

    def _native_program(self) -> NativeProgram:
        from ..runtime.native_program import NativeProgram  # imported with the first program that is built

        return NativeProgram(self.graph, self.signature_id, self._module, self.precise)

    def _direct_calls(self, native: NativeProgram | KeptProgram | None) -> DirectCalls | None:
        """The machine code that takes calls of this signature. None where Python takes them."""
        from ..runtime.calls.checks import Unfit
        from ..runtime.calls.native_entry import DirectCalls

        parameters = self._parameters
        try:
            if native is None or not native.is_better:
                return DirectCalls(self.target, parameters, self.target.run)
            target = self._with_program(native)
            return DirectCalls(target, parameters, native.run, native.order, native.steps)
        except Unfit:
            return None

    def _with_program(self, native: NativeProgram | KeptProgram) -> Target:
        if not native.is_better:
            return self.target
        finds = functools.partial(locate, native.program)
        return dataclasses.replace(self.target, run=native.program.function, locate=finds)

    @property
    def has_direct(self) -> bool:
        """True if calls of this signature can be taken by machine code from the start."""
        return self._direct is not None

    def direct(self, otherwise: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself as machine code for calls of this signature; `otherwise` takes the others."""
        assert self._direct is not None
        return self._direct.function(otherwise)

    def use_native(self, native: NativeProgram | KeptProgram) -> None:
        """Runs the native program from now on, where it is better. Calls are taken by machine code in any case."""
        self._direct = native.direct
        if native.is_better:
            self.native, self.target = native, self._with_program(native)
        for entry in self._entries.values():
            if entry.function is not None:
                use(entry.function, self.target)
        self.on_native()

    def broken_guards(self, now: Now) -> Iterator[Broken]:
        """The differences from the time of the trace: outside the arguments, and in their open lengths."""
        yield from broken_outside(self.target, now, self._takes)
        yield from broken_lengths(self.target, now)

    def broken_outside(self, now: Now) -> Iterator[Broken]:
        """The differences outside the arguments from the time of the trace."""
        return broken_outside(self.target, now, self._takes)

    def changed_since(self) -> dict[str, str]:
        """By the path of an object from outside: the parts that have changed in it since the trace, and are not
        compared."""
        return changed_since(self.target, self._held) if self._held else {}

    def captured_numbers(self) -> dict[str, int | float]:
        """The Python numbers that were read outside the arguments, by their paths."""
        values = [v for v in self.target.values if v.what == "value" and type(v.value) in (int, float)]
        return {v.path.text: v.value for v in values}

    def _takes(self, identity: IdentityCapture, found: Any) -> bool:
        """True for a function made anew from the same source, as by a cell that is run again: it is used from now."""
        if identity.source is None or not traces_are_reused() or source_of(found) != identity.source:
            return False
        target = with_function(self.target, identity, found)
        if target is None:
            return False
        self.target = target
        self.version += 1
        if self._direct is not None:
            self._direct = self._direct.renewed(self.target)
            self.on_native()
        return True
