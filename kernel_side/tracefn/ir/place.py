"""Where in the user's code a node was made: the line, and the calls and rounds around it."""

from __future__ import annotations

from typing import NamedTuple


class Source(NamedTuple):
    """A line of the user's code. `file` is the name the code was compiled under."""

    file: str
    line: int


class Scope(str):
    """The calls and rounds in which a node was made, outer ones first: `forward/for line 3/round#2/relu`, '' for the
    traced function itself. Of several with one name in the same place, the second has a `#2`. `site` is where the
    innermost one was called, `outer` the scope around it."""

    __slots__ = ("outer", "site")
    outer: Scope | None
    site: Source | None

    @classmethod
    def inside(cls, outer: Scope, name: str, site: Source | None) -> Scope:
        made = cls(f"{outer}/{name}" if outer else name)
        made.outer, made.site = outer, site
        return made


class WayBack(Scope):
    """The scope of a node of the backward pass. Its forward node has the scope `forward` and the op `op`."""

    __slots__ = ("forward", "op")
    forward: str
    op: str

    @classmethod
    def of(cls, forward: str, op: str, scope: Scope) -> WayBack:
        made = cls(scope)
        made.outer, made.site = getattr(scope, "outer", None), getattr(scope, "site", None)
        made.forward, made.op = forward, op
        return made


def moved_to(scope: str, before: str) -> str:
    """The scope of a node that is moved into another one; of the backward pass it stays."""
    if not isinstance(before, WayBack):
        return scope
    return WayBack.of(before.forward, before.op, scope if isinstance(scope, Scope) else Scope(scope))
