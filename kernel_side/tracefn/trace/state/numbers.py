"""Which numbers from outside each call reads, and which are guarded."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .paths import Path


class Numbers:
    """Which Python numbers and NumPy scalars from outside are inputs of the graph, read at each call, rather than
    guarded: those that the traced code itself changes, as far as the code tells, and those at the paths `changing`, but
    for those at the paths `fixed`. `used` are the paths of those that the code has read, `lengths` those of lengths and
    of items that are counted from the ends of lists. `growing` has, by path, the axes along which arrays have other
    lengths at other calls."""

    def __init__(
        self,
        changing: frozenset[str] = frozenset(),
        fixed: frozenset[str] = frozenset(),
        growing: Mapping[str, frozenset[int]] = types.MappingProxyType({}),
    ) -> None:
        self.changing = changing
        self.fixed = fixed
        self.growing = growing
        self.attributes: set[str] = set()
        self.items: set[str] = set()
        self.variables: set[tuple[int, str]] = set()
        self.used: set[str] = set()
        self.lengths: set[str] = set()
        self.is_rewritten: Callable[[types.CodeType], bool] = lambda code: False  # hooks note its reads of containers

    def open_axes(self, path: Path) -> frozenset[int]:
        """Those of the array at a path."""
        if path.container_of_numbers is not None:
            return frozenset((0,))
        axes = self.growing.get(path.text, frozenset()) if path.text not in self.fixed else frozenset()
        if axes:
            self.lengths.add(path.text)
        return axes

    def stored_by(self, function: types.FunctionType, found: Any) -> None:
        """Notes a function and the stores of its code."""
        self.attributes |= found.stored
        self.items |= found.items
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name in found.written:
            owner = cells.get(name, function.__globals__)
            self.variables.add((id(owner), name))

    def takes(self, path: Path, value: Any) -> bool:
        """True for a number that is read at each call."""
        if type(value) not in (int, float, complex) and not issubclass(type(value), np.number):
            return False
        if path.steps:
            kind, key = path.steps[-1]
            is_stored = key in self.attributes if kind == "attr" else type(key) is str and key in self.items
            if kind == "item" and len(path.steps) > 1 and not isinstance(value, int | np.integer):
                kind, key = path.steps[-2]  # the code replaces the list: a history that it truncates
                is_stored = kind == "attr" and key in self.attributes
        else:
            is_stored = (id(path.root[1]), path.root[2]) in self.variables
        if not (is_stored or path.text in self.changing) or path.text in self.fixed:
            return False
        self.used.add(path.text)
        return True
