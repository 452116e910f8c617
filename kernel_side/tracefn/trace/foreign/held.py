"""What an object of a library holds that a step may change as well: attributes, containers, arrays, random generators,
and variables around the library's functions. Each is noted before the step."""

from __future__ import annotations

import copy
import functools
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.module_name import module_of
from ..active import current
from ..libraries import is_foreign_value, is_of_library
from ..origin import is_library, user_source, where
from ..state.place import Attribute, Contents
from .states import is_random, set_state, state_of

PutBack = Callable[[], None]

MOST = 1000
"""The limit of objects that a step may change: the attributes of all are noted before it."""

_LONG = 1000
"""The length of a container whose items are taken for data."""

_PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None)})
_CONTAINERS = (list, dict, set, deque)
_APART = (types.ModuleType, type)
_COMPILERS = frozenset({"numba"})
"""Packages whose functions hold machine code, in attributes and in C. A step that compiles changes no more; to
put back the attributes alone frees code that C calls."""


def note(value: Any, name: str) -> list[PutBack]:
    """Functions that give the parts of an object the content that they have before a step with this name."""
    found, objects, seen = list[PutBack](), 0, dict[tuple[int, bool], Any]()
    stack: list[tuple[Any, bool]] = [(value, True)]
    while stack:
        one, is_librarys = stack.pop()
        if type(one) in _PLAIN or (id(one), is_librarys) in seen or (isinstance(one, _APART) and one is not value):
            continue
        seen[id(one), is_librarys] = one
        parts = _Parts(one, is_librarys)
        found += parts.notes
        stack += parts.inside
        objects += parts.is_object
        if objects > MOST:
            why = f"`{name}` may change more than {MOST} objects"
            raise UnsupportedFunctionError(message(why, where(user_source(5)), "Call it outside the traced function."))
    return found


class _Parts:
    """The `notes` of a value, and the values `inside` of it. What the user's objects hold is not noted: no step may
    change it (`reach.py`). `is_object`: it has attributes that are noted."""

    def __init__(self, value: Any, is_librarys: bool) -> None:
        self.notes: list[PutBack] = []
        self.inside: list[tuple[Any, bool]] = []
        self.is_object = False
        if is_random(value):
            self._note(is_librarys, _states, value)
        elif isinstance(value, np.ndarray):
            self._note(is_librarys and value.flags.writeable, _elements, value)
        elif isinstance(value, types.MethodType):
            self.inside.append((value.__self__, is_librarys))
        elif isinstance(value, functools.partial):
            self.inside += [(v, is_librarys) for v in (value.func, *value.args, *value.keywords.values())]
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif type(value).__name__ == "ImagingCore":  # the pixels of a Pillow image, which drawing objects may share
            self._note(is_librarys, _pixels, value)
        elif module_of(type(value)).partition(".")[0] in _COMPILERS:
            return
        elif module_of(type(value)).startswith("tracefn."):
            self.inside += [(getattr(value, n, None), is_librarys) for n in ("python_function", "__self__")]
        else:
            self._object(value, is_librarys)

    def _note(self, is_noted: bool, kind: Callable[[Any], PutBack], value: Any) -> None:
        if is_noted:
            self.notes.append(kind(value))

    def _function(self, function: types.FunctionType) -> None:
        noted = is_library(function.__code__.co_filename) or is_of_library(function.__module__)
        defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        self.inside += [(v, noted) for v in (*vars(function).values(), *defaults)]
        self._note(noted, _content, vars(function))
        for cell in function.__closure__ or ():
            self._note(noted, _variable, cell)
            self.inside += [(held, noted) for held in _held_by(cell)]

    def _object(self, value: Any, is_librarys: bool) -> None:
        if isinstance(value, (*_CONTAINERS, tuple, frozenset)):
            self._note(is_librarys and isinstance(value, _CONTAINERS), _content, value)
            items = value.values() if isinstance(value, dict) else value
            self.inside += [(v, is_librarys) for v in items] if len(value) < _LONG else []
        is_own = is_foreign_value(value)
        held = getattr(value, "__dict__", None)
        if isinstance(held, dict):
            self._note(is_own, _content, held)
            self.inside += [(v, is_own) for v in held.values()]
            self.is_object = is_own
        for slot in _slots(type(value)) if is_own else ():
            place = Attribute(value, slot)
            self._note(True, _attribute, place)
            self.inside.append((place.load(), True))
        if is_own and (state := _pickled(value)) is not None:
            self.notes.append(lambda: value.__setstate__(state))


def _content(container: Any) -> PutBack:
    place, trace = Contents(container, ""), current()
    before = place.load()
    if trace is not None and trace.is_changed(container):  # it is to be as it was before the trace
        before = Contents(trace.root.journal.restored(container, container), "").load()
    return lambda: place.store(before)


def _attribute(place: Attribute) -> PutBack:
    before = place.load()
    return lambda: place.store(before)


def _states(generator: Any) -> PutBack:
    before = state_of(generator)
    return lambda: set_state(generator, before)


def _pickled(value: Any) -> Any:
    """A copy of the state that a class in C has in a pickle, if that is plain: arrays in it may have other names.

    Classes in Python have theirs in attributes.
    """
    setter = getattr(type(value), "__setstate__", None)
    if setter is None or isinstance(setter, types.FunctionType):
        return None
    try:
        state = value.__reduce_ex__(4)[2]
    except (TypeError, IndexError):  # it has no pickle, or one without a state
        return None
    return copy.deepcopy(state) if _is_plain(state) else None


def _is_plain(state: Any) -> bool:
    items = (*state, *state.values()) if type(state) is dict else state
    return type(state) in _PLAIN or (type(state) in (tuple, list, dict) and all(map(_is_plain, items)))


def _elements(array: Any) -> PutBack:
    before = array.copy()
    return lambda: np.copyto(array, before) if array.shape == before.shape else None


def _pixels(image: Any) -> PutBack:
    before = image.copy()
    return lambda: image.paste(before, (0, 0, *image.size))


def _variable(cell: types.CellType) -> PutBack:
    before = list(_held_by(cell))

    def put_back() -> None:
        if before:
            cell.cell_contents = before[0]
        elif list(_held_by(cell)):
            del cell.cell_contents

    return put_back


def _held_by(cell: types.CellType) -> Iterator[Any]:
    """The content of a variable, if it has one."""
    try:
        yield cell.cell_contents
    except ValueError:
        return


def _slots(cls: type) -> list[str]:
    """The attributes of a class's objects that are no items of their `__dict__`."""
    return [n for c in cls.__mro__ for n, v in vars(c).items() if isinstance(v, types.MemberDescriptorType)]
