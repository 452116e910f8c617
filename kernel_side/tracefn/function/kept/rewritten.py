"""Code as AutoGraph rewrites it, kept on disk: a later process that traces a function anew need not rewrite it."""

from __future__ import annotations

import marshal
from types import CodeType

from ... import events
from ...codegen.machine import object_cache
from ...trace import provided
from .allowed import code_hash
from .surroundings import are_kept, surroundings

MAX_KEPT = 1000
"""The most functions of one process whose code is kept: programs that make code without end fill no disk."""

LEAST_BYTES = 100
"""Code of fewer bytes, with that of the functions in it, is rewritten in the time that reading a file takes."""

_new: list[tuple[CodeType, CodeType]] = []
_room = [MAX_KEPT]


def look_up(code: CodeType) -> CodeType | None:
    """The rewritten code of a function that an earlier process has kept. The compiled code is all that it depends on:
    the file may have been edited since, or be another one with the same code at the same lines."""
    if not are_kept() or _size(code) < LEAST_BYTES:
        return None
    key = _key(code)
    content = object_cache.load(key) if object_cache.has(key) else None
    if content is None:
        return None
    try:
        found = marshal.loads(content)
    except (ValueError, EOFError, TypeError) as error:
        events.emit(events.Error(error=type(error).__name__, message=str(error), phase="cache"))
        return None
    return _in_file(found, code.co_filename)


def note(code: CodeType, rewritten: CodeType) -> None:
    """Takes note of code that was just rewritten, for `store_new`."""
    if _room[0] and are_kept() and _size(code) >= LEAST_BYTES:
        _room[0] -= 1
        _new.append((code, rewritten))


def has_new() -> bool:
    """True where something was rewritten that `store_new` has not kept yet."""
    return bool(_new)


def store_new() -> None:
    """Keeps what was rewritten since the last time. It takes as long as reading: no call is to wait for it."""
    while _new:
        code, rewritten = _new.pop()
        object_cache.store(_key(code), marshal.dumps(rewritten))


def _key(code: CodeType) -> str:
    return object_cache.key("rewritten 1", *surroundings(), code_hash(code))


def _size(code: CodeType) -> int:
    return len(code.co_code) + sum([_size(c) for c in code.co_consts if type(c) is CodeType])


def _in_file(code: CodeType, file: str) -> CodeType:
    """The same code, and that of the functions in it, as if it had been compiled from this file."""
    if code.co_filename == file:
        return code
    constants = tuple([_in_file(c, file) if type(c) is CodeType else c for c in code.co_consts])
    return code.replace(co_filename=file, co_consts=constants)


provided.kept_code, provided.note_rewritten = look_up, note
