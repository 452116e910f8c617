"""Tracing the body of a branch or loop: a graph of its own, whose outer values become its inputs."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, cast

import numpy as np

from ..errors import ControlFlowError, UnsupportedFunctionError, message
from ..ir.graph import Graph, Node, are_of_arrays, input_node
from ..ir.op import CONSTANT
from ..ir.place import Scope
from ..ir.types import TensorType
from . import provided
from .active import current
from .aliasing.views import WritesCarried, refresh
from .context import Trace
from .iterators_around import iterators_around, position
from .origin import user_source, where
from .recording.recorder import Recorder
from .stand_ins import is_refusal, names_stand_in, raised_by_tracing
from .state.journal import Journal
from .tensor import Tensor


class NeverReturns(BaseException):
    """Ends the tracing of code after a `raise` that is in the graph. Not an Exception: user code must not catch it."""


MAX_DEPTH = 40
"""The most bodies inside bodies: more are a recursion without end."""

DEEP, MAX_DEEP = 20, 100
"""Bodies inside this number of others that one trace may have: more are a recursion into several branches. Each level
is tried in several ways, so it would not end."""

MAX_OF_NUMBERS, MAX_BODIES = 500, 8000
"""The most bodies of one trace: where it has no arrays, and where it has some. A trace with more takes seconds, and
Python runs its code in milliseconds. Functions without fallback may have any number."""


class FirstRow:
    """The first row of an array outside the body of a scan. The reference is weak: the trace holds its arrays, and one
    without another owner is a constant of the graph."""

    def __init__(self, array: Any) -> None:
        self._array = weakref.ref(array)

    @property
    def array(self) -> Any:
        return self._array()


def refuse_advanced(iterator: Any) -> NoReturn:
    """Raises for an iterator from before a branch or loop that has been advanced in it: the body may run any number of
    times, and the iterator would keep its position from the trace."""
    raise UnsupportedFunctionError(
        message(
            f"a {type(iterator).__name__} from before a branch or loop is advanced in it",
            where(user_source(3)),
            "Loop over its items, or take from it before.",
        )
    )


class BodyTrace(Recorder):
    """The trace of a body inside another trace.

    Tensors of the traces around it may be used: each becomes an input of the body (`lifted`, by the outer node).
    Guards, hints and captured arrays are those of the trace around it.
    """

    def __init__(self, parent: Trace, name: str, is_call: bool = False) -> None:
        self.parent, self._root = parent, parent.root
        super().__init__(name, parent.hints)
        root = self._root  # of which each node that is recorded asks these
        self.scopes, self.staging, self.budget = root.scopes, root.staging, root.budget
        self.error_handling = root.error_handling
        self._root.bodies.append(weakref.ref(self))
        self.depth = getattr(parent, "depth", 0) + (not is_call)
        self.calls = getattr(parent, "calls", 0) + is_call
        self._root.deep_bodies += self.depth > DEEP and not is_call
        if self.depth > MAX_DEPTH or self._root.deep_bodies > MAX_DEEP:
            many = "" if self.depth > MAX_DEPTH else f" {MAX_DEEP} times"
            raise ControlFlowError(
                message(
                    f"branches and loops are nested more than {DEEP if many else MAX_DEPTH} deep{many}: a function "
                    "calls itself, and a traced value decides how often; such a recursion has no graph",
                    where(user_source(3)),
                    "Write it as a loop, or pass the deciding value as a Python value, which unrolls it.",
                )
            )
        if not len(self._root.bodies) % MAX_OF_NUMBERS:
            self._refuse_many()
        self.is_call = is_call
        placed = parent.root.placed
        self.base = (
            parent.scopes.inner(name, numbered=is_call) if placed is None else Scope.inside(placed[1], name, placed[0])
        )
        self.explicit: list[Node] = []
        self.carried: list[Tensor] = []
        self.lifted: dict[Node, Node] = {}
        self.iterators: dict[int, Any] | None = {}  # those around it, None where they are not known
        self.first: dict[Node, Any] = {}  # the values of inputs in the first round, as far as they are known
        self.lies_as: Callable[[Node], Any] = lambda node: None  # the memory layout of an input's value

    def _refuse_many(self) -> None:
        """Raises `ControlFlowError` for more bodies than the runs of the trace are worth, and for all later ones."""
        root, trace = self._root, cast(Any, self.parent)
        if not root.may_fall_back:
            return
        has_arrays = are_of_arrays(trace.nodes)
        while trace is not root and not has_arrays:
            trace = trace.parent
            has_arrays = are_of_arrays(trace.nodes)
        if has_arrays and len(root.bodies) < MAX_BODIES:
            return
        root.bodies.pop()
        root.budget.is_given_up = has_arrays  # numbers may be known in the next try
        many = f"more than {MAX_BODIES}" if has_arrays else f"no arrays and more than {MAX_OF_NUMBERS}"
        raise ControlFlowError(
            message(
                f"the trace has {many} bodies of branches and loops: making it takes longer than its calls could save",
                where(user_source(4)),
                "Decorate the functions that do the array work.",
            )
        )

    def _begin(self) -> None:
        """Makes nothing: `__getattr__` finds in the trace around it all that both have in common."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "parent" not in vars(self):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        value = vars(self)[name] = getattr(self.parent, name)
        return value

    def is_over(self) -> None:
        """Lets go of all but the trace around it, which a Tensor that has escaped asks."""
        parent, root = self.parent, self._root
        vars(self).clear()
        self.parent, self._root, self.ended = parent, root, True

    @property
    def root(self) -> Trace:
        return self._root

    def node_of(self, tensor: Tensor) -> Node:
        if tensor._base is not None or tensor._choice is not None:
            refresh(self, tensor)
        if tensor._trace is self:
            return super().node_of(tensor)
        return self._lift(self.parent.node_of(tensor))

    def captured(self, array: np.ndarray[Any, Any]) -> Tensor:
        return self.parent.captured(array)

    def input(self, path: str, value_type: TensorType) -> Tensor:
        tensor = super().input(path, value_type)
        self.explicit.append(tensor._node)
        return tensor

    def _lift(self, outer: Node) -> Node:
        if outer not in self.lifted:
            path = str(outer.args[0]) if outer.is_leaf and outer.op is not CONSTANT else f"outer_{len(self.lifted)}"
            self.lifted[outer] = input_node(path, outer.type)
            self.nodes.append(self.lifted[outer])
        return self.lifted[outer]

    def forget_from(self, start: int) -> None:
        forgotten = set(self.nodes[start:])
        super().forget_from(start)
        self.lifted = {outer: node for outer, node in self.lifted.items() if node not in forgotten}

    def _journals(self) -> Iterator[Journal]:
        trace: Any = self
        while trace is not self._root:
            trace = trace.parent
            yield trace.journal

    def is_from_before(self, iterator: Any) -> bool:
        return self.iterators is None or id(iterator) in self.iterators

    def run(self, function: Callable[..., Any], *args: Any) -> Any:
        """Calls the body's Python function in this trace. Its changes are in the journal; an error undoes them."""
        scopes = self.scopes
        number = scopes.open(self.base, self.is_call)
        self.iterators = iterators_around(function, self._journals(), self._root.is_outside)
        places = [(iterator, position(iterator)) for iterator in (self.iterators or {}).values()]
        try:
            with self.active():
                try:
                    returned = function(*args)
                finally:
                    self._root.advanced += [i for i, before in places if before != position(i)]
            if self._root.advanced:
                refuse_advanced(self._root.advanced[0])
        except (Exception, WritesCarried):
            self.journal.take_back()
            raise
        except NeverReturns:
            self._root.drops_changes |= len(self.journal) > 0
            raise
        finally:
            scopes.close(number)
        self.ended = False  # its results are still to be taken up; `graph` ends it
        return returned

    def run_or_raise(self, function: Callable[..., Any], *args: Any) -> Any:
        """The same for a body that a call may not run: its errors are raised at the calls that run it.

        Errors of tracing come out at once. Those that a `try` of the traced code would catch have no graph.
        """

        def guarded() -> Any:
            try:
                return function(*args)
            except (RecursionError, MemoryError):
                raise
            except Exception as error:
                if self.attempt or is_refusal(error):
                    raise
                if self._root.may_fall_back and names_stand_in(error):  # a call that comes here is to be made again
                    self._root.caught.append(raised_by_tracing(error))
                for around in self.attempts:
                    around.note_error(error)
                self.guard_lengths()
                provided.raise_in_graph(error)

        return self.run(guarded)

    def graph(self, outputs: list[Node], operands: list[Node]) -> Graph:
        """The body's graph. Its inputs are the explicit ones, then one for each of the outer `operands` in order."""
        self.ended = True
        inputs = list(self.explicit)
        nodes = list(self.nodes)
        for outer in operands:
            inner = self.lifted.get(outer)
            if inner is None:
                inner = input_node("unused", outer.type)
                nodes.insert(0, inner)
            inputs.append(inner)
        return Graph(self.name, tuple(nodes), tuple(inputs), tuple(outputs))


def is_entered(tensor: Tensor) -> bool:
    """True for an array that holds what a round of a loop finds while that is traced."""
    trace: Any = current()
    while trace is not None:
        if getattr(trace, "repeats", False) and any(carried._node is tensor._node for carried in trace.carried):
            return True
        trace = getattr(trace, "parent", None)
    return False


def take_back_bodies(trace: Trace, start: int = 0) -> None:
    """Undoes what bodies, from number `start` on, have changed and not taken back: an error came in between, which
    holds them."""
    for reference in reversed(trace.root.bodies[start:]):
        if (body := reference()) is not None:
            body.journal.take_back()
