"""Lists, dicts and dataclasses among the arguments that a function changes: each call leaves in them what it leaves."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InPlaceWriteError, message
from ..trace.tree import Tree, containers, unflatten

Described = list[tuple[str, Any]]


@dataclasses.dataclass(frozen=True, eq=False)
class Refill:
    """What a call leaves in one container of its arguments.

    `place` leads there: the parameter, and the key of each step. `items` are all items in order: the key, and the
    value as a structure with its leaves, ('output', i), ('argument', leaf index) or ('value', v); None for one that
    stays.
    """

    place: tuple[Any, ...]
    name: str
    items: tuple[tuple[Any, tuple[Tree, Described] | None], ...]

    def apply(self, container: Any, leaves: Sequence[Any], outputs: Sequence[Any]) -> None:
        kinds = {"output": outputs.__getitem__, "argument": leaves.__getitem__, "value": lambda value: value}
        found = {}
        for key, value in self.items:
            if value is not None:
                tree, described = value
                found[key] = unflatten(tree, [kinds[kind](v) for kind, v in described])
        if isinstance(container, list):
            container[:] = [found[key] if key in found else container[key] for key, _ in self.items]
        elif isinstance(container, dict):
            items = [(key, found[key] if key in found else container[key]) for key, _ in self.items]
            container.clear()
            container.update(items)
        else:
            for key, value in found.items():
                setattr(container, key, value)


def refilled(refills: Sequence[Refill], arguments: Mapping[str, Any]) -> list[Any]:
    """The containers that a call is going to change.

    Raises `InPlaceWriteError` where one stands at two places of the arguments: it was traced as two.
    """
    places: dict[Any, Any] = {}
    for name, argument in arguments.items():
        places.update(containers(argument, (name,)))
    found = [places[refill.place] for refill in refills]
    for refill, container in zip(refills, found, strict=True):
        if sum(other is container for other in places.values()) > 1:
            raise InPlaceWriteError(
                message(
                    f"the {type(container).__name__} `{refill.name}`, which the function changes, is among the "
                    "arguments more than once",
                    fix="Pass a copy as one of them.",
                )
            )
    return found


def refill_all(refills: Sequence[Refill], found: Sequence[Any], leaves: Sequence[Any], outputs: Sequence[Any]) -> None:
    """To be called when a program has run. `found` are the containers, `leaves` those of the call."""
    for refill, container in zip(refills, found, strict=True):
        refill.apply(container, leaves, outputs)
