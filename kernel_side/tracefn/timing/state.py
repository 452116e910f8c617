"""The state of a function besides its arguments' arrays: saved, compared and restored in the same objects."""

from __future__ import annotations

import random
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tracefn.errors import UnsupportedArgumentError, message
from tracefn.function import Function
from tracefn.trace.code.bytecode import instructions
from tracefn.trace.origin import is_library
from tracefn.trace.variables.variable import Variable

_ATOMS = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype, np.ufunc, range, slice, frozenset)
_HEAP_TYPE = 1 << 9


class State:
    """The content of all objects that a function and its arguments refer to: containers, objects of the user's classes,
    arrays, Variables, globals, variables of outer functions, and random generators."""

    def __init__(self, function: Any, arguments: Any) -> None:
        self._kept: dict[int, tuple[Any, str, Any]] = {}
        self._stack: list[tuple[Any, str]] = [(arguments, "the arguments"), (function, getattr(function, "name", ""))]
        self._seen: dict[int, Any] = {}
        self._random: Any = random.getstate()
        self._keep(np.random.mtrand._rand, "np.random", np.random.get_state(legacy=False))
        while self._stack:
            self._visit(*self._stack.pop())

    def restore(self) -> None:
        """Restores the content of all of them."""
        random.setstate(self._random)
        for owner, _, content in self._kept.values():
            _put_back(owner, content)

    def values(self) -> dict[str, Any]:
        """The numbers, texts and arrays in it, by where they are."""
        found: dict[str, Any] = {}
        for owner, path, content in self._kept.values():
            if isinstance(owner, np.ndarray):
                found[path] = content
            elif isinstance(content, dict):
                found |= {f"{path}.{k}": v for k, v in content.items() if isinstance(v, (*_ATOMS, np.ndarray))}
            elif isinstance(content, tuple | list):
                found |= {f"{path}[{i}]": v for i, v in enumerate(content) if isinstance(v, (*_ATOMS, np.ndarray))}
        return found

    def _keep(self, owner: Any, path: str, content: Any) -> None:
        self._kept[id(owner)] = owner, path, content

    def _visit(self, value: Any, path: str) -> None:
        if isinstance(value, _ATOMS) or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        cls = type(value)
        if isinstance(value, Iterator):
            raise UnsupportedArgumentError(
                message(
                    f"`{path}` is an iterator, and no run gives back the items that it takes",
                    "",
                    "Pass the elements as arguments.",
                )
            )
        if cls is np.ndarray:
            self._keep(value, path, value.copy(order="K"))
        elif isinstance(value, np.random.Generator):
            self._keep(value, path, value.bit_generator.state)
        elif isinstance(value, np.random.RandomState):
            self._keep(value, path, value.get_state(legacy=False))
        elif isinstance(value, Variable):
            self._keep(value, path, value.numpy())
        elif isinstance(value, Function):
            self._visit(value._wrapped.function, path)
            self._all(value._wrapped.args, path)
        elif isinstance(value, types.MethodType):
            self._visit(value.__self__, path)
            self._visit(value.__func__, path)
        elif cls is types.FunctionType:
            self._function(value)
        elif cls is types.CellType:
            self._cell(value, path)
        elif isinstance(value, dict):
            self._keep(value, path, dict(value))
            self._all(value.values(), path, value)
        elif isinstance(value, list | set | deque):
            self._keep(value, path, list(value))
            self._all(value, path, range(len(value)))
        elif cls is tuple or (isinstance(value, tuple) and hasattr(cls, "_fields")):
            self._all(value, path, range(len(value)))
        elif cls.__flags__ & _HEAP_TYPE and not isinstance(value, type | types.ModuleType):
            self._object(value, path)

    def _all(self, values: Iterable[Any], path: str, keys: Iterable[Any] = ()) -> None:
        names = [f"{path}[{key!r}]" for key in keys]
        self._stack += zip(values, names or [path] * 99, strict=False)

    def _object(self, value: Any, path: str) -> None:
        held = getattr(value, "__dict__", None)
        slots = [n for c in type(value).__mro__ for n in _slots(c) if hasattr(value, n)]
        content = dict(held or {}) | {n: getattr(value, n) for n in slots}
        if content:
            self._keep(value, path, content)
            self._stack += [(v, f"{path}.{name}") for name, v in content.items()]

    def _cell(self, cell: types.CellType, path: str) -> None:
        try:
            content = cell.cell_contents
        except ValueError:
            return
        self._keep(cell, path, {"cell_contents": content})
        self._stack.append((content, path))

    def _function(self, function: types.FunctionType) -> None:
        if is_library(function.__code__.co_filename):
            return
        self._all(function.__defaults__ or (), f"{function.__name__}.__defaults__")
        names = zip(function.__closure__ or (), function.__code__.co_freevars, strict=True)
        self._stack += [(cell, name) for cell, name in names]
        namespace = function.__globals__
        written, read = _globals(function.__code__)
        here = {name: namespace[name] for name in written & namespace.keys()}
        if here:
            self._keep(_Names(namespace, written), "globals", here)
        self._stack += [(namespace[name], name) for name in sorted(read & namespace.keys())]


class _Names:
    """The global variables that a function sets."""

    def __init__(self, namespace: dict[str, Any], names: set[str]) -> None:
        self.namespace = namespace
        self.names = names


def _globals(code: types.CodeType) -> tuple[set[str], set[str]]:
    """The names of globals that code sets, and of all that it uses."""
    written = {argument for name, argument in instructions(code) if name in ("STORE_GLOBAL", "DELETE_GLOBAL")}
    read = {argument for name, argument in instructions(code) if name == "LOAD_GLOBAL"} | written
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = _globals(constant)
            written, read = written | inner[0], read | inner[1]
    return written, read


def _slots(cls: type) -> list[str]:
    slots = cls.__dict__.get("__slots__", ())
    return [n for n in ((slots,) if isinstance(slots, str) else slots) if n not in ("__dict__", "__weakref__")]


def _put_back(owner: Any, content: Any) -> None:
    if isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            owner[...] = content
    elif isinstance(owner, np.random.Generator):
        owner.bit_generator.state = content
    elif isinstance(owner, np.random.RandomState):
        owner.set_state(content)
    elif isinstance(owner, Variable):
        owner.assign(content)
    elif isinstance(owner, _Names):
        for name in owner.names:
            if name in content:
                owner.namespace[name] = content[name]
            else:
                owner.namespace.pop(name, None)
    elif isinstance(owner, dict):
        dict.clear(owner)
        dict.update(owner, content)
    elif isinstance(owner, list):
        owner[:] = content
    elif isinstance(owner, set):
        owner.clear()
        owner.update(content)
    elif isinstance(owner, deque):
        owner.clear()
        owner.extend(content)
    else:
        _put_attributes(owner, content)


def _put_attributes(owner: Any, content: dict[str, Any]) -> None:
    held = getattr(owner, "__dict__", {})
    for name in [n for n in held if n not in content]:
        del held[name]
    for name, value in content.items():
        if name in held or not hasattr(type(owner), name):
            held[name] = value
        elif getattr(owner, name, content) is not value:
            object.__setattr__(owner, name, value) if not isinstance(owner, types.CellType) else _fill(owner, value)


def _fill(cell: types.CellType, value: Any) -> None:
    cell.cell_contents = value
