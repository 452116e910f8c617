"""A function's reads from outside: arrays, values and identities, each with the path on which a call finds it."""

from __future__ import annotations

import contextlib
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..code.bound import is_bound
from ..code.plain import stored
from .compared import CONTAINERS, VALUES, is_stored, reference
from .generators import Generators
from .numbers import Numbers
from .paths import ArrayCapture, IdentityCapture, Path, ValueCapture


class Captures:
    """All that a function, and the user's functions that it calls, read from outside."""

    def __init__(self) -> None:
        self.arrays: dict[Any, ArrayCapture] = {}
        self.values: dict[Any, ValueCapture] = {}
        self.types: dict[Any, ValueCapture] = {}
        self.identities: dict[Any, IdentityCapture] = {}
        self.libraries: dict[Any, IdentityCapture] = {}  # functions and modules, where a library has them
        self.functions: list[types.FunctionType] = []
        self.written: set[tuple[int, str]] = set()
        self.missing: dict[int, tuple[dict[str, Any], set[str]]] = {}  # names that globals lack, by the id of these
        self.only_written: set[Any] = set()
        self.grown: dict[Any, ValueCapture] = {}
        self.growing: dict[int, Any] = {}  # containers of which the code calls methods that change them
        self.generators = Generators()
        self.known: dict[int, tuple[Any, Path]] = {}
        self.one_object: dict[Any, tuple[Path, Path]] = {}  # a container and another path that leads to it
        self.two_objects: dict[Any, tuple[Path, Path]] = {}  # containers of which the code asks if they are one
        self._tuples: dict[int, list[Path]] = {}  # other paths that lead to a tuple
        self._arguments: dict[str, tuple[str, Any, str]] = {}
        self.numbers: Numbers | None = None
        self.number_variables: dict[tuple[int, str], Path] = {}
        self.number_paths: dict[str, Path] = {}
        self.numbers_met: dict[str, Any] = {}
        self.unread: dict[Any, ValueCapture] = {}  # numbers in containers that each call reads, if it reads them
        self.read_by_calls: set[Any] = set()
        self.taken: set[str] = set()  # the paths of items that the code has read at the ends of containers
        self.unhooked: list[Any] = []
        self.reads_special = False  # a special method is being resolved
        self.read_by_special: set[Any] = set()  # keys of the paths of arrays
        self.special: dict[type, list[types.FunctionType]] = {}  # methods that Python calls, of classes met so far
        self.equalities: list[Any] = []  # the `__eq__` of dataclasses, which code that may compare calls
        self._labels: dict[Any, str] = {}
        self._label_count: dict[str, int] = {}
        self.found_at: dict[int, tuple[Any, str, Any]] = {}
        self.is_changed: Callable[[Any, str, Any], bool] = _never
        self.original: Callable[[Any], Any] = _itself
        self.original_names: Callable[[Any], tuple[str, ...]] = lambda owner: tuple(stored(owner, "__dict__"))
        self.covered: set[tuple[int, Any]] = set()
        self._unseen: dict[str, dict[Any, Any]] = {name: {} for name in _COMPARED}
        self.found_later: list[types.FunctionType] = []
        self.traced: Any = None  # the function whose trace it is

    def meet(self, path: Path, value: Any) -> None:
        """Takes up an object outside that a path leads to. The first path found wins."""
        if value is None or isinstance(value, VALUES):
            return
        if id(value) not in self.known:
            self.known[id(value)] = (value, _own_path(path, value))
        elif isinstance(value, CONTAINERS) and (first := self.known[id(value)][1]).key() != path.key():
            self.one_object[first.key(), path.key()] = (first, path)
        elif isinstance(value, tuple) and self.known[id(value)][1].key() != path.key():
            self._tuples.setdefault(id(value), []).append(path)

    def is_asked(self, left: Any, right: Any) -> None:
        """Takes up that the code asks whether two containers are one: guards of their content do not tell."""
        first, second = self.path_of(left), self.path_of(right)
        if first is None or second is None:
            return
        if left is not right:
            self.two_objects[first.key(), second.key()] = (first, second)
        for other in self._tuples.get(id(left), ()) if left is right else ():
            self.one_object[first.key(), other.key()] = (first, other)

    def knows(self, value: Any) -> bool:
        """True for an object outside that the code has reached."""
        return id(value) in self.known

    def path_of(self, value: Any) -> Path | None:
        """The path that leads to a known object."""
        found = self.known.get(id(value))
        return None if found is None else found[1]

    def meet_argument(self, text: str, value: Any) -> None:
        """Takes up an argument that is keyed by identity: it is the same object at each call of the trace."""
        self._arguments[text] = ("held", reference(value), text)
        self.meet(Path(("argument", None, text)), value)

    def path_to(self, value: Any) -> Path | None:
        """The same from the object itself that is an argument, for code that is not given the arguments."""
        path = self.path_of(value)
        if path is None or (path.root[0] == "argument" and path.root[2] not in self._arguments):
            return None
        return self.without_arguments(path)

    def without_arguments(self, path: Path) -> Path:
        """The same path from the argument itself, for code that is not given the arguments."""
        return Path(self._arguments[path.root[2]], path.steps) if path.root[0] == "argument" else path

    def place_key(self, path: Path) -> Any:
        """The same for the path from an argument and for that from the object itself."""
        is_held = path.root[0] == "argument" and path.root[2] in self._arguments
        return (self.without_arguments(path) if is_held else path).key()

    def known_ids(self) -> set[int]:
        return {id(c.array) for c in self.arrays.values()}

    def add_array(self, capture: ArrayCapture) -> None:
        self.arrays[capture.path.key()] = capture

    def known_arrays(self) -> dict[int, tuple[str, Path]]:
        """Array id → (name in the graph, path); the first path found wins."""
        found: dict[int, tuple[str, Path]] = {}
        for capture in self.arrays.values():
            if id(capture.array) not in found:
                found[id(capture.array)] = (self.label(capture.path), capture.path)
        return found

    def twice(self) -> list[tuple[Path, Path]]:
        """Paths that lead to one array: each with the first of them."""
        first = self.known_arrays()
        found = [(first[id(c.array)][1], c.path) for c in self.arrays.values()]
        return [(path, other) for path, other in found if path.key() != other.key()]

    def label(self, path: Path) -> str:
        """The name of the value at a path in the graph: its text, with a number where another path has the same."""
        key = path.key()
        if key not in self._labels:
            count = self._label_count[path.text] = self._label_count.get(path.text, 0) + 1
            self._labels[key] = path.text if count == 1 else f"{path.text} ({count})"
        return self._labels[key]

    def take_guards(
        self,
        values: Sequence[ValueCapture],
        identities: Sequence[IdentityCapture],
        libraries: Sequence[IdentityCapture],
    ) -> bool:
        """Takes up the guards of another trace. False where one of them is of its arguments."""
        paths = [guard.path for guard in values] + [guard.path for guard in (*identities, *libraries)]
        if any(path.root[0] == "argument" for path in paths):
            return False
        self.values |= {(v.path.key(), v.what): v for v in values}
        self.identities = {i.path.key(): i for i in identities} | self.identities
        self.libraries = {i.path.key(): i for i in libraries} | self.libraries
        return True

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Within it, reads are put aside: they count if code that is not rewritten turns out to make them."""
        before = {name: getattr(self, name) for name in (*_COMPARED, "covered")}
        vars(self).update(self._unseen, covered=set())
        try:
            yield
        finally:
            vars(self).update(before)

    def take_unseen(self) -> None:
        """Takes up the reads that were put aside."""
        for name, found in self._unseen.items():
            vars(self)[name] |= {key: guard for key, guard in found.items() if key not in vars(self)[name]}

    def values_met(self) -> dict[Any, ValueCapture]:
        """The values that code reads, also those that were put aside."""
        return self._unseen["values"] | self.values

    def guards(self, stored: frozenset[str] = frozenset(), grown: frozenset[str] = frozenset()) -> list[ValueCapture]:
        """The Python values that must not have changed. Numbers in a container are among them that no visible code has
        read: code that takes the container as a whole reads them unseen. `stored` are the paths that a call changes,
        `grown` those of containers that it changes by their methods, without a look at their content but for the items
        that are `taken` from their ends."""
        unseen = [
            c
            for key, c in self.unread.items()
            if self.place_key(c.path) not in self.read_by_calls
            and key not in self.values
            and c.path.text not in stored
            and not self._is_read_as_another(c.path, stored)
            and (is_stored(c.path.text, self.taken) or not is_stored(c.path.text, grown))
        ]
        return [*self.types.values(), *self.values.values(), *unseen, *map(_without, self.missing.values())]

    def _is_read_as_another(self, path: Path, stored: frozenset[str]) -> bool:
        """True for a number that the code reads or stores on another path to its owner: guards keep both one object."""
        if path.root[0] == "argument" or not path.steps:
            return False
        try:
            owner = Path(path.root, path.steps[:-1]).load()
        except (LookupError, AttributeError, ValueError, TypeError):
            return False
        known = self.path_of(owner)
        if known is None or isinstance(owner, CONTAINERS):
            return False
        other = known.then(*path.steps[-1])
        return other.text in stored or self.place_key(other) in self.read_by_calls


_COMPARED = ("arrays", "values", "types", "identities")
"""The reads that are guarded."""


def _without(missing: tuple[dict[str, Any], set[str]]) -> ValueCapture:
    names, lacking = missing
    return ValueCapture(Path(("object", names, "globals")), tuple(sorted(lacking)), "without")


def _itself(container: Any) -> Any:
    return container


def _never(owner: Any, kind: str, key: Any) -> bool:
    return False


def _own_path(path: Path, value: Any) -> Path:
    """The path from which the content of an object is reached: the object itself, which guards keep the same, or the
    path to a container that may be replaced."""
    if isinstance(value, _MUTABLE) or is_bound(value):
        return path  # a traced method is bound anew at each read
    held = reference(value)
    return Path(("held", held, path.text)) if type(held) is weakref.ref else path


_MUTABLE = (*CONTAINERS, tuple, np.ndarray)
