"""An array that a branch leaves and that may be one of before it: writes reach that one, where it is that one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ...ir.types import Kind
from ..context import Trace
from ..tensor import Tensor
from .branches import Side, choose, is_own, run_side


@dataclasses.dataclass(frozen=True)
class Perhaps:
    """For each side of a branch the array of before it which it leaves, None where it leaves a new one."""

    selector: Tensor
    arrays: tuple[Tensor | None, ...]

    @property
    def known(self) -> list[Tensor]:
        """The arrays of before the branch, each once."""
        return list({id(a): a for a in self.arrays if a is not None}.values())


def perhaps(selector: Tensor, left: Tensor, given: Sequence[Any], parts: Sequence[Any], sides: Sequence[Side]) -> Any:
    """Which arrays the one that a branch has `left` may be; None where that is not all that it may show.

    `given` is what the variable of each side stands for, `parts` what that holds at the side's end.
    """
    arrays: list[Tensor | None] = []
    for value, part, side in zip(given, parts, sides, strict=True):
        if type(value) is not Tensor or value is not part:
            return None
        if value._home is side.body:
            if not is_own(value):
                return None
            arrays.append(None)
        elif _is_array(value) and value._node.type == left._node.type:
            arrays.append(value)
        else:
            return None
    return Perhaps(selector._state(), tuple(arrays))


def _is_array(value: Tensor) -> bool:
    """True for a whole array that may be written into."""
    is_base = value._base is None and value._node.type.kind is Kind.ARRAY
    return is_base and not value._held and (value._owned or value._outside or value._perhaps is not None)


def takes_writes(trace: Trace, *left: Tensor) -> bool:
    """True if what is written into the first can go into the arrays that it may be. The others may be the first."""
    if left[0]._perhaps is None:
        return False
    outside = trace.root.outside
    for array in left[0]._perhaps.known:
        if not _is_array(array) or any(v._base is not array and not _is_among(v, left) for v in array._alive_views()):
            return False
        if not (array._owned or array._outside or takes_writes(trace, array, *left)):
            return False
        if array._outside:
            outside.writes(array)
            if not _is_array(array) or outside.is_read_only(array):
                return False
    return True


def _is_among(value: Tensor, others: Sequence[Tensor]) -> bool:
    return any(value is other for other in others)


def written(trace: Trace, left: Tensor, value: Tensor) -> list[tuple[Tensor, Tensor]]:
    """The arrays that `left` may be, with what each holds once `left` is given a value."""
    found = left._perhaps
    assert found is not None
    pairs = []
    for array in found.known:
        held = Tensor(trace.node_of(array), trace, owned=True)
        given = [value if a is array else held for a in found.arrays]
        sides = [
            run_side(trace, name, lambda v=v: {"the value": v})  # type: ignore[misc]
            for name, v in zip(("if_true", "if_false"), given, strict=True)
        ]
        pairs.append((array, choose(trace, "cond", found.selector, sides)["the value"]))
    return pairs
