"""The version of the code that builds programs, which differs from that of other releases, or of a minute ago."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator


@functools.cache
def code_version() -> str:
    """How many files it has, and when the newest was written."""
    package = os.path.dirname(os.path.dirname(__file__))
    found = [at for room in ("ir", "ops", "passes", "codegen", "runtime") for at in _written(f"{package}/{room}")]
    return f"{len(found)} {max(found)}"


def _written(folder: str) -> Iterator[int]:
    """When each Python file in a folder was written: the first native program of a process waits for it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry.stat().st_mtime_ns
            elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                yield from _written(entry.path)
