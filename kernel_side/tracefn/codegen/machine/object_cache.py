"""Machine code kept on disk, so that the next process need not compile it again.

A file holds the code of one module, named by a hash of everything that it depends on: the text, the processor, LLVM,
Python, NumPy. It begins with a hash of its content: what does not fit, or was not written to its end, is ignored. Files
are written under another name and moved in place, so that processes may share a folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from ... import events

LIMIT = 256 << 20
"""So many bytes are kept at most; of more, the files that were not used for the longest go."""

PRUNE_EVERY = 64
"""Files written, on average, between two looks at the size of the cache."""

_HEAD = b"tracefn 1\n"
_DIGEST = 16


def folder() -> Path | None:
    """Where code is kept: `TRACEFN_CACHE`, or `tracefn` in the user's cache folder. None where that is 'off'."""
    given = os.environ.get("TRACEFN_CACHE", "")
    if given == "off":
        return None
    if given:
        return Path(given)
    around = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(around) / "tracefn"


def key(*parts: str) -> str:
    """The name of what depends on these texts and nothing else."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=_DIGEST).hexdigest()


def load(name: str) -> bytes | None:
    """The code under a name. None where there is none; a file that is no such code is an event and ignored."""
    where = folder()
    if where is None:
        return None
    path = where / f"{name}.o"
    try:
        content = path.read_bytes()
    except OSError:
        return None
    code = content[len(_HEAD) + _DIGEST :]
    if not content.startswith(_HEAD) or content[len(_HEAD) : len(_HEAD) + _DIGEST] != _digest(code):
        events.emit(events.Error(error="ValueError", message=f"{path} is no code of tracefn's", phase="cache"))
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return code


def store(name: str, code: bytes) -> None:
    """Keeps code under a name. What the file system refuses is not kept."""
    where = folder()
    if where is None:
        return
    path, content = where / f"{name}.o", _HEAD + _digest(code) + code
    with contextlib.suppress(OSError):
        if path.exists() and path.read_bytes() == content:
            return
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = where / f"{name}.{os.urandom(4).hex()}.new"
        try:
            unfinished.write_bytes(content)
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
        if os.urandom(1)[0] % PRUNE_EVERY == 0:
            prune(where)


def prune(where: Path, limit: int = LIMIT) -> None:
    """Removes the files that were not used for the longest, until no more than `limit` bytes are left."""
    found = []
    for path in where.glob("*.o"):
        with contextlib.suppress(OSError):
            state = path.stat()
            found.append((state.st_mtime_ns, state.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= limit:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size


def _digest(code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_DIGEST).digest()
