"""Special methods that run as they are written, as Python's own functions call them: their results of arrays from
outside are constants of the trace, though other steps of it read the same arrays at each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class UnseenReads:
    """`special` are the classes of the user's objects that the trace has met, each with its special methods that read;
    `happened` is True once any of them may have run."""

    def __init__(self) -> None:
        self.special: dict[type, list[Any]] = {}
        self.happened = False

    def may_happen(self, *values: Any) -> None:
        """Notes that code which is not rewritten is given these values."""
        if not self.happened and any(self.special.values()):
            self.happened = any(map(self._is_special, values)) or any(
                self._is_special(v) for held in values if type(held) in (list, tuple, dict, set) for v in _parts(held)
            )

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that is not rewritten, where such objects are."""
        if self.happened or not any(self.special.values()):
            return function

        def call(*args: Any, **kwargs: Any) -> Any:
            self.may_happen(*args, *kwargs.values())
            return function(*args, **kwargs)

        return call

    def _is_special(self, value: Any) -> bool:
        return bool(self.special.get(type(value)))


def _parts(held: Any) -> Any:
    return (*held, *held.values()) if type(held) is dict else held
