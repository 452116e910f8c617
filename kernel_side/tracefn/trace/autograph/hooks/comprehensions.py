"""Lists that rewritten code makes: displays that may grow, and comprehensions, which are loops that append."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from ... import provided
from ...active import current
from ...control.one_of import MadeOfOne, OneOf
from ...entering import UnrolledRounds
from ...origin import user_source
from ...reads import in_trace
from ...references import ARGUMENT
from ...tensor import Tensor
from ...trace_parts.list_kinds import Maker
from ...values.graph_list import GraphList
from ..containers.contents import rounds_over
from ..containers.split import made, owner_in, split
from ..iterators.advancing import items_taken
from ..iterators.iterables import is_staged_iterable
from .conditions import condition
from .loops import _nothing, each
from .variables import Variables


def new_list(values: list[Any], column: int = 0) -> list[Any]:
    """A list that may grow in a staged loop, made at this column of the line."""
    if (trace := current()) is None or type(values) is not list:
        return values
    maker = Maker(user_source(), column)
    return values if maker in trace.root.list_kinds.plain else GraphList(values, maker)


def list_comp(
    iterable: Any, value: Callable[[Any], Any], test: Callable[[Any], Any] | None = None, part: Hashable = None
) -> Any:
    """`[value(item) for item in iterable if test(item)]`. `part` tells it from other lists of the line."""
    if (owner := owner_in((iterable,))) is not None:
        return split(owner, lambda: list_comp(made(iterable), value, test, part))
    if type(iterable) is MadeOfOne or (type(iterable) is OneOf and iterable.is_iterated_by_option):
        return iterable.split(lambda option: list_comp(option, value, test, part))
    iterable = rounds_over(items_taken(in_trace(iterable)))
    is_staged = is_staged_iterable(iterable)
    trace = current()
    if trace is None or (test is None and not is_staged):
        return _listed(iterable, value, test)
    maker = Maker(user_source(), part)
    found: list[Any] = [] if maker in trace.root.list_kinds.plain else GraphList((), maker)

    def append(made: Any) -> None:
        if type(found) is GraphList:
            found.append(made, ARGUMENT)
        else:
            provided.method(found, "append")(made)  # the journal of a branch notes it

    def add(item: Any) -> None:
        if test is None:
            append(value(item))
            return
        holds, inner = condition(test(item)), current()
        if type(holds) is Tensor and inner is not None:
            Variables((), tuple, lambda state: None).branch(inner, holds, lambda: append(value(item)), _nothing)
        elif holds:
            append(value(item))

    if is_staged:
        each(iterable, add, tuple, lambda state: None, ())
        return found
    loop = UnrolledRounds(trace, "comprehension")
    for item in iterable:
        with loop:
            add(item)
    return list(found) if type(found) is GraphList and not found.is_staged else found


def _listed(iterable: Any, value: Callable[[Any], Any], test: Callable[[Any], Any] | None) -> list[Any]:
    loop, found = UnrolledRounds(current(), "comprehension"), []
    for item in iterable:
        with loop:
            if test is None or test(item):
                found.append(value(item))
    return found
