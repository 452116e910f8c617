"""Functions that are not rewritten: hooks do not see the reads of their arguments."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from ...context import Trace
from ...foreign import belongs_to_numpy
from ...state.unseen_reads import ATOMS, UnseenReads
from ...tensor import Tensor
from ..containers.contents import reads_inside

_ASKING_NOTHING = frozenset(
    {len, isinstance, issubclass, type, id, callable, getattr, setattr, hasattr, delattr, super}
)
"""Functions that call no special method of their arguments, or a rewritten one."""
_HANDING_ON = frozenset({list, tuple, dict, zip, enumerate, reversed, iter, next, map, range, print})
"""Functions that hand on what is in their arguments, and do not look at it."""
_GOING_OVER = frozenset({sorted, set, frozenset, min, max, any, all, sum})
"""Functions that look at what iteration gives: the keys of a dict."""

_NO_OWNERS = (types.NoneType, types.ModuleType, type)
"""Types of the owners of functions that are no methods of objects."""

ATOMS.add(Tensor)  # of which all that code reads is seen


def as_written(trace: Trace, function: Any, made: Callable[..., Any]) -> Callable[..., Any]:
    """`made`, which is called in the place of a function of a library, where calls note what these may read."""
    owner = getattr(function, "__self__", None)
    if function in _ASKING_NOTHING or type(owner) is Tensor:  # whose methods are steps of the graph
        return made
    unseen = trace.root.unseen
    if function in _HANDING_ON:
        return unseen.around(made, unseen.may_ask)
    made = unseen.around(made, _noting_keys(unseen) if function in _GOING_OVER else unseen.may_happen)
    is_method = not isinstance(owner, _NO_OWNERS)
    return made if is_method or belongs_to_numpy(function) else _reading_inside(made)


def _noting_keys(unseen: UnseenReads) -> Callable[..., None]:
    def note(*args: Any) -> None:
        unseen.may_ask(*args)
        unseen.may_happen(*[tuple(dict.keys(value)) if isinstance(value, dict) else value for value in args])

    return note


def _reading_inside(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        reads_inside(*args, *kwargs.values())
        return function(*args, **kwargs)

    return call
