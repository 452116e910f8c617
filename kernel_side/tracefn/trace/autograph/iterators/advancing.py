"""Iterators from outside: each call takes the next elements, and a trace that is given up gives its own back."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ....errors import UnsupportedFunctionError, message
from ....ir.bail_out import BailOut
from ...active import current
from ...body import refuse_advanced
from ...context import Trace
from ...control.chosen import lend
from ...foreign import call
from ...foreign.foreseeing import refuse_if_it_raises
from ...origin import user_source, where
from ...state.lent import is_lent as is_held_elsewhere
from ...state.taken import Changed, Raised, element, put_back, take
from ...state.twins import END, twin
from ..special import special
from .resumed import Reached, begins_to_change, reached_by
from .running import inner_iterators, runs_alone


def advanced(trace: Trace, iterator: Any, default: tuple[Any, ...]) -> Any:
    """`next(iterator, default)`, a step of the graph."""
    return _step(trace, _Advance(trace, iterator, default))


def _step(trace: Trace, advance: _Advance) -> Any:
    iterator = advance.iterator
    if not runs_alone(trace, iterator):
        advance.reached = reached_by(trace, iterator)
        if advance.reached is None:
            refuse_generator(iterator)
        begins_to_change(trace, advance.reached)
    if not advance.has_twin:
        refuse_if_it_raises(trace, "an iterator that cannot be put back is advanced")
        if any(id(inner) in trace.root.ahead.twins for inner in inner_iterators(iterator)):
            refuse_generator(iterator)  # that one stays where it is until the trace is made
    found = call(advance, (), {}, name="next")
    if advance.lends:
        lend(trace, found)
    return found


class _Advance:
    """Takes the next item. While tracing it is taken from the iterator's twin, which leaves the iterator as it is.

    Items of one without a twin are noted as pairs of iterator and value: `taken` while tracing; those of later calls
    are given back by the functions that join `undo`. Where a call that `waits` raises, its iterators are as they were.
    """

    __name__ = "next"

    def __init__(self, trace: Trace, iterator: Any, default: tuple[Any, ...]) -> None:
        self.taken: list[tuple[Any, Changed]] = []
        self.undo: list[Callable[[], None]] = []
        self.iterator = iterator
        self.ahead = trace.root.ahead
        self.has_twin = twin(iterator, self.ahead.twins) is not None
        self.waits = False
        self._of_trace: list[tuple[Any, Any]] | None = trace.root.taken
        self._from_twin: Any = END  # while tracing
        self._place_of = trace.root.place_of
        self._default = default
        self.reached: Reached | None = None  # attributes that a generator uses
        self._moves = trace.root.moves
        self.lends = False  # arrays or containers that are held elsewhere, too

    def __call__(self) -> Any:
        of_trace, self._of_trace = self._of_trace, None
        value = self._next(of_trace)
        if value is not END:
            return value
        if self._default:
            return self._default[0]
        raise StopIteration

    def _next(self, of_trace: list[tuple[Any, Any]] | None) -> Any:
        """The next item, or END."""
        iterator, twin_gives = self.iterator, self.has_twin and (of_trace is not None or self.waits)
        reached = self.reached
        if reached is not None and not reached.is_simple:
            raise BailOut(f"a {type(iterator).__name__} uses other attributes than before")
        before = [] if reached is None else reached.now()
        try:
            if twin_gives:
                self.undo.append(self.ahead.begin)
                value = self.ahead.next(iterator)
            else:
                value = next(iterator, END) if self.has_twin else take(iterator)
        except BailOut:
            raise
        except Exception as error:
            value = Raised(error)
        is_lent = False if self.lends else is_held_elsewhere(value)
        if of_trace is not None:
            self.lends = is_lent
        if twin_gives:
            if of_trace is None:
                self.ahead.note(iterator, value)
            else:
                self._from_twin = value
        elif not self.has_twin:
            changed = Changed(value, () if reached is None else reached.changes(before))
            if of_trace is None:
                self._note([(iterator, changed)])
            else:
                of_trace.append((iterator, changed))
                self.taken.append((iterator, changed))
                self._moves.append(changed.undo)
        if is_lent and of_trace is None:
            raise BailOut(f"a {type(iterator).__name__} gives an object that is held elsewhere, too")
        if reached is not None and not reached.is_simple:
            raise BailOut(f"a {type(iterator).__name__} stores an object that is no number or text")
        return END if type(value) is Raised and isinstance(value.error, StopIteration) else element(value)

    def first_run(self) -> None:
        """Called when the first run of a program uses the items that were taken while tracing."""
        if not self.has_twin:
            for _, changed in self.taken:
                changed.again()
            self._note(self.taken)
            return
        self.ahead.note(self.iterator, self._from_twin)
        self._from_twin = END
        if self.waits:
            self.undo.append(self.ahead.begin)
        else:
            self.ahead.end()

    def _note(self, taken: list[tuple[Any, Any]]) -> None:
        self.undo.append(functools.partial(put_back, taken, self._place_of))


def refuse_generator(iterator: Any) -> NoReturn:
    """Raises for an iterator that runs user code, which may read and change state."""
    raise UnsupportedFunctionError(
        message(
            f"a {type(iterator).__name__} from outside runs code that reads or changes more than it holds itself",
            where(user_source(3)),
            "Take from it outside the traced function, and pass the items.",
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
    """The items that a loop finds in an iterator from outside, `most` items or all: each is taken when the loop comes
    to it."""

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
            found = _step(trace, _AdvanceIfAny(trace, self._iterator, ()))
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


def is_taken_from(trace: Trace, value: Any) -> bool:
    """True for an iterator from outside whose items are steps of the graph. One of a class of the user's is not: its
    code is traced."""
    return isinstance(value, Iterator) and trace.is_outside(value) and special(value, "__next__") is None


def items_taken(value: Any) -> Any:
    """The iterable of a `for` statement in the place of an iterator from outside."""
    trace = current()
    return Items(value, None) if trace is not None and is_taken_from(trace, value) else value


def refuse_iterator(value: Any) -> None:
    """Raises for a loop over an iterator from outside, which it would empty while tracing."""
    trace = current()
    if trace is not None and isinstance(value, Iterator):
        if trace.is_outside(value):
            Items(value, None).refuse()
        refuse_in_body(trace, value)


def refuse_in_body(trace: Trace, iterator: Any) -> None:
    """Raises where a branch or loop, which may run or not or many times, advances an iterator from before it."""
    if trace.is_from_before(iterator):
        refuse_advanced(iterator)
