"""The variables that a trace uses: the present value of each, and which of them were made in the trace."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NoReturn, Protocol, Self, TypeVar

from ...errors import message
from ...ir.graph import Node, capture_node
from ...ir.place import Source
from ...ir.types import type_of
from ...records import dataclass
from ..origin import where
from ..state.journal import Journal
from ..state.place import MISSING, Held


@dataclass
class Creation:
    """Whether a traced function may still make variables, and where it made those of its first call."""

    is_over: bool = False
    sources: tuple[Source | None, ...] = ()

    def refuse(self, name: str, source: Source | None) -> NoReturn:
        """Raises ValueError: a variable is made where it would be made anew at every call."""
        made = ", ".join(where(s) for s in self.sources) or "nowhere: the first call made none"
        raise ValueError(
            message(
                f"tracefn.function: the Variable {name!r} is created at {where(source)}; variables may be created on "
                f"the first call only, which created them at {made}",
                where(source),
                "Create it outside, or once: `if self.v is None: self.v = tracefn.Variable(...)`.",
            )
        )


class Value(Protocol):
    """A value of a trace: a Tensor."""

    _node: Node

    def _unowned(self) -> Self: ...


V = TypeVar("V", bound=Value)


class VariableStates(Generic[V]):
    """The content of the variables at each moment of a trace, by their identity: other threads use them at the same
    time.

    The first read of a variable is a capture of its value, taken at each call; an assignment makes it another Tensor.
    `nodes` are those of the trace, in which `tensor` gives a node as a value.
    """

    def __init__(self, nodes: list[Node], tensor: Callable[[Node], V]) -> None:
        self.creation = Creation()
        self._argument_paths: dict[int, str] = {}
        self._nodes = nodes
        self._tensor = tensor
        self._held: dict[int, tuple[Any, V]] = {}
        self._read: dict[int, tuple[Any, Node]] = {}
        self._created: dict[int, tuple[Any, Source | None]] = {}
        self.readers: list[Callable[[Any, Node], None]] = []  # called before each read
        self.first_content: Callable[[Any], V] | None = None  # of variables that the trace holds no content of
        self.apart: set[Node] = set()  # copies of assigned values, which tapes take for sources

    def begin(self, creation: Creation, argument_paths: dict[int, str]) -> None:
        """Notes the permissions of the function, and the arguments' names by their identity."""
        self.creation = creation
        self._argument_paths = argument_paths

    def read(self, variable: Any) -> V:
        """The present content of the variable, which the traced code reads."""
        if id(variable) not in self._held and self.first_content is not None:
            return self.first_content(variable)
        content = self.content(variable)
        for reader in self.readers:
            reader(variable, content._node)
        return self._held[id(variable)][1]._unowned()

    def content(self, variable: Any) -> V:
        """The present content of the variable, for a change of it: tapes do not take this for a read."""
        if id(variable) not in self._held and self.first_content is not None:
            return self.first_content(variable)
        if id(variable) not in self._held:
            node = capture_node(self._label(variable), type_of(variable._known_value()))
            self._nodes.append(node)
            self._read[id(variable)] = (variable, node)
            self.hold(variable, self._tensor(node))
        return self._held[id(variable)][1]._unowned()

    def state(self, variable: Any) -> Any:
        """The present content of the variable, `MISSING` for one that is being made."""
        is_new = id(variable) in self._created and id(variable) not in self._held
        return MISSING if is_new else self.content(variable)

    def hold(self, variable: Any, value: Any) -> None:
        if value is MISSING:
            self._held.pop(id(variable), None)
            return
        self._held[id(variable)] = (variable, value._unowned())

    def hand_over(self) -> list[tuple[Any, V]]:
        """The variables that the trace holds a content of, which it forgets."""
        held = list(self._held.values())
        self._held.clear()
        return held

    @contextlib.contextmanager
    def instead(self, variables: Sequence[Any], values: Sequence[V]) -> Iterator[None]:
        """Gives variables another content in a block, of whose reads nobody is told."""
        before, readers = {id(v): self._held.get(id(v)) for v in variables}, self.readers
        self.readers = []
        for variable, value in zip(variables, values, strict=True):
            self.hold(variable, value)
        try:
            yield
        finally:
            self.readers = readers
            for key, held in before.items():
                self._held.pop(key, None)
                if held is not None:
                    self._held[key] = held

    def create(self, variable: Any, value: V, source: Source | None, journal: Journal, is_in_body: bool) -> None:
        """Takes up a variable that is made in the trace. Raises ValueError where it may not be."""
        if self.creation.is_over:
            self.creation.refuse(variable.name, source)
        if is_in_body:
            raise ValueError(
                message(
                    f"tracefn.function: the Variable {variable.name!r} is created in a branch or loop of the graph",
                    where(source),
                    "Create it before, or let a Python value decide.",
                )
            )
        self._created[id(variable)] = (variable, source)
        journal.will_change(Held(variable, variable.name), source)
        self.hold(variable, value)

    @property
    def number_created(self) -> int:
        """How many variables were made in this trace so far, also in calls that failed."""
        return len(self._created)

    def is_created(self, value: Any) -> bool:
        """True for a variable that was made in this trace."""
        return id(value) in self._created

    def is_read_value(self, variable: Any, node: Node) -> bool:
        """True where the node is the variable's content at the start."""
        known = self._read.get(id(variable))
        return known is not None and known[1] is node

    def value_of(self, node: Node) -> Any:
        """The content at the start of the variable whose node it is, else None."""
        return next((variable._known_value() for variable, read in self._read.values() if read is node), None)

    @property
    def read_variables(self) -> list[tuple[str, Any]]:
        """(name in the graph, variable) of those whose value at the start of a call is read."""
        return [(str(node.args[0]), variable) for variable, node in self._read.values()]

    @property
    def outside(self) -> list[Any]:
        """The variables that are used and were there before."""
        return [v for v, _ in self._held.values() if id(v) not in self._created]

    @property
    def created_at(self) -> tuple[Source | None, ...]:
        return tuple([source for _, source in self._made()])

    def created_values(self) -> list[tuple[Any, V]]:
        """The variables that were made in this trace and their content at its end."""
        return [self._held[id(variable)] for variable, _ in self._made()]

    def _made(self) -> list[tuple[Any, Source | None]]:
        """The variables that were made in this trace, with where; not those of a call that failed and was caught."""
        return [(variable, source) for key, (variable, source) in self._created.items() if key in self._held]

    def release(self) -> list[weakref.ref[Any]]:
        """Lets go of all variables; returns those that were made in this trace, as weak references."""
        made = [weakref.ref(variable) for variable, _ in self._made()]
        self._held.clear()
        self._read.clear()
        self._created.clear()
        return made

    def let_go(self) -> None:
        """Notes that the trace is over, which holds this."""
        del self._nodes, self._tensor

    def _label(self, variable: Any) -> str:
        if (path := self._argument_paths.get(id(variable))) is not None:
            return path
        taken = {str(node.args[0]) for node in self._nodes if node.is_leaf and node.args}
        label, count = variable.name, 1
        while label in taken:
            count += 1
            label = f"{variable.name} ({count})"
        return label
