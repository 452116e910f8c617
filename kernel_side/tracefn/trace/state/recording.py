"""Records the end of a path: an array that calls read, a value or an object that they compare."""

from __future__ import annotations

import collections
import enum
import functools
import sys
import types
import weakref
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedArgumentError, message
from ..code.bound import is_traced_function
from ..code.plain import plain, seen
from ..origin import file_of, is_library, user_source, where
from .captures import Captures
from .compared import (
    CONTAINERS,
    MAX_LEAVES,
    VALUES,
    content_of,
    is_container,
    is_named_tuple,
    is_plain_tuple,
    items,
    pairs,
    reference,
)
from .equality import is_of_dataclass
from .kept_calls import record_kept_call
from .methods import record_of_class
from .paths import ArrayCapture, IdentityCapture, Path, ValueCapture


def record(captures: Captures, path: Path, value: Any, pending: list[Any], depth: int = 0) -> None:
    """Records a value that the code reads, and its items if it is a container."""
    key = path.key()
    captures.meet(path, value)
    if record_kept_call(captures, path, value, functools.partial(record, captures, pending=pending, depth=depth + 1)):
        return
    if isinstance(value, np.ndarray):
        _record_array(captures, path, value, described=False)
    elif isinstance(value, types.ModuleType):
        if path.steps:
            captures.identities[key] = IdentityCapture(path, reference(value))
    elif isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType | np.ufunc):
        captures.identities[key] = IdentityCapture(path, reference(value))
        owner = seen(value, "__self__")
        if isinstance(owner, (*CONTAINERS, Iterator)):
            captures.identities[key] = IdentityCapture(path.then("attr", "__self__"), reference(owner))
            captures.meet(path.then("attr", "__self__"), owner)
    elif captures.generators.found(path, value):
        return
    elif value is None or isinstance(value, VALUES):
        if captures.numbers is not None and captures.numbers.takes(path, value):
            if not path.steps:
                captures.number_variables[(id(path.root[1]), path.root[2])] = path
            else:
                captures.unread[key] = ValueCapture(path, value)
            return
        captures.values[key] = ValueCapture(path, value)
    elif isinstance(value, _UNWATCHED):
        refuse_content(path, f"is a {type(value).__name__}, and changes in it are not seen")
    elif is_container(value):
        record_container(captures, path, value, pending, depth)
    elif is_named_tuple(value):
        captures.types.setdefault(key, ValueCapture(path, type(value), "type"))
        for field, part in zip(value._fields, value, strict=True):
            record(captures, path.then("attr", field), part, pending, depth + 1)
    elif isinstance(value, types.FunctionType) or is_traced_function(value):
        python_function = getattr(value, "python_function", value)
        captures.identities[key] = IdentityCapture.of_function(path, value)
        if getattr(python_function, "__code__", None) is _DISPATCHING:
            _record_registered(captures, path.then("attr", "registry"), python_function.registry)
        if not is_library(getattr(getattr(python_function, "__code__", None), "co_filename", "")):
            pending.append((python_function, {}))
    elif path.steps or path.root[0] != "argument":
        captures.identities[key] = IdentityCapture(path, reference(value))
        if not _is_library_class(value):
            _record_held(captures, path, value, pending)


_DISPATCHING = functools.singledispatch(len).__code__  # type: ignore[attr-defined]


def _record_registered(captures: Captures, path: Path, registry: Any) -> None:
    """Records the functions that one of `functools.singledispatch` chooses from: others may be registered."""
    captures.values[path.key()] = ValueCapture(path, len(registry), "members")
    for cls, function in registry.items():
        place = path.then("item", cls)
        is_function = type(plain(function)) is types.FunctionType
        found = IdentityCapture.of_function(place, function) if is_function else None
        captures.identities[place.key()] = found or IdentityCapture(place, reference(function))


def record_descriptor(captures: Captures, cls: type, name: str, descriptor: Any) -> None:
    """Records a descriptor of a class: it may be replaced, and its content may change."""
    path = Path(("held", reference(cls), cls.__qualname__), (("attr", "__dict__"), ("item", name)))
    captures.identities.setdefault(path.key(), IdentityCapture(path, reference(descriptor)))
    captures.meet(path, descriptor)
    if type(descriptor) is functools.singledispatchmethod:
        way = path.then("attr", "dispatcher").then("attr", "registry")
        _record_registered(captures, way, descriptor.dispatcher.registry)


_UNWATCHED: tuple[type, ...] = (
    memoryview, weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet, np.poly1d,
    type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip
"""Types whose content no guard can compare."""


def _record_held(captures: Captures, path: Path, value: Any, pending: list[Any]) -> None:
    """The content of an object that is keyed by identity: plain values in a container, and reads of the special methods
    of a class of the user's, which Python's own functions and operators call (`len(value)`, `value + x`)."""
    content = None if isinstance(value, set) else content_of(value)  # a set as an argument is in the key
    if content is not None:
        captures.values[(path.key(), "content")] = ValueCapture(path, content, "content")
    if isinstance(value, type | types.ModuleType):
        return
    cls = type(value)
    if (methods := captures.special.get(cls)) is None:
        methods = captures.special[cls] = _special_methods(captures, cls)
    for method in methods:
        special = (method, {method.__code__.co_varnames[0]: (path, value)})
        if is_of_dataclass(cls, method):
            captures.equalities.append(special)
            continue
        if not captures.reads_special:
            pending.append(special)
        captures.unhooked.append(special)


def record_argument(captures: Captures, text: str, value: Any) -> None:
    """Takes up an argument that is keyed by identity. No name leads to one in a container: reads of its special
    methods are recorded at once."""
    captures.meet_argument(text, value)
    path = captures.path_of(value)
    if path is not None and not text.isidentifier() and not isinstance(value, types.FunctionType | set):
        _record_held(captures, path, value, [])


def _special_methods(captures: Captures, cls: type) -> list[types.FunctionType]:
    """Those of a class of the user's, which are guarded."""
    if not cls.__flags__ & _MADE_BY_CODE or is_library(file_of(cls)) or hasattr(cls, "__array_function__"):
        return []  # built in, or an array of another library
    found = []
    for name in _SPECIAL:
        held = getattr(cls, name, None)
        method = plain(held.fget if type(held) is property else held)
        if name == "__hash__" and getattr(method, "__code__", None) and method.__code__.co_filename == "<string>":
            continue  # of a dataclass, whose fields do not change
        if type(method) is types.FunctionType and method.__code__.co_argcount:
            record_of_class(captures.identities, cls, name, held)
            found.append(method)
    return found


_MADE_BY_CODE = 1 << 9
"""The flag of classes that are no built-in types of Python or of a library in C."""

_SPECIAL = tuple(
    f"__{name}__"
    for name in "len iter contains bool float int index complex array call getitem add radd sub rsub mul rmul truediv "
    "rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul neg pos abs eq ne lt le gt ge and rand or ror xor "
    "rxor lshift rlshift rshift rrshift invert divmod rdivmod round array floor ceil trunc bytes fspath reversed "
    "length_hint hash".split()
)


def _record_array(captures: Captures, path: Path, array: Any, described: bool) -> None:
    known = captures.arrays.get(path.key())
    captures.only_written.discard(path.key())
    if captures.reads_special:
        captures.read_by_special.add(path.key())
    captures.arrays[path.key()] = ArrayCapture(path, array, described and (known is None or known.described))


def record_library(captures: Captures, module: types.ModuleType, name: str) -> None:
    """Records the value of a name in a module of a library: another function may be put there (`np.exp = …`)."""
    if (value := vars(module).get(name, _NONE)) is not _NONE:
        path = Path(("global", vars(module), name), (), f"{module.__name__}.{name}")
        captures.libraries.setdefault(path.key(), IdentityCapture(path, lambda: value))


_NONE = object()


_OF_PYTHON = sys.stdlib_module_names - {"__main__"}
"""The names of Python's own modules."""


def is_library_module(owner: Any) -> bool:
    """True for a module or class of a library: its attributes do not change."""
    if isinstance(owner, types.ModuleType):
        file = getattr(owner, "__file__", None)
        return is_library(file) if file else owner.__name__.partition(".")[0] in _OF_PYTHON
    return _is_library_class(owner)


def _is_of_library(value: Any) -> bool:
    """True for a function, class or module of a library."""
    if isinstance(value, types.FunctionType):
        return is_library(value.__code__.co_filename)
    return isinstance(value, types.BuiltinFunctionType | np.ufunc) or is_library_module(value)


def _is_library_class(value: Any) -> bool:
    return isinstance(value, type) and (value.__module__ == "builtins" or is_library(file_of(value)))


def record_container(
    captures: Captures, path: Path, owner: Any, pending: list[Any] | None = None, depth: int = 0
) -> None:
    """Records the content of a container before the trace changed it. `pending` collects functions."""
    pending = [] if pending is None else pending
    key, value = path.key(), captures.original(owner)
    captures.types.setdefault(key, ValueCapture(path, type(owner), "type"))
    if isinstance(value, set):
        if not all(item is None or isinstance(item, VALUES) or is_plain_tuple(item) for item in value):
            refuse_content(path, "holds objects in a set, of which the order is not known")
        captures.values[(key, "content")] = ValueCapture(path, frozenset(value), "content")
        return
    if isinstance(value, collections.deque):
        captures.values[(key, "maxlen")] = ValueCapture(path.then("attr", "maxlen"), value.maxlen)
    summary, what = (tuple(value), "keys") if isinstance(value, dict) else (len(value), "length")
    if isinstance(value, dict) and not all(isinstance(k, _KEYS) for k in value):
        what = "members"
    if len(value) > MAX_LEAVES or depth > MAX_DEPTH:
        if any(not (v is None or isinstance(v, VALUES)) for v in items(value)):
            refuse_content(path, "is too large to be compared at each call")
        captures.values[(key, "content")] = ValueCapture(path, tuple(pairs(value)), "items")
        return
    captures.values[(key, what)] = ValueCapture(path, summary, what)
    for name, item in tuple(pairs(value)):  # lazy modules that are looked at may import more into `sys.modules`
        if isinstance(name, _KEYS):
            captures.covered.add((id(owner), name))
            record(captures, path.into(owner, "item", name), item, pending, depth + 1)
        elif not (item is None or isinstance(item, VALUES)):
            refuse_content(path, "has keys that are objects")
        else:
            captures.values[(key, "content")] = ValueCapture(path, tuple(pairs(value)), "items")


def refuse_content(path: Path, why: str) -> NoReturn:
    raise UnsupportedArgumentError(
        message(f"`{path.text}` {why}", where(user_source(4)), "Keep arrays, or fewer Python values, there.")
    )


MAX_DEPTH = 6
"""How deep containers in containers are compared."""


_KEYS = (str, int, float, bool, bytes, tuple, enum.Enum, np.generic)
