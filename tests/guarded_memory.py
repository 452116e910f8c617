"""A test mode in which every array ends where forbidden memory begins, and what was freed stays forbidden.

In `guarded()`, NumPy takes its memory here. A read or write behind an array's last byte, or in an array that is gone,
ends the process (SIGSEGV); a write before its first byte is found when it is freed, and ends it too (SIGABRT).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy._core.multiarray import get_handler_name

_SET_HANDLER = 304  # its place in NumPy's C API

#: A block is a page that holds its size and the length of its mapping, pages that end with the data, and a forbidden
#: one. What lies before the data is filled with 0xA5. The last 4096 freed blocks stay forbidden: a process may have
#: 65,530 mappings. Machine code, as arrays are freed while errors are on their way, when no Python code may run.
ALLOCATOR = """
@freed = internal global [4096 x { ptr, i64 }] zeroinitializer
@count = internal global i64 0
declare ptr @mmap(ptr, i64, i32, i32, i32, i64)
declare i32 @mprotect(ptr, i64, i32)
declare i32 @munmap(ptr, i64)
declare ptr @memset(ptr, i32, i64)
declare ptr @memmove(ptr, ptr, i64)
declare void @abort()

define ptr @allocate(ptr %context, i64 %wanted) {
  %size = call i64 @llvm.umax.i64(i64 %wanted, i64 1)
  %up = add i64 %size, 4095
  %body = and i64 %up, -4096
  %length = add i64 %body, 8192
  %start = call ptr @mmap(ptr null, i64 %length, i32 3, i32 34, i32 -1, i64 0)
  %failed = icmp eq ptr %start, inttoptr (i64 -1 to ptr)
  br i1 %failed, label %none, label %made
none:
  ret ptr null
made:
  store i64 %size, ptr %start
  %second = getelementptr i8, ptr %start, i64 8
  store i64 %length, ptr %second
  %first = getelementptr i8, ptr %start, i64 4096
  call ptr @memset(ptr %first, i32 165, i64 %body)
  %end = getelementptr i8, ptr %first, i64 %body
  call i32 @mprotect(ptr %end, i64 4096, i32 0)
  %back = sub i64 0, %size
  %data = getelementptr i8, ptr %end, i64 %back
  ret ptr %data
}

define void @release(ptr %context, ptr %data, i64 %ignored) {
  %absent = icmp eq ptr %data, null
  br i1 %absent, label %done, label %there
there:
  %first = call ptr @llvm.ptrmask.p0.i64(ptr %data, i64 -4096)
  br label %look
look:
  %at = phi ptr [ %first, %there ], [ %next, %whole ]
  %all = icmp eq ptr %at, %data
  br i1 %all, label %forbid, label %byte
byte:
  %value = load i8, ptr %at
  %kept = icmp eq i8 %value, 165
  br i1 %kept, label %whole, label %broken
whole:
  %next = getelementptr i8, ptr %at, i64 1
  br label %look
broken:
  call void @abort()
  unreachable
forbid:
  %start = getelementptr i8, ptr %first, i64 -4096
  %second = getelementptr i8, ptr %start, i64 8
  %length = load i64, ptr %second
  call i32 @mprotect(ptr %start, i64 %length, i32 0)
  %number = atomicrmw add ptr @count, i64 1 seq_cst
  %place = and i64 %number, 4095
  %slot = getelementptr { ptr, i64 }, ptr @freed, i64 %place
  %slot2 = getelementptr i8, ptr %slot, i64 8
  %oldest = load ptr, ptr %slot
  %oldest_length = load i64, ptr %slot2
  store ptr %start, ptr %slot
  store i64 %length, ptr %slot2
  %full = icmp ne ptr %oldest, null
  br i1 %full, label %give, label %done
give:
  call i32 @munmap(ptr %oldest, i64 %oldest_length)
  br label %done
done:
  ret void
}

define ptr @zeroed(ptr %context, i64 %number, i64 %each) {
  %size = mul i64 %number, %each
  %data = call ptr @allocate(ptr null, i64 %size)
  %failed = icmp eq ptr %data, null
  br i1 %failed, label %done, label %clear
clear:
  call ptr @memset(ptr %data, i32 0, i64 %size)
  br label %done
done:
  ret ptr %data
}

define ptr @moved(ptr %context, ptr %old, i64 %size) {
  %data = call ptr @allocate(ptr null, i64 %size)
  %failed = icmp eq ptr %data, null
  %new = icmp eq ptr %old, null
  %nothing = or i1 %failed, %new
  br i1 %nothing, label %done, label %copy
copy:
  %first = call ptr @llvm.ptrmask.p0.i64(ptr %old, i64 -4096)
  %start = getelementptr i8, ptr %first, i64 -4096
  %before = load i64, ptr %start
  %least = call i64 @llvm.umin.i64(i64 %before, i64 %size)
  call ptr @memmove(ptr %data, ptr %old, i64 %least)
  call void @release(ptr null, ptr %old, i64 0)
  br label %done
done:
  ret ptr %data
}
"""


class _Handler(ctypes.Structure):
    """NumPy's `PyDataMem_Handler`."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


@functools.cache
def _handler() -> tuple[Any, ...]:
    """The capsule that NumPy takes, and what it needs to live."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(ALLOCATOR), machine)
    engine.finalize_object()
    functions = [engine.get_function_address(name) for name in ("allocate", "zeroed", "moved", "release")]
    handler = _Handler(b"guarded", 1, None, *functions)
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return capsule(ctypes.addressof(handler), b"mem_handler", None), handler, engine


@functools.cache
def _set_handler() -> Any:
    """`PyDataMem_SetHandler`, which gives the handler of before."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    api = ctypes.cast(pointer(np._core._multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(api[_SET_HANDLER])


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """The arrays that this thread makes inside are guarded, for as long as they live. Linux alone has it."""
    if sys.platform != "linux":
        yield
        return
    before = _set_handler()(_handler()[0])
    try:
        yield
    finally:
        _set_handler()(before)


def is_guarded(array: np.ndarray[Any, Any]) -> bool:
    """True for an array with guarded memory of its own."""
    return get_handler_name(array) == "guarded"
