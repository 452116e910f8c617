"""Operations on containers with undecided contents: each runs in one branch per possible content."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ...active import TRACING, current
from ...context import Trace
from ...control.branches import choose, run_side
from ...control.one_of import OneOf
from ...control.undefined import Maybe
from ...control.unsettled import (
    Unsettled,
    held_by,
    holds_inputs,
    is_changed_inside,
    is_full,
    is_undecided,
    unsettled,
)
from ...origin import user_source
from ...state.journal import Operation
from ...state.place import Contents, content_of
from ...tensor import Tensor
from ...values.graph_list import GraphList
from .changes import name_of, refuse_undecided, refuse_unknown

MAX_CONDITIONS = 3
"""The limit of conditions that decide the content of one container: each doubles the traced code."""

VALUE = "the value"
Values = dict[Any, Any]


class Fork(NamedTuple):
    """The content of a container for each value of a condition: another fork, or the content itself."""

    test: Tensor
    holds: Any
    fails: Any


class Option(NamedTuple):
    """One of the values that a choice may be."""

    choice: OneOf
    number: int
    value: Any

    @contextlib.contextmanager
    def decided(self, trace: Trace) -> Iterator[None]:
        """A branch in which the choice is this one."""
        around, trace.fixed.decided = trace.fixed.decided, {**trace.fixed.decided, id(self.choice.which): self.number}
        try:
            yield
        finally:
            trace.fixed.decided = around


def undecided(container: Any) -> bool:
    """True while tracing for a container with undecided contents."""
    if not TRACING or not isinstance(container, list | dict | deque) or type(container) is GraphList:
        return False
    trace = current()
    return trace is not None and trace.root.has_undecided and is_undecided(container)


def split(owner: Any, run: Callable[[], Any]) -> Any:
    """The result of a function that reads or changes a container, for each possible content."""
    return split_values(owner, lambda: {VALUE: run()})[VALUE]


def split_values(owner: Any, run: Callable[[], Values]) -> Values:
    """The same of a function that gives several values by name."""
    trace = current()
    assert trace is not None
    refuse_unknown(trace, owner)
    holds_inputs(trace, owner)
    return _branch(trace, _fork(trace, owner), functools.partial(_with, owner, run))


def _branch(trace: Trace, found: Any, run: Callable[[Any], Values]) -> Values:
    if type(found) is Option:
        with found.decided(trace):
            return run(found.value)
    if type(found) is not Fork:
        return run(found)
    known = trace.fixed.conditions.get(id(found.test._node))
    if known is not None:
        return _branch(trace, found.holds if known else found.fails, run)

    def side(holds: bool) -> Callable[[], Values]:
        def traced() -> Values:
            inner = current()
            assert inner is not None
            with assuming(inner, found.test, holds):
                return _branch(inner, found.holds if holds else found.fails, run)

        return traced

    sides = [run_side(trace, name, side(holds)) for name, holds in (("if_true", True), ("if_false", False))]
    ends = [s.values for s in sides]
    if all(end is not None and type(end.get(VALUE)) is bool and len(end) == 1 for end in ends):
        truths = [end[VALUE] for end in ends if end is not None]
        if truths == [True, False]:
            return {VALUE: found.test}
    return choose(trace, "cond", found.test, sides)


def _with(owner: Any, run: Callable[[], Values], content: Any) -> Values:
    """The result of a function for one content of the container. Its content after the function is a change."""
    trace = current()
    assert trace is not None
    place, journal = Contents(owner, name_of(owner)), trace.journal
    before, is_new = place.load(), place not in journal
    items = {p.key for p in journal.places() if p.owner is owner}
    operations = journal.operations.get(place)
    journal.will_change(place, user_source(3))
    place.store(content)
    held = place.load()
    found = run()
    if _is_same(place.load(), held):
        place.store(before)
        journal.operations[place] = operations
        if is_new:
            journal.forget(place)
    journal.forget(*[p for p in journal.places() if p.owner is owner and p.key not in items and p != place])
    return found


def _is_same(left: Any, right: Any) -> bool:
    if isinstance(left, dict) and list(left) != list(right):
        return False
    return len(left) == len(right) and all(a is b for a, b in zip(held_by(left), held_by(right), strict=True))


@contextlib.contextmanager
def assuming(trace: Trace, test: Any, holds: bool) -> Iterator[None]:
    """A branch that is run where a condition holds, or where it does not."""
    fixed = trace.fixed
    around = fixed.conditions
    if type(test) is Tensor:
        fixed.conditions = {**around, id(test._node): holds}
    try:
        yield
    finally:
        fixed.conditions = around


def _fork_of(choice: OneOf) -> Any:
    """The options of a choice."""
    *others, last = [Option(choice, n, choice.option(n)) for n in choice.all_numbers()]
    known = choice.which if type(choice.which) is int else choice.fixed.decided.get(id(choice.which))
    if known is not None:
        return next(option for option in [*others, last] if option.number == known)
    tree: Any = last
    for option in reversed(others):
        tree = Fork(choice.which == option.number, option, tree)
    return tree


def _fork(trace: Trace, owner: Any) -> Any:
    """The tree of possible contents of a container."""
    if (found := unsettled(owner)) is not None:
        return _fork_of(found.choice)
    if any(type(value) is Unsettled for value in held_by(owner)):
        refuse_undecided(owner)
    done = _operations(trace, owner)
    tests: list[Any] = []
    for value in held_by(owner) if done is None else [a for operation in done for a in operation.args]:
        if type(value) is Maybe and type(value.is_set) is Tensor:
            if not any(value.is_set._node is test._node for test in tests):
                tests.append(value.is_set)
    if len(tests) > MAX_CONDITIONS:
        refuse_undecided(owner)

    def tree_of(tests: list[Any], known: dict[int, bool]) -> Any:
        if not tests:
            return _settled(owner, known) if done is None else _after(trace, owner, done, known)
        test, *others = tests
        return Fork(test, *[tree_of(others, {**known, id(test._node): holds}) for holds in (True, False)])

    return tree_of(tests, {})


def _operations(trace: Trace, owner: Any) -> list[Operation] | None:
    """The operations on a full bounded deque, whose dropped items the call decides. None for other containers."""
    if not is_full(owner):
        return None
    place = Contents(owner, "")
    done = None if is_changed_inside(trace, place) else trace.root.journal.operations.get(place)
    if done is None:
        refuse_undecided(owner)
    return done


def _after(trace: Trace, owner: Any, done: list[Operation], known: dict[int, bool]) -> Any:
    """The content of a container after the operations whose conditions hold."""
    found = content_of(trace.root.journal.restored(owner, owner))
    if trace.is_outside(owner):
        for key, value in list(enumerate(found)):
            found[key] = trace.read_original(owner, key, value)
    for operation in done:
        if all(_is_there(a, known) for a in operation.args):
            getattr(found, operation.method)(*map(_itself, operation.args))
    return found


def _settled(owner: Any, known: dict[int, bool]) -> Any:
    """The contents where it is known which conditions hold."""
    if isinstance(owner, dict):
        return {k: _itself(v) for k, v in dict.items(owner) if _is_there(v, known)}
    return [_itself(v) for v in owner if _is_there(v, known)]


def _is_there(value: Any, known: dict[int, bool]) -> bool:
    if type(value) is not Maybe or type(value.is_set) is bool:
        return type(value) is not Maybe or value.is_set
    return known[id(value.is_set._node)]


def _itself(value: Any) -> Any:
    return value.value if type(value) is Maybe else value


class Waiting:
    """An iterator over a container with undecided contents: it is made in each branch."""

    def __init__(self, owner: Any, make: Callable[[], Any]) -> None:
        self.owner = owner
        self.make = make

    def __iter__(self) -> Any:
        refuse_undecided(self.owner)

    __next__ = __len__ = __iter__


def owner_in(values: Any) -> Any:
    """The first container with undecided contents among some values, or None."""
    for value in values:
        if type(value) is Waiting and undecided(value.owner):
            return value.owner
        if undecided(value):
            return value
        if type(value) in (tuple, list) and (found := owner_in(value)) is not None:
            return found
    return None


def made(value: Any) -> Any:
    """An iterator that has waited, any other value as it is."""
    return value.make() if type(value) is Waiting and not undecided(value.owner) else value


_LAZY = frozenset(
    {enumerate, zip, map, filter, reversed, iter, itertools.chain, itertools.islice, itertools.zip_longest}
)
_KEEPING = frozenset({print, isinstance, type, id, setattr, getattr, hasattr, delattr, callable, vars})
"""Functions that do not read the contents of containers among their arguments."""


def of_contents(function: Any, called: Callable[..., Any]) -> Callable[..., Any]:
    """A function that also takes containers with undecided contents."""
    if function in _KEEPING:
        return called

    def call(*args: Any, **kwargs: Any) -> Any:
        owner = owner_in((*args, *kwargs.values()))
        if owner is None:
            return called(*map(made, args), **kwargs)
        if function in _LAZY:
            return Waiting(owner, lambda: call(*args, **kwargs))
        return split(owner, lambda: call(*args, **kwargs))

    return call


_ADDS = frozenset({"append", "appendleft", "extend", "extendleft"})
_VIEWS = frozenset({"items", "values", "keys"})


def method_of_contents(trace: Trace, owner: Any, name: str, method: Callable[[Any, str], Any]) -> Any:
    """The function that `owner.name(…)` calls where it reads a container whose content the call decides. None where
    there is no such container, or the method can be called later."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return method(owner, name)(*args, **kwargs)

    if undecided(owner) and name != "clear" and not (name in _ADDS and _can_grow(trace, owner)):
        if name in _VIEWS:
            return lambda: Waiting(owner, call)
        return lambda *args, **kwargs: split(owner, lambda: call(*args, **kwargs))
    return None


def _can_grow(trace: Trace, owner: Any) -> bool:
    """True for a container that can grow whatever its content is."""
    return unsettled(owner) is None and not is_full(owner) and not trace.journal.has_items(owner)


__all__ = [
    "Waiting", "assuming", "made", "method_of_contents", "of_contents", "owner_in", "split", "split_values",
    "undecided",
]  # fmt: skip
