"""The changes of a trace besides local variables: attributes, items, containers, arrays in place.

A branch or loop that stays in the graph may change such places too. Each body of one has a journal of its own: after
the body has been traced, its changes are taken back, and their outcome becomes a result of the branch or loop.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

from ..references import holders
from .garbage import MadeSince
from .place import MISSING, Attribute, Contents, Item, Place, content_of, names_of, put_in_order


class Operation(NamedTuple):
    """A call of a method that changes a container without reading it."""

    method: str
    args: tuple[Any, ...]


class Journal:
    """The places that were changed since the journal began, with their values before and the place in the code."""

    def __init__(self) -> None:
        self.made = MadeSince()
        self._before: dict[Place, Any] = {}
        self._keys: set[Hashable] = set()
        self._with_items: set[int] = set()
        self.operations: dict[Place, list[Operation] | None] = {}
        self.sources: dict[Place, Any] = {}
        self.set_again: set[Hashable] = set()  # the keys of attributes that were deleted before
        self.noted = 0  # how many changes were noted
        self._orders: dict[int, list[str]] = {}  # the names of changed attributes' objects, by the ids of these
        self.at_keys: set[int] = set()  # containers that are changed at keys which only the call knows

    def will_change(self, place: Place, source: Any = None) -> None:
        """Notes a place before it is changed. `source` is where in the user's code."""
        self.noted += 1
        if self._is_in_whole(place):
            return
        if place not in self._before:
            self._note(place, place.load(), source)
        elif place.load() is MISSING:  # it comes after those made in between
            self._before[place] = self._before.pop(place)
            if self.will_set_again(place):
                self.set_again.add(place.key)
        self.operations[place] = None

    def will_set_again(self, place: Place) -> bool:
        """True for a deleted attribute: given a value, it is the last of its object."""
        is_held = isinstance(place, Attribute) and self._before.get(place, MISSING) is not MISSING
        return is_held and place.load() is MISSING

    def is_as_before(self, place: Place) -> None:
        """Forgets a place whose change came to nothing."""
        if place in self._before and place.load() is self._before[place]:
            del self._before[place]
            self.operations.pop(place, None)

    def _note(self, place: Place, before: Any, source: Any) -> None:
        """Takes up a place that held `before`. Contents that change after items are the place of these as well."""
        if isinstance(place, Contents) and self.has_items(place.owner) and id(place.owner) not in self.at_keys:
            before = self.restored(place.owner, before)
            for item in [p for p in self._before if isinstance(p, Item) and p.owner is place.owner]:
                del self._before[item]
                self.operations.pop(item, None)
        if isinstance(place, Item):
            self._with_items.add(id(place.owner))
        if isinstance(place, Attribute) and id(place.owner) not in self._orders:
            self._orders[id(place.owner)] = names_of(place.owner)
        self._before[place] = before
        self._keys.add(place.key)
        self.sources[place] = source

    def _is_in_whole(self, place: Place) -> bool:
        """True for an item of a container whose contents are a place that was changed: these cannot be done again."""
        if not isinstance(place, Item):
            return False
        whole = Contents(place.owner, "")
        if whole not in self._before or id(place.owner) in self.at_keys:
            return False
        self._with_items.add(id(place.owner))
        self.operations[whole] = None
        return True

    def will_do(self, place: Contents, method: str, args: tuple[Any, ...], source: Any = None) -> None:
        """The same, where a method changes a container without reading it: that can be done again as it is."""
        is_new = place not in self._before
        before = [] if is_new else self.operations.get(place)
        self.will_change(place, source)
        if before is not None and id(place.owner) not in self._with_items:
            self.operations[place] = [*before, Operation(method, args)]

    def will_do_at_key(self, place: Contents, method: str, args: tuple[Any, ...], source: Any = None) -> None:
        """The same, where only the call knows the key: the content of the container stays as it is while tracing."""
        self.noted += 1
        before = self.operations.get(place) or []
        self.at_keys.add(id(place.owner))
        if place not in self._before:
            self._before[place] = place.load()
            self._keys.add(place.key)
            self.sources[place] = source
        self.operations[place] = [*before, Operation(method, args)]

    def forget(self, *places: Place) -> None:
        """Notes that places are as they were, or that another place stands for them."""
        for place in places:
            del self._before[place]
            self._keys.discard(place.key)
            self.sources.pop(place, None)
            self.operations.pop(place, None)

    def take_over(self, inner: Journal, places: Iterable[Place]) -> None:
        """Takes up changes of these places that an inner journal has noted."""
        for place in places:
            self.at_keys |= inner.at_keys & {id(place.owner)}
            if self._is_in_whole(place):
                continue
            is_new = place not in self._before
            known = [] if is_new else self.operations.get(place)
            if is_new:
                if isinstance(place, Attribute):
                    self._orders.setdefault(id(place.owner), inner._orders[id(place.owner)])
                self._note(place, inner._before[place], inner.sources.get(place))
            done = inner.operations.get(place)
            mixed = id(place.owner) in self._with_items and id(place.owner) not in inner.at_keys
            self.operations[place] = None if known is None or done is None or mixed else [*known, *done]

    def has_items(self, container: Any) -> bool:
        """True if items of a container were to be changed."""
        return id(container) in self._with_items

    def __contains__(self, place: Place) -> bool:
        return place in self._before

    def has(self, key: Hashable) -> bool:
        """True if the place with this key was to be changed."""
        return key in self._keys

    def __len__(self) -> int:
        return len(self._before)

    def restored(self, container: Any, held: Any) -> Any:
        """A copy of the content of a container before the changes of its items; it now contains `held`."""
        items = {}
        for place, before in self._before.items():
            if place.owner is container and isinstance(place, Contents):
                held = before
                break  # it was copied after the items so far were changed
            if place.owner is container and isinstance(place, Item):
                items[place.item] = before
        if not items:
            return held
        held = content_of(held)
        for key, before in items.items():
            if before is MISSING:
                held.pop(key, None)
            else:
                held[key] = before
        return held

    def places(self) -> dict[Place, Any]:
        """Place → its value before, for all places that were to be changed."""
        return self._before

    def changes(self) -> dict[Place, tuple[Any, Any]]:
        """Place → (its value before, its value now), for visible changes: an object that is not referred to any
        more was made and changed in between."""
        counts: dict[int, int] = {}
        for place in self._before:
            counts[id(place.owner)] = counts.get(id(place.owner), 0) + 1
        found = {}
        for place, before in self._before.items():
            if holders(place.owner) > counts[id(place.owner)]:  # each place holds its owner once
                found[place] = (before, place.load())
        return found

    def put_back(self, before: dict[Place, Any]) -> None:
        """Gives places that were changed the values from before, and objects the order of their attributes."""
        for place, value in reversed(before.items()):
            place.store(value)
        owners = {id(place.owner): place.owner for place in before if isinstance(place, Attribute)}
        for owner in owners.values():
            put_in_order(owner, self._orders[id(owner)])  # a deleted one is its last now

    def names_before(self, owner: Any) -> list[str] | None:
        """The attributes in the dict of an object before they were changed, in their order. None if none was."""
        is_changed = any(isinstance(place, Attribute) and place.owner is owner for place in self._before)
        return self._orders[id(owner)] if is_changed else None

    def take_back(self, which: Callable[[Any], bool] = lambda after: True) -> dict[Place, tuple[Any, Any]]:
        """The changes, after they have been undone; only those that leave a value of which `which` is true."""
        found = self.changes()
        self.put_back({place: before for place, (before, after) in found.items() if which(after)})
        self.clear()
        return found

    def clear(self) -> None:
        """Lets go of all changes, which stay."""
        self._before.clear()
        self._keys.clear()
        self._orders.clear()
        self.set_again.clear()
        self.operations.clear()
        self.sources.clear()  # they hold the objects, of which the journal around asks whether others do
