"""Which numbers from outside each call reads, and which are guarded."""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from .paths import Path
from .reads import MUTATORS, Read, reads_of

_HEAP_TYPE = 1 << 9

_MAKING = ("__init__", "__new__", "__post_init__", "__setstate__")


def _changes_attribute(read: Read) -> bool:
    """True for `self.log.append`."""
    kinds = [kind for kind, _ in read.steps]
    return read.root == "parameter" and kinds == ["attr", "attr"] and read.steps[1][1] in MUTATORS


def _code_of(held: Any) -> Any:
    """The code of a method, traced or not."""
    return getattr(getattr(held, "python_function", held), "__code__", None)


class Numbers:
    """Which Python numbers and NumPy scalars from outside are inputs of the graph, read at each call, rather than
    guarded: those that the traced code itself changes, as far as the code tells, those at the paths `changing`, and
    those of the patterns `alike`, but for those at the paths `fixed`. `used` are the paths of those that the code has
    read, `met` the patterns that it came to, `lengths` the paths of lengths and of items that are counted from the ends
    of lists. `growing` has, by path, the axes along which arrays have other lengths at other calls."""

    def __init__(
        self,
        changing: frozenset[str] = frozenset(),
        fixed: frozenset[str] = frozenset(),
        growing: Mapping[str, frozenset[int]] = types.MappingProxyType({}),
        alike: frozenset[Hashable] = frozenset(),
    ) -> None:
        self.changing = changing
        self.alike = alike
        self.fixed = fixed
        self.growing = growing
        self.attributes: set[str] = set()
        self.grown: set[str] = set()  # attributes whose containers methods change
        self.items: set[str] = set()
        self.variables: set[tuple[int, str]] = set()
        self.used: set[str] = set()
        self.met: set[Hashable] = set()
        self.lengths: set[str] = set()
        self.is_rewritten: Callable[[types.CodeType], bool] = lambda code: False  # hooks note its reads of containers

    def grows(self, path: Path) -> bool:
        """True for a container whose length each call reads."""
        if path.length.text in self.fixed:
            return False
        is_grown = bool(path.steps) and path.steps[-1][0] == "attr" and path.steps[-1][1] in self.grown
        return is_grown or self.changes(path.length)

    def changes(self, path: Path) -> bool:
        """True for the path to a number, or to a length, that each call reads, as it is another one at other calls."""
        if path.text in self.fixed:
            return False
        if path.text in self.changing:
            return True
        is_alike = bool(self.alike) and path.pattern in self.alike
        if is_alike:
            self.met.add(path.pattern)
        return is_alike

    def stored_by_methods(self, objects: Iterable[Any]) -> None:
        """Notes the stores of all methods of these objects' classes, constructors excepted: other methods find another
        number after each of them."""
        for cls in {base for owner in objects for base in type(owner).__mro__ if base.__flags__ & _HEAP_TYPE}:
            for name, held in vars(cls).items():
                if name not in _MAKING and isinstance(code := _code_of(held), types.CodeType):
                    found = reads_of(code)
                    self.attributes |= found.stored
                    self.grown |= {read.steps[0][1] for read in found.reads if _changes_attribute(read)}

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
        if path.text in self.fixed or not (is_stored or self.changes(path)):
            return False
        self.used.add(path.text)
        return True
