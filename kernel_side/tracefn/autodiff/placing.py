"""Places of the backward pass: each node is at the line of its forward node, in frames that mirror the function's."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Node
from ..ir.place import Scope, WayBack
from ..trace.context import Trace
from ..trace.origin import source_of, user_frame

#: The frame around the backward pass. No function of the user's has a name with a space.
FRAME = "backward pass"


class Placing:
    """The places of one walk back, which has a frame of its own where the derivative is asked for. The walk through the
    body of a loop, branch or call is part of another one."""

    def __init__(self, trace: Trace) -> None:
        self._root = root = trace.root
        self._mirrored: dict[str, Scope] = {}
        self._body_of: str | None = None
        if root.placed is None:
            frame = user_frame(2)
            self._start: str = trace.scopes.of(frame)
            self._base = Scope.inside(trace.scopes.of(frame), FRAME, source_of(frame))
        else:
            around = root.placed[1]
            self._base = trace.base if trace.base.startswith(f"{around}/") else around
            self._start = around.forward if isinstance(around, WayBack) else around
            self._body_of = None if self._base is around else self._start

    def at(self, node: Node) -> placed_as:
        """Nodes that are recorded inside are of the backward pass of `node`."""
        return placed_as(self._root, node, WayBack.of(str(node.scope), node.op.name, self._mirror(node.scope)))

    def _mirror(self, scope: str) -> Scope:
        """The scope of the backward pass of nodes in a scope."""
        if not isinstance(scope, Scope) or scope in ("", self._start):
            return self._base
        found = self._mirrored.get(scope)
        if found is None:
            is_body = scope.outer is not None and scope.outer == self._body_of
            outer = self._base if is_body else self._mirror(scope.outer or "")
            found = outer if is_body else Scope.inside(outer, scope.rpartition("/")[2], scope.site)
            self._mirrored[scope] = found
        return found


class placed_as:
    """Nodes that are recorded inside are in this scope, and belong to the line of a node. Each step back enters one: a
    generator would take three times as long."""

    __slots__ = ("_before", "_now", "_root")

    def __init__(self, trace: Trace, node: Node, scope: str) -> None:
        self._root = trace.root
        self._now = (node.source, scope, node.errors)

    def __enter__(self) -> None:
        self._before, self._root.placed = self._root.placed, self._now

    def __exit__(self, *raised: Any) -> None:
        self._root.placed = self._before
