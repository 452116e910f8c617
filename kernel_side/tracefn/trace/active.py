"""The traces under way: a leaf, so that all that acts only while tracing can ask for them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .context import Trace


class _Active(threading.local):
    def __init__(self) -> None:
        self.stack: list[Trace] = []
        self.eager: list[Any] = []  # sessions of tapes outside of traced functions: `gradients.eager.Session`


ACTIVE = _Active()
"""The traces under way in this thread, the innermost last."""

TRACING: list[str] = []
"""The names of the traces under way in all threads: an empty list costs a cached call one test."""


class Flag(str):
    """Stands in `TRACING` while cached calls take no fast path for another reason than a trace."""

    __slots__ = ()


REPLACED = Flag("<calls are replaced>")
"""Stands in `TRACING` while `Function.__call__` is another function."""


def only_traces() -> bool:
    """True if nothing but traces keeps cached calls from the fast path: it is open to calls outside of them."""
    return not any(type(name) is Flag for name in TRACING)


def current() -> Trace | None:
    """The innermost trace under way in this thread."""
    return ACTIVE.stack[-1] if ACTIVE.stack else None


def note_address() -> None:
    """Notes that the code that is traced knows the address of an object: its id, hash, or text."""
    if (trace := current()) is not None:
        trace.root.knows_addresses = True
