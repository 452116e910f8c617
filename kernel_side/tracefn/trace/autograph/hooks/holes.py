"""Paths of views whose indices rounds of a loop compute (`row = x[i % 4]`): a hole stands for each such index."""

from __future__ import annotations

from typing import Any

from ....ir.op import by_name
from ....ir.types import Kind
from ....records import dataclass
from ...active import current
from ...tensor import Tensor

Path = tuple[Any, ...]


@dataclass(frozen=True)
class Hole:
    """Stands for index `number` of those that a path has computed."""

    number: int


def is_followed(path: Any) -> bool:
    """True for a path without traced values but for whole numbers that pick a row or an element."""
    if type(path) is slice:
        return all(_is_fixed(part) for part in (path.start, path.stop, path.step))
    if type(path) in (tuple, list):
        return all(map(is_followed, path))
    return _is_computed(path) or _is_fixed(path)


def with_holes(path: Path) -> Path:
    """A path with holes in the place of computed indices."""
    count = iter(range(len(computed_in(path))))
    return _replaced(path, lambda item: Hole(next(count)) if type(item) is Tensor else item)


def filled(path: Path, indices: list[Any]) -> Path:
    """A path with indices in its holes."""
    return _replaced(path, lambda item: indices[item.number] if type(item) is Hole else item)


def computed_in(path: Path) -> list[Any]:
    """The computed indices of a path, as Python ints of the graph."""
    return [_as_int(item) for item in _leaves(path) if type(item) is Tensor]


def holes_in(path: Path) -> list[Hole]:
    return [item for item in _leaves(path) if type(item) is Hole]


def _is_fixed(item: Any) -> bool:
    return item is None or item is Ellipsis or type(item) in (int, str, bool)


def _is_computed(item: Any) -> bool:
    is_number = type(item) is Tensor and not item.ndim and item.dtype.kind in "iu"
    return is_number and item._base is None and item._choice is None


def _as_int(tensor: Tensor) -> Tensor:
    trace = current()
    assert trace is not None
    return tensor if tensor._node.type.kind is Kind.PYTHON else trace.record(by_name("int"), (tensor,), {})


def _leaves(item: Any) -> list[Any]:
    if type(item) in (tuple, list):
        return [leaf for part in item for leaf in _leaves(part)]
    return [item]


def _replaced(item: Any, function: Any) -> Any:
    if type(item) in (tuple, list):
        return type(item)([_replaced(part, function) for part in item])
    return function(item)
