"""The version of the code that builds programs, which differs from that of other releases, or of a minute ago."""

from __future__ import annotations

import functools
import os


@functools.cache
def code_version() -> str:
    """How many files it has, and when the newest was written."""
    package = os.path.dirname(os.path.dirname(__file__))
    rooms = [room for part in ("ir", "ops", "passes", "codegen", "runtime") for room in os.walk(f"{package}/{part}")]
    files = [os.path.join(folder, f) for folder, _, names in rooms for f in names if f.endswith(".py")]
    return f"{len(files)} {max(os.stat(f).st_mtime_ns for f in files)}"
