"""The state that a loop carries from round to round while its body is traced."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...ir.dims import Length
from ...ir.graph import Node
from ..body import BodyTrace
from ..captures.resolve import same_value
from ..context import Trace
from ..tree import flatten, unflatten
from .joins import as_type, carry_type, is_value, refuse, structure, value_type

MAX_ROUNDS = 4
"""How often a body is traced until the types of its state settle. Each round can only widen them."""


class Carry:
    """The leaves of a loop's state: arrays and numbers are carried, anything else must stay what it is.

    `types` are those of the carried leaves; they widen while the body is traced. `name` is what messages call it.
    """

    def __init__(self, init: Any, name: str) -> None:
        self._init = init
        self._leaves, self._tree = flatten(init, name)
        carried = [(path, value) for path, value in self._leaves if is_value(value)]
        self._paths = [path for path, _ in carried]
        self._first = [value for _, value in carried]
        self._last: list[Any] = []
        self._open_lengths: set[Length] = set()
        self.types = [value_type(v) for v in self._first]

    def trace_body(self, trace: Trace, run: Callable[[BodyTrace], Any]) -> BodyTrace:
        """The body, traced again while the types of the state still change: a number that becomes an array, a length
        that differs from round to round. `run` calls the body's function and gives the state that it leaves."""
        for _ in range(MAX_ROUNDS):
            body = BodyTrace(trace, "body")
            if self._is_settled_by(run(body)):
                return body
        return refuse("the types of the loop's state do not settle", ", ".join(map(repr, self.types)))

    def enter(self, body: BodyTrace) -> Any:
        """The state as the body finds it: new inputs of the body."""
        return self.filled([body.input(p, t) for p, t in zip(self._paths, self.types, strict=True)])

    def _is_settled_by(self, returned: Any) -> bool:
        """Takes the state that a round leaves. True if it has the types that the round found."""
        leaves, tree = flatten(returned)
        if tree != self._tree:
            what = "a round of the loop changes the structure of its state"
            refuse(what, f"{structure(self._tree)} → {structure(tree)}")
        for (path, before), (_, after) in zip(self._leaves, leaves, strict=True):
            if not is_value(before) and not (before is after or same_value(before, after)):
                what = f"a round of the loop changes `{path}`, which is no array or number"
                refuse(what, f"{before!r} → {after!r}")
        pairs = zip(self._leaves, leaves, strict=True)
        self._last = [after for (_, before), (_, after) in pairs if is_value(before)]
        found = [
            carry_type(p, t, value_type(v), self._open_lengths)
            for p, t, v in zip(self._paths, self.types, self._last, strict=True)
        ]
        settled = found == self.types
        self.types = found
        return settled

    def initial(self, trace: Trace) -> list[Node]:
        """The nodes of the state before the first round."""
        return [trace.value_node(v) for v in self.first()]

    def first(self) -> list[Any]:
        """The carried leaves before the first round, with numbers as their variables' types."""
        return [as_type(v, t) for v, t in zip(self._first, self.types, strict=True)]

    def outputs(self, body: BodyTrace) -> list[Node]:
        """The nodes of the state that the body leaves."""
        return [body.value_node(as_type(v, t)) for v, t in zip(self._last, self.types, strict=True)]

    def filled(self, values: Iterable[Any]) -> Any:
        """A state with these values for the leaves that are carried, the others as they were."""
        rest = iter(values)
        return unflatten(self._tree, [next(rest) if is_value(v) else v for _, v in self._leaves], like=self._init)
