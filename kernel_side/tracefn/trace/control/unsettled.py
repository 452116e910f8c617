"""Containers with undecided contents: branches leave them with different structures."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from ..context import Trace
from ..origin import user_source
from ..state.place import MISSING, Contents, Item, Place, content_of
from ..tree import flatten
from .joins import placeholder, refuse
from .one_of import VALUE, OneOf
from .undefined import Maybe
from .unlike import are_alike

MAX_CONTENTS = 4
"""More structures than a container may have: all that is done with it is traced for each."""


class Unsettled:
    """Stands in a container, as all that it holds, for one of several contents."""

    __slots__ = ("choice",)

    def __init__(self, choice: OneOf) -> None:
        self.choice = choice

    def __tracefn_flatten__(self) -> tuple[tuple[OneOf], None]:
        return (self.choice,), None

    @classmethod
    def __tracefn_unflatten__(cls, metadata: None, children: tuple[OneOf]) -> Unsettled:
        return cls(*children)

    def options(self) -> list[tuple[int, Any]]:
        """The number and the contents of each."""
        return [(number, self.choice.option(number)) for number in self.choice.all_numbers()]


def unsettled(container: Any) -> Unsettled | None:
    """The placeholder of several contents in a container."""
    if len(container) != 1:
        return None
    held = next(iter(held_by(container)))
    return held if type(held) is Unsettled else None


def held_by(container: Any) -> Any:
    return dict.values(container) if isinstance(container, dict) else container


def is_undecided(container: Any) -> bool:
    """True for a list, dict or deque with undecided contents."""
    return any(type(v) in (Maybe, Unsettled) for v in held_by(container))


def holds_inputs(trace: Trace, owner: Any) -> bool:
    """Makes the items of a container from outside inputs, and repeats the changes of the trace. False for a container
    whose items stay those of the traced call."""
    place, root = Contents(owner, ""), trace.root
    if id(owner) in root.symbolic:
        return True
    if is_changed_inside(trace, place):
        return False
    done = root.journal.operations.get(place) if place in root.journal else []
    if done is None or root.journal.has_items(owner) or isinstance(owner, set) or not root.is_outside(owner):
        return False
    root.read_items(owner)
    before = content_of(root.journal.restored(owner, owner))
    for key, value in list(dict.items(before) if isinstance(before, dict) else enumerate(before)):
        before[key] = root.read_original(owner, key, value)
    if place not in root.journal:
        root.journal.will_change(place, user_source(3))
    root.symbolic[id(owner)] = owner
    place.store(before)
    for operation in done:
        getattr(owner, operation.method)(*operation.args)
    return True


def is_changed_inside(trace: Trace, place: Contents) -> bool:
    """True for a container that a branch or loop under way has changed."""
    around: Any = trace
    while around is not trace.root:
        if place in around.journal or around.journal.has_items(place.owner):
            return True
        around = around.parent
    return False


def complete(trace: Trace, sides: Sequence[Any]) -> None:
    """Adds the places that only other branches change to each branch, unchanged. Items that stay in a container from
    outside become inputs."""
    ending = [side for side in sides if side.values is not None]
    for place in _wholes_first(k for side in ending for k in side.values if isinstance(k, Place)):
        if not any(place in side.values for side in ending):
            continue  # an item of a container that is changed as a whole
        if isinstance(place, Contents) and holds_inputs(trace, place.owner):
            for side in ending:
                if place in side.values and (done := side.operations.get(place)) is not None:
                    side.values[place] = _after(place, done)
        for side in ending:
            items = {k: side.values.pop(k) for k in list(side.values) if _is_item(k, place)}
            if place not in side.values:
                held = place.load()
                if isinstance(held, deque) and is_full(held) and is_undecided(held):
                    refuse(f"a branch changes `{place}`", "which a branch before has added to, and it may be full")
                side.values[place] = _with_items(held, items)


def _wholes_first(places: Iterable[Place]) -> list[Place]:
    return sorted(dict.fromkeys(places), key=lambda place: not isinstance(place, Contents))


def _is_item(key: Any, place: Place) -> bool:
    return isinstance(key, Item) and isinstance(place, Contents) and key.owner is place.owner


def _with_items(held: Any, items: dict[Item, Any]) -> Any:
    """The content of a container after these items are set."""
    for place, value in items.items():
        if value is MISSING:
            held.pop(place.item, None)
        else:
            held[place.item] = value
    return held


def _after(place: Contents, done: Sequence[Any]) -> Any:
    """The content of a container after these operations."""
    held = place.load()
    for operation in done:
        getattr(held, operation.method)(*operation.args)
    return held


def is_full(container: Any) -> bool:
    """True for a deque that drops an item where another one is added."""
    return getattr(container, "maxlen", None) is not None and len(container) >= container.maxlen


def settle_contents(trace: Trace, place: Contents, values: list[Any], sides: Sequence[Any]) -> list[Any]:
    """The contents that branches leave in a container; different structures become options of a choice."""
    if isinstance(place.owner, set) or (len(values) > 1 and all(v is values[0] for v in values)):
        return values
    values = [_plain(v) for v in values]
    trees = [flatten(v)[1] for v in values]
    if all(tree == trees[0] for tree in trees):
        return values
    options: list[Any] = []
    for value in sorted(values, key=lambda v: unsettled(v) is None):
        for option in _options(value):
            if not all(map(_may_be_chosen, held_by(option))):
                return values
            if not any(_are_alike(option, other) for other in options):
                options.append(option)
    if len(options) > MAX_CONTENTS:
        return values
    trace.root.has_undecided = True
    made = []
    for value, side in zip(values, sides, strict=True):
        with side.active():
            made.append(_as_one(trace, value, options))
        side.ended = False
    return made


def _plain(content: Any) -> Any:
    if isinstance(content, deque):
        return list(content)
    return dict(content) if isinstance(content, dict) else content


def _options(content: Any) -> list[Any]:
    found = unsettled(content)
    return [content] if found is None else list(found.choice.values)


def _may_be_chosen(held: Any) -> bool:
    """False for mutable values, whose identity must stay."""
    return not isinstance(held, list | dict | set | deque) and (
        type(held) is not tuple or all(map(_may_be_chosen, held))
    )


def _as_one(trace: Trace, content: Any, options: list[Any]) -> Any:
    given, found = _options(content), unsettled(content)
    numbers = [next(i for i, other in enumerate(options) if _are_alike(option, other)) for option in given]
    held = [placeholder(option) for option in options]
    for number, option in zip(numbers, given, strict=True):
        held[number] = option
    which: Any = VALUE - numbers[0]
    if found is not None:
        which = found.choice.which
        if numbers != list(range(len(given))):
            moved = {id(option): VALUE - number for option, number in zip(given, numbers, strict=True)}
            which = found.choice.split(lambda option: moved[id(option)])
    stands = Unsettled(OneOf(trace.root.fixed, (), which, *held))
    return {Unsettled: stands} if isinstance(content, dict) else [stands]


def _are_alike(left: Any, right: Any) -> bool:
    return left is right or are_alike(left, right)
