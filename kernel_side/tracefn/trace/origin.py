"""Where in the user's code we are: the innermost frame that is no library's."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from types import FrameType, FunctionType

import numpy as np

from .. import events
from ..ir.module_name import file_of_module
from ..ir.place import Source


def _folder(file: str, *names: str) -> str:
    """The folder of a file, or one in it."""
    return os.path.join(os.path.dirname(os.path.realpath(file)), *names, "")


_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "")
_OWN = (_PACKAGE, _folder(np.__file__))
_STANDARD = _folder(os.__file__)
_LOOKED_INTO = _folder(np.__file__, "polynomial")
_OPERATORS = _folder(__file__, "autograph", "hooks") + "user_operators.py"
_SEEN = tuple(_PACKAGE + folder + os.sep for folder in ("nn", "optimize"))
_GENERATED = ("<__array_function__", "<frozen ", "<tracefn ")


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame of user code, `depth` frames up or further."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        file = frame.f_code.co_filename
        if not (_known[file] if file in _known else _is_foreign(file)):
            return frame
        frame = frame.f_back
    return None


def user_frames(depth: int = 1) -> tuple[FrameType | None, FrameType | None]:
    """The innermost frame of user code, `depth` frames up or further, and that of the function of `tracefn.nn` or
    `tracefn.optimize` that it has called, if it has: calls of these are seen in graphs."""
    frame: FrameType | None = sys._getframe(depth)
    called = None
    while frame is not None:
        file = frame.f_code.co_filename
        if not (_known[file] if file in _known else _is_foreign(file)):
            return frame, called
        if file in _seen:
            called = frame
        frame = frame.f_back
    return None, called


def is_user_frame(frame: FrameType) -> bool:
    """True for a frame of user code."""
    file = frame.f_code.co_filename
    return not (_known[file] if file in _known else _is_foreign(file))


def is_user_code(depth: int) -> bool:
    """True if the frame `depth` frames up is of user code, or stands for an operator in it."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and frame.f_code.co_filename == _OPERATORS:
        frame = frame.f_back
    file = "" if frame is None else frame.f_code.co_filename
    return not (_known[file] if file in _known else _is_foreign(file))


_known: dict[str, bool] = {}
_seen: set[str] = set()


def is_asked_from_outside(depth: int) -> bool:
    """True if the frame that far up is none of tracing itself."""
    return not sys._getframe(depth).f_code.co_filename.startswith(_PACKAGE)


def is_of_tracefn(file: str) -> bool:
    """True for a file of this package."""
    return file.startswith(_PACKAGE)


def is_own_function(value: object) -> bool:
    """True for a function of tracefn's modules. The stand-in for a function of a library has globals of its own."""
    return (
        isinstance(value, FunctionType)
        and is_of_tracefn(value.__code__.co_filename)
        and "__name__" in value.__globals__
    )


def is_own(file: str) -> bool:
    """True for code of this package, and for code that it has generated."""
    return file.startswith((_PACKAGE, "<tracefn "))


def is_foreign(file: str) -> bool:
    """True for code that works for the user's: Python's, NumPy's and this package's."""
    return _is_foreign(file)


def is_library(file: str) -> bool:
    """True for code that is installed rather than the user's own, and not looked into as that is."""
    known = _libraries.get(file)
    if known is None:
        known = _libraries[file] = not file.startswith(_LOOKED_INTO) and (
            _is_foreign(file) or ((root := _package(file)) is not None and root not in _own)
        )
    return known


_libraries: dict[str, bool] = {}
_own: set[str] = set()
"""The folders (or files) of installed packages of which functions were decorated: their code is the user's."""

FORGET: list[Callable[[], None]] = []
"""Functions to call when a package joins these, as it was taken for a library so far."""


def is_installed(file: str) -> bool:
    """True for a file of an installed package."""
    return _package(file) is not None


def _package(file: str) -> str | None:
    """The folder or file of the installed package that a file belongs to."""
    for folder in ("site-packages", "dist-packages"):
        before, found, rest = file.rpartition(folder)
        if found:
            return before + found + os.sep + rest.lstrip(os.sep).partition(os.sep)[0]
    return None


def becomes_own(file: str) -> bool:
    """Notes a function that is decorated: the installed package that it belongs to counts as the user's own from now
    on. False for a package with extension modules, into whose functions and classes no trace sees."""
    root = None if _is_foreign(file) else _package(file)
    if root is None or root in _own:
        return True
    if _has_extensions(root):
        return False
    _own.add(root)
    _libraries.clear()
    for forget in FORGET:
        forget()
    return True


@lru_cache(maxsize=256)
def _has_extensions(root: str) -> bool:
    endings = tuple(EXTENSION_SUFFIXES)
    return any(name.endswith(endings) for _, _, names in os.walk(root) for name in names)


def _is_foreign(file: str) -> bool:
    known = _known.get(file)
    if known is None:
        if file.startswith(_SEEN):
            _seen.add(file)
        standard = file.startswith(_STANDARD) and "site-packages" not in file
        known = _known[file] = standard or file.startswith(_OWN + _GENERATED)
    return known


_sources: dict[str, dict[int, Source]] = {}
"""The places that nodes were made at, by file and line: each retrace comes by the same ones."""


def user_source(depth: int = 2) -> Source | None:
    """The file and line of the innermost frame of user code."""
    return source_of(user_frame(depth))


def source_of(frame: FrameType | None) -> Source | None:
    """The file and line at which a frame is."""
    if frame is None:
        return None
    file, line = frame.f_code.co_filename, frame.f_lineno
    try:
        return _sources[file][line]
    except KeyError:
        source = _sources.setdefault(file, {})[line] = Source(file, line)
        return source


def error_source(error: BaseException) -> Source | None:
    """The innermost line of user code that an exception went through."""
    found, traceback = None, error.__traceback__
    while traceback is not None:
        if not _is_foreign(traceback.tb_frame.f_code.co_filename):
            found = Source(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def notes_of(error: BaseException) -> str:
    """The notes of an error, as lines."""
    return "\n".join(str(note).strip() for note in getattr(error, "__notes__", ()))


def where(source: Source | None) -> str:
    """A place as messages name it: `cell [7] line 5`, or `model.py line 5`."""
    if source is None:
        return ""
    location = events.locate(source.file, source.line)
    if location.cell_number is not None:
        return f"cell [{location.cell_number}] line {location.line}"
    return f"{source.file} line {source.line}"


_OF_CONTAINERS = ("UserDict.", "UserList.", "ChainMap.", "MutableMapping.", "Mapping.", "MutableSequence.", "Sequence.")


_OF_DATACLASSES = frozenset("replace _replace asdict astuple _asdict_inner _astuple_inner".split())
"""Functions of `dataclasses` that read the fields of an object."""


def is_users(function: FunctionType) -> bool:
    """True for a function of the user's, and for one of Python's that reads containers and objects and is written in
    Python."""
    if not is_library(function.__code__.co_filename):
        return True
    if function.__module__ == "dataclasses":
        return function.__name__ in _OF_DATACLASSES
    of_python = function.__module__ in ("collections", "collections.abc")
    return of_python and function.__qualname__.startswith(_OF_CONTAINERS)


def file_of(cls: type) -> str:
    """The file of the module that a class belongs to. Empty where there is none, and for the classes of a script, which
    are in `__main__`: its file may be that of a program which runs the script (`python -m cProfile`)."""
    if cls.__module__ == "__main__":
        return ""
    return file_of_module(cls.__module__)
