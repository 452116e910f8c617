"""Times at which Python does not look for garbage."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

_IMMORTAL = 1000
"""More objects than Python 3.12 itself puts where frozen ones are: those that are never freed."""


@contextlib.contextmanager
def no_collection(for_good: bool = False) -> Iterator[None]:
    """Keeps Python from looking for garbage while thousands of objects are made that stay: in a trace, looking through
    them again and again takes a tenth of the time; when modules are imported, it comes to all objects of the process.
    `for_good`: they stay as long as the process, and count as old at once, so that the next look for young garbage does
    not stop all threads to go through them. A collector that was switched off stays off."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if for_good and gc.get_freeze_count() < _IMMORTAL:  # objects frozen by other code stay frozen
            gc.freeze()
            gc.unfreeze()
        gc.enable()
