"""The values behind a function's outer reads: arrays to read at every call, values and identities to guard."""

from __future__ import annotations

import builtins
import collections
import functools
import inspect
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..code.bound import is_bound, is_traced_function
from ..code.plain import holds, stored
from ..kinds import is_variable
from ..libraries import is_foreign_value, is_logger
from ..origin import file_of, is_library, is_own_function
from .captures import Captures
from .compared import (
    VALUES,
    is_container,
    is_named_tuple,
    pairs,
    reference,
)
from .equality import may_compare
from .kept_calls import record_kept_call
from .methods import record_method
from .numbers import Numbers
from .paths import ArrayCapture, IdentityCapture, Path, ValueCapture, is_filled
from .place import own_item
from .reads import MUTATORS, Read, Reads, Step, reads_of
from .recording import _is_of_library, _record_array, _record_held, is_library_module, record, record_library


def resolve(
    function: Any, arguments: dict[str, Any], others: Sequence[Any] = (), numbers: Numbers | None = None
) -> Captures:
    """The reads of `function`, and of the `others`, from outside, now. `numbers` says which numbers are inputs of the
    graph.

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


HOOKED = frozenset({"__len__", "__iter__", "__contains__", "__bool__", "__getitem__", "__call__"})
"""Special methods that rewritten code calls itself, rewritten."""


def settle_special(captures: Captures) -> None:
    """Adds what the special methods of the objects that were found read, as Python's operators call these as they are
    written. Hooks note the reads of those that rewritten code calls itself: they count where other code calls them."""
    if captures.equalities and any(map(may_compare, captures.functions)):
        captures.unhooked += captures.equalities
        captures.equalities.clear()
    seen: set[Any] = set()
    while captures.unhooked:  # objects that are read have special methods themselves
        unhooked, captures.unhooked = captures.unhooked, []
        hooked: list[Any] = []
        others: list[Any] = []
        for special in unhooked:
            is_hooked = captures.numbers is not None and special[0].__name__ in HOOKED
            (hooked if is_hooked else others).append(special)
        _resolve_special(captures, others, seen)
        with captures.aside():
            _resolve_special(captures, hooked, seen)


def _resolve_special(captures: Captures, methods: list[Any], seen: set[Any]) -> None:
    if methods:
        numbers, captures.numbers = captures.numbers, None
        captures.reads_special = True
        _resolve_all(captures, methods, seen)
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
        for name in found.written:  # a branch or loop that may not run leaves the old value
            path, value = _variable(fn, cells.get(name), name)
            if type(value) is np.ndarray and path.key() not in captures.arrays:
                captures.add_array(ArrayCapture(path, value))
                captures.only_written.add(path.key())
        observed, own = _observed(captures, fn, found), is_own_function(fn)
        for read in found.reads:
            if read.root == "global":
                if read.name not in fn.__globals__:
                    if not own:
                        captures.missing.setdefault(id(fn.__globals__), (fn.__globals__, set()))[1].add(read.name)
                        _record_builtin(captures, read.name)
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
            if own and read.root != "parameter" and _is_of_tracefn(read, value):
                continue
            if isinstance(value, types.ModuleType) and read.root != "parameter" and not own:
                captures.libraries.setdefault(path.key(), IdentityCapture(path, reference(value)))
            held = _held_by_library(path, value, read.steps)
            if held is not None and _record_held_by_library(captures, *held, _has_hooks_in(captures, fn)):
                continue
            if read.root != "parameter" and read.name in observed and type(value) in CHANGED_BY_PARTS:
                captures.meet(path, value)
                if observed[read.name]:
                    captures.growing[id(value)] = value
                captures.types.setdefault(path.key(), ValueCapture(path, type(value), "type"))
                continue
            _follow(captures, path, value, read.steps, pending)


def _record_builtin(captures: Captures, name: str) -> None:
    """Records the value of a name among the builtins that a function's module lacks: it may be replaced, or made."""
    record_library(captures, builtins, name)
    if name not in vars(builtins):
        captures.missing.setdefault(id(vars(builtins)), (vars(builtins), set()))[1].add(name)


def _is_of_tracefn(read: Read, value: Any) -> bool:
    """True for a constant of tracefn's own code: a global of one of its modules, or one of its functions."""
    return is_own_function(value) or (read.root == "global" and not isinstance(value, np.ndarray | types.ModuleType))


def _observed(captures: Captures, fn: types.FunctionType, found: Reads) -> dict[str, bool]:
    """The names of outer variables of whose containers the function reads or changes parts: it is rewritten, and hooks
    note its reads of them. True for those that it changes by methods or by items."""
    parts = {(r.name, *r.steps[0]) for r in found.reads if r.root != "parameter" and r.steps}
    changed = {name for name, kind, method in parts if kind == "attr" and method in MUTATORS} | found.with_items
    names = changed.union(name for name, *_ in parts)
    return {name: name in changed for name in names} if names and _has_hooks_in(captures, fn) else {}


def _has_hooks_in(captures: Captures, fn: types.FunctionType) -> bool:
    """True for a function that is rewritten as a whole: hooks note its reads of containers."""
    if captures.numbers is None or _defines(fn.__code__):
        return False
    return captures.numbers.is_rewritten(fn.__code__)


def _held_by_library(path: Path, value: Any, steps: tuple[Step, ...]) -> tuple[Path, Any] | None:
    """A dict that a module of a library holds, as `sys.modules`, and the path to it."""
    for kind, name in steps:
        if not isinstance(value, types.ModuleType) or not is_library_module(value) or kind != "attr":
            return None
        value, path = vars(value).get(name), path.then(kind, name)
        if type(value) is dict:
            return path, value
    return None


def _record_held_by_library(captures: Captures, path: Path, held: dict[Any, Any], has_hooks: bool) -> bool:
    """Records such a dict, which is large and changes for other reasons. Hooks note the keys that rewritten code asks
    for; other code may ask for any. False where the dict holds what may itself change."""
    key = path.key(), "content"
    if not has_hooks and key not in captures.values:
        of_each_type = {type(item): item for item in held.values()}.values()
        if any(isinstance(item, np.ndarray) or is_container(item) for item in of_each_type):
            return False
        captures.values[key] = ValueCapture(path, tuple(pairs(held)), "items")
    captures.meet(path, held)
    captures.types.setdefault(path.key(), ValueCapture(path, dict, "type"))
    return True


def _defines(code: types.CodeType) -> bool:
    """True for code that defines functions or classes, which are rewritten by themselves."""
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return any(c.co_name not in _INSIDE or _defines(c) for c in inner)


_INSIDE = {"<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


def _variable(fn: types.FunctionType, cell: types.CellType | None, name: str) -> tuple[Path, Any]:
    """A global of a function, or a variable around it, and its value."""
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
    """Walks the steps of one read and records the value at its end. Hooks in rewritten code note the attributes that it
    reads of the user's objects: these are followed only to find functions and random generators."""
    captures.generators.named(value, steps)
    is_observed, owner = False, None
    for position, (kind, key) in enumerate(steps):
        captures.meet(path, value)
        owner = value
        if is_foreign_value(value) or is_logger(value):
            break  # steps of the graph read it at each call, or it logs when the trace is made
        if isinstance(value, types.ModuleType) and is_library_module(value):
            if value.__name__.split(".")[0] in _LIBRARY_MODULES:
                _follow_library(captures, value, steps[position:])
                return
            record_library(captures, value, key)
        if isinstance(value, np.ndarray) and key in _DESCRIPTIONS and not is_observed:
            _record_array(captures, path, value, described=True)
            return
        is_number_or_array = isinstance(value, np.ndarray | np.generic | float | complex)
        if is_number_or_array or is_variable(value) or is_traced_function(value):
            break
        if captures.generators.found(path, value):
            return
        if kind == "item":
            if not is_container(value) or not _has_item(value, key):
                break
            if captures.is_changed(value, "item", key):
                return
            if not is_observed:
                captures.covered.add((id(value), key))
            value = own_item(value, key)
        elif is_container(value) and not hasattr(type(value), "_fields"):
            if key in MUTATORS:
                captures.growing[id(value)] = value
            if is_observed:
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
                if (position or isinstance(value, VALUES)) and not is_observed and not found:
                    record(captures, path, value, pending)
                elif not is_observed:
                    _keep(captures, path, value)
                return
            if not is_observed and captures.numbers is not None and _has_hooks(value):
                is_observed = True
                _keep(captures, path, value)
            if not is_observed or _is_function(value_or_method):
                captures.covered.add((id(value), key))
            is_method = isinstance(value_or_method, types.MethodType) and not is_bound(value_or_method)
            if is_method and not holds(value, key):
                method = value_or_method.__func__
                _keep(captures, path, value)
                record_method(captures, path, key, value_or_method)
                parameters = getattr(method, "__code__", None)
                if parameters is not None and parameters.co_argcount:
                    pending.append((method, {parameters.co_varnames[0]: (path, value)}))
                return
            value = value_or_method
        path = path.into(owner, kind, key)
    if not is_observed or _is_function(value):
        if not (is_library_module(owner) and _is_of_library(value)):
            record(captures, path, value, pending)
    else:
        captures.generators.found(path, value)


def _keep(captures: Captures, path: Path, value: Any) -> None:
    """Guards that a name still stands for the object through which the code reads. An argument is
    keyed by identity, or is none. Of a named tuple hooks note the fields that the code reads."""
    if is_named_tuple(value) and captures.numbers is not None and _has_hooks(value):
        captures.types.setdefault(path.key(), ValueCapture(path, type(value), "type"))
    elif path.steps or path.root[0] in ("global", "closure"):
        captures.identities.setdefault(path.key(), IdentityCapture(path, reference(value)))


def _follow_library(captures: Captures, module: types.ModuleType, steps: tuple[Step, ...]) -> None:
    """Records the values in a library's modules to which the steps from one of them lead."""
    for kind, name in steps:
        if kind != "attr":
            return
        record_library(captures, module, name)
        inner = vars(module).get(name)
        if not isinstance(inner, types.ModuleType):
            return
        module = inner


def _has_hooks(value: Any) -> bool:
    """True for an object whose attributes rewritten code is seen to read."""
    code = types.ModuleType | type | types.FunctionType
    is_namespace = type(value) is types.SimpleNamespace
    return is_namespace or (not isinstance(value, code) and not is_library(file_of(type(value))))


def _is_function(value: Any) -> bool:
    return isinstance(value, types.FunctionType | types.MethodType) or is_traced_function(value)


_LIBRARY_MODULES = {"numpy", "cupy", "math", "cmath", "builtins", "operator", "functools", "itertools", "tracefn"}
CHANGED_BY_PARTS = frozenset(
    {list, dict, set, collections.deque, collections.OrderedDict, collections.Counter, collections.defaultdict}
)
"""Containers whose reads are noted by hooks in rewritten code."""
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
    instance = stored(value, "__dict__")
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
