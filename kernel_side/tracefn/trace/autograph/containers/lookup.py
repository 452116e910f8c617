"""Dicts that a traced value looks something up in: one branch for each key."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import provided
from ...active import current
from ...control.chosen import frozen, refuse_change
from ...control.raising import raise_in_graph
from ...tensor import Tensor
from ...values.traced_text import Text

MOST = 64
"""Keys of a dict that is looked up in so."""


def is_looked_up(owner: Any, key: Any) -> bool:
    """True for a dict and a traced number or text as the key."""
    is_key = type(key) is Text or (type(key) is Tensor and not key.ndim and key.dtype.kind in "biuf")
    return is_key and isinstance(owner, dict) and len(owner) <= MOST


def looked_up(owner: dict[Any, Any], key: Any) -> Any:
    """`owner[key]`. Calls with a key that is not there raise KeyError."""
    return _found(owner, key, functools.partial(raise_in_graph, KeyError(key.tensor if type(key) is Text else key)))


def get(owner: dict[Any, Any], key: Any, default: Any = None, /) -> Any:
    """`owner.get(key, default)`."""
    return _found(owner, key, lambda: default) if is_looked_up(owner, key) else owner.get(key, default)


def _found(owner: dict[Any, Any], key: Any, missing: Callable[[], Any]) -> Any:
    trace = current()
    assert trace is not None
    kinds = str if type(key) is Text else (bool, int, float, np.number, np.bool_)
    if hasattr(type(owner), "__missing__"):
        refuse_change()
    if trace.is_outside(owner):
        trace.read_items(owner)  # other keys make other branches
    pairs = [(k, v) for k, v in owner.items() if isinstance(k, kinds)]

    def rest(start: int) -> Any:
        if start == len(pairs):
            return missing()
        known, value = pairs[start]
        value = trace.observe(owner, "item", known, value)
        return provided.if_exp(key == known, lambda: value, functools.partial(rest, start + 1))

    return frozen(rest(0))
