"""The record of the tapes that are open outside of traced functions: a trace whose values are known."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...codegen.checked_program import check_step
from ...debugging import numerics_are_checked
from ...ir.dims import NUMBERS, Dim
from ...ir.evaluate import evaluate_node
from ...ir.graph import Node, pure_symbol
from ...ir.op import CAPTURE, CONSTANT, DIM, INPUT, ITEM
from ...ir.types import type_of
from ...trace.active import ACTIVE, REPLACED, TRACING
from ...trace.control.one_of import OneOf
from ...trace.foreign.surroundings import outside_of_traces
from ...trace.foreign.values import refuse_value
from ...trace.kinds import is_variable
from ...trace.recording.recorder import Recorder
from ...trace.tensor import Tensor
from ...trace.tree import flatten, map_leaves
from ...trace.values.symbolic_int import SymbolicInt
from ..derived import is_derived
from .calls import called
from .watched import FromAround, Watched

_IDS = {"function": "tape", "signature": ""}
"""The ids in events of steps that belong to no traced function."""


class Session:
    """The recording of a thread: all tapes that are open there share it. Each step that is recorded runs at once."""

    def __init__(self) -> None:
        self.trace = Recorder("tape")
        self.is_open = False
        self._tapes = self._persistent = 0
        self._values: dict[Node, Any] = {}
        self._lengths: dict[str, int] = {}
        self._done = self._kept = self._numbers = 0
        self._variables: dict[int, tuple[Any, Any, Tensor]] = {}
        self.trace.variables.first_content = lambda variable: self.variable(variable).tensor

    @classmethod
    def of_thread(cls) -> Session:
        """The one that is open, or a new one."""
        return ACTIVE.eager[-1] if ACTIVE.eager else cls()

    # --- tapes

    def begin(self, persistent: bool) -> None:
        """A tape begins to record."""
        self._tapes += 1
        self._persistent += persistent
        if self._tapes == 1:
            self.is_open = True
            ACTIVE.eager.append(self)
            TRACING.append(REPLACED)  # calls of traced functions are recorded, too

    def end(self, persistent: bool) -> None:
        """A tape ends to record."""
        self._tapes -= 1
        self._persistent -= persistent
        if not self._tapes:
            self.is_open = False
            ACTIVE.eager.remove(self)
            TRACING.remove(REPLACED)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """A block that runs as if no tape were open."""
        opened = self in ACTIVE.eager
        if opened:
            ACTIVE.eager.remove(self)
            TRACING.remove(REPLACED)
        try:
            yield
        finally:
            if opened:
                ACTIVE.eager.append(self)
                TRACING.append(REPLACED)

    # --- values

    def watched(self, value: Any) -> Watched:
        """The watched value of an array or number, which is copied: it may be written into."""
        array = np.array(value)[()] if not isinstance(value, np.ndarray) else np.array(value)
        tensor = self.trace.input("watched", type_of(array))
        self._values[tensor._node] = array
        return Watched(self, tensor)

    def variable(self, variable: Any) -> Watched:
        """The watched value of a Variable's present content."""
        held = variable._known_value()
        known = self._variables.get(id(variable))
        if known is None or known[1] is not held:
            tensor = self.trace.input(variable.name, type_of(held))
            self._values[tensor._node] = held
            known = self._variables[id(variable)] = variable, held, tensor
        for reader in self.trace.variables.readers:
            reader(variable, known[2]._node)
        return Watched(self, known[2])

    def is_read_value(self, variable: Any, node: Node) -> bool:
        """True where the node is the content that the variable had before the step under way."""
        known = self._variables.get(id(variable))
        return known is not None and known[2]._node is node

    def run(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls a function in the trace, with Tensors in the place of watched values and arrays; its steps
        run at once."""
        with self._entered():
            return self._outer(function(*self.inner(args), **self.inner(kwargs)))

    def follow(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The same for a function with the user's code in it: the values of this call decide its branches and loops,
        and what it assigns to Variables is assigned."""
        self.trace.value_now = self._value_now
        try:
            return self.run(function, *args, **kwargs)
        finally:
            self.trace.value_now = None
            for variable, tensor in self.trace.variables.hand_over():
                if not self.is_read_value(variable, tensor._node):
                    variable.assign(self.value(tensor))

    def _value_now(self, trace: Any, tensor: Tensor) -> Any:
        if trace is not self.trace:
            refuse_value(trace.node_of(tensor))
        self._evaluate()
        return self._values[trace.node_of(tensor)]

    def value(self, tensor: Tensor) -> Any:
        """The present value of a Tensor of the trace."""
        with self._entered():
            node = self.trace.node_of(tensor)
            self._evaluate()
            return self._values[node]

    @contextlib.contextmanager
    def _entered(self) -> Iterator[None]:
        """A block that records in the trace. Of one that raises nothing is kept. Lengths that values decide have other
        names than those of the blocks before."""
        start, around = len(self.trace.nodes), NUMBERS.last
        try:
            with self.paused(), self.trace.active():
                NUMBERS.last = self._numbers
                yield
        except BaseException:
            self.trace.forget_from(start)
            raise
        finally:
            self._numbers, NUMBERS.last = NUMBERS.last, around
            self.trace.ended = False

    def constant(self, value: Any) -> Node:
        """The node of a value that nothing changes."""
        return (
            self.trace.value_node_of_constant(value) if isinstance(value, np.ndarray) else self.trace.value_node(value)
        )

    def inner(self, value: Any) -> Any:
        """The value with Tensors in the place of watched values, Variables and arrays, also in containers."""
        kind = type(value)
        if kind is Watched:
            return value.tensor if value.session is self else value.value()
        if is_variable(value):
            return self.variable(value).tensor
        if kind is np.ndarray and value.dtype.kind in "biufc":
            return Tensor(self.constant(value.copy()), self.trace, owned=False)
        if kind in (list, tuple):
            return kind([self.inner(v) for v in value])
        if kind is dict:
            return {k: self.inner(v) for k, v in value.items()}
        if kind is slice:
            return slice(*map(self.inner, (value.start, value.stop, value.step)))
        return _replaced(self.inner, value, lambda leaf: type(leaf) is Watched or is_variable(leaf))

    def inside(self, value: Any) -> Any:
        """The same, but that Variables stay themselves."""
        return map_leaves(lambda path, leaf: leaf if is_variable(leaf) else self.inner(leaf), value)

    def _outer(self, value: Any) -> Any:
        """The value with watched ones in the place of Tensors; with their plain values, where no tape is open. Lengths
        and choices of the graph are known."""
        if type(value) is Tensor:
            self._evaluate()
            return Watched(self, value) if self.is_open else self._values[self.trace.node_of(value)]
        if type(value) is SymbolicInt:
            self._evaluate()
            length = value.dim.value(self._lengths)
            return np.int64(length) if value.is_scalar else length
        if type(value) is OneOf:
            which = value.which if type(value.which) is int else int(self.value(value.which))
            return self._outer(value.option(which))
        if type(value) in (list, tuple):
            return type(value)([self._outer(v) for v in value])
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make([self._outer(v) for v in value])
        if type(value) is dict:
            return {k: self._outer(v) for k, v in value.items()}
        return _replaced(self._outer, value, lambda leaf: type(leaf) is Tensor)

    def _evaluate(self) -> None:
        """Runs the steps recorded since. A loop that keeps more for its derivative than before runs once more."""
        kept = sum(map(len, self.trace.kept_by_loops.values()))
        start, self._kept = (self._done if kept == self._kept else 0), kept
        checks = numerics_are_checked()
        for node in self.trace.nodes[start:]:
            known = self._values.get(node)
            if node.op is INPUT or (known is not None and not (node.bodies and len(known) < len(node.types))):
                continue
            self._values[node] = value = self._value_of(node)
            if checks and node.op not in (CONSTANT, ITEM):
                given = [self._values[n] for n in node.inputs]
                check_step(node, [value] if node.container is None else value, given, _IDS)
            if node.container is None:
                for axis, length in enumerate(node.type.readable_lengths):
                    if isinstance(length, Dim) and (name := pure_symbol(length)) is not None:
                        self._lengths.setdefault(name, len(value) if isinstance(value, list) else value.shape[axis])
        self._done = len(self.trace.nodes)

    def _value_of(self, node: Node) -> Any:
        if node.op is CONSTANT:
            return node.args[0].value
        if node.op is CAPTURE:  # an array that a rule has made
            return next(met.content for met in self.trace._concrete.values() if met.node is node)
        if node.op is ITEM:
            return self._values[node.inputs[0]][node.args[1]]
        if node.op is DIM:
            return node.args[0].value(self._lengths)
        with outside_of_traces():  # a library runs the user's functions
            return evaluate_node(node, self._values, self._lengths)

    # --- calls of traced functions

    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a traced function: it runs as ever, and keeps residuals for its derivative. Where that may be
        differentiated again, or it uses watched values from around, each step of the Python function is recorded."""
        if not (self._tapes > 1 or self._persistent):
            try:
                return called(self, function, args, kwargs)
            except FromAround:
                pass
        if is_derived(function):
            given = self.inside((args, kwargs))
            return self.follow(lambda: function._call_eagerly(*given))
        return function._call_eagerly(args, kwargs)


def _replaced(function: Callable[[Any], Any], value: Any, counts: Callable[[Any], bool]) -> Any:
    """A named tuple, dataclass or the like with `function` of its leaves, where one of them counts."""
    leaves = flatten(value)[0]
    if len(leaves) == 1 and leaves[0][1] is value or not any(counts(leaf) for _, leaf in leaves):
        return value
    return map_leaves(lambda path, leaf: function(leaf), value)
