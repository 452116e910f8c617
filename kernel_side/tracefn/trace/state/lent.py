"""Arrays, lists and dicts that an iterator gives and that are held elsewhere, too: a write would be seen there."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..references import ARGUMENT, ITEM, holders


def is_lent(value: Any) -> bool:
    """True if an array, list or dict in what an iterator has just given is held by anything but one variable, or shows
    the memory of another array."""
    others = holders(value) - ARGUMENT
    return _is_held(value, others)


def _is_held(value: Any, others: int) -> bool:
    if isinstance(value, np.ndarray):
        return others > 0 or value.base is not None or not value.flags.owndata
    if not isinstance(value, tuple | list | dict):
        return False
    if others > 0 and not isinstance(value, tuple):
        return True
    for part in value.values() if isinstance(value, dict) else value:
        others = holders(part) - ITEM
        if _is_held(part, others):
            return True
    return False
