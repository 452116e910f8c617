"""The ABI of CPython and NumPy: offsets of the fields of their objects, and addresses of their functions.

Everything is checked once against real objects; where something does not hold, as in builds without a global lock,
`unavailable` says which, and no machine code is made.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import platform
import struct
import sys
import weakref
from typing import Any

import numpy as np

from ...trace.active import TRACING
from . import float_flags
from .llvm import llvm_binding

TYPE, DATA, NDIM, DIMS, STRIDES, DESCR, FLAGS, VALUE = 8, 16, 24, 32, 40, 56, 64, 16
"""Offsets in bytes: the type of any object; the fields of an array; the value of a NumPy scalar or a Python float."""

LIST_SIZE = 16
"""The offset of a list's length, and of that of a tuple."""

REFERENT = 16
"""The offset of a weak reference's referent; it is None when that is gone."""

CODE, DEFAULTS, KEYWORD_DEFAULTS = 48, 56, 64
"""The offsets of a Python function's code and defaults; the latter are null where it has none."""

DENSE, BY_COLUMNS, ALIGNED = 0x0101, 0x0102, 0x0100
"""The flags of an array that is C-contiguous and aligned, and of one that is Fortran-contiguous and aligned."""

WRITEABLE = 0x0400
"""The flag of an array that can be written into."""

_NEW_FROM_DESCR, _SCALAR, _NEW_COPY = 94, 60, 85  # places in NumPy's table of functions (numpy/__multiarray_api.h)


@functools.cache
def unavailable() -> str:
    """Why there can be no machine code in this process. Empty where there can be."""
    try:
        llvm_binding()
    except ImportError as error:
        return f"llvmlite cannot be imported ({error})"
    return unknown()


@functools.cache
def unknown() -> str:
    """Why machine code that is there already cannot run in this process. Empty where it can."""
    if not float_flags.is_known() or struct.calcsize("P") != 8:
        return f"{platform.machine()} is not known"
    if sys.platform == "win32":
        return "Windows is not supported yet"
    if sys.implementation.name != "cpython" or "t" in sys.abiflags:  # free-threaded
        return "this build of Python keeps its objects in another way"
    return "" if _fields_are_known() else "this build of Python or NumPy keeps its objects in another way"


def _fields_are_known() -> bool:
    array = np.zeros((2, 3), np.float32)
    at = id(array)

    def read(kind: Any, offset: int, base: int = at) -> Any:
        return kind.from_address(base + offset).value

    dims, strides = read(ctypes.c_void_p, DIMS), read(ctypes.c_void_p, STRIDES)
    columns, reference = array.T, weakref.ref(array)
    # The objects under test are held: the memory of an object without a name is another's as soon as other code runs.
    with_gaps, numbers, pair = array[:, ::2], [1, 2, 3], (1, 2, 3)
    return bool(
        read(ctypes.c_void_p, TYPE) == id(np.ndarray)
        and read(ctypes.c_void_p, DATA) == array.ctypes.data
        and read(ctypes.c_int, NDIM) == 2
        and (read(ctypes.c_int64, 0, dims), read(ctypes.c_int64, 8, dims)) == (2, 3)
        and (read(ctypes.c_int64, 0, strides), read(ctypes.c_int64, 8, strides)) == (12, 4)
        and read(ctypes.c_void_p, DESCR) == id(array.dtype)
        and read(ctypes.c_int, FLAGS) & (DENSE | WRITEABLE) == DENSE | WRITEABLE
        and not ctypes.c_int.from_address(id(with_gaps) + FLAGS).value & 3
        and ctypes.c_int.from_address(id(columns) + FLAGS).value & (DENSE | BY_COLUMNS) == BY_COLUMNS
        and read(ctypes.c_double, VALUE, id(1.5)) == 1.5
        and read(ctypes.c_double, VALUE + 8, id(2 + 1.5j)) == 1.5
        and read(ctypes.c_int64, LIST_SIZE, id(numbers)) == 3
        and read(ctypes.c_int64, LIST_SIZE, id(pair)) == 3
        and read(ctypes.c_void_p, REFERENT, id(reference)) == at
        and read(ctypes.c_void_p, CODE, id(_with_defaults)) == id(_with_defaults.__code__)
        and read(ctypes.c_void_p, DEFAULTS, id(_with_defaults)) == id(_with_defaults.__defaults__)
        and read(ctypes.c_void_p, KEYWORD_DEFAULTS, id(_with_defaults)) == id(_with_defaults.__kwdefaults__)
        and tuple_items() > 0
        and all(_value_is_there(np.dtype(c)) for c in "?bBhHiIlLqQefdFD")
        and _table()[2] == id(np.ndarray)
    )


def _with_defaults(a: int = 1, *, b: int = 2) -> None: ...


@functools.cache
def tuple_items() -> int:
    """The offset of the first item of a tuple. -1 where it is nowhere."""
    item = object()
    at = id(found := (item,))
    offsets = (o for o in (24, 32) if o < found.__sizeof__() and ctypes.c_void_p.from_address(at + o).value == id(item))
    return next(offsets, -1)


def _value_is_there(dtype: np.dtype[Any]) -> bool:
    scalar = dtype.type(1)
    return ctypes.string_at(id(scalar) + VALUE, dtype.itemsize) == scalar.tobytes()


@functools.cache
def _table() -> Any:
    capsule = ctypes.pythonapi.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    module: Any = importlib.import_module("numpy._core._multiarray_umath")
    return ctypes.cast(capsule(module._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))


_PYTHON = """
Py_IncRef Py_DecRef PyTuple_New PyTuple_SetItem PyTuple_GetItem PyList_New PyList_SetItem PyList_GetItem PyDict_New
PyDict_SetItem PyDict_GetItemWithError PyDict_Next PyCell_Get PyObject_GetAttr PyObject_GetItem PyObject_SetAttr
PyObject_SetItem PyObject_Vectorcall
PyObject_RichCompareBool PyLong_AsLongLongAndOverflow PyEval_SaveThread PyEval_RestoreThread PyErr_CheckSignals
PyFloat_FromDouble PyBool_FromLong PyLong_FromLongLong PyLong_FromVoidPtr PyMethod_New PyErr_Clear PyErr_Fetch
PyErr_Occurred PyErr_ExceptionMatches PyErr_NormalizeException PyException_SetTraceback
""".split()
KINDS = "?bhilqBHILQefdFD"
"""The characters of the dtypes that have a symbol."""


@functools.cache
def symbols() -> dict[str, int]:
    """The addresses that machine code refers to by name: functions, types and dtypes."""
    found = {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in _PYTHON}
    kinds = np.ndarray, float, int, complex, str, tuple, list, dict, Exception
    found |= {f"tf.{kind.__name__}": id(kind) for kind in kinds}
    found |= {"tf.tracing": id(TRACING)}
    found |= {"tf.new_array": _table()[_NEW_FROM_DESCR], "tf.new_scalar": _table()[_SCALAR]}
    found |= {"tf.new_copy": _table()[_NEW_COPY]}
    for char in KINDS:
        dtype = np.dtype(char)
        found[f"tf.dtype.{symbol(dtype)}"], found[f"tf.type.{symbol(dtype)}"] = id(dtype), id(dtype.type)
    return found


def symbol(dtype: np.dtype[Any]) -> str:
    """The part of a symbol that names a dtype: `long` and `long long` differ, also where they are of one size."""
    return f"bool{dtype.num}" if dtype.kind == "b" else f"{dtype.kind}{dtype.num}"
