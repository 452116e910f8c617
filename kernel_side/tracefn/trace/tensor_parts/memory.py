"""Facts about the memory of a value: its base, its other views, and the arrays that it may be one of."""

from __future__ import annotations

import dataclasses
import weakref
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from ...ir.graph import Node
from ...records import dataclass


class Ends(Protocol):
    """A trace, as far as memory depends on it."""

    ended: bool


class HasMemory:
    """A value that may show memory which others show, too."""

    __slots__ = (
        "__weakref__", "_aliased", "_base", "_choice", "_doubts", "_held", "_home", "_node", "_outside", "_owned",
        "_path", "_seen", "_views",
    )  # fmt: skip

    _node: Node  # its present value
    _home: Ends  # where it was made
    _owned: bool  # computed here: no argument, no view
    _outside: bool  # an array of the caller's, or a captured one
    _aliased: bool  # several variables hold it
    _held: bool  # a list of the graph holds it
    _views: list[weakref.ref[Self]] | None
    _base: Self | None  # its base, where that is certain: see `views`
    _path: tuple[Any, ...]  # the steps that lead from the base to it
    _doubts: dict[int, tuple[Self, Node]]  # arrays that it may show, and their values then
    _choice: Choice[Self] | None  # the arrays of which it is one
    _seen: Any  # the base's value, or the arrays that it may be, when it was looked at

    def _is_viewed_by(self, view: Self) -> None:
        if self._views is None:
            self._views = []
        self._views.append(weakref.ref(view))

    def _alive_views(self) -> list[Self]:
        """Those that code may still use: not those of a body whose trace is over."""
        alive = [(reference, view) for reference in self._views or () if (view := reference()) is not None]
        self._views = [reference for reference, _ in alive]
        return [view for _, view in alive if not view._home.ended]

    @property
    def _is_shared(self) -> bool:
        """True if something else shows its memory: a view that is still there, or a list."""
        return self._held or bool(self._alive_views())

    if TYPE_CHECKING:  # it has its own

        def describe(self) -> str: ...


T = TypeVar("T", bound=HasMemory)

NAMES = {"cond": ("if_true", "if_false")}
"""The names of the branches of an op, where they are not numbered."""


@dataclass(frozen=True, eq=False)
class Choice(Generic[T]):
    """`options` are arrays, views, or choices; `selector` chooses, as an operand of the op of this name. `ways` counts
    the paths to arrays, `depth` the choices that are options of each other."""

    op_name: str
    selector: Any
    options: tuple[T, ...]
    ways: int = dataclasses.field(init=False)
    depth: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        bases = [option if option._base is None else option._base for option in self.options]
        inner = [b._choice for b in bases if b._choice is not None]
        object.__setattr__(self, "ways", len(bases) - len(inner) + sum(c.ways for c in inner))
        object.__setattr__(self, "depth", 1 + max([c.depth for c in inner], default=0))

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the branches."""
        return NAMES.get(self.op_name) or tuple([f"branch_{i}" for i in range(len(self.options))])
