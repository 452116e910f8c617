"""The user's objects that are reachable from a step, through callbacks and arguments: noted before the step, compared
after it, and restored after a change."""

from __future__ import annotations

import array
import collections
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...ir.module_name import module_of
from ..control.one_of import OneOf
from ..kinds import is_variable
from ..libraries import is_foreign_class, is_of_library
from ..origin import is_library
from ..state.compared import same_value
from ..state.place import put_content
from ..state.recording import is_library_module
from ..tensor import Tensor
from ..values.graph_list import GraphList
from ..values.symbolic_int import SymbolicInt
from ..values.traced_text import Text
from .proxy import Foreign
from .states import is_random, set_state, state_of

MOST = 4000
"""The limit of reachable objects: all are compared before and after each step. Larger steps run eagerly."""

_PLAIN = (
    int, float, complex, str, bytes, type(None), type(Ellipsis), range, slice, np.generic, np.dtype, np.ufunc,
    types.CodeType, types.GetSetDescriptorType, types.MemberDescriptorType, property,
)  # fmt: skip
_CONTAINERS = (list, dict, set, collections.deque)
_WITHOUT_CODE = frozenset({"pandas", "PIL", "datetime", "decimal", "fractions", "numba"})
"""Packages whose objects call no function back later."""


class Unfollowed(Exception):
    """A reachable object cannot be compared before and after a step. The text of the error names the object."""


class Note:
    """The earlier value of a place: `changed()` compares, `put_back()` restores. `name` is its name in messages."""

    def __init__(self, name: str, changed: Callable[[], bool], put_back: Callable[[], None]) -> None:
        self.name = name
        self.changed = changed
        self.put_back = put_back


class Reach:
    """The objects that are reachable from some values. A step may change objects of libraries among the values; it may
    not change the user's objects behind them. `has_code` tells whether these include a function of the user's."""

    def __init__(self, values: Any) -> None:
        self.notes: list[Note] = []
        self.arrays: list[Any] = []
        self.names: set[str] = set()  # variables of modules and outer functions that functions use
        self.has_code = False
        self.seen: dict[int, Any] = {}
        self._stack: list[tuple[Any, str, bool]] = [
            (v, getattr(v, "__name__", type(v).__name__), False) for v in values
        ]
        while self._stack:
            self._look(*self._stack.pop())

    @property
    def variables(self) -> list[Any]:
        """The Variables among them."""
        return [value for value in self.seen.values() if is_variable(value)]

    def put_back(self) -> str:
        """Restores changed objects. Returns the name of one, or ''."""
        found = ""
        for note in reversed(self.notes):
            if note.changed():
                note.put_back()
                found = note.name or "an object"
        return found

    def _look(self, value: Any, name: str, noted: bool) -> None:
        if isinstance(value, _PLAIN) or id(value) in self.seen:
            return
        self.seen[id(value)] = value
        if len(self.seen) > MOST:
            raise Unfollowed(f"more than {MOST} objects")
        if isinstance(value, types.FunctionType):
            self._function(value, name or value.__name__)
        elif isinstance(value, types.MethodType):
            self._go_on([(value.__func__, name), (value.__self__, "self")], noted)
        elif isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType):
            if not isinstance(value.__self__, types.ModuleType | type):
                self._go_on([(value.__self__, name)], True)
        elif isinstance(value, functools.partial):
            self._go_on([(v, name) for v in (value.func, *value.args, *value.keywords.values())], noted)
        elif type(value) in (Tensor, SymbolicInt, Text, OneOf, Foreign, GraphList):
            raise Unfollowed(f"`{name}`, which the traced function has set")
        elif isinstance(value, np.ndarray):
            self._array(value, name, noted)
        elif isinstance(value, bytearray | array.array):
            self._buffer(value, name)
        elif isinstance(value, _CONTAINERS):
            self._container(value, name)
        elif isinstance(value, tuple | frozenset):
            self._go_on([(v, name) for v in value], noted)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, types.ModuleType):
            return
        elif is_random(value):
            if not noted:
                return
            state = state_of(value)
            self._note(name, lambda: not _same_states(state_of(value), state), lambda: set_state(value, state))
        elif isinstance(value, Iterator):
            if noted:
                raise Unfollowed(f"the iterator `{name}`")
        else:
            self._object(value, name, noted)

    def _note(self, name: str, changed: Callable[[], bool], put_back: Callable[[], None]) -> None:
        self.notes.append(Note(name, changed, put_back))

    def _go_on(self, values: Any, noted: bool) -> None:
        self._stack += [(value, name, noted) for value, name in values]

    def _function(self, function: types.FunctionType, name: str) -> None:
        defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        self._go_on([(v, f"{name}.{k}") for k, v in [*vars(function).items(), *enumerate(defaults)]], True)
        is_users = not is_library(function.__code__.co_filename) and not is_of_library(function.__module__)
        self.has_code = self.has_code or is_users
        for cell, variable in zip(function.__closure__ or (), function.__code__.co_freevars, strict=True):
            self._cell(cell, variable)
        held, before = vars(function), list(vars(function).items())
        self._note(name, lambda: not _same_items(held, before), lambda: _put_items(held, before))
        if is_users:
            self.names |= set(function.__code__.co_freevars)
            namespace, used = function.__globals__, _names_of(function.__code__)
            self.names |= used
            self._names(namespace, used)

    def _cell(self, cell: types.CellType, name: str) -> None:
        try:
            held = cell.cell_contents
        except ValueError:
            return
        self._note(name, lambda: not _same(cell.cell_contents, held), lambda: setattr(cell, "cell_contents", held))
        self._go_on([(held, name)], True)

    def _names(self, namespace: dict[str, Any], names: set[str]) -> None:
        """Variables of a module that a function uses, as far as names tell, and of the user's modules among them."""
        held = {n: namespace[n] for n in names if n in namespace}
        for name, value in held.items():
            if isinstance(value, types.ModuleType):
                if not is_library_module(value) and id(value) not in self.seen:
                    self.seen[id(value)] = value
                    self._names(vars(value), names)
                continue
            self._note(name, functools.partial(_differs, namespace, name, value),
                       functools.partial(namespace.__setitem__, name, value))  # fmt: skip
        self._go_on([(v, n) for n, v in held.items()], True)

    def _array(self, array: Any, name: str, noted: bool) -> None:
        self.arrays.append(array)
        if not noted:
            return
        before = array.copy()
        if array.dtype.kind == "O":
            self._go_on([(v, name) for v in array.flat], True)
            self._note(name, lambda: any(a is not b for a, b in zip(array.flat, before.flat, strict=True)),
                       lambda: _refill(array, before))  # fmt: skip
        elif array.flags.writeable:
            self._note(name, lambda: array.tobytes() != before.tobytes(), lambda: _refill(array, before))

    def _container(self, value: Any, name: str) -> None:
        before = list(value.items()) if isinstance(value, dict) else list(value)
        items = value.values() if isinstance(value, dict) else value
        self._note(name, lambda: not _same_items(value, before), lambda: _put_items(value, before))
        self._go_on([(v, f"{name}[…]") for v in (*items, getattr(value, "default_factory", None))], True)

    def _buffer(self, value: Any, name: str) -> None:
        before = value[:]
        self._note(name, lambda: value != before, lambda: value.__setitem__(slice(None), before))

    def _class(self, cls: type) -> None:
        if cls.__module__ == "builtins" or is_library_module(cls):
            return
        for name, value in list(vars(cls).items()):
            if isinstance(
                value, types.FunctionType | staticmethod | classmethod | property | functools.cached_property
            ):
                inner = [getattr(value, n, None) for n in ("__func__", "func", "fget", "fset")]
                self._go_on([(v, name) for v in (value, *inner) if isinstance(v, types.FunctionType)], True)
            elif not name.startswith("__"):
                self._note(f"{cls.__name__}.{name}", functools.partial(_class_differs, cls, name, value),
                           functools.partial(setattr, cls, name, value))  # fmt: skip
                self._go_on([(value, f"{cls.__name__}.{name}")], True)
        self._go_on([(base, "") for base in cls.__bases__], True)

    def _object(self, value: Any, name: str, noted: bool) -> None:
        cls = type(value)
        if module_of(cls).startswith("tracefn."):
            inner = [getattr(value, n, None) for n in ("python_function", "__self__")]
            self._go_on([(v, name) for v in inner if v is not None], True)
            return
        if isinstance(value, functools._lru_cache_wrapper):
            self._cache(value, name)
            return
        is_users = not is_library_module(cls)
        if not is_users and module_of(cls).partition(".")[0] in _WITHOUT_CODE:
            if noted and hasattr(value, "_update_inplace"):
                before = value.copy()
                self._note(name, lambda: not value.equals(before), lambda: value._update_inplace(before))
            return
        self.has_code = self.has_code or (is_users and not isinstance(value, types.SimpleNamespace))
        noted = noted or is_users
        held = getattr(value, "__dict__", None)
        if isinstance(held, dict):
            if noted:
                before = list(held.items())
                self._note(name, lambda: not _same_items(held, before), lambda: _put_items(held, before))
            self._go_on([(v, f"{name}.{k}") for k, v in held.items()], noted)
        for slot in _slots(cls):
            if hasattr(value, slot):
                found = getattr(value, slot)
                if noted and is_users:
                    self._note(f"{name}.{slot}", functools.partial(_attribute_differs, value, slot, found),
                               functools.partial(setattr, value, slot, found))  # fmt: skip
                self._go_on([(found, f"{name}.{slot}")], noted)
        if is_users or is_foreign_class(cls):
            self._go_on([(cls, "")], True)

    def _cache(self, cached: Any, name: str) -> None:
        count = cached.cache_info().currsize
        self._note(name, lambda: cached.cache_info().currsize != count, cached.cache_clear)
        self._go_on([(cached.__wrapped__, name)], True)


def _names_of(code: types.CodeType) -> set[str]:
    """The names of globals and attributes in code and the functions in it."""
    return set(code.co_names).union(*[_names_of(c) for c in code.co_consts if isinstance(c, types.CodeType)])


def _slots(cls: type) -> list[str]:
    found = [c.__dict__.get("__slots__", ()) for c in cls.__mro__ if not is_library_module(c)]
    return [s for names in found for s in ([names] if isinstance(names, str) else names) if not s.startswith("__")]


def _same(left: Any, right: Any) -> bool:
    return left is right or (type(left) is type(right) and isinstance(left, _PLAIN) and same_value(left, right))


def _differs(namespace: dict[str, Any], name: str, value: Any) -> bool:
    return name not in namespace or not _same(namespace[name], value)


def _class_differs(cls: type, name: str, value: Any) -> bool:
    return name not in vars(cls) or not _same(vars(cls)[name], value)


def _attribute_differs(owner: Any, name: str, value: Any) -> bool:
    return not _same(getattr(owner, name, None), value)


def _same_items(container: Any, before: list[Any]) -> bool:
    if len(container) != len(before):
        return False
    if isinstance(container, set):
        return set(before) == container
    if isinstance(container, dict):
        pairs = zip(container.items(), before, strict=True)
        return all(k is j or k == j for (k, _), (j, _) in pairs) and all(
            _same(v, w) for (_, v), (_, w) in zip(container.items(), before, strict=True)
        )
    return all(_same(v, w) for v, w in zip(container, before, strict=True))


def _put_items(container: Any, before: list[Any]) -> None:
    put_content(container, dict(before) if isinstance(container, dict) else before)


def _refill(array: Any, before: Any) -> None:
    if array.shape == before.shape:
        array[...] = before


def _same_states(left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        return all(_same_states(value, right[key]) for key, value in left.items())
    return bool(left.tobytes() == right.tobytes() if isinstance(left, np.ndarray) else left == right)
