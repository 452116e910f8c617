"""What a program takes for granted about the objects from outside that it writes into or draws from."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..trace.captures import Path

may_share = getattr(np.may_share_memory, "_implementation", np.may_share_memory)
"""`np.may_share_memory` without the dispatch, which costs as much as the function."""


@dataclasses.dataclass(frozen=True, eq=False)
class MemoryGuard:
    """`what` is 'same' (one array under two names), 'apart' (no memory in common) or 'contiguous' (in C order); for
    random generators 'distinct' (not one under two names).

    The objects are leaves of the call, by their number, or captured, by their path.
    """

    what: str
    left: int | Path
    right: int | Path | None = None

    def holds(self, load: Callable[[Any], Any]) -> bool:
        """`load` gives an array by its number or path; what is no array (a spec) is never in the way."""
        left, right = load(self.left), None if self.right is None else load(self.right)
        if self.what == "distinct":
            return left is not right
        if not isinstance(left, np.ndarray) or not isinstance(right, np.ndarray | None):
            return True
        if self.what == "contiguous":
            return bool(left.flags.c_contiguous)
        return left is right if self.what == "same" else not may_share(left, right)

    def source(self, left: str, right: str) -> str:
        """The condition under which it does not hold, for arrays with these names."""
        if self.what == "contiguous":
            return f"not {left}.flags.c_contiguous"
        if self.what == "distinct":
            return f"{left} is {right}"
        return f"{left} is not {right}" if self.what == "same" else f"{left} is {right} or _may_share({left}, {right})"

    def text(self, left: str, right: str) -> str:
        """What is different where it does not hold."""
        if self.what == "contiguous":
            return f"{left}: is no longer contiguous"
        if self.what == "distinct":
            return f"{left}, {right}: now one generator"
        shared = "no longer one array" if self.what == "same" else "share memory"
        return f"{left}, {right}: {shared}"
