"""A traced method, bound to its instance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .concrete import ConcreteFunction

if TYPE_CHECKING:
    from .function import Function


class BoundFunction:
    """A traced method of one instance: `obj.method`. Has all attributes of its `Function`."""

    __slots__ = ("__self__", "function")

    def __init__(self, function: Function, instance: Any) -> None:
        self.function = function
        self.__self__ = instance

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.function(self.__self__, *args, **kwargs)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """As `Function.get_concrete_function`, for this instance."""
        if self.function._declared is not None and not args and not kwargs:
            args, kwargs = self.function._declared.arguments()
        return self.function.get_concrete_function(self.__self__, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __repr__(self) -> str:
        return f"<bound {self.function!r} of {self.__self__!r}>"
