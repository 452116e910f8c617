"""What a step may have changed in an object from outside while tracing, put back where the trace comes to nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_CHANGING = ("__setitem__", "__delitem__", " =", ".insert", ".pop", ".update", "del ")


def remember(undo: list[Callable[[], None]], value: Any, name: str, kwargs: dict[str, Any]) -> None:
    """Notes what an object holds before a step that may change it."""
    if type(value).__module__.startswith("pandas."):
        if kwargs.get("inplace") or name.endswith(_CHANGING[:-1]) or name.startswith("del "):
            saved = value.copy()
            if hasattr(value, "_update_inplace"):
                undo.append(lambda: value._update_inplace(saved))
        return
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict):
        saved_items = {k: v.copy() if type(v) in (np.ndarray, list, dict, set) else v for k, v in held.items()}
        before = dict(held)
        undo.append(lambda: _restore(held, before, saved_items))


def _restore(held: dict[str, Any], before: dict[str, Any], saved: dict[str, Any]) -> None:
    for key, value in before.items():
        if type(value) is np.ndarray and value.flags.writeable:
            value[...] = saved[key]
        elif type(value) is list:
            value[:] = saved[key]
        elif type(value) in (dict, set):
            value.clear()
            value.update(saved[key])
    held.clear()
    held.update(before)


def take_back(undo: list[Callable[[], None]]) -> None:
    """Puts back what steps have changed, the last first."""
    while undo:
        undo.pop()()
