"""A test mode in which every array ends where forbidden memory begins, and what was freed stays forbidden.

`install()` makes NumPy take its memory here. A read or write behind an array's last byte, or in an array that is gone,
ends the process (SIGSEGV); a write before its first byte is found when it is freed, and ends it too (SIGABRT).
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from collections import deque
from typing import Any

import numpy as np

PAGE = mmap.PAGESIZE
CANARY = 0xA5
QUARANTINE = 4096
"""So many freed arrays stay forbidden; of more, the oldest are given back, as a process has only so many mappings."""

_SET_HANDLER = 304  # its place in NumPy's C API
_NO_ACCESS, _READ_WRITE = 0, mmap.PROT_READ | mmap.PROT_WRITE
_PRIVATE, _ANONYMOUS, _FAILED = 0x02, 0x20, ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, *[ctypes.c_size_t] + [ctypes.c_int] * 3, ctypes.c_long]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

_blocks: dict[int, tuple[int, int, int]] = {}  # address → where its mapping begins, the length of that, and its size
_freed: deque[tuple[int, int]] = deque()


def _allocate(size: int) -> int:
    """A block of `size` bytes whose end is that of its page; the page after it is forbidden."""
    body = max(1, -(-size // PAGE)) * PAGE
    start = _libc.mmap(None, body + PAGE, _READ_WRITE, _PRIVATE | _ANONYMOUS, -1, 0)
    if start == _FAILED:
        return 0
    _libc.mprotect(start + body, PAGE, _NO_ACCESS)
    address = start + body - size
    ctypes.memset(start, CANARY, body - size)
    ctypes.memset(address, CANARY, size)  # what is not written is not zero by accident
    _blocks[address] = (start, body + PAGE, size)
    return address


def _free(address: int | None) -> None:
    if not address:
        return
    start, length, _ = _blocks.pop(address)
    before = ctypes.string_at(start, address - start)
    if before.count(CANARY) != len(before):
        os.write(2, f"a write before an array at {address:#x}\n".encode())
        os.abort()
    _libc.mprotect(start, length, _NO_ACCESS)
    _freed.append((start, length))
    if len(_freed) > QUARANTINE:
        _libc.munmap(*_freed.popleft())


def _zeroed(count: int, each: int) -> int:
    address = _allocate(count * each)
    if address:
        ctypes.memset(address, 0, count * each)
    return address


def _moved(old: int | None, size: int) -> int:
    address = _allocate(size)
    if address and old:
        ctypes.memmove(address, old, min(size, _blocks[old][2]))
        _free(old)
    return address


def is_guarded(array: np.ndarray[Any, Any]) -> bool:
    """True if an array lies in guarded memory."""
    return array.ctypes.data in _blocks


_Malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_Calloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
_Realloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_Free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class _Handler(ctypes.Structure):
    """NumPy's `PyDataMem_Handler`."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", _Malloc),
        ("calloc", _Calloc),
        ("realloc", _Realloc),
        ("free", _Free),
    )


_HANDLER = _Handler(
    b"guarded",
    1,
    None,
    _Malloc(lambda _, size: _allocate(size)),
    _Calloc(lambda _, number, each: _zeroed(number, each)),
    _Realloc(lambda _, old, size: _moved(old, size)),
    _Free(lambda _, address, size: _free(address)),
)


def install() -> None:
    """From now on the arrays that this thread makes are guarded."""
    if sys.platform != "linux":
        raise RuntimeError("guarded memory is written for Linux")
    new, pointer = ctypes.pythonapi.PyCapsule_New, ctypes.pythonapi.PyCapsule_GetPointer
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    api = ctypes.cast(pointer(np._core._multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    set_handler: Any = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(api[_SET_HANDLER])
    set_handler(new(ctypes.addressof(_HANDLER), b"mem_handler", None))
