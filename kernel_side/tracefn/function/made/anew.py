"""A trace for a function that was made anew from the same source: its guards go by that function's own variables."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...runtime.calls.target import Target
from ...trace.state.paths import IdentityCapture, Path


def with_function(target: Target, identity: IdentityCapture, function: Any) -> Target | None:
    """The target with `function`, which was made from the same source, in the place of that of `identity`. None where
    they do not share the variables around them, and the trace may write these or assumes something of their memory."""
    renewed = IdentityCapture.of_function(identity.path, function)
    assert identity.made_of is not None and renewed.made_of is not None
    cells = {id(old): new for old, new in zip(identity.made_of.cells, renewed.made_of.cells, strict=True)}
    identities = tuple([renewed if other is identity else other for other in target.identities])
    target = dataclasses.replace(target, identities=identities)
    if all(id(new) == old for old, new in cells.items()):
        return target
    if target.store is not None or target.assignments or target.memory:
        return None

    def path(found: Any) -> Any:
        if not isinstance(found, Path) or found.root[0] != "closure" or id(found.root[1]) not in cells:
            return found
        return Path(("closure", cells[id(found.root[1])], found.root[2]), found.steps)

    def moved(guards: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([dataclasses.replace(guard, path=path(guard.path)) for guard in guards])

    return dataclasses.replace(
        target,
        captures=tuple(map(path, target.captures)),
        values=moved(target.values),
        identities=moved(target.identities),
        libraries=moved(target.libraries),
        contents=tuple([guard.at(path(guard.path)) for guard in target.contents]),
    )
