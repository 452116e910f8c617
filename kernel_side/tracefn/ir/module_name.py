"""The module of a class or a function: its name, and its file. A package may put any object into `sys.modules` for
itself: none of its code runs here."""

from __future__ import annotations

import contextlib
import functools
import sys
import types
from importlib.machinery import PathFinder
from typing import Any


def module_of(found: Any) -> str:
    """The module of a class or a function. Empty where it has none, as in code that `exec` runs in a bare namespace."""
    module = found.__module__
    return module if isinstance(module, str) else ""


def file_of_module(name: str) -> str:
    """The file of a module that is imported, or the folder of a namespace package. Empty where it has none."""
    module = sys.modules.get(name)
    if module is None:
        return ""
    if isinstance(file := _held_by(module, "__file__"), str):
        return file
    if paths := _held_by(module, "__path__"):
        return str(next(iter(paths), ""))
    return "" if type(module) is types.ModuleType else _found(name)[0]


def _held_by(module: Any, name: str) -> Any:
    """An attribute that an object holds itself. None where it holds no such one."""
    held = module.__dict__ if type(module) is types.ModuleType else None
    if held is None:
        with contextlib.suppress(AttributeError):
            held = object.__getattribute__(module, "__dict__")
    return held.get(name) if type(held) is dict else None


@functools.lru_cache(maxsize=256)
def _found(name: str) -> tuple[str, tuple[str, ...]]:
    """The file that a module is imported from, and the folders of its parts: for one that another object stands for."""
    around, _, _ = name.rpartition(".")
    spec = PathFinder.find_spec(name, list(_found(around)[1]) if around else None)
    if spec is None:
        return "", ()
    return spec.origin or "", tuple(spec.submodule_search_locations or ())
