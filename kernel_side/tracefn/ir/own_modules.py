"""NumPy and math as they were when tracefn was imported: programs call their functions, whatever has taken the place
of these since.

A user may replace a function by one that calls it (`monkeypatch.setattr(np, "exp", …)`). That one is traced as
any other function; a program that called it would apply it twice.
"""

from __future__ import annotations

import builtins
import math
import operator
import types
from typing import Any

import numpy as np


def _kept(module: types.ModuleType) -> types.ModuleType:
    """A module with the same names, in which public modules are kept as well."""
    copy = types.ModuleType(module.__name__)
    names = copy.__dict__
    names |= vars(module)
    names |= {n: _kept(value) for n, value in list(vars(module).items()) if _is_inside(module, value)}

    def later(name: str) -> Any:
        found = getattr(module, name)
        names[name] = found = _kept(found) if _is_inside(module, found) else found
        return found

    names["__getattr__"] = later  # the names that the module imports when asked for
    return copy


def _is_inside(module: types.ModuleType, value: Any) -> bool:
    if not isinstance(value, types.ModuleType):
        return False
    return value.__name__.startswith(f"{module.__name__}.") and "._" not in value.__name__


own_numpy, own_math = _kept(np), _kept(math)
"""Stand for the modules in programs."""


_names = (
    "abs all any bool bytes callable dict divmod enumerate filter float frozenset getattr hasattr hash id int "
    "isinstance issubclass iter len list map max min next object range repr reversed round set setattr slice sorted "
    "str sum super tuple type vars zip"
).split()
_current = operator.itemgetter(*_names)
_BUILTINS = vars(builtins)
_ORIGINAL = _current(_BUILTINS)


def has_own_builtins() -> bool:
    """False while a function of Python's is replaced that tracefn's own code calls (`mock.patch("builtins.len")`):
    nothing can be traced then."""
    try:
        return _current(_BUILTINS) == _ORIGINAL
    except KeyError:
        return False
