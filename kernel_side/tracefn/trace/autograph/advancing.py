"""Iterators from outside: each call takes what comes next, and a trace that is given up gives back what it took."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ...errors import UnsupportedFunctionError, message
from ..context import Trace, current
from ..foreign import call
from ..origin import user_source, where
from ..state.compared import reference
from ..state.taken import put_back, take

MOST_TAKEN = 1000
"""Items of an iterator that a loop takes: each is a step of the graph."""


def advanced(trace: Trace, iterator: Any, default: tuple[Any, ...]) -> Any:
    """`next(iterator, default)`, a step of the graph."""
    return call(_Taking(trace, iterator, lambda taken: taken(), default), (), {}, name="next")


class _Taking:
    """A step that takes what comes next. What it takes while tracing is noted by the trace; what it takes later, the
    program gives back that is not run to its end."""

    __name__ = "next"

    def __init__(
        self, trace: Trace, iterator: Any, give: Callable[[Callable[[], Any]], Any], default: tuple[Any, ...] = ()
    ) -> None:
        self._iterator = iterator
        self._give = give
        self._default = default
        self._noted: Any = trace.root.taken
        found = trace.root.place_of(iterator)
        self._place = None if found is None else (reference(found[0]), *found[1:])
        self._last: list[Any] = []

    def __call__(self) -> Any:
        self._last = []
        try:
            return self._give(self._take)
        except StopIteration:
            if self._default:
                return self._default[0]
            raise

    def _take(self) -> Any:
        value = take(self._iterator)
        if self._noted is not None:
            self._noted.append((self._iterator, value))
            self._noted = None
        else:
            self._last = [(self._iterator, value)]
        return value

    def undo(self) -> Callable[[], None]:
        """What gives back what the last call took."""
        last, place = self._last, self._place

        def give_back() -> None:
            owner = None if place is None else place[0]()
            put_back(last, lambda iterator: None if place is None or owner is None else (owner, *place[1:]))

        return give_back


class Items:
    """What a loop finds in an iterator from outside, `most` items or all: each is taken when the loop comes to it."""

    def __init__(self, iterator: Any, most: int | None) -> None:
        self._iterator = iterator
        self._most = most

    def __iter__(self) -> Iterator[Any]:
        for count in itertools.count():
            trace = current()
            if count == self._most:
                return
            if trace is None or count > MOST_TAKEN:
                _refuse(self._iterator)
            found = call(_Taking(trace, self._iterator, _if_any), (), {}, name="next")
            if found is None:
                return
            yield found[0]


def _if_any(take: Callable[[], Any]) -> Any:
    try:
        return (take(),)
    except StopIteration:
        return None


def items_taken(value: Any, is_left: bool) -> Any:
    """What a `for` statement goes over in the place of an iterator from outside. One that may be left while it runs
    does not take all."""
    trace = current()
    if trace is not None and isinstance(value, Iterator) and trace.is_outside(value):
        value = Items(value, None)
    if type(value) is Items and is_left:
        _refuse(value._iterator)
    return value


def refuse_iterator(value: Any) -> None:
    """Raises for a loop over an iterator from outside, which it would empty while tracing."""
    trace = current()
    if trace is not None and isinstance(value, Iterator) and trace.is_outside(value):
        _refuse(value)


def _refuse(iterator: Any) -> NoReturn:
    raise UnsupportedFunctionError(
        message(
            f"a loop goes over a {type(iterator).__name__} from outside, which each call would have to empty",
            where(user_source(3)),
            "Pass a list or an array, or loop over a tracefn.data.Dataset.",
        )
    )
