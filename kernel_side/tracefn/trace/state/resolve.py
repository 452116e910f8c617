"""The values behind a function's outer reads: arrays to read at every call, values and identities to guard."""

from __future__ import annotations

import collections
import enum
import functools
import inspect
import logging
import sys
import types
import weakref
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedArgumentError, message
from ..hidden import refuse_hidden
from ..libraries import is_foreign_value
from ..origin import file_of, is_library, user_source, where
from ..plain import plain, seen
from ..source import source_of
from ..variables.variable import Variable
from .bound import is_bound, is_traced_function
from .captures import Captures
from .compared import (
    CONTAINERS,
    MAX_LEAVES,
    VALUES,
    content_of,
    is_container,
    is_plain_tuple,
    items,
    pairs,
    reference,
)
from .equality import is_of_dataclass, may_compare
from .kept_calls import record_kept_call
from .methods import record_method, record_of_class
from .numbers import Numbers
from .paths import ArrayCapture, IdentityCapture, Path, ValueCapture, is_filled
from .place import own_item
from .reads import Reads, Step, reads_of


def resolve(
    function: Any, arguments: dict[str, Any], others: Sequence[Any] = (), numbers: Numbers | None = None
) -> Captures:
    """What `function`, and the `others`, read from outside, now. `numbers` says which numbers are inputs of the graph.

    `arguments` maps parameter names to (path, value) for the arguments whose attributes count as outside: objects that
    are keyed by identity.
    """
    captures = Captures()
    captures.traced = function
    captures.numbers = numbers
    environment = {n: (Path(("argument", None, p)), v) for n, (p, v) in arguments.items()}
    pending: list[Any] = [*[(f, {}) for f in others], (function, environment)]
    for path, value in environment.values():
        captures.meet_argument(path.text, value)
        record_kept_call(captures, path, value, functools.partial(record, captures, pending=pending))
    _resolve(captures, pending)
    return captures


def extend(captures: Captures, function: Any) -> None:
    """Adds the reads of a function that the trace discovered."""
    captures.found_later.append(function)
    _resolve(captures, [(function, {})])


def _resolve(captures: Captures, pending: list[Any]) -> None:
    _resolve_all(captures, pending, {id(f) for f in captures.functions})
    settle_special(captures)


def settle_special(captures: Captures, hooked: frozenset[str] = frozenset()) -> None:
    """Adds what the special methods of the objects that were found read, as Python's operators call these as they are
    written. The `hooked` are left out."""
    if captures.equalities and any(map(may_compare, captures.functions)):
        captures.unhooked += captures.equalities
        captures.equalities.clear()
    captures.unhooked = [special for special in captures.unhooked if special[0].__name__ not in hooked]
    if captures.unhooked:
        numbers, captures.numbers = captures.numbers, None
        unhooked, captures.unhooked = captures.unhooked, []
        captures.reads_special = True
        _resolve_all(captures, unhooked, set())
        captures.numbers, captures.reads_special = numbers, False


def _resolve_all(captures: Captures, pending: list[Any], seen: set[Any]) -> None:
    """`seen` are the functions that were. Special methods are looked at for each object."""
    is_special = captures.numbers is None
    while pending and (is_special or len(seen) < 500):
        fn, environment = pending.pop()
        key = (id(fn), *[id(value) for _, value in environment.values()]) if is_special else id(fn)
        if key in seen or not isinstance(fn, types.FunctionType):
            continue
        seen.add(key)
        if not any(fn is f for f in captures.functions):
            captures.functions.append(fn)
        if fn is not captures.traced:  # whose defaults are arguments
            _meet_defaults(captures, fn)
        found = reads_of(fn.__code__)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        captures.written |= {(id(fn.__globals__), n) for n in found.written}
        if captures.numbers is not None:
            captures.numbers.stored_by(fn, found)
        for name in found.written:  # a branch or loop that may not run leaves what is there
            path, value = _variable(fn, cells.get(name), name)
            if type(value) is np.ndarray and path.key() not in captures.arrays:
                captures.add_array(ArrayCapture(path, value))
                captures.only_written.add(path.key())
        told = _told(captures, fn, found)
        for read in found.reads:
            if read.root == "global":
                if read.name not in fn.__globals__:
                    continue
                path, value = Path(("global", fn.__globals__, read.name)), fn.__globals__[read.name]
                captures.found_at.setdefault(id(value), (fn.__globals__, "item", read.name))
            elif read.root == "closure":
                cell = cells.get(read.name)
                if cell is None or not is_filled(cell) or captures.is_changed(cell, "cell", None):
                    continue
                path, value = Path(("closure", cell, read.name)), cell.cell_contents
                captures.found_at.setdefault(id(value), (cell, "attr", "cell_contents"))
            elif read.name in environment:
                path, value = environment[read.name]
                if not read.steps:
                    _record_held(captures, path, value, pending)
                    continue
            else:
                continue
            if read.root != "parameter" and read.name in told and type(value) in CHANGED_BY_PARTS:
                captures.meet(path, value)
                captures.growing[id(value)] = value
                captures.types.setdefault(path.key(), ValueCapture(path, type(value), "type"))
                continue
            _follow(captures, path, value, read.steps, pending)


def _told(captures: Captures, fn: types.FunctionType, found: Reads) -> set[str]:
    """The names of outer variables whose containers the function changes by methods: it is rewritten, and tells what
    it reads of them."""
    methods = {(r.name, *r.steps[0]) for r in found.reads if r.root != "parameter" and r.steps}
    names = {name for name, kind, method in methods if kind == "attr" and method in MUTATORS}
    if not names or captures.numbers is None or _defines(fn.__code__):
        return set()
    return names if captures.numbers.tells(fn.__code__) else set()


def _defines(code: types.CodeType) -> bool:
    """True for code that defines functions or classes, which are rewritten by themselves."""
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return any(c.co_name not in _INSIDE or _defines(c) for c in inner)


_INSIDE = {"<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


def _variable(fn: types.FunctionType, cell: types.CellType | None, name: str) -> tuple[Path, Any]:
    """A global of a function, or a variable around it, and what it holds."""
    if cell is None:
        return Path(("global", fn.__globals__, name)), fn.__globals__.get(name)
    return Path(("closure", cell, name)), cell.cell_contents if is_filled(cell) else None


def _meet_defaults(captures: Captures, function: types.FunctionType) -> None:
    """Adds the defaults of a called function: their content persists from call to call."""
    path = Path(("held", reference(function), function.__qualname__))
    held: list[tuple[str, Any, Any]] = [("__defaults__", *pair) for pair in enumerate(function.__defaults__ or ())]
    held += [("__kwdefaults__", *pair) for pair in (function.__kwdefaults__ or {}).items()]
    for attribute, key, value in held:
        place = path.then("attr", attribute).then("item", key)
        if isinstance(value, np.ndarray):
            _record_array(captures, place, value, described=False)
        else:
            captures.meet(place, value)


def _follow(captures: Captures, path: Path, value: Any, steps: tuple[Step, ...], pending: list[Any]) -> None:
    """Walks the steps of one read and records what it ends at. Code that is rewritten tells when it reads attributes of
    the user's objects: they are followed to find functions and random generators alone."""
    captures.generators.named(value, steps)
    is_told, owner = False, None
    for position, (kind, key) in enumerate(steps):
        captures.meet(path, value)
        owner = value
        if is_foreign_value(value) or isinstance(value, logging.Logger):
            break  # steps of the graph read it at each call, or what logs when the trace is made
        if isinstance(value, types.ModuleType) and value.__name__.split(".")[0] in _LIBRARY_MODULES:
            return
        if isinstance(value, np.ndarray) and key in _DESCRIPTIONS and not is_told:
            _record_array(captures, path, value, described=True)
            return
        if isinstance(value, np.ndarray | np.generic | float | complex | Variable) or is_traced_function(value):
            break
        if captures.generators.found(path, value):
            return
        if kind == "item":
            if not is_container(value) or not _has_item(value, key):
                break
            if captures.is_changed(value, "item", key):
                return
            if not is_told:
                captures.covered.add((id(value), key))
            value = own_item(value, key)
        elif is_container(value) and not hasattr(type(value), "_fields"):
            if key in MUTATORS:
                captures.growing[id(value)] = value
            if is_told:
                return
            if isinstance(value, tuple):
                break
            if key in MUTATORS:
                captures.grown[path.key()] = ValueCapture(path, len(value), "length")
                captures.types.setdefault(path.key(), ValueCapture(path, type(value), "type"))
            if key in MUTATORS or (position + 1 == len(steps) and key not in _READERS):
                return
            break
        else:
            found, value_or_method = _attribute(value, key)
            if not found or captures.is_changed(value, "attr", key):
                if (position or isinstance(value, VALUES)) and not is_told and not found:
                    record(captures, path, value, pending)
                return
            is_told |= captures.numbers is not None and _tells(value)
            if not is_told or _is_function(value_or_method):
                captures.covered.add((id(value), key))
            is_method = isinstance(value_or_method, types.MethodType) and not is_bound(value_or_method)
            if is_method and key not in getattr(value, "__dict__", ()):
                method = value_or_method.__func__
                record_method(captures.identities, path, key, method)
                parameters = getattr(method, "__code__", None)
                if parameters is not None and parameters.co_argcount:
                    pending.append((method, {parameters.co_varnames[0]: (path, value)}))
                return
            value = value_or_method
        path = path.into(owner, kind, key)
    if not is_told or _is_function(value):
        if not (is_library_module(owner) and _is_of_library(value)):
            record(captures, path, value, pending)
    else:
        captures.generators.found(path, value)


def _tells(value: Any) -> bool:
    """True for an object whose attributes rewritten code is seen to read."""
    return not isinstance(value, types.ModuleType | type) and not is_library(file_of(type(value)))


def _is_function(value: Any) -> bool:
    return isinstance(value, types.FunctionType | types.MethodType) or is_traced_function(value)


_LIBRARY_MODULES = {"numpy", "cupy", "math", "cmath", "builtins", "operator", "functools", "itertools", "tracefn"}
MUTATORS = frozenset(
    "append extend insert add update setdefault pop popitem remove discard clear sort reverse write appendleft "
    "extendleft popleft rotate subtract move_to_end difference_update intersection_update "
    "symmetric_difference_update".split()
)
"""Methods that change what they are called on."""
CHANGED_BY_PARTS = frozenset(
    {list, dict, set, collections.deque, collections.OrderedDict, collections.Counter, collections.defaultdict}
)
"""Containers of which rewritten code tells what it reads."""
_DESCRIPTIONS = {"shape", "dtype", "ndim", "size", "itemsize", "nbytes"}
_READERS = {"get", "items", "values", "keys", "index", "count", "copy"}


def _has_item(container: Any, key: Any) -> bool:
    if isinstance(container, dict):
        return key in container
    return isinstance(key, int) and -len(container) <= key < len(container)


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
    elif isinstance(value, types.BuiltinFunctionType | np.ufunc):
        captures.identities[key] = IdentityCapture(path, reference(value))
        owner = seen(value, "__self__")
        if isinstance(owner, CONTAINERS):
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
    elif isinstance(value, types.FunctionType) or is_traced_function(value):
        python_function = getattr(value, "python_function", value)
        captures.identities[key] = IdentityCapture(path, reference(value), source_of(value))
        if not is_library(getattr(getattr(python_function, "__code__", None), "co_filename", "")):
            pending.append((python_function, {}))
    elif path.steps or path.root[0] != "argument":
        captures.identities[key] = IdentityCapture(path, reference(value))
        if not _is_library_class(value):
            _record_held(captures, path, value, pending)


_UNWATCHED: tuple[type, ...] = (
    memoryview, weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet, np.poly1d,
    type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip
"""Types whose content no guard can compare."""


def _record_held(captures: Captures, path: Path, value: Any, pending: list[Any]) -> None:
    """What is in an object that is keyed by identity: plain values in a container, and what the special methods of a
    class of the user's read, which Python's own functions and operators call (`len(value)`, `value + x`)."""
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
        pending.append(special)
        captures.unhooked.append(special)


def record_argument(captures: Captures, text: str, value: Any) -> None:
    """Takes up an argument that is keyed by identity. No name leads to one in a container: what its special methods
    read is recorded at once."""
    captures.meet_argument(text, value)
    path = captures.path_of(value)
    if path is not None and not text.isidentifier() and not isinstance(value, types.FunctionType | set):
        _record_held(captures, path, value, [])


def _special_methods(captures: Captures, cls: type) -> list[types.FunctionType]:
    """Those of a class of the user's, which are guarded."""
    if is_library(file_of(cls)) or hasattr(cls, "__array_function__"):  # an array of another library
        return []
    refuse_hidden(cls)
    found = []
    for name in _SPECIAL:
        held = getattr(cls, name, None)
        method = plain(held.fget if type(held) is property else held)
        if type(method) is types.FunctionType and method.__code__.co_argcount:
            record_of_class(captures.identities, cls, name, held)
            found.append(method)
    return found


_SPECIAL = tuple(
    f"__{name}__"
    for name in "len iter contains bool float int index complex array call getitem add radd sub rsub mul rmul truediv "
    "rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul neg pos abs eq ne lt le gt ge and rand or ror xor "
    "rxor lshift rlshift rshift rrshift invert divmod rdivmod round array".split()
)


def _record_array(captures: Captures, path: Path, array: Any, described: bool) -> None:
    known = captures.arrays.get(path.key())
    captures.only_written.discard(path.key())
    if captures.reads_special:
        captures.read_by_special.add(path.key())
    captures.arrays[path.key()] = ArrayCapture(path, array, described and (known is None or known.described))


def is_library_module(owner: Any) -> bool:
    """True for a module or class of a library: what its attributes are does not change."""
    if isinstance(owner, types.ModuleType):
        file = getattr(owner, "__file__", None)
        return is_library(file) if file else owner.__name__.partition(".")[0] in sys.stdlib_module_names - {"__main__"}
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
    for name, item in pairs(value):
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
