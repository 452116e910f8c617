"""The environment of a trace, serialised, and resolved in another process: the functions that it entered, the values of
their names, and the guards, whose paths begin at these."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.serialise import Deserialiser, NotSerialisable, Serialiser
from ...runtime.calls.memory_guards import MemoryGuard
from ...trace.autograph import is_marked
from ...trace.libraries import belongs_to_numpy
from ...trace.origin import is_library
from ...trace.state.captures import Captures
from ...trace.state.compared import reference
from ...trace.state.content import ContentGuard
from ...trace.state.paths import IdentityCapture, Path, ValueCapture, is_filled
from ...trace.state.reads import Read, reads_of
from .allowed import check, code_hash
from .known import check_builtin, is_builtin, is_known_module, is_object, serialise_object
from .made_as import MADE_OF, made_as

_WHATS = frozenset({"value", "type", "keys", "length", "content", "without"})
"""Guards whose values are serialised themselves."""


class Differs(Exception):
    """Something is not as it was when the trace was made."""


def serialise_function(function: types.FunctionType, serialiser: Serialiser) -> list[Any]:
    """A Python function by its name and its code. Raises NotSerialisable."""
    if not (own := made_as(function)):
        check(function.__code__)
    defaults = [serialise_object(v, serialiser) for v in function.__defaults__ or ()]
    keywords = [[n, serialise_object(v, serialiser)] for n, v in (function.__kwdefaults__ or {}).items()]
    return [function.__module__, function.__qualname__, code_hash(function.__code__), own, defaults, keywords]


def _is_function(record: list[Any], found: Any, deserialiser: Deserialiser) -> bool:
    if type(found) is not types.FunctionType or is_marked(found.__code__):
        return False
    module, name, code, own, defaults, keywords = record
    values, named = found.__defaults__ or (), found.__kwdefaults__ or {}
    return (
        (found.__module__, found.__qualname__) == (module, name)
        and code_hash(found.__code__) == code
        and made_as(found) == own
        and len(values) == len(defaults)
        and all(is_object(d, v, deserialiser) for d, v in zip(defaults, values, strict=True))
        and [n for n, _ in keywords] == [*named]
        and all(is_object(d, named[n], deserialiser) for n, d in keywords)
    )


class CameThrough:
    """The Python functions that tracing met, the traced one first, and the values of their names then."""

    def __init__(self, captures: Captures) -> None:
        self.functions = tuple(captures.functions)
        self.counts = bool(captures.number_paths)
        self._held = {id(f): (f.__code__, _all_named(f)) for f in self.functions}

    def named(self, function: types.FunctionType, root: str, name: str) -> Any:
        """The value of a name of a function then. Raises NotSerialisable where it stood for nothing."""
        held = self._held.get(id(function))
        if held is not None and held[0] is not function.__code__:
            raise NotSerialisable("its code was replaced")
        value = _named(function, root, name) if held is None else held[1].get((root, name), _NOTHING)
        if value is _NOTHING:
            raise NotSerialisable(f"`{name}` is not set")
        return value


_NOTHING = object()


def _all_named(function: types.FunctionType) -> dict[tuple[str, str], Any]:
    names = dict.fromkeys([(r.root, r.name) for r in reads_of(function.__code__).reads if r.root != "parameter"])
    return {(root, name): _named(function, root, name) for root, name in names}


def _named(function: types.FunctionType, root: str, name: str) -> Any:
    """The value of a global, or of a variable around a function."""
    if root == "global":
        return function.__globals__.get(name, _NOTHING)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return cells[name].cell_contents if name in cells and is_filled(cells[name]) else _NOTHING


class EnvironmentSerialiser:
    """Serialises the functions that a trace entered, the traced one first, and the values of their names. Raises
    NotSerialisable for objects that another process could not recognise."""

    def __init__(self, traced: types.FunctionType, came_through: CameThrough, serialiser: Serialiser) -> None:
        self._serialiser = serialiser
        self._came_through = came_through
        self._functions: list[types.FunctionType] = [traced]
        self._is_open = True
        self.names: list[Any] = []
        for place, function in enumerate(self._functions):  # which grows
            if not (own := made_as(function)):
                check(function.__code__)
            found = reads_of(function.__code__)
            if found.written:
                raise NotSerialisable(f"it sets `{min(found.written)}`")
            for read in found.reads:
                if read.root != "parameter" and (not own or read.name == MADE_OF):
                    self.names.append([place, read.root, read.name, *self._read(function, read)])
        self._is_open = False
        for function in came_through.functions:
            self._place(function)
        self.functions = [None, *[serialise_function(f, serialiser) for f in self._functions[1:]]]

    @property
    def files(self) -> dict[str, int]:
        """The files of the functions, each with the number of a function in it."""
        return {f.__code__.co_filename: i for i, f in reversed([*enumerate(self._functions)])}

    def _read(self, function: types.FunctionType, read: Read) -> tuple[list[str], list[Any]]:
        """The attributes of modules on the way to the value of a name, and that value."""
        try:
            value = self._came_through.named(function, read.root, read.name)
        except NotSerialisable:
            if read.root != "global":
                raise
            check_builtin(read.name)
            return [], ["missing"]
        steps, way = list(read.steps), list[str]()
        while isinstance(value, types.ModuleType):
            name = value.__name__
            if sys.modules.get(name) is not value or not steps or steps[0][0] != "attr":
                raise NotSerialisable(f"it uses the module `{name}` as a value")
            if steps[0][1] not in vars(value):
                raise NotSerialisable(f"it uses `{name}.{steps[0][1]}`")
            if not is_known_module(name) and not _is_users(value):
                raise NotSerialisable(f"it uses the module `{name}`")
            way.append(steps[0][1])
            value = vars(value)[steps.pop(0)[1]]
        return way, self._value(value, steps)

    def _value(self, value: Any, steps: Sequence[Any]) -> list[Any]:
        if type(value) is np.ndarray:
            return ["array"]
        if type(value) in (list, tuple, dict):
            return ["container", type(value).__name__]
        if type(value) is not types.FunctionType or belongs_to_numpy(value):
            if _is_traced(value):
                if steps:
                    raise NotSerialisable(f"it reads `{value.__name__}.{steps[0][1]}`")
                return ["traced", self._place(value.python_function), repr(value.options)]
            record = serialise_object(value, self._serialiser)
            if steps and record[0] not in ("plain", "op"):
                raise NotSerialisable(f"it reads `{record[1]}.{steps[0][1]}`")
            return record
        if steps:
            raise NotSerialisable(f"it reads `{value.__name__}.{steps[0][1]}`")
        return ["function", self._place(value)]

    def _place(self, function: types.FunctionType) -> int:
        for place, known in enumerate(self._functions):
            if known is function:
                return place
        if not self._is_open:
            raise NotSerialisable(f"it comes to `{function.__qualname__}` by no name")
        self._functions.append(function)
        return len(self._functions) - 1

    # --- guards

    def path(self, path: Path) -> list[Any]:
        kind, owner, name = path.root
        return [self._root(kind, owner, name), [[k, self._serialiser.template(key)] for k, key in path.steps]]

    def _root(self, kind: str, owner: Any, name: str) -> list[Any]:
        if kind == "argument":
            return [kind, name]
        for place, function in enumerate(self._functions):
            if kind == "global" and function.__globals__ is owner:
                return [kind, place, name]
            cells = function.__closure__ or ()
            if kind == "closure" and any(cell is owner for cell in cells):
                return [kind, place, name]
            if kind == "held" and owner() is function:
                return [kind, place, name]
            if kind == "object" and owner is function.__globals__:
                return ["globals", place, name]
        module = owner.get("__name__") if kind == "global" else None
        if isinstance(module, str) and vars(sys.modules.get(module, types)) is owner:
            return ["module", module, name]
        raise NotSerialisable(f"it rests on `{name}`")

    def identity(self, identity: IdentityCapture) -> list[Any]:
        if identity.made_of is not None and not identity.made_of.is_of(identity.target):
            raise NotSerialisable(f"`{identity.path.text}` was replaced")
        return [self.path(identity.path), self._value(identity.target, ())]

    def value(self, guard: ValueCapture) -> list[Any]:
        if guard.what not in _WHATS:
            raise NotSerialisable(f"it rests on `{guard.path.text}`")
        if guard.what == "type":
            record = ["type", guard.value.__name__] if guard.value in _TYPES.values() else []
        else:
            record = serialise_object(guard.value, self._serialiser)
        if not record or record[0] not in ("type", "plain"):
            raise NotSerialisable(f"it rests on `{guard.path.text}`")
        return [self.path(guard.path), guard.what, record]

    def content(self, guard: ContentGuard) -> list[Any]:
        if not guard.described:
            raise NotSerialisable(f"it rests on the numbers in `{guard.path.text}`")
        return [self.path(guard.path), self._serialiser.template(guard.dtype), list(guard.shape)]

    def memory(self, guard: MemoryGuard) -> list[Any]:
        sides = [self.path(s) if isinstance(s, Path) else s for s in (guard.left, guard.right)]
        return [guard.what, *sides, guard.offset, list(guard.strides)]


_TYPES = {t.__name__: t for t in (bool, int, float, complex, str, bytes, list, tuple, dict)}


def _is_users(module: types.ModuleType) -> bool:
    """True for a module with Python functions of the user's."""
    file = getattr(module, "__file__", None)
    return module.__name__ == "__main__" if file is None else not is_library(file)


def _is_traced(value: Any) -> bool:
    """True for a traced function of a Python function, without an object that it is of."""
    return hasattr(type(value), "concrete_functions") and type(value.python_function) is types.FunctionType


class EnvironmentDeserialiser:
    """Resolves a serialised environment in this process. Raises Differs where a name has another value."""

    def __init__(
        self, traced: types.FunctionType, functions: Sequence[Any], names: Sequence[Any], deserialiser: Deserialiser
    ) -> None:
        self._deserialiser = deserialiser
        self._records = functions
        self.functions: list[types.FunctionType] = [traced]
        for place, root, name, way, record in names:
            self._prove(self.functions[place], root, name, way, record)

    def _prove(self, function: types.FunctionType, root: str, name: str, way: list[str], record: list[Any]) -> None:
        if record[0] == "missing":
            if name in function.__globals__ or not is_builtin(name):
                raise Differs(name)
            return
        value = _named(function, root, name)
        for step in way:
            if not isinstance(value, types.ModuleType) or sys.modules.get(value.__name__) is not value:
                raise Differs(name)
            if step not in vars(value):
                raise Differs(f"{name}.{step}")
            value = vars(value)[step]
        if not self.holds(record, value):
            raise Differs(".".join([name, *way]))

    def holds(self, record: list[Any], value: Any) -> bool:
        """True if a serialised reference resolves to this value."""
        kind = record[0]
        if kind == "array":
            return type(value) is np.ndarray
        if kind == "container":
            return type(value).__name__ == record[1] and type(value) in (list, tuple, dict)
        if kind == "function":
            return self._is_function(record[1], value)
        if kind == "traced":
            is_alike = _is_traced(value) and repr(value.options) == record[2]
            return is_alike and self._is_function(record[1], value.python_function)
        return is_object(record, value, self._deserialiser)

    def _is_function(self, place: int, value: Any) -> bool:
        if place < len(self.functions):
            return self.functions[place] is value
        if any(known is value for known in self.functions):  # two functions, and one here
            return False
        if not _is_function(self._records[place], value, self._deserialiser):
            return False
        self.functions.append(value)
        return True

    # --- guards

    def path(self, record: list[Any]) -> Path:
        (kind, place, *named), steps = record
        name = named[0] if named else ""
        then = tuple([(step, self._deserialiser.template(key)) for step, key in steps])
        if kind == "argument":
            return Path((kind, None, place), then)
        if kind == "module":  # its value under a name
            if place not in sys.modules:
                raise Differs(place)
            return Path(("global", vars(sys.modules[place]), name), then, f"{place}.{name}")
        function = self.functions[place]
        if kind == "global":
            return Path((kind, function.__globals__, name), then)
        if kind == "held":
            return Path((kind, reference(function), name), then)
        if kind == "globals":
            return Path(("object", function.__globals__, name), then)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        return Path((kind, cells[name], name), then)

    def identity(self, record: list[Any]) -> IdentityCapture:
        where, what = record
        path = self.path(where)
        try:
            found = path.load()
        except (LookupError, AttributeError, ValueError, TypeError):
            raise Differs(path.text) from None
        if not self.holds(what, found):
            raise Differs(path.text)
        if what[0] in ("function", "traced"):
            return IdentityCapture.of_function(path, found)
        return IdentityCapture(path, reference(found) if where[0][0] != "module" else _always(found))

    def value(self, record: list[Any]) -> ValueCapture:
        path, what, value = record
        found = _TYPES[value[1]] if what == "type" else self._deserialiser.template(value[1])
        return ValueCapture(self.path(path), found, what)

    def content(self, record: list[Any]) -> ContentGuard:
        path, dtype, shape = record
        array = np.broadcast_to(np.empty((), self._deserialiser.template(dtype)), shape)
        return ContentGuard(self.path(path), array, described=True)

    def memory(self, record: list[Any]) -> MemoryGuard:
        what, left, right, offset, strides = record
        first, second = (self.path(s) if isinstance(s, list) else s for s in (left, right))
        return MemoryGuard(what, first, second, offset, tuple(strides))


def _always(value: Any) -> Callable[[], Any]:
    return lambda: value
