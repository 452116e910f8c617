"""Special methods that run as they are written, as Python's own functions call them: their results of arrays from
outside are constants of the trace, though other steps of it read the same arrays at each call."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
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
            self.happened = any(map(self._is_special, _parts(values)))

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


def _parts(held: tuple[Any, ...]) -> Iterator[Any]:
    """The values, and those in the containers among them."""
    met: set[int] = set()
    pending = list(held)
    while pending:
        value = pending.pop()
        if id(value) in met:
            continue
        met.add(id(value))
        yield value
        if isinstance(value, dict):
            pending += [*dict.keys(value), *dict.values(value)]
        elif (base := next((cls for cls in _CONTAINERS if isinstance(value, cls)), None)) is not None:
            pending += base.__iter__(value)


_CONTAINERS: tuple[Any, ...] = (list, tuple, set, frozenset, deque)
