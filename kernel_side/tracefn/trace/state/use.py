"""The use that a call makes of a place of the state: it reads it, writes it, or both."""

from __future__ import annotations

import enum
from collections.abc import Iterable


class Use(enum.Enum):
    READ = "read"
    WRITTEN = "written"
    BOTH = "both"


def uses(read: Iterable[str], written: Iterable[str]) -> dict[str, Use]:
    """The use of each path that is read or written, in the order of their texts.

    >>> {path: use.value for path, use in uses(["self.n", "self.w"], ["self.n", "self.log"]).items()}
    {'self.log': 'written', 'self.n': 'both', 'self.w': 'read'}
    """
    reads, writes = set(read), set(written)
    return {
        path: Use.BOTH if path in reads & writes else Use.READ if path in reads else Use.WRITTEN
        for path in sorted(reads | writes)
    }
