"""The subject of a `match` statement with patterns of sequences, mappings and classes."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ..context import TRACING, Trace, current
from ..origin import user_source, where
from ..tree import parts
from .changes import decided
from .containers import CONTAINERS


def subject(value: Any, has_attributes: bool) -> Any:
    """What is matched: of containers from outside all is read. `has_attributes` where patterns look at attributes."""
    trace = current() if TRACING else None
    if trace is not None:
        _read(trace, value, has_attributes, 0)
    return value


def _read(trace: Trace, value: Any, has_attributes: bool, depth: int) -> None:
    if isinstance(value, CONTAINERS) and trace.is_outside(value):
        trace.read_whole(decided(value))
    if depth < _MAX_DEPTH and (found := parts(value)) is not None:
        for child in found.children:
            _read(trace, child, has_attributes, depth + 1)
    elif has_attributes and trace.is_outside(value) and not isinstance(value, _WITHOUT):
        raise UnsupportedFunctionError(
            message(
                f"a pattern reads attributes of {type(value).__name__}, an object from outside, which is not recorded",
                where(user_source(3)),
                "Read the attributes first, and match what they hold.",
            )
        )


_MAX_DEPTH = 6
"""How deep a pattern is taken to look."""

_WITHOUT = (
    type, types.ModuleType, types.FunctionType, np.ndarray, np.generic, int, float, complex, str, bytes, type(None),
)  # fmt: skip
"""Types of which patterns ask no more than the class."""
