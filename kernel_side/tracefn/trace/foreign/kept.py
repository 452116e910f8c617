"""What objects of libraries keep of the lists, dicts, sets and tuples that a traced function is given.

An estimator keeps its parameters as they are, and `sklearn.base.clone` tells by their identity whether it does; but a
step gives copies, or the tuple of the call that was traced. Where that would be seen, the call is refused.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from ...errors import UnsupportedFunctionError, message
from ...ir.types import Kind
from ..context import Trace
from ..origin import user_source, where
from ..references import ITEM, holders
from ..tensor import Tensor
from .values import values_of

MOST_OBJECTS = 4000
"""Of an object: in one that leads to more, what is kept is taken to be found."""

_APART = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)


class GivenTuples:
    """Tuples of the caller that a step is given as they are, and how many held each of them before it."""

    def __init__(self, given: Iterable[Any]) -> None:
        self._tuples = [*_nested(given)]
        self._before = [*self._counts()]

    def kept(self) -> list[Any]:
        """Those that more hold now."""
        pairs = zip(self._tuples, self._before, self._counts(), strict=True)
        return [held for held, before, now in pairs if now > before]

    def _counts(self) -> Iterator[int]:
        for held in self._tuples:
            yield holders(held) - ITEM


def callers(trace: Trace, pairs: Iterable[tuple[Any, Any]]) -> list[Any]:
    """The containers, each with what it was made of, that were made of the caller's."""
    root = trace.root
    return [made for made, of in pairs if id(of) in root.callers or id(of) in root.tuples]


def keeps(owner: Any, kept: list[Any]) -> bool:
    """True for an object that leads to one of these containers."""
    wanted, seen, stack = {id(held) for held in kept}, {id(kept)}, [owner]
    while stack:
        value = stack.pop()
        if id(value) in wanted or len(seen) > MOST_OBJECTS:
            return True
        if id(value) not in seen and not isinstance(value, _APART):
            seen.add(id(value))
            stack += gc.get_referents(value)
    return False


def refuse_keeper(trace: Trace, tensor: Tensor) -> None:
    """Raises for an object that leaves the function and keeps what the caller has given to it."""
    kept = trace.root.kept
    if kept and tensor._node.types[0].kind is Kind.OBJECT and keeps(values_of(trace).known(tensor._node), kept):
        _refuse("a result of a library")


def refuse_owners(name: str, given: list[Any], kept: list[Any]) -> None:
    """Raises where one of the objects that the function `name` is given keeps another argument."""
    if any(keeps(owner, kept) for owner in given):
        _refuse(f"`{name}`")


def _refuse(what: str) -> NoReturn:
    raise UnsupportedFunctionError(
        message(
            f"{what} keeps a list, dict, set or tuple of the caller",
            where(user_source(4)),
            "Give it a copy: `[*items]`, `{**items}`, `(*items,)`.",
        )
    )


def _nested(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield value
            yield from _nested(value)
