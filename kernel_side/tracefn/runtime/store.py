"""The writes of a call outside its arguments' arrays, as a generated Python function: attributes, items, names,
containers.

The function is given the outputs of the program. It looks up all that it changes before it changes anything, makes new
containers and objects anew, and then repeats the effects of the traced code in their order.
"""

from __future__ import annotations

import builtins
import copy
import functools
import linecache
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import InPlaceWriteError, message
from ..trace.state.paths import Path
from ..trace.tree import containers


class SharedContainerError(InPlaceWriteError):
    """One container stands at two places of the arguments, or at one of these and outside, where the trace had two
    containers."""


ContainerPlace = tuple[Any, ...]
"""The parameter and the key of each step that lead to a container among the arguments."""
Place = int | ContainerPlace
"""An argument: the number of a leaf, or the place of a container."""


Set = tuple[Path, str, Any, int]
"""An owner, "attr" or "item", the name or key, and the number of the output that is put there."""


def place_text(place: ContainerPlace) -> str:
    """A place of the arguments as messages name it."""
    return str(place[0]) + "".join(f"[{key!r}]" for key in place[1:])


def arguments_of(
    places: Sequence[Place],
    changed: frozenset[ContainerPlace],
    apart: Sequence[tuple[ContainerPlace, Path]],
    arguments: Mapping[str, Any],
    leaves: Sequence[Any],
    load: Callable[[Path], Any],
) -> tuple[Any, ...]:
    """The values at these places of a call. Raises `SharedContainerError` if a container that is `changed` stands at
    two places, or one of them is what `load` gives for a path that it is `apart` from: the trace had two containers."""
    held = [found for name, argument in arguments.items() for found in containers(argument, (name,), tuples=True)]
    at = dict(held)
    for place in changed:
        if sum(other is at[place] for other in at.values()) > 1:
            text = f"`{place_text(place)}`, which the function changes, is among the arguments more than once"
            raise _shared(at[place], text)
    for place, path in apart:
        if at[place] is load(path):
            raise _shared(at[place], f"`{place_text(place)}` is `{path.text}` as well, and the function changes it")
    return tuple([leaves[p] if isinstance(p, int) else at[p] for p in places])


def _shared(container: Any, text: str) -> SharedContainerError:
    return SharedContainerError(message(f"the {type(container).__name__} {text}", fix="Pass a copy."))


class StoreSource:
    """Collects the lines of such a function. `source` is its text as a person can read it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._constants: dict[str, Any] = {}
        self._numbers: dict[int, str] = {}
        self._owners: dict[Any, str] = {}
        self.arguments: list[Place] = []
        self.changed: list[ContainerPlace] = []
        self.apart: list[tuple[ContainerPlace, Path]] = []  # two containers, of which one is changed
        self._items: dict[str, str] = {}
        self.lookups: list[str] = []
        self.made: list[str] = []
        self.writes: list[str] = []
        self._sets: list[Set] = []
        self.result = ""

    def constant(self, value: Any) -> str:
        """A name for an object that each call uses."""
        if id(value) not in self._numbers:
            name = self._numbers[id(value)] = f"k{len(self._constants)}"
            self._constants[name] = value
        return self._numbers[id(value)]

    def owner(self, path: Path) -> str:
        """A variable with the value at a path before anything is changed."""
        key = path.key()
        if key not in self._owners:
            kind, root, name = path.root
            start = self.constant(root)
            start += {"held": "()", "global": f"[{name!r}]", "closure": ".cell_contents"}.get(kind, "")
            variable = self._owners[key] = f"o{len(self._owners)}"
            self.lookups.append(f"{variable} = {path.source(start, self.constant)}  # {path.text}")
        return self._owners[key]

    def argument(self, place: Place) -> str:
        """A variable with an array among the leaves of a call, or a container at a place of its arguments."""
        if place not in self.arguments:
            self.arguments.append(place)
        return f"a{self.arguments.index(place)}"

    def sets(self, owner: Path, kind: str, key: Any, value: str) -> None:
        """Notes that the next line sets an attribute or item to a value, where that is an output of the program."""
        if value.startswith("r[") and value[2:-1].isdigit():
            self._sets.append((owner, kind, key, int(value[2:-1])))

    @property
    def only_sets(self) -> tuple[Set, ...] | None:
        """The whole function as (owner, key, output), if it only sets attributes and items to outputs of the
        program."""
        is_all = len(self._sets) == len(self.writes) and not (self.result or self.made or self.arguments)
        return tuple(self._sets) if is_all else None

    def item(self, container: str, key: str) -> str:
        """A variable with an item of a container before anything is changed."""
        expression = f"{container}[{key}]"
        if expression not in self._items:
            self._items[expression] = f"i{len(self._items)}"
            self.lookups.append(f"{self._items[expression]} = {expression}")
        return self._items[expression]

    def new(self, expression: str) -> str:
        """A variable with a container or object that each call makes."""
        variable = f"n{len(self.made)}"
        self.made.append(f"{variable} = {expression}")
        return variable

    def then(self, line: str) -> None:
        """Adds a line that completes new objects."""
        self.made.append(line)

    def with_objects(self, constant: Callable[[Any], Any], path: Callable[[Path], Path]) -> StoreSource:
        """The same with other objects: `constant` gives those that stand for its own, `path` the ways to them."""
        other = copy.copy(self)
        other._constants = {name: constant(value) for name, value in self._constants.items()}
        other._sets = [(path(owner), *rest) for owner, *rest in self._sets]
        other.apart = [(place, path(way)) for place, way in self.apart]
        return other

    @property
    def source(self) -> str:
        names = "".join(f"a{i}, " for i in range(len(self.arguments)))
        given = [f"{names}= a  # {self._named()}"] if self.arguments else []
        lines = [*given, *self.lookups, *self.made, *self.writes, *([f"return {self.result}"] if self.result else [])]
        head = f"def {self._name}({'r, a' if self.arguments else 'r'}):"
        return "\n".join([head, *[f"    {line}" for line in lines or ["pass"]], ""])

    def _named(self) -> str:
        return ", ".join(f"argument {p}" if isinstance(p, int) else place_text(p) for p in self.arguments)

    def function(self) -> Callable[..., Any]:
        """The function of the tuple of the program's outputs and, where there are `arguments`, of a tuple of these."""
        file, source = f"<tracefn store {self._name} {id(self):x}>", self.source
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        namespace = {"__builtins__": builtins, **self._constants}
        return types.FunctionType(_compiled(source).replace(co_filename=file), namespace)


@functools.lru_cache(maxsize=256)
def _compiled(source: str) -> types.CodeType:
    """The code of the function. Traces that differ in shapes or objects alone have the same one."""
    return next(c for c in compile(source, "<tracefn store>", "exec").co_consts if isinstance(c, types.CodeType))
