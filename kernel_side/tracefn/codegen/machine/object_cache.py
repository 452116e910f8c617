"""Machine code kept on disk, so that the next process need not compile it again.

A file holds the code of one module, named by a hash of everything that it depends on: the text, the processor, LLVM,
Python, NumPy. It begins with a hash of its content: a file that does not fit its hash, or is truncated, is ignored, and
so is one that is not the user's own (`trusted.py`). Files are written under another name and moved in place, so that
processes may share a folder.
"""

from __future__ import annotations

import contextlib
import functools
import os

from ... import events
from ...ir.hashing import blake2b
from . import trusted

LIMIT = 256 << 20
"""So many bytes are kept at most; of more, the files that were not used for the longest go."""

PRUNE_EVERY = 64
"""Files written, on average, between two looks at the size of the cache."""

_HEAD = b"tracefn 1\n"
_DIGEST = 16


def folder() -> str | None:
    """Where code is kept: `TRACEFN_CACHE`, or `tracefn` in the user's cache folder. None where that is 'off'."""
    given = os.environ.get("TRACEFN_CACHE", "")
    if given == "off":
        return None
    if given:
        return given
    around = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(around, "tracefn")


def key(*parts: str) -> str:
    """The name of a file whose content depends on these texts alone."""
    return blake2b("\0".join(parts).encode(), digest_size=_DIGEST).hexdigest()


def has(name: str) -> bool:
    """True if there is a file of this name, whosever it is."""
    where = folder()
    return where is not None and os.path.exists(_file(where, name))


def _file(where: str, name: str) -> str:
    return os.path.join(where, f"{name}.o")


def load(name: str) -> bytes | None:
    """The code under a name. None where there is none; a file that is no such code is an event and ignored."""
    if (where := _trusted_folder()) is None:
        return None
    path = _file(where, name)
    try:
        content = trusted.read(path)
    except trusted.Distrusted as reason:
        _tell(str(reason))
        return None
    if content is None:
        return None
    code = content[len(_HEAD) + _DIGEST :]
    if not content.startswith(_HEAD) or content[len(_HEAD) : len(_HEAD) + _DIGEST] != _digest(code):
        events.emit(events.Error(error="ValueError", message=f"{path} is no code of tracefn's", phase="cache"))
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return code


def store(name: str, code: bytes) -> None:
    """Keeps code under a name. Nothing is kept where the file system refuses."""
    if (where := _trusted_folder()) is None:
        return
    path, content = _file(where, name), _HEAD + _digest(code) + code
    with contextlib.suppress(OSError):
        with contextlib.suppress(trusted.Distrusted):  # is replaced
            if trusted.read(path) == content:
                return
        inside = os.path.abspath(where)
        for new in (*reversed([*trusted.around(inside)]), inside):
            if not os.path.isdir(new):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(new, mode=0o700)
        unfinished = os.path.join(where, f"{name}.{os.urandom(4).hex()}.new")
        try:
            with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
            os.replace(unfinished, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(unfinished)
        if os.urandom(1)[0] % PRUNE_EVERY == 0:
            prune(where)


def _trusted_folder() -> str | None:
    """Where code is kept. None where that is 'off', or others may have put code there, which is an event."""
    where = folder()
    try:
        if where is not None:
            trusted.check_folder(where)
    except trusted.Distrusted as reason:
        _tell(str(reason))
        return None
    return where


@functools.lru_cache(maxsize=256)
def _tell(reason: str) -> None:
    """Tells once why code on disk is not used."""
    message = f"{reason}: machine code that is kept there is not used; TRACEFN_CACHE names another folder, or is off"
    events.emit(events.Error(error="PermissionError", message=message, phase="cache"))


def prune(where: str, limit: int = LIMIT) -> None:
    """Removes the files that were not used for the longest, until no more than `limit` bytes are left."""
    found = []
    with contextlib.suppress(OSError), os.scandir(where) as files:
        for file in files:
            if file.name.endswith(".o"):
                with contextlib.suppress(OSError):
                    state = file.stat()
                    found.append((state.st_mtime_ns, state.st_size, file.path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= limit:
            return
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size


def _digest(code: bytes) -> bytes:
    return blake2b(code, digest_size=_DIGEST).digest()
