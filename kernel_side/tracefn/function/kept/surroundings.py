"""What all that is kept depends on: versions, the machine, options of Python."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import marshal
import platform
import sys

import numpy as np

from ...codegen.machine import object_cache
from ...config import traces_are_kept
from ...runtime.code_version import code_version


def are_kept() -> bool:
    """True if traces of this process are kept, and those of others taken over."""
    return traces_are_kept() and object_cache.folder() is not None


def prepare() -> None:
    """Finds out the version of this tracefn's code, so that no call waits for it, and no native code."""
    if object_cache.folder() is not None:
        code_version()
    if are_kept():
        surroundings()


@functools.cache
def surroundings() -> tuple[str, ...]:
    """The conditions under which equal code may give different traces."""
    features = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__  # constants are its results
    return (
        sys.version,
        importlib.util.MAGIC_NUMBER.hex(),
        str(marshal.version),
        str(sys.flags.optimize),
        np.__version__,
        np.__file__,
        platform.machine(),
        " ".join(name for name, is_there in features.items() if is_there),
        code_version(),
    )
