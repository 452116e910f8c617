"""Steps that keep elements in memory: shuffle and cache."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count, islice
from typing import Any

import numpy as np

from .node import Node
from .structure import copier

#: As many random places are drawn at once.
DRAWS = 1024


class Shuffle(Node):
    """Elements in random order: each is drawn from a buffer, which the next element then enters.

    The order of pass number k depends on the seed and k alone.
    """

    def __init__(self, source: Node, size: int, seed: int | None, reshuffle: bool) -> None:
        self._size = size
        self._seed: Any = np.random.SeedSequence(seed).entropy
        self._passes = count() if reshuffle else iter(lambda: 0, None)
        super().__init__(f"shuffle({size})", source.spec, source.cardinality, [source])

    def __iter__(self) -> Iterator[Any]:
        return self._shuffled(np.random.default_rng([self._seed, next(self._passes)]))

    def _shuffled(self, rng: np.random.Generator) -> Iterator[Any]:
        iterator = iter(self.inputs[0])
        buffer = list(islice(iterator, self._size))
        places = chain.from_iterable(rng.integers(0, self._size, DRAWS).tolist() for _ in count())
        for element, place in zip(iterator, places, strict=False):
            drawn, buffer[place] = buffer[place], element
            yield drawn
        for place in rng.permutation(len(buffer)).tolist():
            yield buffer[place]


class Cache(Node):
    """The elements of the first whole pass, from memory. A pass that stops early leaves nothing."""

    def __init__(self, source: Node) -> None:
        self._kept: list[Any] | None = None
        self._copy = copier(source.spec)
        super().__init__("cache()", source.spec, source.cardinality, [source])

    def __iter__(self) -> Iterator[Any]:
        if self._kept is None:
            return self._filling()
        return iter(self._kept) if self._copy is None else map(self._copy, self._kept)

    def _filling(self) -> Iterator[Any]:
        kept = []
        for element in self.inputs[0]:
            kept.append(element if self._copy is None else self._copy(element))
            yield element
        self._kept = kept
