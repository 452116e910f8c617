"""The values behind a function's outer reads: arrays to read at every call, values and identities to guard."""

from __future__ import annotations

import array
import collections
import dataclasses
import enum
import inspect
import sys
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.types import random_kind
from ..origin import is_library
from ..source import source_of
from ..variable import Variable
from .generators import Generators
from .reads import Step, reads_of

MAX_LEAVES = 4096
"""Leaves of one captured container that are guarded one by one; a larger one is guarded by length alone."""


@dataclasses.dataclass(frozen=True, slots=True)
class Path:
    """A way from a root to a value: `global params['w']`, `self.W`.

    `root` is ('global', the globals dict, name), ('closure', the cell, name), ('argument', None, path of the argument),
    ('object', the object, its name), or ('held', a weak reference to the object, its name).
    """

    root: tuple[str, Any, str]
    steps: tuple[Step, ...] = ()
    _text: str = dataclasses.field(default="", compare=False, repr=False)

    def then(self, kind: str, key: Any) -> Path:
        return Path(self.root, (*self.steps, (kind, key)))

    @property
    def is_variable(self) -> bool:
        """True for a plain global or closure variable."""
        return not self.steps and self.root[0] in ("global", "closure")

    @property
    def steps_source(self) -> str:
        """The steps as Python source: `.lr`, `['w'][0]`."""
        return "".join(f".{k}" if kind == "attr" else f"[{k!r}]" for kind, k in self.steps)

    @property
    def text(self) -> str:
        """The path as messages name it."""
        if not self._text:
            prefix = f"{self.root[0]} " if self.root[0] in ("global", "closure") else ""
            object.__setattr__(self, "_text", f"{prefix}{self.root[2]}{self.steps_source}")
        return self._text

    def key(self) -> Any:
        return (self.root[0], id(self.root[1]), self.root[2], self.steps)


@dataclasses.dataclass(frozen=True, slots=True)
class ArrayCapture:
    """An array. `described` where only its shape, dtype and the like are read, and never its elements."""

    path: Path
    array: Any
    described: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class ValueCapture:
    """A Python value, guarded by type and value. For containers the value is the keys (dict) or the length."""

    path: Path
    value: Any
    what: str = "value"  # 'value', 'keys', 'length' or 'content'


@dataclasses.dataclass(frozen=True, slots=True)
class IdentityCapture:
    """A function, class or object, guarded by identity. Held weakly where possible.

    `source` is that of a function: another one made from it will do.
    """

    path: Path
    reference: Any
    source: Any = None

    @property
    def target(self) -> Any:
        return self.reference()


class Captures:
    """All that a function, and the user's functions that it calls, read from outside."""

    def __init__(self) -> None:
        self.arrays: dict[Any, ArrayCapture] = {}
        self.values: dict[Any, ValueCapture] = {}
        self.identities: dict[Any, IdentityCapture] = {}
        self.functions: list[types.FunctionType] = []
        self.written: set[tuple[int, str]] = set()
        self.grown: dict[Any, ValueCapture] = {}
        self.generators = Generators()
        self.known: dict[int, tuple[Any, Path]] = {}
        self._arguments: dict[str, tuple[str, Any, str]] = {}
        self.seen_values: dict[Any, ValueCapture] = {}
        self.seen_identities: dict[Any, IdentityCapture] = {}
        self.is_changed: Callable[[Any, str, Any], bool] = _never
        self.covered: set[tuple[int, Any]] = set()
        self.found_later: list[types.FunctionType] = []

    def meet(self, path: Path, value: Any) -> None:
        """Takes up an object outside that a path leads to. The first path found wins."""
        if id(value) not in self.known:
            self.known[id(value)] = (value, _own_path(path, value))

    def knows(self, value: Any) -> bool:
        """True for an object that is outside, as far as the code has reached it."""
        return id(value) in self.known

    def path_of(self, value: Any) -> Path | None:
        """The path that leads to a known object."""
        found = self.known.get(id(value))
        return None if found is None else found[1]

    def meet_argument(self, text: str, value: Any) -> None:
        """Takes up an argument that is keyed by identity: it is the same object at each call of the trace."""
        self._arguments[text] = ("held", reference(value), text)
        self.meet(Path(("argument", None, text)), value)

    def without_arguments(self, path: Path) -> Path:
        """The same path from the argument itself, for code that is not given the arguments."""
        return Path(self._arguments[path.root[2]], path.steps) if path.root[0] == "argument" else path

    def known_ids(self) -> set[int]:
        return {id(c.array) for c in self.arrays.values()}

    def add_array(self, capture: ArrayCapture) -> None:
        self.arrays[capture.path.key()] = capture

    def known_arrays(self) -> dict[int, tuple[str, Path]]:
        """Array id → (text of its path, path); the first path found wins."""
        found: dict[int, tuple[str, Path]] = {}
        for capture in self.arrays.values():
            found.setdefault(id(capture.array), (capture.path.text, capture.path))
        return found


def _never(owner: Any, kind: str, key: Any) -> bool:
    return False


def same_value(left: Any, right: Any) -> bool:
    """Equal in type and value; NaN equals NaN, 0.0 and -0.0 differ."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Variable):
        return left is right
    if isinstance(left, float | complex | np.floating | np.complexfloating):
        return repr(left) == repr(right)
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same_value, left, right))
    return bool(left == right)


def resolve(function: Any, arguments: dict[str, Any], others: Sequence[Any] = ()) -> Captures:
    """What `function`, and the `others`, read from outside, now.

    `arguments` maps parameter names to (path, value) for the arguments whose attributes count as outside: objects that
    are keyed by identity.
    """
    captures = Captures()
    for path, value in arguments.values():
        captures.meet_argument(path, value)
    environment = {n: (Path(("argument", None, p)), v) for n, (p, v) in arguments.items()}
    _resolve(captures, [*[(f, {}) for f in others], (function, environment)])
    return captures


def extend(captures: Captures, function: Any) -> None:
    """Adds what a function reads that was met while tracing."""
    captures.found_later.append(function)
    _resolve(captures, [(function, {})])


def _resolve(captures: Captures, pending: list[Any]) -> None:
    seen = {id(f) for f in captures.functions}
    while pending and len(seen) < 500:
        fn, environment = pending.pop()
        if id(fn) in seen or not isinstance(fn, types.FunctionType):
            continue
        seen.add(id(fn))
        captures.functions.append(fn)
        found = reads_of(fn.__code__)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        captures.written |= {(id(fn.__globals__), n) for n in found.written}
        for read in found.reads:
            if read.root == "global":
                if read.name not in fn.__globals__:
                    continue
                path, value = Path(("global", fn.__globals__, read.name)), fn.__globals__[read.name]
            elif read.root == "closure":
                cell = cells.get(read.name)
                if cell is None or not _filled(cell) or captures.is_changed(cell, "cell", None):
                    continue
                path, value = Path(("closure", cell, read.name)), cell.cell_contents
            elif read.name in environment:
                path, value = environment[read.name]
                if not read.steps:
                    _record_held(captures, path, value, pending)
                    continue
            else:
                continue
            _follow(captures, path, value, read.steps, pending)


def _own_path(path: Path, value: Any) -> Path:
    """The path from which what is in an object is reached: the object itself, which the guards on the way keep the
    same, or the way to it where that may lead to another container at the next call."""
    if isinstance(value, _MUTABLE):
        return path
    held = reference(value)
    return Path(("held", held, path.text)) if type(held) is weakref.ref else path


def _filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _follow(captures: Captures, path: Path, value: Any, steps: tuple[Step, ...], pending: list[Any]) -> None:
    """Walks the steps of one read and records what it ends at."""
    captures.generators.named(value, steps)
    for position, (kind, key) in enumerate(steps):
        captures.meet(path, value)
        if isinstance(value, types.ModuleType) and value.__name__.split(".")[0] in _LIBRARY_MODULES:
            return
        if isinstance(value, np.ndarray) and key in _DESCRIPTIONS:
            _record_array(captures, path, value, described=True)
            return
        if isinstance(value, np.ndarray | np.generic | Variable) or _is_traced_function(value):
            break
        if captures.generators.found(path, value):
            return
        if kind == "item":
            if type(value) not in (dict, list, tuple) or not _has_item(value, key):
                break
            if captures.is_changed(value, "item", key):
                return
            captures.covered.add((id(value), key))
            value = value[key]
        elif isinstance(value, dict | list | tuple | set):
            if key in MUTATORS:
                captures.grown[path.key()] = ValueCapture(path, len(value), "length")
            if key in MUTATORS or (position + 1 == len(steps) and key not in _READERS and type(value) in _PLAIN):
                return
            break
        else:
            found, value_or_method = _attribute(value, key)
            if not found or captures.is_changed(value, "attr", key):
                return
            captures.covered.add((id(value), key))
            if isinstance(value_or_method, types.MethodType):
                method = value_or_method.__func__
                parameters = getattr(method, "__code__", None)
                if parameters is not None and parameters.co_argcount:
                    pending.append((method, {parameters.co_varnames[0]: (path, value)}))
                return
            value = value_or_method
        path = path.then(kind, key)
    _record(captures, path, value, pending)


_LIBRARY_MODULES = {"numpy", "cupy", "math", "cmath", "builtins", "operator", "functools", "itertools", "tracefn"}
MUTATORS = frozenset(
    "append extend insert add update setdefault pop popitem remove discard clear sort reverse write".split()
)
"""Methods that change what they are called on."""
_DESCRIPTIONS = {"shape", "dtype", "ndim", "size", "itemsize", "nbytes"}
_READERS = {"get", "items", "values", "keys", "index", "count", "copy"}


def _has_item(container: Any, key: Any) -> bool:
    return (
        key in container
        if isinstance(container, dict)
        else isinstance(key, int) and -len(container) <= key < len(container)
    )


def _attribute(value: Any, name: str) -> tuple[bool, Any]:
    """(True, the attribute) where reading it runs no code of the user's."""
    if isinstance(value, types.ModuleType | type):
        return (True, getattr(value, name)) if hasattr(value, name) else (False, None)
    instance = getattr(value, "__dict__", None)
    if isinstance(instance, dict) and name in instance:
        return True, instance[name]
    try:
        static = inspect.getattr_static(value, name)
    except AttributeError:
        return False, None
    if isinstance(static, types.FunctionType):
        return True, types.MethodType(static, value)
    if isinstance(static, types.MemberDescriptorType):
        return (True, getattr(value, name)) if hasattr(value, name) else (False, None)
    if hasattr(type(static), "__get__"):
        return False, None
    return True, static


def _is_traced_function(value: Any) -> bool:
    return hasattr(value, "python_function") and hasattr(value, "concrete_functions")


def _record(captures: Captures, path: Path, value: Any, pending: list[Any], depth: int = 0) -> None:
    key = path.key()
    captures.meet(path, value)
    if isinstance(value, np.ndarray):
        _record_array(captures, path, value, described=False)
    elif isinstance(value, types.ModuleType) or isinstance(value, types.BuiltinFunctionType | np.ufunc):
        return
    elif captures.generators.found(path, value):
        return
    elif value is None or isinstance(value, _VALUES):
        captures.values[key] = ValueCapture(path, value)
    elif type(value) in (dict, list, tuple):
        record_container(captures, path, value, pending, depth)
    elif (content := content_of(value)) is not None:
        captures.values[(key, "content")] = ValueCapture(path, content, "content")
    elif isinstance(value, types.FunctionType) or _is_traced_function(value):
        python_function = getattr(value, "python_function", value)
        if not is_library(getattr(getattr(python_function, "__code__", None), "co_filename", "")):
            captures.identities[key] = IdentityCapture(path, reference(value), source_of(value))
            pending.append((python_function, {}))
    elif (path.steps or path.root[0] != "argument") and not _is_library_class(value):
        captures.identities[key] = IdentityCapture(path, reference(value))
        _record_held(captures, path, value, pending)


def _record_held(captures: Captures, path: Path, value: Any, pending: list[Any]) -> None:
    """What is in an object that is keyed by identity: plain values in a container, and what the special methods of a
    class of the user's read, which Python's own functions and operators call (`len(value)`, `value + x`)."""
    content = None if isinstance(value, set) else content_of(value)  # a set as an argument is in the key
    if content is not None:
        captures.values[(path.key(), "content")] = ValueCapture(path, content, "content")
    if isinstance(value, type | types.ModuleType) or is_library(_file_of(type(value))):
        return
    if hasattr(type(value), "__array_function__"):  # an array of another library
        return
    for name in _SPECIAL:
        method = getattr(type(value), name, None)
        if type(method) is types.FunctionType and method.__code__.co_argcount:
            pending.append((method, {method.__code__.co_varnames[0]: (path, value)}))


def _file_of(cls: type) -> str:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return file if isinstance(file, str) else ""


_SPECIAL = tuple(
    f"__{name}__"
    for name in "len iter contains bool float int index complex array call getitem add radd sub rsub mul rmul truediv "
    "rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul neg pos abs eq ne lt le gt ge".split()
)
_PLAIN = (dict, list, tuple, set)
_CONTAINERS = (list, dict, set, collections.deque, bytearray, array.array)
_MUTABLE = (*_CONTAINERS, tuple, np.ndarray)


def content_of(value: Any) -> Any:
    """What a set, deque, bytearray or the like holds, subclasses of list and dict included; None for other objects, and
    where there is too much, or anything but plain values, in it."""
    base = next((cls for cls in _CONTAINERS if isinstance(value, cls)), None)
    if base is None or len(value) > MAX_LEAVES:
        return None
    items = tuple(dict.items(value) if base is dict else base.__iter__(value))
    parts = [part for item in items for part in item] if base is dict else items
    if not all(part is None or isinstance(part, _VALUES) for part in parts):
        return None
    return frozenset(items) if base is set else items


_VALUES = (bool, int, float, complex, str, bytes, np.generic, np.dtype, enum.Enum, range, frozenset, slice)


def _record_array(captures: Captures, path: Path, array: Any, described: bool) -> None:
    known = captures.arrays.get(path.key())
    captures.arrays[path.key()] = ArrayCapture(path, array, described and (known is None or known.described))


def _is_library_class(value: Any) -> bool:
    if not isinstance(value, type):
        return False
    return value.__module__ == "builtins" or is_library(_file_of(value))


def reference(value: Any) -> Any:
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


def record_container(
    captures: Captures, path: Path, value: Any, pending: list[Any] | None = None, depth: int = 0
) -> None:
    """Records what is in a list, tuple or dict. `pending` is given the functions."""
    pending = [] if pending is None else pending
    summary = tuple(value) if isinstance(value, dict) else len(value)
    what = "keys" if isinstance(value, dict) else "length"
    if isinstance(value, dict) and not all(isinstance(k, str | int | float | bool | tuple) for k in value):
        summary, what = len(value), "length"
    captures.values[(path.key(), what)] = ValueCapture(path, summary, what)
    if len(value) > MAX_LEAVES or depth > 4:
        return
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(key, str | int):
            captures.covered.add((id(value), key))
            _record(captures, path.then("item", key), item, pending, depth + 1)
