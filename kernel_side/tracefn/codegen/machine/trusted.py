"""Whom code on disk is taken from: the user alone. Whoever may write a file that is loaded runs code as the user.

Windows has no such bits, and no native code (`abi.unknown`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


class Distrusted(Exception):
    """A file or folder that others may have written or may replace. The message names it and says why."""


def check_folder(where: str) -> None:
    """Raises Distrusted for a folder that is not the user's own, or that others may write to or replace. A folder
    that does not exist may be made."""
    real = os.path.realpath(where)
    _check(real, _state(real))
    for folder in {*around(real), *around(os.path.join(os.getcwd(), where))}:
        state = _state(folder)
        if state is None or state.st_mode & stat.S_ISVTX:  # in a sticky folder only the owner may replace a file
            continue
        # Many systems let the group write into home folders, and give each user a group with the user's number.
        writable = stat.S_IWOTH if state.st_gid == os.getuid() else _WRITABLE
        if state.st_uid not in (0, os.geteuid()):
            raise Distrusted(f"{folder} is another user's")
        if stat.S_ISDIR(state.st_mode) and state.st_mode & writable:
            raise Distrusted(f"others may write to {folder}")


def around(path: str) -> Iterator[str]:
    """The folders around a path, from the inside to the outside."""
    while (folder := os.path.dirname(path)) != path:
        yield folder
        path = folder


def read(path: str) -> bytes | None:
    """The content of a file. None where there is none; raises Distrusted where others may have written it."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    try:
        state = os.fstat(file)
        if not stat.S_ISREG(state.st_mode):
            raise Distrusted(f"{path} is no file")
        _check(path, state)
        with os.fdopen(os.dup(file), "rb") as opened:
            return opened.read()
    except OSError:
        return None
    finally:
        os.close(file)


def _check(path: str, state: os.stat_result | None) -> None:
    if state is None:
        return
    if state.st_uid != os.geteuid():
        raise Distrusted(f"{path} is another user's")
    if state.st_mode & _WRITABLE:
        raise Distrusted(f"others may write to {path}")


def _state(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None
