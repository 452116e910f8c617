"""Containers from outside with a change at a traced key: `d[int(v)] += 1`, `s.add(int(v))`.

Such a change is made when the program has ended, with the key that it gives. The content of the container is not known
from then on: a trace that reads it is refused.
"""

from __future__ import annotations

import collections
from typing import Any, NamedTuple

from ...active import current
from ...context import Trace
from ...control.one_of import OneOf
from ...control.operations import can_wait
from ...origin import user_source
from ...state.place import Contents
from ...tensor import Tensor
from .changes import name_of

_WITH_DEFAULTS = (collections.Counter, collections.defaultdict)


class Keyed(NamedTuple):
    """A placeholder for the old item in `owner[key] op= value` with a traced key."""

    owner: Any
    key: Any


def is_keyed(key: Any) -> bool:
    """True for a number or text that only the call knows."""
    if type(key) in (tuple, list):
        return any(map(is_keyed, key))
    if type(key) is Tensor:
        return not key.ndim and key.dtype.kind in "biuf" and key._known() is None
    return type(key) is OneOf


def item_at_key(owner: Any, key: Any) -> Keyed | None:
    """The placeholder of `owner[key]` in an `owner[key] op= value` that is delayed until after the program."""
    trace = current()
    if trace is None or not waits(trace, owner, (key,)) or not can_wait(trace, owner):
        return None
    if type(owner) is collections.defaultdict:
        changed_later(trace, owner, "__getitem__", (key,))  # a missing item is made before the value is computed
    return Keyed(owner, key) if type(owner) in _WITH_DEFAULTS or _has_all(trace, owner, key) else None


def _has_all(trace: Trace, owner: Any, key: Any) -> bool:
    """True for a dict that contains every possible text of a key."""
    if type(owner) is not dict or type(key) is not OneOf or key.has_value:
        return False
    options = [key.option(number) for number in key.numbers]
    if id(owner) in trace.root.keyed or not all(option in owner for option in options):
        return False
    for option in options:
        trace.observe(owner, "item", option, owner[option])
    return True


def waits(trace: Trace, owner: Any, keys: tuple[Any, ...]) -> bool:
    """True for a change that is delayed until after the program: at a traced key, or after such a change."""
    return id(owner) in trace.root.keyed or any(map(is_keyed, keys))


def changed_later(trace: Trace, owner: Any, method: str, args: tuple[Any, ...]) -> bool:
    """Delays a change of a container from outside until after the program. False if it is too late for that."""
    if not can_wait(trace, owner):
        return False
    trace.journal.will_do_at_key(Contents(owner, name_of(owner)), method, args, user_source(3))
    trace.root.keyed[id(owner)] = owner
    return True
