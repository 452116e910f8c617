"""Fresh copies of call arguments for runs that write into them."""

from __future__ import annotations

from typing import Any

from tracefn.trace.tree import map_leaves

from ..ir.module_name import module_of

Call = tuple[tuple[Any, ...], dict[str, Any]]


def fresh_copies(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """The same arguments with every array copied, in its memory order. An array passed twice stays one array.

    Other objects are passed on as they are; two views of one array become two arrays.

    >>> import numpy as np
    >>> x = np.arange(3)
    >>> (a, b), _ = fresh_copies((x, {"again": x}), {})
    >>> a is x, b["again"] is a
    (False, True)
    """
    copies: dict[int, Any] = {}

    def copied(path: str, leaf: Any) -> Any:
        if not is_array(leaf):
            return leaf
        if id(leaf) not in copies:
            copies[id(leaf)] = leaf.copy(order="K")
        return copies[id(leaf)]

    return map_leaves(copied, args), map_leaves(copied, kwargs)


def is_array(value: Any) -> bool:
    """Whether a value is a NumPy or CuPy array (not a scalar)."""
    return type(value).__name__ == "ndarray" and module_of(type(value)).partition(".")[0] in ("numpy", "cupy")
