"""The lists, dicts and dataclasses among the arguments of a trace."""

from __future__ import annotations

from typing import Any

from ...errors import InPlaceWriteError, message
from ...records import dataclass
from ...runtime.store import place_text
from ...trace.code.plain import stored
from ...trace.foreign import Foreign
from ...trace.tree import Parts, containers, parts


@dataclass(frozen=True, eq=False)
class Container:
    """A copy of a container among the arguments, for the trace, and its content at the start. `is_callers` is False for
    the dict of `**kwargs`, which is not shared."""

    place: tuple[Any, ...]
    container: Any
    before: Parts
    attributes: dict[str, Any]
    is_callers: bool

    @property
    def name(self) -> str:
        return place_text(self.place)

    def is_as_before(self, now: Parts) -> bool:
        """True if it still holds the same objects."""
        before = self.before
        return before.keys == now.keys and all(a is b for a, b in zip(before.children, now.children, strict=True))


def containers_of(arguments: dict[str, Any], keywords: str | None) -> list[Container]:
    """The containers in the arguments of a trace. To be called before the function. `keywords` is the name of its
    `**kwargs`."""
    found = []
    for name, argument in arguments.items():
        for place, container in containers(argument, (name,)):
            if type(container) is Foreign:  # stands for an object, and holds its node in the graph
                continue
            before = parts(container)
            assert before is not None
            attributes = dict(stored(container, "__dict__", {}))
            found.append(Container(place, container, before, attributes, place != (keywords,)))
    return found


def tuples_of(arguments: dict[str, Any], rest: str | None) -> dict[int, tuple[Any, ...]]:
    """The places of the tuples in the arguments of a trace, by their identity. `rest` is the name of its `*args`, which
    each call makes."""
    found = {}
    for name, argument in arguments.items():
        for place, container in containers(argument, (name,), tuples=True):
            if isinstance(container, tuple) and container and place != (rest,):
                found[id(container)] = place
    return found


def given_tuples(inner: dict[str, Any], arguments: dict[str, Any]) -> dict[int, tuple[Any, Any]]:
    """The tuples in the arguments of a trace, by their identity, each with the one of the call that it stands for."""
    found = {}
    for name, argument in arguments.items():
        given = dict(containers(argument, (name,), tuples=True))
        for place, container in containers(inner[name], (name,), tuples=True):
            if isinstance(container, tuple) and isinstance(given.get(place), tuple):
                found[id(container)] = (container, given[place])
    return found


def added(held: Container, now: Parts) -> dict[str, Any]:
    """Attributes of a dataclass, besides its fields, that are new or changed. Raises `InPlaceWriteError` if such an
    attribute was deleted."""
    attributes = stored(held.container, "__dict__", {})
    if now.kind != "dataclass" or type(attributes) is not dict:
        return {}
    if held.attributes.keys() - attributes.keys() - set(now.keys):
        raise InPlaceWriteError(
            message(f"an attribute of the argument `{held.name}` is deleted", fix="Set it to None.")
        )
    known = held.attributes
    return {k: v for k, v in attributes.items() if k not in now.keys and (k not in known or known[k] is not v)}
