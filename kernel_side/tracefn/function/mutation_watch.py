"""Contents of objects that guards compare by identity or length: kept to report later changes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..runtime.calls.target import Target
from ..trace.code.plain import stored
from ..trace.origin import is_library
from ..trace.signature import CallSignature
from ..trace.state.compared import MAX_LEAVES, content_of
from ..trace.state.paths import IdentityCapture, Path, ValueCapture
from .guards import GONE, Now

MAX_ITEMS = 100_000
"""A container with more items is not looked into."""

MAX_ATTRIBUTES = 64
"""So many attributes of an object are looked at."""

SIMPLE = (int, float, complex, str, bytes, type(None))


def held_by(target: Target) -> dict[str, Any]:
    """By the paths of objects of the user's and of large containers that a trace found outside: their content."""
    now = Now(CallSignature((), (), ()), ())
    found = {}
    guards: list[ValueCapture | IdentityCapture] = [*target.identities, *target.values]
    for guard in guards:
        if guard.path.root[0] != "argument" and (held := _held(guard, now.load(guard.path))) is not None:
            found[guard.path.text] = held
    return found


def changed_since(target: Target, before: dict[str, Any]) -> dict[str, str]:
    """By path: the parts that have changed in these objects, and are not compared at calls."""
    compared = {guard.path.text for guard in target.values} | {guard.path.text for guard in target.identities}
    compared |= {c.path.text for c in target.contents} | {c.text for c in target.captures if isinstance(c, Path)}
    found = {}
    for path, now in held_by(target).items():
        was = before.get(path)
        if not isinstance(was, dict) or not isinstance(now, dict):
            if was is not None and was != now:
                found[path] = "its items"
            continue
        names = [n for n in {**was, **now} if was.get(n, GONE) != now.get(n, GONE)]
        names = [n for n in names if not any(p == f"{path}.{n}" or p.startswith(f"{path}.{n}[") for p in compared)]
        if names:
            found[path] = ", ".join(names)
    return found


def _held(guard: ValueCapture | IdentityCapture, value: Any) -> Any:
    if isinstance(guard, ValueCapture):
        large = type(value) in (list, tuple, dict) and MAX_LEAVES < len(value) <= MAX_ITEMS
        return hash(tuple(map(id, value.values() if type(value) is dict else value))) if large else None
    attributes = stored(value, "__dict__")
    if not isinstance(attributes, dict) or isinstance(value, type) or hasattr(type(value), "__get__"):
        return None
    if isinstance(value, ModuleType) and is_library(getattr(value, "__file__", None) or ""):
        return None
    return {name: _summary(part) for name, part in list(attributes.items())[:MAX_ATTRIBUTES]}


def _summary(value: Any) -> Any:
    if isinstance(value, SIMPLE):
        return type(value).__name__, repr(value)
    if type(value) is tuple:
        return tuple(map(_summary, value))
    content = content_of(value)
    return id(value) if content is None else (type(value).__name__, repr(content))
