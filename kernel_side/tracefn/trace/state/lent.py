"""Arrays, lists and dicts that an iterator gives and that are held elsewhere, too: a write would be seen there."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def is_lent(value: Any) -> bool:
    """True if an array, list or dict in what an iterator has just given is held by anything but one variable, or shows
    the memory of another array."""
    others = sys.getrefcount(value) - _OF_VARIABLE
    return _is_held(value, others)


def _is_held(value: Any, others: int) -> bool:
    if isinstance(value, np.ndarray):
        return others > 0 or value.base is not None or not value.flags.owndata
    if not isinstance(value, tuple | list | dict):
        return False
    if others > 0 and not isinstance(value, tuple):
        return True
    for part in value.values() if isinstance(value, dict) else value:
        others = sys.getrefcount(part) - _OF_PART
        if _is_held(part, others):
            return True
    return False


def _references() -> tuple[int, int]:
    """How many references there are where these functions look, to a value that nothing else holds."""
    counts: list[int] = []

    def look(value: Any) -> None:
        counts.append(sys.getrefcount(value))
        for part in value:
            counts.append(sys.getrefcount(part))

    held: list[list[Any]] = [[]]
    look(held)
    return counts[0], counts[1]


_OF_VARIABLE, _OF_PART = _references()

__all__ = ["is_lent"]
