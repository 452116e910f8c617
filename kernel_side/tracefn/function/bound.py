"""A traced method, bound to its instance.

Most are Python's own bound methods, of the function that is for this instance alone. An instance that no weak reference
can tell of has no such function: its methods are `BoundFunction`s of the one that its class has.
"""

from __future__ import annotations

import functools
from typing import Any

from ..runtime import own_frames
from ..trace.code.bound import is_bound


class BoundFunction(functools.partial[Any]):
    """A traced method of one instance: `obj.method`. Has all attributes of its `Function`."""

    __slots__ = ()

    @property
    def __func__(self) -> Any:
        """The `Function`."""
        return self.func

    @property
    def __self__(self) -> Any:
        return self.args[0]

    def __get__(self, instance: Any, owner: type | None = None) -> BoundFunction:
        """Itself: it is bound already, also where a class has it."""
        return self

    @own_frames.hidden
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> Any:
        """As `Function.get_concrete_function`, for this instance."""
        return self.__func__._concrete_function(self.__self__, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.func, name)

    def __repr__(self) -> str:
        return f"<bound {self.__func__!r} of {self.__self__!r}>"


def bound_function(value: Any) -> Any:
    """The `Function` of a traced method with its instance; None for all else."""
    return value.__func__ if is_bound(value) else None
