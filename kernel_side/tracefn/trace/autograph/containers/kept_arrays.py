"""Arrays that are no part of the graph: those that NumPy keeps in objects of its own, or makes of Python values in ways
that are not known. Code may write into them, but not in a branch or loop, which may run or not, or many times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ....errors import InPlaceWriteError, message
from ...active import current
from ...context import Trace
from ...origin import user_source, where
from ...tensor import Tensor
from .changes import name_of


def is_array(value: Any) -> bool:
    """True for a real array, and for an iterator that writes into one by its index."""
    return issubclass(type(value), np.ndarray | np.flatiter) and type(value) is not Tensor


def check_write(trace: Trace | None, array: Any) -> None:
    """Raises for a write into an array that is no part of the graph, in a branch or loop."""
    if is_array(array) and trace is not None and trace.root is not trace:
        _refuse(array)


def unwritten(function: Callable[..., Any], owner: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """A function of NumPy, or a method of its `owner`, which must not write into a real array in a branch or loop."""

    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None or trace.root is trace:
            return function(*args, **kwargs)
        arrays = [v for v in (*owner, *args, *kwargs.values()) if is_array(v) and type(v) is not np.flatiter]
        before = [array.copy() for array in arrays]
        made = function(*args, **kwargs)
        for array, old in zip(arrays, before, strict=True):
            if array.tobytes() != old.tobytes():
                array[...] = old
                _refuse(array)
        return made

    return call


def _refuse(array: Any) -> NoReturn:
    raise InPlaceWriteError(
        message(
            f"`{name_of(array)}`, an array that is no part of the graph, is written into in a branch or loop",
            where(user_source(4)),
            "Copy it before with `np.array(x)`.",
        )
    )
