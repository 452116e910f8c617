"""Concrete arrays that a trace meets without a path to them: no later call could find them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.graph import Node
from ..references import VARIABLE, holders


class Concrete:
    """A concrete array met while tracing whose place in the user's code is not known."""

    __slots__ = ("array", "content", "node")

    def __init__(self, array: np.ndarray[Any, Any], node: Node) -> None:
        self.array = array
        self.content = array.copy()
        self.node = node

    def unchanged(self) -> bool:
        return self.array.tobytes() == self.content.tobytes()


def is_private(entry: Concrete) -> bool:
    """True if the entry alone holds the array and, where it is a view, the array alone holds its base."""
    held = holders(entry.array)
    base = entry.array.base
    if held > 1 or base is None:
        return held == 1
    base_held = holders(base) - VARIABLE
    return isinstance(base, np.ndarray) and base.base is None and base_held == 1
