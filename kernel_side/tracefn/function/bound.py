"""A traced method, bound to its instance."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .concrete import ConcreteFunction
    from .function import Function


class BoundFunction(functools.partial[Any]):
    """A traced method of one instance: `obj.method`. Has all attributes of its `Function`."""

    __slots__ = ()

    @property
    def function(self) -> Function:
        function: Any = self.func
        return function

    @property
    def unbound(self) -> Function:
        """The function that its class has."""
        return self.function._class_has or self.function

    @property
    def __self__(self) -> Any:
        return self.args[0]

    def __get__(self, instance: Any, owner: type | None = None) -> BoundFunction:
        """Itself: it is bound already, also where a class has it."""
        return self

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """As `Function.get_concrete_function`, for this instance."""
        if self.function._declared is not None and not args and not kwargs:
            args, kwargs = self.function._declared.arguments()
        return self.function.get_concrete_function(self.__self__, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.func, name)

    def __repr__(self) -> str:
        return f"<bound {self.function!r} of {self.__self__!r}>"
