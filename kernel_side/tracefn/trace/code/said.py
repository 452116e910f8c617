"""What a function says of itself: its names, its docstring, its annotations."""

from __future__ import annotations

import sys
import types


def say_the_same(function: types.FunctionType, original: types.FunctionType) -> None:
    """Has a function that was made in the place of another one say the same of itself."""
    function.__name__, function.__qualname__ = original.__name__, original.__qualname__
    function.__module__, function.__doc__ = original.__module__, original.__doc__
    if sys.version_info >= (3, 14):  # evaluated when they are read
        function.__annotate__ = original.__annotate__
    else:
        function.__annotations__ = dict(original.__annotations__)
