"""The end of a round: the objects that it has made are freed."""

from __future__ import annotations

from typing import Any

from ...body import BodyTrace
from ...state.place import MISSING
from ...tree import containers
from .checks import no_way


def let_go(body: BodyTrace, state: dict[Any, Any]) -> None:
    """Frees the objects that a round has made and does not leave. Raises where it leaves a list or dict that it has put
    into a list of the graph, or has read from one: that would be a copy."""
    changes = body.journal.changes()
    if body.kept_items:
        for value in (*state.values(), *[after for _, after in changes.values()]):
            for _, held in containers(value, ()):
                if id(held) in body.kept_items:
                    what = f"a round of the loop leaves a {type(held).__name__} that a list holds, too"
                    raise no_way(what, "Make a copy of it: `dict(d)`, `list(items)`.")
        body.kept_items.clear()
    if any(before is MISSING for before, _ in changes.values()):
        del changes
        body.journal.made.collect()  # objects that survive are refused
