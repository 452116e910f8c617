"""`tracefn.no_fallback`: a block of code in which a call that runs eagerly instead of as a graph is an error."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from ..errors import FallbackError, message
from ..events import BUS, Event, Fallback, live_counters
from ..events.units import count
from ..function.traced import FUNCTIONS
from .words import place


class no_fallback:
    """A block at whose end `FallbackError` is raised if a traced function ran eagerly in it.

    Parameters
    ----------
    function: Function, optional
        The only function that must run as a graph. None: all of them.

    The error names every function, with the line that stands in the way, the reason, and the advice. The calls
    themselves are made, eagerly. An error that the block raises itself comes out as it is. It holds for all threads.

    >>> import numpy as np, tracefn, warnings
    >>> warnings.simplefilter("ignore", tracefn.errors.FallbackWarning)
    >>> f = tracefn.function(lambda x: x.tobytes() if x.dtype == int else x + 1, on_unsupported="eager")
    >>> with tracefn.no_fallback():
    ...     f(np.ones(2))
    array([2., 2.])
    >>> with tracefn.no_fallback():
    ...     _ = f(np.arange(2))
    Traceback (most recent call last):
    tracefn.errors.FallbackError: `lambda` ran eagerly (1 call, x: int64[2]): argument `x` (int64[2]) was read with ...
      ...
    """

    def __init__(self, function: Any = None) -> None:
        self._function = None if function is None else _plain(function)
        self._before: dict[str, int] = {}
        self._found: list[Fallback] = []
        self._stop: Callable[[], None] = _nothing

    def __enter__(self) -> no_fallback:
        self._before = _eager_calls()
        self._found = []
        self._stop = BUS.listen(self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop()
        if error is None:
            self.check()

    def _hear(self, event: Event) -> None:
        if isinstance(event, Fallback):
            self._found.append(event)

    def check(self) -> None:
        """Raises the error of the block now, if there is one."""
        calls = {n: now - self._before.get(n, 0) for n, now in _eager_calls().items() if now > self._before.get(n, 0)}
        calls = {**{event.signature or "": 1 for event in self._found if event.eager_ns}, **calls}
        texts = [text for name, times in calls.items() if (text := self._text(name, times))]
        if texts:
            raise FallbackError("\n".join(texts))

    def _text(self, name: str, times: int) -> str:
        """The message about calls of this name: `f#3/eager1`. Empty for functions that are not watched."""
        owner = name.rpartition("/")[0]
        function = FUNCTIONS.living(owner)
        if self._function is not None and (function is None or _plain(function) is not self._function):
            return ""
        fallbacks = [] if function is None else function.fallbacks
        found: Any = next((f for f in fallbacks if f.id == name), None)
        found = found or next((event for event in self._found if event.signature == name), None)
        head = f"`{owner.rpartition('#')[0]}` ran eagerly ({count(times, 'call')}"
        if found is None:
            return f"{head})"
        where = place(found.location).removeprefix(" in ")
        return message(f"{head}, {found.signature_text}): {found.reason}", where, found.fix)


def _eager_calls() -> dict[str, int]:
    """The number of eager calls so far, by name."""
    return {c.signature: c.count for c in live_counters() if c.signature.rpartition("/")[2].startswith("eager")}


def _plain(function: Any) -> Any:
    """The Python function behind a traced one, or behind a method of an instance."""
    wrapped = getattr(function, "_wrapped", None)
    if wrapped is None:
        raise TypeError(f"no_fallback takes a traced function, not {type(function).__name__}")
    return wrapped.function


def _nothing() -> None: ...
