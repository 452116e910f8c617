"""One trace of a function: its signature, its graph, and the program that runs it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..codegen import raised_by
from ..errors import ArgumentMismatchError, ShapeMismatchError, message
from ..events import CallCounter, PassCount
from ..events.units import shortened
from ..ir.bail_out import BailOut
from ..ir.place import Source
from ..ir.types import Kind
from ..runtime import own_frames
from ..runtime.calls.source import MISS
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
from ..trace.trace_parts.staging_log import Staged
from ..trace.tree import unflatten
from .execution import Execution, ProgramFailed
from .guards import Now
from .kernels import kernels_of
from .made.built import Built
from .stages import Stages, stages

MOST_SHOWN = 400
"""The characters of a signature that `repr` shows, about: a tree of arguments may have thousands of leaves."""


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
        self.not_kept: str | None = None  # why later processes cannot take it over; empty where they can
        self._notes = dict[Any, str | None]()  # of errors of calls, each told by an event
        self._built = built
        self._created = built.created
        self._parameters = parameters
        self._execution: Execution = Execution(
            self, built, parameters, None if earlier is None else earlier._execution, again
        )
        self._instance: Callable[[], Any] = lambda: None  # whose method it is: the first argument of each call

    @property
    def program(self) -> str:
        return self._built.program.source

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
        repeated numbers      6 nodes
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
        execution = self._execution
        native = functools.cache(lambda: execution.native or execution.build_native())
        return stages(self.traced_graph, self.program, execution.precise, native)

    def kernels(self) -> dict[str, str]:
        """The kernel of native code that computes each node of the graph, by the node's name; `v7/body/v2` is `v2` in a
        body of `v7`. Nodes that NumPy computes are left out. The steps to native code run again for it.

        >>> import numpy as np, tracefn
        >>> f = tracefn.function(lambda x, w: np.tanh(x @ w) * 2)
        >>> f.get_concrete_function(np.ones((3, 3)), np.ones((3, 3))).kernels()
        {'v1': 'kernel 1', 'v2': 'kernel 1'}
        """
        return kernels_of(self.graph, self._execution.precise)

    @property
    def plan(self) -> str:
        """Which program runs now: 'numpy' or 'native'."""
        return self._execution.plan

    @property
    def native_program(self) -> str | None:
        """The source of the native program, in which parts of the graph are kernels. None where there is none."""
        native = self._execution.native
        return None if native is None else native.program.source

    @property
    def staging(self) -> tuple[Staged, ...]:
        """The treatment of each branch and loop: staged, unrolled, not converted."""
        return self._built.staging

    @property
    def line_ns(self) -> dict[Source, int]:
        """The time of tracing, by the line that recorded nodes, in ns."""
        return self._built.line_ns

    @property
    def side_effects(self) -> tuple[SideEffect, ...]:
        """The effects that happened while tracing and do not happen at later calls."""
        return self._built.effects

    @property
    def taken_over(self) -> bool:
        """True if an earlier process has made the trace, and this one took it from the disk, or if it was made for
        other objects of the same classes."""
        return bool(self._built.taken_from)

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
        return self._built.nbytes

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
        for kind, value in self._execution.target.result_leaves:
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
        return unflatten(self._execution.target.result, leaves)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._run(args, kwargs)
        except BaseException as error:
            own_frames.cut(error)
            raise

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if (instance := self._instance()) is not None and not (args and args[0] is instance):
            args = (instance, *args)
        kwargs = self._with_python_values(args, kwargs)
        arguments = self._parameters.bind(args, kwargs)
        call, values = CallSignature.of(arguments)
        causes = differences(self.signature, call.with_numbers(self.signature.numbers))
        if causes:
            is_shape = {c.kind for c in causes} <= {"rank", "dimension"}
            raise (ShapeMismatchError if is_shape else ArgumentMismatchError)(
                message(
                    f"the concrete function {self.signature_id} ({self.signature.text}) cannot take this call: "
                    + "; ".join(c.text for c in causes),
                    fix=f"Pass arguments of its types, or call `{self.name}` itself, which traces anew where it must.",
                )
            )
        try:
            result = self._execution.run(values, Now(self.signature, values, arguments))
        except ProgramFailed as failed:
            return self._failed(failed.error, args, kwargs)
        if result is MISS:
            broken = self._execution.broken_guards(Now(self.signature, values))
            changed = "; ".join(b.cause.text for b in broken) or "a guard does not hold"
            raise ArgumentMismatchError(
                message(
                    f"the concrete function {self.signature_id} was traced under other circumstances: {changed}",
                    fix=f"Call `{self.name}` itself, which traces anew.",
                )
            )
        return result

    def _failed(self, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The end of a call whose program has raised: as the function itself makes it, but with no other trace."""
        retry, again = self._built.retry, self._execution.target.again
        assert again is not None
        if retry is None or not isinstance(error, BailOut):
            return again(error, args, kwargs)
        retry.restore()
        raise ArgumentMismatchError(
            message(
                f"the concrete function {self.signature_id} was traced under other circumstances: {error.reason}",
                fix=f"Call `{self.name}` itself, which traces anew.",
            )
        ) from None

    def _raised_by(self, error: BaseException) -> str | None:
        """The name of the node that raised an error in a program of the trace; None where that is not known."""
        native = self._execution.native
        programs = [self._built.program, *([] if native is None else [native.program])]
        return next((name for program in programs if (name := raised_by(program, error)) is not None), None)

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
        shown = shortened(self.pretty_printed_signature(verbose=False), MOST_SHOWN)
        return f"<ConcreteFunction {self.signature_id}: {shown}>"


def _shown(leaf: Any) -> Any:
    keeps = isinstance(leaf, TensorSpec | VariableSpec | GeneratorSpec)
    return leaf.value if isinstance(leaf, ValueSpec) else leaf if keeps else leaf.target


def _result_text(outputs: Any) -> str:
    return outputs.text if isinstance(outputs, TensorSpec) else repr(outputs)
