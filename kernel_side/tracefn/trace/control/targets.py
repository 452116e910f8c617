"""The distinct arrays that a choice may stand for. Where branches lead to one of them in several ways, one number says
which it is: a write then takes a branch for each array, and not for each way."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from .. import provided
from ..active import current
from ..context import Trace
from ..tensor import Tensor
from ..tensor_parts.memory import Choice

Path = tuple[Any, ...]
MAX_NESTED, MAX_WAYS = 16, 4096
"""How deep the branches may be that find the number of an array, and how many ways are followed; each branch is a body
of the graph."""


class Targets:
    """The bases and paths to which a choice leads, each once (`found`, with an array or view for each), and the number
    of `ways` to them."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self.found: list[tuple[Tensor, Path, Tensor | None]] = []
        self.ways = 0
        for option in choice.options:
            for base, path, shown in _ends(option, ()):
                self.ways += 1
                if self._number(base, path) < 0:
                    self.found.append((base, path, shown))

    @property
    def are_fewer(self) -> bool:
        """True if there are fewer of them than ways to them."""
        return len(self.found) < self.ways

    @property
    def are_doubtful(self) -> bool:
        """True if it is not certain of one of them which array it shows."""
        return any(base._doubts or (shown is not None and shown._doubts) for base, _, shown in self.found)

    def which(self, trace: Trace) -> Any:
        """The number of the one that the choice is: a traced one, or a Python int where it is always the same."""
        return self._which(trace, self._choice, ())

    def _which(self, trace: Trace, choice: Choice, path: Path) -> Any:
        sides = [
            provided.run_side(trace, name, functools.partial(self._in_side, option, path))
            for name, option in zip(choice.names, choice.options, strict=True)
        ]
        return provided.choose(trace, choice.op_name, choice.selector, sides)["which"]

    def _in_side(self, option: Tensor, path: Path) -> dict[Any, Any]:
        base, path = _base_of(option, path)
        if base._choice is None:
            return {"which": self._number(base, path)}
        trace = current()
        assert trace is not None
        return {"which": self._which(trace, base._choice, path)}

    def _number(self, base: Tensor, path: Path) -> int:
        for number, (other, known, _) in enumerate(self.found):
            if other is base and is_same_path(known, path):
                return number
        return -1


def _ends(option: Tensor, path: Path) -> Iterator[tuple[Tensor, Path, Tensor | None]]:
    """The bases and paths behind an option seen along a path; the third is the option where it shows just that."""
    base, whole = _base_of(option, path)
    if base._choice is None:
        yield base, whole, None if path else option
        return
    for inner in base._choice.options:
        yield from _ends(inner, whole)


def _base_of(option: Tensor, path: Path) -> tuple[Tensor, Path]:
    return option if option._base is None else option._base, (*option._path, *path)


def is_same_path(left: Any, right: Any) -> bool:
    """True if two paths of views, or parts of them, certainly show the same part of an array."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if type(left) is Tensor:  # the index when the view was made
        return left._node is right._node and left._base is right._base is left._choice is right._choice is None
    if type(left) in (tuple, list):
        return len(left) == len(right) and all(map(is_same_path, left, right))
    if type(left) is slice:
        return is_same_path((left.start, left.stop, left.step), (right.start, right.stop, right.step))
    return type(left) in (int, str, bool) and left == right
