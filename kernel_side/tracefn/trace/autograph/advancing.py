"""Iterators from outside: each call takes what comes next, and a trace that is given up gives back what it took."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ...errors import UnsupportedFunctionError, message
from ..context import Trace, current
from ..foreign import call
from ..origin import user_source, where
from ..state.taken import put_back, take
from .running import runs_alone


def advanced(trace: Trace, iterator: Any, default: tuple[Any, ...]) -> Any:
    """`next(iterator, default)`, a step of the graph."""
    if not runs_alone(trace, iterator):
        refuse_generator(iterator)
    return call(_Advance(trace, iterator, default), (), {}, name="next")


class _Advance:
    """Takes the next item. Items taken while tracing are noted as pairs of iterator and value; items taken later are
    given back by the functions that join `undo`."""

    __name__ = "next"

    def __init__(self, trace: Trace, iterator: Any, default: tuple[Any, ...]) -> None:
        self.taken: list[tuple[Any, Any]] = []
        self.undo: list[Callable[[], None]] = []
        self._of_trace: list[tuple[Any, Any]] | None = trace.root.taken
        self._place_of = trace.root.place_of
        self._iterator = iterator
        self._default = default

    def __call__(self) -> Any:
        of_trace, self._of_trace = self._of_trace, None
        try:
            value = take(self._iterator)
        except StopIteration:
            if self._default:
                return self._default[0]
            raise
        if of_trace is None:
            self._note([(self._iterator, value)])
        else:
            of_trace.append((self._iterator, value))
            self.taken.append((self._iterator, value))
        return value

    def first_run(self) -> None:
        """Called when the first run of a program uses the items that were taken while tracing."""
        self._note(self.taken)

    def _note(self, taken: list[tuple[Any, Any]]) -> None:
        self.undo.append(functools.partial(put_back, taken, self._place_of))


def refuse_generator(iterator: Any) -> NoReturn:
    """Raises for an iterator that runs user code, which may read and change state."""
    raise UnsupportedFunctionError(
        message(
            f"a {type(iterator).__name__} from outside runs code that reads or changes more than it holds itself",
            where(user_source(3)),
            "Take from it outside the traced function, and pass what it gives.",
        )
    )


MOST_TAKEN = 1000
"""Items of an iterator that a loop takes: each is a step of the graph."""


class _AdvanceIfAny(_Advance):
    """Takes the next item as a tuple of one; returns None at the end."""

    def __call__(self) -> Any:
        try:
            return (super().__call__(),)
        except StopIteration:
            return None


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
                self.refuse()
            if not runs_alone(trace, self._iterator):
                refuse_generator(self._iterator)
            found = call(_AdvanceIfAny(trace, self._iterator, ()), (), {}, name="next")
            if found is None:
                return
            yield found[0]

    def refuse(self) -> NoReturn:
        raise UnsupportedFunctionError(
            message(
                f"a loop goes over a {type(self._iterator).__name__} from outside, which each call would have to empty",
                where(user_source(3)),
                "Pass a list or an array, or loop over a tracefn.data.Dataset.",
            )
        )


def items_taken(value: Any, may_be_left: bool) -> Any:
    """What a `for` statement goes over in the place of an iterator from outside. One that may be left while it runs
    does not take all."""
    trace = current()
    if trace is not None and isinstance(value, Iterator) and trace.is_outside(value):
        value = Items(value, None)
    if type(value) is Items and may_be_left:
        value.refuse()
    return value


def refuse_iterator(value: Any) -> None:
    """Raises for a loop over an iterator from outside, which it would empty while tracing."""
    trace = current()
    if trace is not None and isinstance(value, Iterator) and trace.is_outside(value):
        Items(value, None).refuse()
