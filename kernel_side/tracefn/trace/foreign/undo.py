"""Changes of a step in an object from outside while tracing, put back where the trace comes to nothing."""

from __future__ import annotations

import functools
import sys
import types
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.module_name import module_of
from ..active import current
from ..libraries import is_foreign_value
from ..origin import user_source, where
from ..state.place import content_of

_CHANGING = ("__setitem__", "__delitem__", " =", ".insert", ".pop", ".update")
_IN_PLACE = frozenset(f"operator.i{n}" for n in "add sub mul truediv floordiv mod pow and or xor".split())

_PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None), np.ndarray})
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_APART = (types.ModuleType, types.FunctionType, type)

_LONG = 1000
"""The length of a container that is taken for data."""

MOST = 1000
"""The limit of objects that a step may change: the attributes of all are noted before it."""


def is_indexer(value: Any) -> bool:
    """True for `df.loc` and the like, which change the frame that they belong to."""
    return type(value).__module__ == "pandas.core.indexing"


def is_of_pandas(value: Any) -> bool:
    return module_of(type(value)).partition(".")[0] == "pandas"


def stays_as_it_is(value: Any, name: str, kwargs: dict[str, Any]) -> bool:
    """True if a call with this name changes nothing in an object that it is given, as is known of pandas."""
    return is_of_pandas(value) and not _changes_data(name, kwargs)


def _changes_data(name: str, kwargs: dict[str, Any]) -> bool:
    """True for a call of pandas that changes the object which it is called on."""
    is_written = name.endswith(_CHANGING) or name.startswith("del ") or name in _IN_PLACE
    return is_written or bool(kwargs.get("inplace"))


def remember(undo: list[Callable[[], None]], value: Any, name: str, kwargs: dict[str, Any]) -> None:
    """Notes the content of an object before a step that may change it."""
    if is_of_pandas(value):
        value = value.obj if is_indexer(value) else value
        if _changes_data(name, kwargs):
            saved = value.copy()
            if hasattr(value, "_update_inplace"):
                undo.append(lambda: value._update_inplace(saved))
        return
    random = sys.modules.get("random")
    if random is not None and isinstance(value, random.Random):
        state = value.getstate()
        undo.append(lambda: value.setstate(state))
        return
    for one in _with_objects_inside(value, name):
        _remember_attributes(undo, vars(one))


def _remember_attributes(undo: list[Callable[[], None]], held: dict[str, Any]) -> None:
    trace = current()
    saved_items = {k: v.copy() if _is_changed_in_place(v) else v for k, v in held.items()}
    if trace is not None:  # containers of the user's that it holds are to be as they were before the trace
        lists = {k: v for k, v in held.items() if type(v) in (list, dict, set) and trace.is_changed(v)}
        saved_items |= {k: content_of(trace.root.journal.restored(v, v)) for k, v in lists.items()}
    before = dict(held)
    undo.append(lambda: _restore(held, before, saved_items))


def _with_objects_inside(value: Any, name: str) -> list[Any]:
    """The object, and the objects with attributes that it holds: a step may change these as well."""
    found, seen, stack = list[Any](), dict[int, Any](), [value]
    while stack:
        one = stack.pop()
        if type(one) in _PLAIN or id(one) in seen:
            continue
        seen[id(one)] = one
        if isinstance(one, _CONTAINERS) and len(one) < _LONG:
            stack += one.values() if isinstance(one, dict) else one
        elif isinstance(one, types.MethodType):
            stack.append(one.__self__)
        elif isinstance(one, functools.partial):
            stack += (one.func, *one.args, *one.keywords.values())
        if one is not value and (isinstance(one, _APART) or is_of_pandas(one)):
            continue
        held = getattr(one, "__dict__", None)
        if isinstance(held, dict):
            found += [one] if one is value or is_foreign_value(one) else []
            stack += held.values()
        if len(found) > MOST:
            why = f"`{name}` may change more than {MOST} objects"
            raise UnsupportedFunctionError(message(why, where(user_source(4)), "Call it outside the traced function."))
    return found


def _is_changed_in_place(value: Any) -> bool:
    return type(value) in (np.ndarray, list, dict, set) or _is_pixels(value)


def _is_pixels(value: Any) -> bool:
    """True for the pixel buffer of a Pillow image, which drawing objects may share."""
    return type(value).__name__ == "ImagingCore"


def _restore(held: dict[str, Any], before: dict[str, Any], saved: dict[str, Any]) -> None:
    for key, value in before.items():
        if type(value) is np.ndarray and value.flags.writeable:
            value[...] = saved[key]
        elif _is_pixels(value):
            value.paste(saved[key], (0, 0, *value.size))
        elif type(value) is list:
            value[:] = saved[key]
        elif type(value) in (dict, set):
            value.clear()
            value.update(saved[key])
    held.clear()
    held.update(before)


def take_back(undo: list[Callable[[], None]]) -> None:
    """Takes back the changes of steps, the last first."""
    while undo:
        undo.pop()()


class NestedContents:
    """The items of the lists, dicts and sets of a structure, a few levels deep."""

    def __init__(self, value: Any) -> None:
        self._found: list[tuple[Any, Any]] = []
        self._note(value, 0)

    def _note(self, value: Any, depth: int) -> None:
        if type(value) in (list, dict, set):
            self._found.append((value, value.copy()))
        if depth < 3 and isinstance(value, list | tuple | dict) and len(value) < 1000:
            for item in value.values() if isinstance(value, dict) else value:
                self._note(item, depth + 1)

    def put_back(self) -> bool:
        """True if any of them holds something else now; its old content is then restored."""
        changed = [(now, before) for now, before in self._found if not _holds_the_same(now, before)]
        for now, before in changed:
            if type(now) is list:
                now[:] = before
            else:
                now.clear()
                now.update(before)
        return bool(changed)


def _holds_the_same(left: Any, right: Any) -> bool:
    if len(left) != len(right):
        return False
    if isinstance(left, set):
        return bool(left == right)
    pairs = zip(left.items(), right.items(), strict=True) if isinstance(left, dict) else zip(left, right, strict=True)
    return all(a[0] is b[0] and a[1] is b[1] if isinstance(left, dict) else a is b for a, b in pairs)
