"""The metadata of a function: its names, its docstring, its annotations."""

from __future__ import annotations

import sys
import types


def copy_metadata(function: types.FunctionType, original: types.FunctionType) -> None:
    """Gives a function the metadata of the one that it stands for."""
    function.__name__, function.__qualname__ = original.__name__, original.__qualname__
    function.__module__, function.__doc__ = original.__module__, original.__doc__
    if sys.version_info >= (3, 14):  # evaluated when they are read
        function.__annotate__ = original.__annotate__
    else:
        function.__annotations__ = dict(original.__annotations__)
