"""A trace under way: the nodes recorded so far, their reads from outside, and the assumptions about lengths."""

from __future__ import annotations

import contextlib
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..errors import LeakedTensorError, message
from ..ir.dims import NUMBERS, Dim, Length
from ..ir.graph import Node, capture_node, dim_node, input_node
from ..ir.infer import may_raise
from ..ir.op import CAPTURE, Op
from ..ir.place import Scope
from ..ir.types import Kind, TensorType, python, random_type, type_of
from .active import ACTIVE, TRACING
from .origin import user_source, where
from .state.journal import Journal
from .state.twins import Ahead
from .state.unseen_reads import UnseenReads
from .tensor import Tensor
from .trace_parts.anonymous_arrays import Concrete
from .trace_parts.budget import Budget
from .trace_parts.defaults import (
    SideEffect,
    as_found,
    as_held,
    as_it_is,
    ignored,
    ignored_item,
    itself,
    needs_nothing,
    never,
    refuse_unknown_generator,
)
from .trace_parts.error_handling import ErrorHandling
from .trace_parts.external_arrays import ExternalArrays
from .trace_parts.fixed import Fixed
from .trace_parts.list_kinds import ListKinds
from .trace_parts.scopes import Scopes
from .trace_parts.staging_log import Staging
from .trace_parts.variable_states import VariableStates


class Refused(NamedTuple):
    """A call that was not recorded, as it raised: the text of the error, and the node that it would have become. It is
    kept without the error, whose traceback would keep all frames."""

    text: str
    trace: Trace
    node: Node


class Trace(ABC):
    """The state of tracing while a Python function runs on `Tensor`s. A `Recorder` is one: it records nodes.

    `hints` are the lengths of symbolic dimensions in the call that is being traced (empty where there is no call).
    """

    def __init__(self, name: str, hints: dict[str, int] | None = None) -> None:
        self.name = name
        self.hints = hints or {}
        self.nodes: list[Node] = []
        self.base = self._asked_scope = self._found_scope = Scope("")
        self.ended = False
        self.repeats = False  # the body of a loop
        self.new_containers: set[int] = set()  # the ids of lists and dicts that its code has made and bound to names
        self.kept_items: dict[int, Any] = {}  # those that it has put into lists of the graph
        self.refreshed: list[weakref.ref[Tensor]] = []  # views that were looked at
        self.staged_lists: list[tuple[Any, list[Node], list[Any]]] = []  # with their content before
        self.journal = Journal()
        self.outside: ExternalArrays[Tensor] = ExternalArrays()
        self.held: dict[int, int] = {}  # how often branches and loops hold an array that a variable of theirs holds
        self.generators: dict[int, tuple[Any, Tensor]] = {}
        self.caught: list[Exception] = []  # why it holds for calls alone in which nothing is caught that steps raise
        self.made: dict[int, Any] = {}  # references to the objects that traced code has made of the user's classes
        self.name_generator: Callable[[Any], str] = refuse_unknown_generator
        self.given: dict[Node, Any] = {}
        self.options: dict[int, Any] = {}  # lists and dicts of which a traced value has chosen one
        self._numbers: dict[str, Tensor] = {}
        self._captured_arrays: dict[Node, Any] = {}
        self.open_axes: Callable[[Any], frozenset[int]] = lambda path: frozenset()  # of the array at a path
        self._concrete: dict[int, Concrete] = {}
        self.unseen = UnseenReads()
        self._begin()

    def _begin(self) -> None:
        """Makes the parts that the traces of bodies inside share with this one."""
        self.dim_guards: list[tuple[str, Length, Length, bool]] = []
        self.static_arrays: list[tuple[Any, Any]] = []
        self.function_copy: Callable[[Any], Any] = itself
        self.original_function: Callable[[Any], Any] = itself
        self.variables = VariableStates(self.nodes, self.tensor)
        self.staging = Staging()
        self.budget = Budget()
        self.scopes = Scopes()
        self.effects: dict[Any, SideEffect] = {}
        self.numpy_callees: dict[Any, Any] = {}  # replacements of NumPy's functions in rewritten code
        self.uses_method: Callable[[type, str, Any], None] = ignored
        self.uses_descriptor: Callable[[type, str, Any], None] = ignored
        self.uses_answer: Callable[[str, Any, type, bool], None] = ignored  # of `isinstance` or `issubclass`
        self.observe: Callable[[Any, str, Any, Any], Any] = as_it_is
        self.observe_owner: Callable[[Any, str, Any, Any], Any] = as_it_is
        self.read_whole: Callable[[Any], None] = ignored
        self.read_length: Callable[[Any], None] = ignored
        self.read_size: Callable[[Any], None] = ignored
        self.read_items: Callable[[Any], None] = ignored
        self.varies: Callable[[Any, Any], None] = ignored_item
        self.bodies: list[weakref.ref[Any]] = []  # the traces of bodies inside: their references are counted
        self.deep_bodies = 0  # how many of them were inside many others
        self.may_fall_back = False  # where it is refused, the Python function runs
        self.is_asked: Callable[[Any, Any], None] = ignored_item  # whether two containers are one
        self.read_variable: Callable[[Any, Any], Any] = as_held
        self.read_original: Callable[[Any, Any, Any], Any] = as_found
        self.symbolic: dict[int, Any] = {}  # containers from outside that hold the items of each call
        self.is_changed: Callable[[Any], bool] = never
        self.path_to: Callable[[Any], Any] = ignored  # the path on which a later call finds an object
        self.lacks: Callable[[Any, str, Any], None] = ignored
        self.asks_for: Callable[[Any, str], None] = ignored_item  # an attribute of an object itself
        self.read_names: Callable[[Any], None] = ignored  # of all attributes of an object itself
        self.read_key: Callable[[Any, Any, bool], bool] = needs_nothing
        self.is_outside: Callable[[Any], bool] = never
        self.callers: frozenset[int] = frozenset()  # the ids of the stand-ins for containers among the arguments
        self.tuples: dict[int, tuple[Any, Any]] = {}  # the stand-ins for tuples among the arguments, by id, and these
        self.is_of_library = False  # the function is a library's own, which is called and no more
        self.attempts: tuple[Any, ...] = ()  # blocks that are open and around which exceptions are caught
        self.printed: list[Callable[[], None]] = []  # prints and calls of caches: made with the trace
        self.taken: list[tuple[Any, Any]] = []  # items taken from iterators from outside that have no twins
        self.advanced: list[Any] = []  # iterators of the trace that a branch or loop advances, which it may not
        self.ahead = Ahead()  # the twins of others
        self.moved: dict[Any, Any] = {}  # places that generators from outside have changed, by their keys
        self.moves: list[Callable[[], None]] = []  # functions that undo these changes
        self.reads_items = False  # lists and dicts were read that are items of lists of the graph
        self.lent: dict[int, Any] = {}  # containers that iterators and libraries gave and that others hold
        self.kept: list[Any] = []  # the real ones for containers of the caller that a library holds after a step
        self.chose_outside = False  # one of them is from outside
        self.selected: dict[int, Any] = {}  # lists and dicts that a traced value has selected: which they may be
        self.leaving: dict[int, Any] = {}  # those that leave the trace
        self.steps_of_leaving: dict[int, object] = {}  # the selections of the objects that these may be
        self.deleted_from: dict[int, Any] = {}  # objects of which a branch or loop deletes attributes
        self.living: dict[int, Any] = {}  # those that stay the objects that they are, as some from outside do
        self.place_of: Callable[[Any], Any] = itself  # where one of these is
        self.made_as: dict[Node, tuple[Node, Trace]] = {}  # the maker of the array that a result of control flow is
        self.rounds: dict[Node, Any] = {}  # makers of the arrays that a loop's result may be: before it, and in a round
        self.writes_chosen = 0  # into arrays of which a traced value says which they are
        self.leaves_nothing = False  # it must not show that it was made: it prints nothing
        self.is_branch = False  # a traced value decides whether it runs; so it is for all bodies in it
        self.drops_changes = False  # a body that raises has changed state: Python makes such calls
        self.leaves_more = False  # branches give more than values of variables, which may be read or not
        self.attempt = False  # a loop is staged on trial: code that would show that must fail
        self.error_handling = ErrorHandling()
        self.refused: Refused | None = None  # the last call that raised
        self.placed: Any = None  # line, scope and error settings of recorded nodes, where another node says them
        self.sources: set[Node] = set()  # sources of derivatives
        self.kept_by_loops: dict[Node, dict[Any, Any]] = {}  # values kept by rounds for derivatives, as loop items
        self.computes_again = False  # True in bodies of the backward pass, whose forward nodes are copies
        self.take_guards: Callable[..., bool] | None = None  # of a graph that becomes part of this one
        self.knows_addresses = False  # the code is given ids, hashes or texts of objects, which are their own
        self.gives_derivatives = False  # it calls functions with derivatives of their own, which are not recorded
        self.watches_arrays = False  # a tape watches arrays, of which it would know nothing in an eager call
        self.replayed: list[str] = []  # the signatures of such graphs
        self.inlines_calls = 0  # above 0 where calls of traced functions are no nodes: their own are looked at
        self.sees_types = False  # the code has asked for the type of a Python number
        self.fixed = Fixed()
        self.keyed: dict[int, Any] = {}  # containers that are changed at keys which only the call knows
        self.list_kinds = ListKinds()
        self.kept_lists: set[Any] = set()  # lines of lists that the graph keeps, and need not
        self.cast_lists: set[Any] = set()  # lines of lists whose Python numbers became NumPy scalars
        self.lists_hold_written = False  # a list of the graph has a value that the end of the call writes back
        self.casts_lists = False  # Python numbers of a list became NumPy scalars, as others of its elements are
        self.casts_dtypes = False  # whether that may change the dtype of an array of them
        self.has_undecided = False  # the call decides whether a variable or container holds a value, or which
        self.value_now: Callable[[Trace, Any], Any] | None = None  # the value of a Tensor in the one call it is for
        self.foreign: Any = None  # values of nodes in the call that is traced, where a step has asked: see `foreign`
        self.lengths: Any = None  # those of containers from outside that are numbers: see `state.lengths`

    @property
    def root(self) -> Trace:
        """The trace of the function; this one may be of a body in it."""
        return self

    @contextlib.contextmanager
    def active(self) -> Iterator[Trace]:
        """Makes this the trace that records in this thread; Tensors of it are dead afterwards."""
        if not ACTIVE.stack:
            NUMBERS.last = 0
        ACTIVE.stack.append(self)
        TRACING.append(self.name)
        try:
            yield self
        finally:
            ACTIVE.stack.pop()
            TRACING.remove(self.name)
            self.ended = True

    @contextlib.contextmanager
    def name_scope(self, name: str) -> Iterator[None]:
        """Nodes recorded inside carry the scope `…/name`; a call that begins inside is the one that is named."""
        number = self.scopes.open(self.scopes.inner(name), is_expected=True)
        try:
            yield
        finally:
            self.scopes.close(number)

    @property
    def scope(self) -> Scope:
        """The scope of nodes recorded now for the call of the last node."""
        placed = self.root.placed
        return self._within(self.scopes.innermost if placed is None else placed[1])

    def _within(self, scope: Scope) -> Scope:
        base = self.base
        if scope is not self._asked_scope:  # nodes that follow one another have one scope
            is_inside = not base or scope is base or scope.startswith(f"{base}/")
            self._asked_scope, self._found_scope = scope, scope if is_inside else base
        return self._found_scope

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a user's function inside this trace, with its captured arrays as Tensors."""
        return self.function_copy(function)(*args, **kwargs)

    def tensor(self, node: Node) -> Tensor:
        """A node of this trace as a value: no array of its own."""
        return Tensor(node, self, owned=False)

    def input(self, path: str, value_type: TensorType) -> Tensor:
        node = input_node(path, value_type)
        self.nodes.append(node)
        return Tensor(node, self, owned=False)

    def argument(self, path: str, value_type: TensorType, array: Any) -> Tensor:
        """The input that stands for an argument of the call; `array` is None where there is no call."""
        tensor = self.input(path, value_type)
        if array is not None:
            self.given[tensor._node] = array
        if value_type.kind is Kind.ARRAY:
            tensor._outside = True
            self.outside.add(tensor, tensor._node, array)
        return tensor

    def knows_array(self, array: np.ndarray[Any, Any]) -> bool:
        """True for an array from outside that later calls find on a path."""
        return False

    @abstractmethod
    def record(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Adds a call to the graph and returns the Tensor, or the container of Tensors, that stands for its result."""

    @abstractmethod
    def node_of(self, tensor: Tensor) -> Node:
        """The node that stands for a Tensor in this trace. Raises `LeakedTensorError` for one of another trace."""

    @abstractmethod
    def value_node(self, value: Any) -> Node:
        """The node of a Tensor, an array, a length or a number."""

    @abstractmethod
    def value_node_of_constant(self, array: np.ndarray[Any, Any]) -> Node:
        """The node of an unshared array."""

    @abstractmethod
    def captured(self, array: np.ndarray[Any, Any]) -> Tensor:
        """The Tensor of a concrete array: a capture, read at every call."""

    @abstractmethod
    def array_node(self, array: np.ndarray[Any, Any]) -> Node:
        """The node of a concrete array's present content."""

    @abstractmethod
    def public(self, value: Any) -> Any:
        """A value for user code: symbolic lengths inside become `SymbolicInt`s."""

    def check(self, tensor: Tensor) -> None:
        """Raises `LeakedTensorError` for a Tensor of another trace."""
        if tensor._trace is not self or self.ended:
            ended = "has ended" if tensor._trace.ended else "is another one"
            raise LeakedTensorError(
                message(
                    f"{tensor.describe()} belongs to the trace of `{tensor._trace.name}`, which {ended}",
                    where(user_source(3)),
                    "Return the value from the traced function instead of keeping it.",
                )
            )

    def note_effect(self, kind: str, text: str, alternative: str, source: Any) -> None:
        """Notes something that happens while tracing alone, once for each line."""
        key = (kind, source)
        self.effects.setdefault(key, SideEffect(kind, text, alternative, source))

    def number(self, path: str, value: Any) -> Tensor:
        """The Tensor of a number from outside: an input, read at every call."""
        if path not in self.root._numbers:
            node = capture_node(path, type_of(value))
            self.root.nodes.append(node)
            self.root._numbers[path] = Tensor(node, self.root, owned=False)
            self.root.given[node] = value
        return self.root._numbers[path]

    def generator(self, generator: Any, kind: Kind) -> Tensor:
        """The Tensor of a random generator outside the function, which is drawn from at every call."""
        if id(generator) not in self.generators:
            node = capture_node(self.name_generator(generator), random_type(kind))
            self.generators[id(generator)] = (generator, Tensor(node, self, owned=False))
            self.nodes.append(node)
        return self.generators[id(generator)][1]

    def let_go(self) -> None:
        """Breaks reference cycles, once all has been taken from the trace."""
        for reference in self.bodies:
            if (body := reference()) is not None:
                body.is_over()
        self.bodies.clear()
        self.function_copy = self.original_function = itself
        self.observe = self.observe_owner = as_it_is
        self.uses_method = self.uses_descriptor = self.uses_answer = ignored
        self.read_original, self.read_variable = as_found, as_held
        self.varies = self.is_asked = self.asks_for = ignored_item
        self.symbolic.clear()
        self.read_whole = self.read_length = self.read_size = self.read_items = self.read_names = self.lacks = (
            self.path_to
        ) = ignored
        self.is_outside = self.is_changed = never
        self.read_key = needs_nothing
        self._numbers.clear()
        self.keyed.clear()
        self.made_as.clear()
        self.rounds.clear()
        self.sources.clear()
        self.kept_by_loops.clear()
        self.outside.let_go()
        self.given.clear()
        self.kept.clear()
        self.foreign = self.lengths = self.refused = None
        self.variables.let_go()
        self.generators.clear()

    def forget(self, tensor: Tensor) -> None:
        """Takes back the node that was recorded last, of which only the type was asked."""
        if self.nodes and self.nodes[-1] is tensor._node:
            self.nodes.pop()

    def forget_from(self, start: int) -> None:
        """Takes back all nodes from number `start` on but captures, and lists that they made values of the graph."""
        forgotten = {n for n in self.nodes[start:] if n.op is not CAPTURE}
        self.nodes[start:] = [n for n in self.nodes[start:] if n.op is CAPTURE]
        for values, nodes, before in self.staged_lists:
            if not forgotten.isdisjoint(nodes):
                values.leave(before)
        self.staged_lists[:] = [found for found in self.staged_lists if forgotten.isdisjoint(found[1])]
        for refreshed in self.refreshed:
            tensor = refreshed()
            if tensor is not None and tensor._node in forgotten:
                tensor._seen = None

    def lists_stay_plain(self) -> None:
        """Has the next trace make Python lists of those that the graph keeps: which arrays these hold is known."""
        self.root.list_kinds.plain |= self.root.kept_lists

    def is_from_before(self, iterator: Any) -> bool:
        """True for an iterator from before the body of a branch or loop that this is the trace of."""
        return False

    def is_option(self, container: Any) -> bool:
        """True for a list or dict of which a traced value has chosen one, here or around."""
        trace: Any = self
        while trace is not None and id(container) not in trace.options:
            trace = getattr(trace, "parent", None)
        return trace is not None

    def forget_effects(self, start: int) -> None:
        """Takes back the effects among the nodes from number `start` on, reads of lists that may raise, and nodes that
        depend on them: a trial is traced again."""
        forgotten: set[Node] = set()
        for node in self.nodes[start:]:
            is_shown = not node.pure or (node.op.style in ("control", "list") and may_raise(node))
            if is_shown or not forgotten.isdisjoint(node.inputs):
                forgotten.add(node)
        self.nodes[start:] = [n for n in self.nodes[start:] if n not in forgotten]

    def guard(self, comparison: str, left: Length, right: Length, outcome: bool) -> bool:
        """Records that the trace holds only for calls in which `left comparison right` is `outcome`."""
        self.dim_guards.append((comparison, left, right, outcome))
        return outcome

    def guard_lengths(self) -> None:
        """Records that the trace holds only for calls with the lengths of this one."""
        for name, length in self.hints.items():
            self.guard("==", Dim.symbol(name), length, True)

    def dimension(self, dim: Dim) -> Tensor:
        """A symbolic dimension as a value of the graph."""
        node = dim_node(dim, python(int), user_source(3), self.scope)
        self.nodes.append(node)
        return Tensor(node, self, owned=False)
