"""The subject of a `match` statement with patterns of sequences, mappings and classes: Python takes it apart unseen."""

from __future__ import annotations

import enum
import types
from typing import Any

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ...active import TRACING, current
from ...context import Trace
from ...origin import user_source, where
from ...tree import parts
from ...values.graph_container import is_container
from ...values.traced_text import Text
from ..containers.buffers import CONTAINERS
from ..containers.changes import decided
from ..containers.pending import refuse_pending_inside


def subject(value: Any, has_attributes: bool) -> Any:
    """The matched value, of which containers from outside are guarded as a whole.

    `has_attributes` is True if a pattern reads attributes. Raises UnsupportedFunctionError if these are attributes of
    an object from outside.
    """
    trace = current() if TRACING else None
    if trace is not None:
        refuse_pending_inside(value)
        _read(trace, value, has_attributes, 0)
    return value


def _read(trace: Trace, value: Any, has_attributes: bool, depth: int) -> None:
    if is_container(value):
        value._python()
    if type(value) is Text:
        what = "a pattern tests the class of a text that only the call knows"
        raise UnsupportedFunctionError(message(what, where(user_source(3)), "Test it by `isinstance`."))
    if isinstance(value, CONTAINERS) and trace.is_outside(value):
        trace.read_whole(decided(value))
    elif has_attributes and trace.is_outside(value) and not isinstance(value, _WITHOUT):
        raise UnsupportedFunctionError(
            message(
                f"a pattern reads attributes of {type(value).__name__}, an object from outside, without a record",
                where(user_source(3)),
                "Read the attributes first, and match their values.",
            )
        )
    if depth < _MAX_DEPTH and (found := parts(value)) is not None:
        for child in found.children:
            _read(trace, child, has_attributes, depth + 1)


_MAX_DEPTH = 6
"""The number of levels of containers that a pattern is assumed to read."""

_WITHOUT = (
    type, types.ModuleType, types.FunctionType, np.ndarray, np.generic, int, float, complex, str, bytes, type(None),
    tuple, enum.Enum,
)  # fmt: skip
"""Types without attributes that change."""
