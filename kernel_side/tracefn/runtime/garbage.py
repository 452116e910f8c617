"""Times at which Python does not look for garbage."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Keeps Python from looking for garbage while thousands of objects are made that stay: in a trace, looking through
    them again and again takes a tenth of the time; when modules are imported, it comes to all objects of the process.
    Where somebody else has switched the collector off, it stays off."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
