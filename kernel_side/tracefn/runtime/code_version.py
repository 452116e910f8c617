"""The version of this package's code, which differs from that of other releases, or of a minute ago."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator

from ..ir.hashing import blake2b


@functools.cache
def code_version() -> str:
    """The version of the code that this process runs: all that is kept on disk depends on it."""
    package = sys.modules[__name__.partition(".")[0]]
    return version_of(os.path.dirname(str(package.__file__)), package.__version__)


def version_of(package: str, release: str) -> str:
    """The hashes that the installer of a package has noted of its files. Among its sources, where these change: how
    many files there are, and when the newest was written, which takes milliseconds to find out."""
    folder, name = os.path.split(package)
    try:
        with open(os.path.join(folder, f"{name}-{release}.dist-info", "RECORD"), "rb") as file:
            record = file.read()
    except OSError:
        record = b""
    if f"\n{name}/__init__.py,sha256=".encode() in b"\n" + record:
        return f"{package} {blake2b(record, digest_size=16).hexdigest()}"
    written = [*_written(package)]
    return f"{package} {len(written)} {max(written)}"


def _written(folder: str) -> Iterator[int]:
    """When each Python file in a folder was written."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry.stat().st_mtime_ns
            elif not entry.name.startswith("__") and entry.is_dir():
                yield from _written(entry.path)
