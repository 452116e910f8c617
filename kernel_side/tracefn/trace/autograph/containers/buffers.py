"""Buffers of Python's own (`bytearray`, `array.array`, `memoryview`): a trace reads them, and changes those it made."""

from __future__ import annotations

import array
import collections
from typing import Any

from ....errors import InPlaceWriteError, message
from ...context import Trace
from ...origin import user_source, where
from .changes import name_of

BUFFERS = (bytearray, array.array, memoryview)

CONTAINERS = (list, dict, set, collections.deque, *BUFFERS)
"""Classes of containers that their own methods change."""


def refuse_buffer(trace: Trace, buffer: Any) -> None:
    """Raises for a change of a buffer from outside, and for a memoryview of one."""
    seen = getattr(buffer, "obj", None)
    if trace.is_outside(buffer) or (seen is not None and type(seen) is not bytes and trace.is_outside(seen)):
        raise InPlaceWriteError(
            message(
                f"`{name_of(buffer)}`, a {type(buffer).__name__} from outside the traced function, is changed",
                where(user_source(3)),
                "Use an array of NumPy.",
            )
        )
