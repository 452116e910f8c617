"""Calls of other libraries' functions in rewritten code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...active import current
from ...foreign import call, is_step


def foreign_call(function: Any) -> Callable[..., Any]:
    """The replacement of a function of a library: a step of the graph."""

    def step(*args: Any, **kwargs: Any) -> Any:
        if current() is None or not is_step(function, args, kwargs):
            return function(*args, **kwargs)
        return call(function, args, kwargs)

    return step
