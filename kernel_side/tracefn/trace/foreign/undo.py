"""Changes of a step in an object from outside while tracing, put back where the trace comes to nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir.module_name import module_of
from .held import note

_CHANGING = ("__setitem__", "__delitem__", " =", ".insert", ".pop", ".update")
_IN_PLACE = frozenset(f"operator.i{n}" for n in "add sub mul truediv floordiv mod pow and or xor".split())


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
    undo += note(value, name)


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
