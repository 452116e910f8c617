"""Reads of what is outside, seen while they happen: through properties, `getattr` and objects in containers, which the
code alone does not tell."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.types import random_kind
from ..origin import is_library
from ..variable import Variable
from .resolve import _VALUES, ArrayCapture, Captures, IdentityCapture, Path, ValueCapture, reference, same_value


class Observer:
    """Takes the reads of attributes and items by rewritten code. `tensor(value)` stands for an array or a random
    generator from outside.

    `is_changed(owner, key)` says whether the trace itself has written there.
    """

    def __init__(
        self, captures: Captures, tensor: Callable[[Any], Any], is_changed: Callable[[Any, str, Any], bool]
    ) -> None:
        self._captures = captures
        self._tensor = tensor
        self._is_changed = is_changed
        self._found: dict[Any, ValueCapture | IdentityCapture] = {}
        self.symbolic: set[int] = set()

    def read(self, owner: Any, kind: str, key: Any, value: Any) -> Any:
        """Told that `owner.key` or `owner[key]` was read. Returns what the code is to have."""
        captures = self._captures
        if id(owner) not in captures.outside or isinstance(owner, types.ModuleType | type | Variable):
            return value
        if isinstance(value, types.MethodType | types.BuiltinFunctionType) or self._is_changed(owner, kind, key):
            return value
        path = Path(("object", owner, type(owner).__name__), ((kind, key),))
        if type(value) is np.ndarray and value.dtype.kind not in "OV":
            if id(value) not in captures.known_ids():
                captures.add_array(ArrayCapture(path, value, False))
            self.symbolic.add(id(value))
            return self._tensor(value)
        if random_kind(value) is not None:
            if (id(owner), key) not in captures.covered:
                captures.generators.found(path, value)
            return self._tensor(value)
        if (id(owner), key) not in captures.covered and path.key() not in self._found and _is_simple(key):
            if value is None or isinstance(value, _VALUES):
                self._found[path.key()] = ValueCapture(path, value)
            elif not (isinstance(value, types.FunctionType) and is_library(value.__code__.co_filename)):
                self._found[path.key()] = IdentityCapture(path, reference(value))
        if not isinstance(value, _VALUES) and value is not None:
            captures.outside.add(id(value))
        return value

    def held(self) -> tuple[list[ValueCapture], list[IdentityCapture]]:
        """What must be as it was, of what is so now."""
        values, identities = [], []
        for guard in self._found.values():
            now = _now(guard.path)
            if isinstance(guard, ValueCapture):
                if same_value(now, guard.value):
                    values.append(guard)
            elif now is guard.target:
                identities.append(guard)
        return values, identities


def _is_simple(key: Any) -> bool:
    return isinstance(key, str | int)


def _now(path: Path) -> Any:
    ((kind, key),) = path.steps
    try:
        return getattr(path.root[1], key) if kind == "attr" else path.root[1][key]
    except Exception:
        return None
