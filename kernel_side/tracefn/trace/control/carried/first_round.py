"""The first round of a loop beside later ones: it finds `prev = 0` where they find a NumPy scalar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ....ir.graph import Constant, Node
from ....ir.infer import may_raise
from ....ir.op import INPUT
from ....ir.template import Body, ListOf
from ....ir.types import Kind
from ..joins import is_value, value_type
from ..outside_containers import flatten_made
from ..types import types_of
from ..undefined import Maybe

_PLAIN = (bool, int, float, complex, str)


class Round(NamedTuple):
    """A round, as far as it may depend on the types of the numbers that it finds."""

    left: dict[Any, tuple[Any, ...]]  # for each key of the state, the types of its leaves, and values that are fixed
    calls: tuple[Any, ...]

    def differs_from(self, other: Round) -> bool:
        """True if the two compute, or leave, anything else; lists aside."""
        return self.calls != other.calls or any(a != b for a, b in self._pairs(other) if a[0] is not Kind.LIST)

    def lists_that_differ_from(self, other: Round) -> list[tuple[np.dtype[Any], np.dtype[Any]]]:
        """The dtypes of the lists that the two leave with other elements."""
        return [(a[-1], b[-1]) for a, b in self._pairs(other) if a != b and a[0] is b[0] is Kind.LIST]

    def _pairs(self, other: Round) -> Iterable[tuple[Any, Any]]:
        for key, mine in self.left.items():
            if len(mine) == len(theirs := other.left.get(key, ())):
                yield from zip(mine, theirs, strict=True)


def round_of(state: Mapping[Any, Any], nodes: Iterable[Node]) -> Round:
    """A round that leaves this state, with the types that its nodes have now."""
    return Round({key: tuple(map(_mark, _leaves(key, value))) for key, value in state.items()}, _calls(nodes))


def _leaves(key: Any, value: Any) -> list[Any]:
    if type(value) is Maybe:
        value = value.value
    return [value] if types_of(value) is not None else [leaf for _, leaf in flatten_made(value, str(key))[0]]


def _mark(leaf: Any) -> tuple[Any, ...]:
    if (numbers := types_of(leaf)) is not None:
        return "number", frozenset(numbers), leaf if type(leaf) in _PLAIN else None
    if not is_value(leaf):
        return "fixed", type(leaf)
    found = value_type(leaf)
    return found.kind, found.element_kind, found.dtype


def _calls(nodes: Iterable[Node]) -> tuple[Any, ...]:
    """The operations, with the numbers and texts that they are given. Python numbers raise where NumPy's warn."""
    found = [n for n in nodes if n.op is not INPUT]
    return tuple([(n.op, n.op.raises and may_raise(n), _fixed(n.args), _fixed(n.kwargs)) for n in found])


def _fixed(arguments: Iterable[Any]) -> tuple[Any, ...]:
    found: list[Any] = []
    for argument in arguments:
        kind = type(argument)
        if kind is Constant:
            argument, kind = argument.value, type(argument.value)
        if kind in _PLAIN or issubclass(kind, np.generic):
            found += (kind, argument)
        elif kind is tuple:
            found.append(_fixed(argument))
        elif kind is ListOf:
            found.append(_fixed(argument.items))
        elif kind is Body:
            found.append(_calls(argument.graph.nodes))
    return tuple(found)
