"""LLVM, loaded when it is needed, while other threads run."""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
import os
from typing import Any


@functools.cache
def llvm_binding() -> Any:
    """llvmlite's binding to LLVM. Raises ImportError where llvmlite is not installed."""
    _open_library()
    return importlib.import_module("llvmlite.binding")


def _open_library() -> None:
    """Lets the system read LLVM, 130 MB, before the import asks for it: that would hold Python's global lock meanwhile,
    for 5 to 10 ms, and a call through `ctypes` does not. Where the library is elsewhere the import finds it."""
    spec = importlib.util.find_spec("llvmlite")
    if spec is None or spec.origin is None or os.name != "posix":
        return
    from pathlib import Path

    for library in Path(spec.origin).parent.glob("binding/libllvmlite.*"):
        opened = ctypes.CDLL(None).dlopen
        opened.restype, opened.argtypes = ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_int)
        opened(os.fsencode(library), os.RTLD_NOW)
