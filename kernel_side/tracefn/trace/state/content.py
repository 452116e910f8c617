"""Guards of arrays by content, for those that a trace may have read as plain numbers."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from ...ir.hashing import blake2b
from .paths import Path

MAX_COPY = 1 << 20
"""The most bytes of an array that is compared with a copy; larger ones are compared by a digest."""


class ContentGuard:
    """Holds for an array of the same dtype and shape, and unless `described` the same bytes, as `array` has now."""

    __slots__ = ("_content", "_digest", "_first", "described", "dtype", "path", "shape")

    def __init__(self, path: Path, array: Any, described: bool = False) -> None:
        self.path = path
        self.dtype = array.dtype
        self._first = 0 if path.container_of_numbers is None else 1  # an array of numbers has any length
        self.shape = array.shape[self._first :]
        self.described = described or array.dtype.kind == "O"
        self._digest = b"" if self.described or array.nbytes <= MAX_COPY else _digest(array)
        self._content = array.copy() if not self.described and not self._digest else None

    def at(self, path: Path) -> ContentGuard:
        """The same for the array at another path."""
        other = copy.copy(self)
        other.path = path
        return other

    def holds(self, array: Any) -> bool:
        """True if a trace that read the earlier array is right for this one."""
        if type(array) is not np.ndarray or array.dtype != self.dtype or array.shape[self._first :] != self.shape:
            return False
        if self.described:
            return True
        if self._content is None:
            return _digest(array) == self._digest
        return bool(array.tobytes() == self._content.tobytes())

    def is_like(self, other: ContentGuard) -> bool:
        """True if it holds for the same arrays."""
        if (self.dtype, self.shape, self.described) != (other.dtype, other.shape, other.described):
            return False
        if self._content is None or other._content is None:
            return self._digest == other._digest
        return bool(self._content.tobytes() == other._content.tobytes())

    @property
    def what(self) -> str:
        """The subject of the guard, in words."""
        return "shape or dtype" if self.described else "content"


def _digest(array: Any) -> bytes:
    return blake2b(np.ascontiguousarray(array).view(np.uint8).data, digest_size=16).digest()
