"""Lists and dicts as items of a list that the graph keeps: each round of a loop has to make one of its own.

The graph keeps the content of an item, so that code must not see which object it is: one that other items are as well,
or that a name holds from before the round, is refused. What has been put into the list, or was read from it, is lent:
it neither changes nor leaves the round otherwise.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

from ..context import Trace
from ..references import ITEM, holders
from .records import parts_of, record_of


def is_made_now(trace: Trace, item: Any, is_alone: bool) -> bool:
    """True if this round has made the lists and dicts in an item, and no list of the graph has them. One that
    `is_alone` has no name."""
    found = [id(container) for container in _changeable(item)]
    return len(set(found)) == len(found) and _is_made_now(trace, item, is_alone)


def _is_made_now(trace: Trace, item: Any, is_alone: bool) -> bool:
    if not _may_change(item):
        return True
    around = round_of(trace)
    if is_lent(trace, item) or not (is_alone or (around.repeats and id(item) in around.new_containers)):
        return False
    are_alone = [holders(part) <= ITEM for part in parts_of(item)]
    return all(map(functools.partial(_is_made_now, trace), parts_of(item), are_alone))


def are_made_now(trace: Trace, items: Iterator[Any]) -> bool:
    """The same of the items of one list, which it alone holds."""
    return all(holders(item) <= ITEM and is_made_now(trace, item, True) for item in items)


def is_lent(trace: Trace, container: Any) -> bool:
    """True for a container that a library, an iterator or a list of the graph holds as well."""
    around: Any = trace
    while around is not None:
        if id(container) in around.kept_items:
            return True
        around = getattr(around, "parent", None)
    return id(container) in trace.root.lent


def round_of(trace: Trace) -> Trace:
    """The round of a loop that a trace is a part of; outside of loops the whole one."""
    around: Any = trace
    while not around.repeats and (parent := getattr(around, "parent", None)) is not None:
        around = parent
    return around


def keep(trace: Trace, item: Any) -> None:
    """Notes that a list of the graph has an item."""
    for container in _changeable(item):
        round_of(trace).kept_items[id(container)] = container


def _changeable(item: Any) -> Iterable[Any]:
    if _may_change(item):
        yield item
        for part in parts_of(item):
            yield from _changeable(part)


def _may_change(item: Any) -> bool:
    record = record_of(item)
    return record is not None and record.may_change
