"""Containers from outside that branches append to, and sets that they change: each call does what the branch that runs
does."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.op import by_name
from ..context import Trace
from ..state.compared import items, like
from ..state.journal import Journal, Operation
from ..state.place import MISSING, Contents, Item, content_of
from ..trace_parts.container_steps import ContainerStep
from ..tree import containers, parts
from .chosen import may_live
from .joins import refuse
from .outside_containers import is_outside_container
from .undefined import Maybe, Undefined

_CAN_BE_LEFT_OUT = {"append", "appendleft"}


def taken_apart(sides: Sequence[Any]) -> list[ContainerStep]:
    """Replaces operations of branches on containers, where they can be done again, by a value for each operation: its
    argument, unset in the branches that do not do it. Gives the operations in order."""
    returning = [side for side in sides if side.values is not None]
    places = list(dict.fromkeys(p for side in returning for p in side.operations))
    found: list[ContainerStep] = []
    for place in places:
        done: list[list[Operation]] = [
            [] if place not in side.values else side.operations.get(place) or _NONE for side in returning
        ]
        if any(operations is _NONE for operations in done):
            continue
        is_same = len({tuple(map(_form, operations)) for operations in done}) == 1
        done = done if is_same else [_one_by_one(operations) for operations in done]
        is_keyed = id(place.owner) in returning[0].body.root.keyed
        if not is_same and any(not operation.args for operations in done for operation in operations):
            if is_keyed:
                refuse(f"only some branches clear `{place}`", "which changes at a key that a traced value decides")
        elif not is_same:
            is_keyed = is_keyed or _waits(returning, place)
        can_be_left_out = is_keyed or all(o.method in _CAN_BE_LEFT_OUT for operations in done for o in operations)
        if not is_keyed and (_sets_items(returning, place) or not (is_same or can_be_left_out)):
            continue
        for side in returning:
            side.values.pop(place, None)
        if is_same:
            for number, operation in enumerate(done[0]):
                step = ContainerStep(place, operation.method)
                for side, operations in zip(returning, done, strict=True):
                    side.values[step] = operations[number].args
                found.append(step)
            continue
        for number, (side, operations) in enumerate(zip(returning, done, strict=True)):
            for operation in operations:
                step = ContainerStep(place, operation.method, number)
                for other in returning:
                    other.values[step] = operation.args if other is side else Undefined(str(step))
                found.append(step)
    return found


def _waits(sides: Sequence[Any], place: Contents) -> bool:
    """True for a set that branches change in different ways: from here on only the call knows what is in it."""
    around = sides[0].body.parent
    if type(place.owner) is not set or not can_wait(around, place.owner):
        return False
    around.root.keyed[id(place.owner)] = place.owner
    return True


def can_wait(trace: Any, owner: Any) -> bool:
    """True if a change can be delayed until after the program: once a call, and after all other changes of the
    container."""
    if not trace.is_outside(owner):
        return False
    around = trace
    while around is not None:
        place = Contents(owner, "")
        if around.repeats or (place in around.journal and around.journal.operations.get(place) is None):
            return False
        around = getattr(around, "parent", None)
    return True


def _form(operation: Operation) -> tuple[str, int, int, bool]:
    """The method, the numbers of arguments and of items to add, and whether only the call knows if it is done: those of
    operations that are one on all sides."""
    count = len(operation.args[0]) if operation.method in _EACH else 0
    return operation.method, len(operation.args), count, any(type(a) is Maybe for a in operation.args)


def _one_by_one(operations: list[Operation]) -> list[Operation]:
    """Operations that add one item each, of those that add all items of a list."""
    found = []
    for operation in operations:
        method = _EACH.get(operation.method)
        found += [operation] if method is None else [Operation(method, (item,)) for item in operation.args[0]]
    return found


_EACH = {"extend": "append", "extendleft": "appendleft"}


def _sets_items(sides: Sequence[Any], place: Contents) -> bool:
    return any(isinstance(k, Item) and k.owner is place.owner for side in sides for k in side.values)


_NONE: list[Operation] = []


def do_again(trace: Trace, steps: Sequence[ContainerStep], chosen: dict[Any, Any], test: Any) -> None:
    """Does the operations in the trace around the branches, with the values that these have become. `test` is the
    condition of an `if`, which says of two sides which one runs."""
    tests: dict[int | None, Any] = {0: test}
    if test is not None and any(step.side == 1 for step in steps):
        tests[1] = trace.record(by_name("not"), (test,), {})
    for step in steps:
        args = chosen.pop(step)
        if type(args) is Maybe:  # whether it is done is decided at the call
            is_done = args.is_set if test is None else tests[step.side]
            args = tuple([_done_where(trace, is_done, str(step), value) for value in args.value])
        if id(step.place.owner) in trace.root.keyed:
            trace.journal.will_do_at_key(step.place, step.method, args)
            continue
        trace.journal.will_do(step.place, step.method, args)
        getattr(step.place.owner, step.method)(*args)


def _changed_containers(sides: Sequence[Any]) -> set[int]:
    """The ids of the containers that branches have changed."""
    places = [place for side in sides for place in side.values or () if isinstance(place, Contents | Item)]
    return {id(place.owner) for place in places}


def _staying_containers(sides: Sequence[Any]) -> set[int]:
    """The ids of changed containers that stay the objects that they are: those that several sides hold or change were
    there before the branches, and of those of the only side that returns there are no others."""
    changed = _changed_containers(sides)
    returning = [side.values for side in sides if side.values is not None]
    if len(returning) < 2 or not changed:
        return changed
    found: Counter[int] = Counter()
    for values in returning:
        held = {id(container) for value in values.values() for _, container in containers(value, ())}
        found.update(held | {id(place.owner) for place in values if isinstance(place, Contents | Item)})
    return {number for number in changed if found[number] > 1}


def with_changed_containers(sides: Sequence[Any], is_of_none: Callable[[Any], bool]) -> set[int]:
    """Containers that a side has changed, and leaves in a variable or place that other sides leave another way, have
    there their content at the end of that side. Some stay the objects that they are, whose content is set behind the
    branches: of those `is_of_none` is true if they hold nothing which the branches have computed. Gives the ids of the
    changed ones that do not stay."""
    staying = _staying_containers(sides)

    def is_kept(value: Any) -> bool:
        return id(value) in staying and (parts(value) is None or is_of_none(value))

    returning = [side for side in sides if side.values is not None]
    for side in returning:
        left: dict[int, Any] = {}
        for place, after in side.values.items():
            if isinstance(place, Contents):
                left[id(place.owner)] = after
            elif isinstance(place, Item):
                if id(place.owner) not in left:
                    left[id(place.owner)] = content_of(place.owner)
                _set(left[id(place.owner)], place.item, after)
        if not left:
            continue
        made: dict[int, tuple[Any, Any]] = {}
        for key, value in list(side.values.items()):
            if len(returning) == 1 or not all(other.values.get(key) is value for other in returning):
                side.values[key] = _at_the_end(value, left, (), made, is_kept)
        if len(returning) == 1:
            for place, operations in side.operations.items():
                args = [tuple([_at_the_end(arg, left, (), made, is_kept) for arg in o.args]) for o in operations]
                side.operations[place] = [Operation(o.method, a) for o, a in zip(operations, args, strict=True)]
    return _changed_containers(sides) - staying


def _at_the_end(
    value: Any,
    left: dict[int, Any],
    around: tuple[int, ...],
    made: dict[int, tuple[Any, Any]],
    is_kept: Callable[[Any], bool],
) -> Any:
    """A value with the containers in it as they are `left`; those from outside are changed by steps of their own. One
    object becomes one of those that are `made`, too."""
    if not (type(value) in _CONTAINERS or may_live(value)) or id(value) in around or is_outside_container(value):
        return value
    if id(value) in made:
        return made[id(value)][1]
    if id(value) in left and is_kept(value):
        return value
    now, inside = left.get(id(value), value), (*around, id(value))
    held = list(items(now))
    found = [_at_the_end(item, left, inside, made, is_kept) for item in held]
    if now is value and all(new is old for new, old in zip(found, held, strict=True)):
        return value
    new = like(now, dict(zip(now, found, strict=True)) if isinstance(now, dict) else found)
    made[id(value)] = value, new
    return new


_CONTAINERS = (list, dict, tuple, deque, OrderedDict, defaultdict)


def _set(container: Any, key: Any, value: Any) -> None:
    if value is MISSING:
        container.pop(key, None)
    else:
        container[key] = value


def _done_where(trace: Trace, test: Any, name: str, value: Any) -> Maybe:
    """An argument of an operation that is done where a condition holds, and where one in the branch held."""
    if type(value) is not Maybe:
        return Maybe(name, value, test)
    if value.is_set is True:
        return Maybe(name, value.value, test)
    both = trace.record(by_name("bool"), (np.logical_and(test, value.is_set),), {})
    return Maybe(name, value.value, both)


def operations_of(journal: Journal) -> dict[Contents, list[Operation]]:
    """A body's operations on containers that can be done again, by place."""
    return {p: o for p, o in journal.operations.items() if o is not None and isinstance(p, Contents)}
