"""One trace of a function: its signature, its graph, and the program that runs it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .. import events
from ..codegen import Program, checked_program, locate
from ..config import traces_are_reused
from ..debugging import numerics_are_checked
from ..errors import ArgumentMismatchError, ShapeMismatchError, message
from ..events import CallCounter, PassCount
from ..ir.graph import Source
from ..ir.op import CONSTANT
from ..ir.types import Kind
from ..runtime.checks import MISS
from ..runtime.device import array_module, to_device
from ..runtime.dispatch import Form, Target, call_entry, takes, use
from ..runtime.store import arguments_of
from ..runtime.writes import Locked, assign_all
from ..trace.context import SideEffect
from ..trace.signature import (
    CallSignature,
    ForeignSpec,
    GeneratorSpec,
    Parameters,
    TensorSpec,
    ValueSpec,
    VariableSpec,
    differences,
)
from ..trace.source import source_of
from ..trace.staging_log import Staged
from ..trace.state.compared import reference
from ..trace.state.paths import IdentityCapture, Path
from ..trace.tree import unflatten
from .guards import Broken, Now, broken_lengths, broken_outside, sharing
from .history.mutation_watch import changed_since, held_by
from .history.stages import Stages, stages
from .tracing.built import Built
from .tracing.generators import refuse_draws

if TYPE_CHECKING:
    from ..runtime.direct import DirectCalls
    from ..runtime.kept_program import KeptProgram
    from ..runtime.native_program import NativeProgram

NODE_BYTES = 600
"""What a node of a graph takes, with its templates, types and place: measured on graphs of 1000 nodes."""

PROGRAM_BYTES = 6
"""What a program takes for each character of its source: the text, the code made of it, and its lines in linecache."""


class ProgramFailed(Exception):
    """A program has raised, and the call may be made again."""

    def __init__(self, concrete: ConcreteFunction, error: Exception) -> None:
        super().__init__(str(error))
        self.concrete = concrete
        self.error = error


class ConcreteFunction:
    """A function traced for one signature. Made by calling a `Function`, or by its `get_concrete_function`.

    Attributes
    ----------
    graph: Graph
        The optimised graph that the program computes. `traced_graph` is the graph as the Python code made it.
    program: str
        The source of the program, Python with NumPy.
    structured_input_signature: (tuple, dict)
        The arguments, with a `TensorSpec` for each array.
    structured_outputs
        The result, with a `TensorSpec` for each array.

    Calling it checks the arguments against the signature and raises `ArgumentMismatchError` where they do not fit; it
    never traces.

    >>> import numpy as np, tracefn
    >>> concrete = tracefn.function(lambda x: x + 1).get_concrete_function(tracefn.TensorSpec((None,), np.float32))
    >>> concrete.structured_outputs
    TensorSpec(shape=(None,), dtype=float32)
    >>> concrete(np.zeros(2, np.float32))
    array([1., 1.], dtype=float32)
    """

    def __init__(
        self,
        built: Built,
        signature: CallSignature,
        parameters: Parameters,
        function_id: str,
        number: int,
        device: str,
        earlier: ConcreteFunction | None = None,
        again: Callable[..., Any] | None = None,
    ) -> None:
        self.name = built.graph.name
        self.number = number
        self.function_id = function_id
        self.signature_id = f"{function_id}/{number}"
        self.signature = signature
        self.device = device
        self.graph = built.graph
        self.traced_graph = built.traced
        self.passes: tuple[PassCount, ...] = built.passes
        self.phases: dict[str, int] = built.phases
        self.calls = CallCounter(function_id, self.signature_id)
        self.created = built.created
        self.version = 0
        self.built = built
        self._parameters = parameters
        self.has_guards = bool(
            built.captures
            or built.values
            or built.identities
            or built.contents
            or built.dim_guards
            or built.aliases
            or built.memory
        )
        known = weakref.ref(self)
        self._target = built.target(
            signature, self._runner(built.program), self.calls, again and functools.partial(again, known)
        )
        if earlier is not None:
            self._target = sharing(self._target, earlier._target)
        self._held = held_by(self._target) if built.identities or built.values else {}
        self._entries: list[Callable[..., Any]] = []
        self._native: NativeProgram | KeptProgram | None = None
        self._direct: DirectCalls | None = None
        self.precise = False
        self.instance: Callable[[], Any] = lambda: None  # whose method it is: the first argument of each call
        self.on_native: Callable[[], None] = lambda: None

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
    def program(self) -> str:
        return self.built.program.source

    def stages(self) -> Stages:
        """The graph as the Python code made it, after each pass, and after each step to native code. Each has a `name`,
        its `graph`, `nodes` and `text`: Python that runs, or the LLVM code of all kernels. The passes run again for it,
        and the texts of native code are made when they are read.

        >>> import numpy as np, tracefn
        >>> f = tracefn.function(lambda x: (x * 1 + x[0]) + (x * 1))
        >>> f.get_concrete_function(np.ones(3)).stages()
        traced                6 nodes
        inline calls          6 nodes
        bodies                6 nodes
        fold constants        6 nodes
        simplify              4 nodes
        hoist invariants      4 nodes
        merge common          4 nodes
        drop dead             4 nodes
        separate outputs      4 nodes
        NumPy program         4 nodes
        ...
        kernels               8 nodes
        native program        8 nodes
        LLVM                  8 nodes
        """
        native = functools.cache(lambda: self._native or self.build_native())
        return stages(self.traced_graph, self.program, self.precise, native)

    @property
    def plan(self) -> str:
        """Which program runs now: 'numpy' or 'native'."""
        return "numpy" if self._native is None else "native"

    @property
    def native_program(self) -> str | None:
        """The source of the native program, in which parts of the graph are kernels. None where there is none."""
        return None if self._native is None else self._native.program.source

    @property
    def staging(self) -> tuple[Staged, ...]:
        """What became of each branch and loop: staged, unrolled, not converted."""
        return self.built.staging

    @property
    def line_ns(self) -> dict[Source, int]:
        """What tracing took, by the line that recorded nodes, in ns."""
        return self.built.line_ns

    @property
    def side_effects(self) -> tuple[SideEffect, ...]:
        """What happened while tracing and does not happen at later calls."""
        return self.built.effects

    @property
    def is_rewritten(self) -> bool:
        """True if passes have changed the graph."""
        return self.graph is not self.traced_graph

    @property
    def nodes_before(self) -> int:
        return self.traced_graph.total()

    @property
    def nodes_after(self) -> int:
        return self.graph.total()

    @property
    def nbytes(self) -> int:
        """About how much memory the graphs, the constants in them and the program take, in bytes."""
        values = [n.args[0].value for n in self.traced_graph.nodes if n.op is CONSTANT]
        constants = {id(v): v.nbytes for v in values if hasattr(v, "nbytes")}
        nodes = len({*self.traced_graph.nodes, *self.graph.nodes}) + self.nodes_before - len(self.traced_graph)
        return nodes * NODE_BYTES + sum(constants.values()) + PROGRAM_BYTES * len(self.program)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        shown = iter([_shown(leaf) for leaf in self.signature.leaves])
        arguments = {name: unflatten(t, [next(shown) for _ in range(t.count())]) for name, t in self.signature.trees}
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for p in self._parameters.parameters:
            if p.kind is p.VAR_POSITIONAL:
                positional += arguments[p.name]
            elif p.kind is p.VAR_KEYWORD:
                keywords.update(arguments[p.name])
            elif p.kind is p.KEYWORD_ONLY:
                keywords[p.name] = arguments[p.name]
            else:
                positional.append(arguments[p.name])
        return tuple(positional), keywords

    @property
    def structured_outputs(self) -> Any:
        leaves: list[Any] = []
        for kind, value in self._target.result_leaves:
            if kind == "output":
                output = self.graph.outputs[value].type
                if output.kind is Kind.OBJECT:
                    leaves.append(ForeignSpec(object))
                    continue
                if output.kind.is_random:
                    leaves.append(GeneratorSpec(output.kind, None))
                    continue
                shape = tuple(n if isinstance(n, int) else None for n in output.shape)
                leaves.append(TensorSpec(shape, output.dtype, kind=output.kind))
            else:
                leaves.append(_shown(self.signature.leaves[value]) if kind == "argument" else value)
        return unflatten(self._target.result, leaves)

    def run(self, leaves: Sequence[Any], now: Now) -> Any:
        """Runs on the leaves of a call that fits the signature; `MISS` where a guard does not hold."""
        target = self._target
        if not target.assignments:
            return self._run(leaves, (), now)
        variables = [a.target(leaves) for a in target.assignments]
        with Locked(variables, target.calls_python):
            return self._run(leaves, variables, Now(self.signature, leaves, now.arguments))

    def _run(self, leaves: Sequence[Any], variables: Sequence[Any], now: Now) -> Any:
        if self.has_guards and next(self.broken_guards(now), None):
            return MISS
        target = self._target
        tensors = [v for v, spec in zip(leaves, self.signature.leaves, strict=True) if takes(spec)]
        captured = [now.load(c) if isinstance(c, Path) else c for c in target.captures]
        given = arguments_of(target.store_arguments, target.changed, now.arguments, leaves)
        self.calls.counted += 1
        run = self._checked if numerics_are_checked() else target.run
        try:
            returned = run(*tensors, *captured)
        except Exception as error:
            target.locate(error)
            if target.again is not None:
                raise ProgramFailed(self, error) from error
            raise
        outputs = (returned,) if target.outputs == 1 else returned
        assign_all(target.assignments, variables, outputs)
        if target.store is not None:
            stored = target.store(outputs, given) if given else target.store(outputs)
            if target.gives_result:
                return stored
        kinds = {"output": outputs.__getitem__, "argument": leaves.__getitem__, "value": lambda value: value}
        return unflatten(target.result, [kinds[kind](value) for kind, value in target.result_leaves])

    def entry(
        self, form: Form, parameters: Sequence[inspect.Parameter], defaults: dict[str, Any]
    ) -> Callable[..., Any] | None:
        """The generated function for calls of one form, or None (`runtime.dispatch`)."""
        entry = call_entry(self._target, form, parameters, defaults)
        if entry is not None:
            self._entries.append(entry)
        return entry

    # --- tiers

    def kept_native(self) -> KeptProgram | None:
        """The native program of the graph as an earlier process built it, if there is one. Nothing uses it yet."""
        from ..runtime import kept_program

        whole = functools.cache(self._native_program)
        return kept_program.load(self.graph, self.signature_id, self.built.module, self.precise, whole)

    def build_native(self) -> NativeProgram:
        """The native program of the graph, which is kept for other processes. Nothing uses it yet."""
        from ..runtime import kept_program

        native = self._native_program()
        kept_program.keep(native, self.graph, self.precise)
        native.direct = self._direct_calls(native)
        return native

    def _native_program(self) -> NativeProgram:
        from ..runtime.native_program import NativeProgram  # imported with the first program that is built

        return NativeProgram(self.graph, self.signature_id, self.built.module, self.precise)

    def _direct_calls(self, native: NativeProgram) -> DirectCalls | None:
        """The machine code that takes calls of this signature. None where Python takes them."""
        from ..runtime.direct import DirectCalls, Unfit

        target, parameters = self._with_program(native), self._parameters.parameters
        try:
            if not native.is_better:
                return DirectCalls(target, parameters, target.run)
            return DirectCalls(target, parameters, native.run, native.order, native.steps)
        except Unfit:
            return None

    def _with_program(self, native: NativeProgram | KeptProgram) -> Target:
        if not native.is_better:
            return self._target
        finds = functools.partial(locate, native.program)
        return dataclasses.replace(self._target, run=native.program.function, locate=finds)

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
            self._native, self._target = native, self._with_program(native)
        for entry in self._entries:
            use(entry, self._target)
        self.on_native()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (instance := self.instance()) is not None and not (args and args[0] is instance):
            args = (instance, *args)
        arguments = self._parameters.bind(args, self._with_python_values(args, kwargs))
        call, values = CallSignature.of(arguments)
        causes = differences(self.signature, call.with_numbers(self.signature.numbers))
        if causes:
            is_shape = {c.kind for c in causes} <= {"rank", "dimension"}
            raise (ShapeMismatchError if is_shape else ArgumentMismatchError)(
                message(
                    f"the concrete function {self.signature_id} ({self.signature.text}) cannot take this call: "
                    + "; ".join(c.text for c in causes),
                    fix=f"Pass what it was traced for, or call `{self.name}` itself, which traces anew where it must.",
                )
            )
        try:
            result = self.run(values, Now(self.signature, values, arguments))
        except ProgramFailed as failed:
            raise failed.error from None
        if result is MISS:
            broken = self.broken_guards(Now(self.signature, values))
            changed = "; ".join(b.cause.text for b in broken) or "a guard does not hold"
            raise ArgumentMismatchError(
                message(
                    f"the concrete function {self.signature_id} was traced under other circumstances: {changed}",
                    fix=f"Call `{self.name}` itself, which traces anew.",
                )
            )
        return result

    def _with_python_values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The keywords of a call, and those Python values that it leaves out: there is only one that fits."""
        try:
            given = self._parameters.signature.bind_partial(*args, **kwargs).arguments
        except TypeError:
            return kwargs
        names = {p.name for p in self._parameters.parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        leaves = iter(self.signature.leaves)
        known = {}
        for name, tree in self.signature.trees:
            specs = [next(leaves) for _ in range(tree.count())]
            if name in names and name not in given and all(isinstance(s, ValueSpec) for s in specs):
                known[name] = unflatten(tree, [_shown(s) for s in specs])
        return known | kwargs

    def broken_guards(self, now: Now) -> Iterator[Broken]:
        """What is not as it was when the function was traced: outside the arguments, and in their open lengths."""
        yield from broken_outside(self._target, now, self._takes)
        yield from broken_lengths(self._target, now)

    def broken_outside(self, now: Now) -> Iterator[Broken]:
        """What outside the arguments is not as it was when the function was traced."""
        return broken_outside(self._target, now, self._takes)

    def changed_since(self) -> dict[str, str]:
        """By the path of an object from outside: what has changed in it since the trace, and is not compared."""
        return changed_since(self._target, self._held) if self._held else {}

    def captured_numbers(self) -> dict[str, int | float]:
        """The Python numbers that were read outside the arguments, by their paths."""
        values = [v for v in self._target.values if v.what == "value" and type(v.value) in (int, float)]
        return {v.path.text: v.value for v in values}

    def _takes(self, identity: IdentityCapture, found: Any) -> bool:
        """True for a function made anew from the same source, as by a cell that is run again: it is used from now."""
        if identity.source is None or not traces_are_reused() or source_of(found) != identity.source:
            return False
        renewed = dataclasses.replace(identity, reference=reference(found))
        identities = tuple([renewed if other is identity else other for other in self._target.identities])
        self._target = dataclasses.replace(self._target, identities=identities)
        self.version += 1
        if self._direct is not None:
            self._direct = self._direct.renewed(self._target)
            self.on_native()
        return True

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The signature in words: on one line, or with a line for each argument and result."""
        if not verbose:
            return f"({self.signature.text}) -> {_result_text(self.structured_outputs)}"
        lines = [f"{self.name} #{self.number}", "  Arguments:"]
        lines += [f"    {p}: {leaf.text}" for p, leaf in zip(self.signature.paths, self.signature.leaves, strict=True)]
        lines += ["  Result:", f"    {_result_text(self.structured_outputs)}"]
        captures = [f"    {n.args[0]}: {n.type!r}" for n in self.graph.captures]
        lines += ["  Captured:", *captures] if captures else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.signature_id}: {self.pretty_printed_signature(verbose=False)}>"


def _shown(leaf: Any) -> Any:
    keeps = isinstance(leaf, TensorSpec | VariableSpec | GeneratorSpec)
    return leaf.value if isinstance(leaf, ValueSpec) else leaf if keeps else leaf.target


def _result_text(outputs: Any) -> str:
    return outputs.text if isinstance(outputs, TensorSpec) else repr(outputs)
