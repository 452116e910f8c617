"""The items of an array while tracing: each is read when an iterator comes to it, as by NumPy's iterators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class OneByOne:
    """The first `length` items of an array, or of something else with an item for each index. What is written between
    two items shows in the second."""

    def __init__(self, owner: Any, length: int) -> None:
        self._owner, self._length = owner, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Any:
        if index >= self._length:
            raise IndexError(index)
        return self._owner[index]


def one_by_one(owner: Any, length: int) -> Iterator[Any]:
    """An iterator of Python's own over them, so that it can be taken apart and has twins."""
    return iter(OneByOne(owner, length))
