"""What a trace leaves in the lists, dicts and dataclasses among its arguments."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..errors import InPlaceWriteError, message
from ..runtime.refills import Refill
from ..trace.tree import Parts, containers, parts, step
from .results import Results


@dataclasses.dataclass(frozen=True, eq=False)
class Held:
    """A container that stands for one among the arguments while tracing, and what it held at first."""

    place: tuple[Any, ...]
    container: Any
    before: Parts
    attributes: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.place[0]) + "".join(f"[{key!r}]" for key in self.place[1:])


def containers_of(arguments: dict[str, Any]) -> list[Held]:
    """The containers in the arguments of a trace. To be called before the function."""
    found = []
    for name, argument in arguments.items():
        for place, container in containers(argument, (name,)):
            before = parts(container)
            assert before is not None
            found.append(Held(place, container, before, dict(getattr(container, "__dict__", {}))))
    return found


def take_refills(name: str, held: list[Held], results: Results) -> tuple[Refill, ...]:
    """What a call is to leave in the containers, whose values join the outputs of the graph.

    Raises `InPlaceWriteError` for a change that has no such form.
    """
    inside = {id(h.container): h for h in held}
    found = []
    for h in held:
        now = parts(h.container)
        added = {} if now is None else _added(h, now)
        if now is None or (_is_same(h.before, now) and not added):
            continue
        if now.kind == "custom" or (now.kind == "dataclass" and now.keys != h.before.keys):
            raise InPlaceWriteError(
                message(
                    f"`{name}` changed what its argument `{h.name}` is made of",
                    fix="Return a changed copy.",
                )
            )
        kept = dict(zip(h.before.keys, h.before.children, strict=True))
        items: list[Any] = []
        for key, value in zip(now.keys, now.children, strict=True):
            if key in kept and kept[key] is value:
                items.append((key, None))
                continue
            path = h.name + step(now.kind, key)
            _refuse_moved(name, value, path, inside)
            items.append((key, results.of(value, path, "leaves")))
        items += [(key, results.of(value, f"{h.name}.{key}", "leaves")) for key, value in added.items()]
        found.append(Refill(h.place, h.name, tuple(items)))
    return tuple(found)


def _added(held: Held, now: Parts) -> dict[str, Any]:
    """What a dataclass has besides its fields that it had not, or that was another."""
    attributes = getattr(held.container, "__dict__", {})
    if now.kind != "dataclass" or type(attributes) is not dict:
        return {}
    if held.attributes.keys() - attributes.keys() - set(now.keys):
        raise InPlaceWriteError(
            message(f"an attribute of the argument `{held.name}` is deleted", fix="Set it to None.")
        )
    known = held.attributes
    return {k: v for k, v in attributes.items() if k not in now.keys and (k not in known or known[k] is not v)}


def _is_same(before: Parts, now: Parts) -> bool:
    return before.keys == now.keys and all(a is b for a, b in zip(before.children, now.children, strict=True))


def _refuse_moved(name: str, value: Any, path: str, inside: dict[int, Held]) -> None:
    """Raises for a value that is, or holds, a container of the arguments: the call would put a copy there."""
    try:
        moved = next((inside[id(c)] for _, c in containers(value, ()) if id(c) in inside), None)
    except RecursionError:
        raise InPlaceWriteError(message(f"`{name}` leaves in `{path}` what contains itself")) from None
    if moved is not None:
        raise InPlaceWriteError(
            message(f"`{name}` leaves its argument `{moved.name}` also in `{path}`", fix="Put a copy there.")
        )
