"""Numbers keep eager types: `t = 1.0` is a NumPy scalar after a round alone, and the first round finds the float."""

from __future__ import annotations

from typing import Any

from ....ir.number_types import carrier_of, number_of
from ....ir.op import by_name
from ....ir.types import Kind, TensorType, python
from ...body import BodyTrace
from ...context import Trace
from ...tensor import Tensor
from ...tensor_parts.one_type import OneType
from ...tree import LEAF, Tree, flatten
from ...values.lists import casts
from ..joins import is_value, refuse, value_type
from ..types import Typed
from .first_round import Round, round_of

RAN = "whether it ran"
"""The name of the carried bool."""


class Rounds:
    """The part of a loop's state that distinguishes zero-trip loops, and first rounds."""

    types: list[TensorType]
    _init: dict[Any, Any]
    _trees: dict[Any, Tree]
    _leaves: list[tuple[Any, str, Any]]
    _carried: list[tuple[Any, str]]
    _first: list[Any]
    _last: list[Any]
    _inputs: list[Tensor]
    _found: list[Any]
    _first_round: Round | None  # with the types that numbers have before the loop
    _has_all: bool
    _tells_types: bool  # numbers of which a round leaves another type are kept with the tag of their type

    @staticmethod
    def _is_first_round(firsts: list[Any], found: list[TensorType]) -> bool:
        """True for a body that finds Python numbers, all of the types of before the loop."""
        types = [(value_type(first), t) for first, t in zip(firsts, found, strict=True)]
        numbers = [(first, t) for first, t in types if first.kind is Kind.PYTHON]
        return bool(numbers) and all(first == t for first, t in numbers)

    @property
    def _converts(self) -> bool:
        """True if rounds find a Python number of before the loop as one of another type."""
        found = [(value_type(first), t) for first, t in zip(self._first, self.types, strict=True)]
        return any(first.kind is Kind.PYTHON and first != t for first, t in found)

    def _first_round_differs(self, left: dict[Any, Any], body: BodyTrace) -> bool:
        """True if the first round, which finds a Python number in place of a NumPy scalar, differs from the body, which
        leaves this state. Lists that it alone leaves with Python numbers are then no results."""
        if self._tells_types or self._first_round is None or not self._converts:
            return False
        later = round_of(left, body.nodes)
        for number, scalar in self._first_round.lists_that_differ_from(later):
            casts(body, number, scalar)
        return self._first_round.differs_from(later)

    def _lacks_types(self, found: list[TensorType]) -> bool:
        """True if all that keeps a round from settling is that Python numbers which it found become NumPy scalars."""
        pairs = list(zip(found, self.types, strict=True)) if self._has_all else []
        return bool(pairs) and all(
            was == now or (was.kind is Kind.PYTHON and now.kind is Kind.SCALAR) for was, now in pairs
        )

    @staticmethod
    def _strong(leaf: tuple[Any, str], found: TensorType, state: dict[Any, Any]) -> TensorType:
        """The type of a carried leaf for the next attempt: a NumPy scalar's for a Python number that becomes one."""
        key, path = leaf
        value = next((v for p, v in flatten(state[key], str(key))[0] if p == path), None)
        if found.kind is not Kind.PYTHON or not is_value(value):
            return found
        now = value_type(value)
        return now if now.kind is Kind.SCALAR else found

    def notes_whether_it_ran(self, body: BodyTrace) -> None:
        """Carries a bool that the first round sets, if a round converts a Python number. To be called for a loop that
        may be zero-trip, after its body was traced."""
        if all(self._converted(i) is None for i in range(len(self._carried))):
            return
        tensor = body.input(RAN, python(bool))
        self._inputs.append(tensor)
        self._found.append(tensor._node)
        self._init[RAN], self._trees[RAN] = False, LEAF
        self._leaves.append((RAN, RAN, False))
        self._carried.append((RAN, RAN))
        self._first.append(False)
        self._last.append(True)
        self.types.append(python(bool))

    def _converted(self, position: int) -> tuple[int, int] | None:
        """The tags of the types of a Python number before and after a round that gives it another one."""
        (key, path), first = self._carried[position], value_type(self._first[position])
        found = self.types[position]
        if first.kind is not Kind.PYTHON or first == found or type(self._init[key]) is Typed:
            return None
        was, now = number_of(first), number_of(found)
        if found.ndim:
            refuse(f"after the loop `{path}` is a number if it had no round, else an array", f"{first!r} → {found!r}")
        if was is None or now is None:
            return None
        if carrier_of(frozenset((was, now))) != found and not _holds(found, self._first[position]):
            what = f"after the loop `{path}` is a {first!r} if it had no round, else a {found!r}"
            refuse(what, "one type cannot hold both", f"Start with {found.dtype}: `np.{found.dtype}(...)`.")
        return was, now

    def _as_before_or_after(self, trace: Trace, tensors: list[Any]) -> list[Any]:
        """The results of the loop. The type of a converted number depends on whether the loop was zero-trip."""
        if (RAN, RAN) not in self._carried:
            return tensors
        ran = trace.record(by_name("int"), (tensors[self._carried.index((RAN, RAN))],), {})
        for position, tensor in enumerate(tensors):
            if (tags := self._converted(position)) is not None:
                was, now = tags
                tensor._one_type = OneType(ran * (now - was) + was, tuple(sorted(tags)))
        trace.root.sees_types = True
        return tensors


def _holds(found: TensorType, number: Any) -> bool:
    """True for a constant that this type represents exactly."""
    try:
        return isinstance(number, int | float | complex) and bool(found.dtype.type(number).item() == number)
    except OverflowError:
        return False
