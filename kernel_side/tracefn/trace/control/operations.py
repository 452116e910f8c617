"""Containers from outside that branches append to: each call appends what the branch that runs does."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ..context import Trace
from ..state.journal import Journal, Operation
from ..state.place import MISSING, Contents, Item
from .undefined import Maybe, Undefined

_CAN_BE_LEFT_OUT = {"append", "appendleft"}


@dataclasses.dataclass(frozen=True, eq=False)
class Step:
    """One operation on a container, which one side or every side does."""

    place: Contents
    method: str

    def __str__(self) -> str:
        return f"{self.place}.{self.method}(…)"


def taken_apart(sides: Sequence[Any]) -> list[Step]:
    """Replaces what branches did to containers, where that can be done again, by a value for each operation: what is
    passed, unset in the branches that do not do it. Gives the operations in order."""
    returning = [side for side in sides if side.values is not None]
    places = list(dict.fromkeys(p for side in returning for p in side.operations))
    found: list[Step] = []
    for place in places:
        done: list[list[Operation]] = [
            [] if place not in side.values else side.operations.get(place) or _NONE for side in returning
        ]
        if any(operations is _NONE for operations in done):
            continue
        is_same = len({tuple((o.method, len(o.args)) for o in operations) for operations in done}) == 1
        is_keyed = id(place.owner) in returning[0].body.root.keyed
        can_be_left_out = is_keyed or all(o.method in _CAN_BE_LEFT_OUT for operations in done for o in operations)
        if not is_same and not can_be_left_out:
            continue
        for side in returning:
            side.values.pop(place, None)
        if is_same:
            for number, operation in enumerate(done[0]):
                step = Step(place, operation.method)
                for side, operations in zip(returning, done, strict=True):
                    side.values[step] = operations[number].args
                found.append(step)
            continue
        for side, operations in zip(returning, done, strict=True):
            for operation in operations:
                step = Step(place, operation.method)
                for other in returning:
                    other.values[step] = operation.args if other is side else Undefined(str(step))
                found.append(step)
    return found


_NONE: list[Operation] = []


def do_again(trace: Trace, steps: Sequence[Step], chosen: dict[Any, Any]) -> None:
    """Does the operations in the trace around the branches, with the values that these have become."""
    for step in steps:
        args = chosen.pop(step)
        if type(args) is Maybe:  # whether it is done is decided at the call
            args = tuple([Maybe(str(step), value, args.is_set) for value in args.value])
        if id(step.place.owner) in trace.root.keyed:
            trace.journal.will_do_at_key(step.place, step.method, args)
            continue
        trace.journal.will_do(step.place, step.method, args)
        getattr(step.place.owner, step.method)(*args)


def with_whole_contents(sides: Sequence[Any]) -> None:
    """Items that a side sets, of a container that another side changes as a whole, become what all of it holds."""
    returning = [side.values for side in sides if side.values is not None]
    whole = {id(p.owner): p for values in returning for p in values if isinstance(p, Contents)}
    for values in returning:
        for item in [p for p in values if isinstance(p, Item) and id(p.owner) in whole]:
            contents = values.setdefault(whole[id(item.owner)], item.owner.copy())
            after = values.pop(item)
            if after is MISSING:
                contents.pop(item.item, None)
            else:
                contents[item.item] = after


def operations_of(journal: Journal) -> dict[Contents, list[Operation]]:
    """What a body did to containers that can be done again, by place."""
    return {p: o for p, o in journal.operations.items() if o is not None and isinstance(p, Contents)}
