"""The assumptions of a program about the objects from outside that it writes into or draws from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...records import dataclass
from ...trace.signature import TensorSpec
from ...trace.state.paths import Path
from ...trace.trace_parts.external_arrays import address, never_meet

may_share = getattr(np.may_share_memory, "_implementation", np.may_share_memory)
"""`np.may_share_memory` without the dispatch, which costs as much as the function."""


@dataclass(frozen=True, eq=False)
class MemoryGuard:
    """`what` is 'same' (one array under two names), 'view' (the right one is a view of the left one, with this `offset`
    in bytes and these `strides`), 'disjoint' (no element in common), 'apart' (not even the same memory) or 'contiguous'
    (in C order), 'strides' (these), 'aligned', 'read-only'; 'distinct' (not one array or random generator under two
    names), for containers 'one' (under two names) or 'two'.

    The objects are leaves of the call, by their number, or captured, by their path.
    """

    what: str
    left: int | Path
    right: int | Path | None = None
    offset: int = 0
    strides: tuple[int, ...] = ()

    def holds(self, load: Callable[[Any], Any]) -> bool:
        """`load` gives an array by its number or path; a value that is no array (a spec) is never in the way."""
        left, right = load(self.left), None if self.right is None else load(self.right)
        if self.what == "same" and not (isinstance(left, TensorSpec) or isinstance(right, TensorSpec)):
            return left is right  # an array then may be a number now
        if self.what not in ("distinct", "one", "two") and not (
            isinstance(left, np.ndarray) and isinstance(right, np.ndarray | None)
        ):
            return True
        return not eval(self.source("left", "right"), {**CHECKS, "left": left, "right": right})  # as in dispatch

    def source(self, left: str, right: str) -> str:
        """The condition under which it does not hold, for objects with these names, in terms of `CHECKS`."""
        match self.what:
            case "contiguous":
                return f"not {left}.flags.c_contiguous"
            case "aligned":
                return f"not {left}.flags.aligned"
            case "read-only":
                return f"{left}.flags.writeable"
            case "strides":
                return f"{left}.strides != {self.strides}"
            case "distinct" | "two":
                return f"{left} is {right}"
            case "same" | "one":
                return f"{left} is not {right}"
            case "view":
                return f"not _is_view({left}, {right}, {self.offset}, {self.strides})"
            case "disjoint":
                return f"not _never_meet({left}, {right})"
        return f"{left} is {right} or _may_share({left}, {right})"

    def text(self, left: str, right: str) -> str:
        """The difference where it does not hold."""
        changes = {
            "contiguous": f"{left}: is no longer contiguous",
            "aligned": f"{left}: is no longer aligned in memory",
            "read-only": f"{left}: can be written into",
            "strides": f"{left}: has another memory layout",
            "distinct": f"{left}, {right}: now one generator",
            "one": f"{left}, {right}: no longer one container",
            "two": f"{left}, {right}: now one container",
            "same": f"{left}, {right}: no longer one array",
            "view": f"{left}, {right}: the second is no longer the same view of the first",
        }
        return changes.get(self.what, f"{left}, {right}: share memory")


def _is_view(base: np.ndarray[Any, Any], view: np.ndarray[Any, Any], offset: int, strides: tuple[int, ...]) -> bool:
    if view is base or view.strides != strides:
        return False
    return base.flags.forc and address(view) - address(base) == offset


CHECKS: dict[str, Any] = {"_may_share": may_share, "_is_view": _is_view, "_never_meet": never_meet}
"""The functions that the conditions of guards call."""
