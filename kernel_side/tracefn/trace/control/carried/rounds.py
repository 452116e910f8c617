"""Zero-trip loops keep the types that variables had before: `t = 1.0` is a NumPy scalar after a round alone."""

from __future__ import annotations

from typing import Any

from ....ir.number_types import carrier_of, number_of
from ....ir.op import by_name
from ....ir.types import Kind, TensorType, python
from ...body import BodyTrace
from ...context import Trace
from ...tensor import Tensor
from ...tensor_parts.one_type import OneType
from ...tree import LEAF, Tree
from ..joins import refuse, value_type
from ..types import Typed

RAN = "whether it ran"
"""The name of the carried bool."""


class Rounds:
    """The part of a loop's state that distinguishes zero-trip loops."""

    types: list[TensorType]
    _init: dict[Any, Any]
    _trees: dict[Any, Tree]
    _leaves: list[tuple[Any, str, Any]]
    _carried: list[tuple[Any, str]]
    _first: list[Any]
    _last: list[Any]
    _inputs: list[Tensor]
    _found: list[Any]

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
