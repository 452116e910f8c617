"""Elements per second that datasets give when they are iterated eagerly."""

from __future__ import annotations

import collections
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from tracefn.data import Dataset

from benchmarks.measure import Spread

ELEMENTS = 300_000
ROUNDS = 7

_NUMBERS = np.arange(ELEMENTS)
_ROWS = np.arange(4.0 * ELEMENTS).reshape(-1, 4)

#: The measured datasets. All give the same number of small elements, some of them in batches.
CHAINS: dict[str, Callable[[], Dataset]] = {
    "range": lambda: Dataset.range(ELEMENTS),
    "slices": lambda: Dataset.from_tensor_slices(_NUMBERS),
    "pairs of slices": lambda: Dataset.from_tensor_slices((_NUMBERS, _NUMBERS)),
    "rows": lambda: Dataset.from_tensor_slices(_ROWS),
    "dicts": lambda: Dataset.from_tensor_slices({"x": _ROWS, "y": _NUMBERS}),
    "take": lambda: Dataset.range(2 * ELEMENTS).take(ELEMENTS),
    "enumerate": lambda: Dataset.from_tensor_slices(_NUMBERS).enumerate(),
    "shuffle(1000)": lambda: Dataset.range(ELEMENTS).shuffle(1000, seed=0),
    "batch(50)": lambda: Dataset.from_tensor_slices((_ROWS, _NUMBERS)).batch(50),
    "shuffle(1000).batch(50)": lambda: Dataset.from_tensor_slices((_ROWS, _NUMBERS)).shuffle(1000, seed=0).batch(50),
    "map": lambda: Dataset.range(ELEMENTS).map(lambda n: n * 2),
    "filter": lambda: Dataset.range(ELEMENTS).filter(lambda n: n >= 0),
    "prefetch(1000)": lambda: Dataset.range(ELEMENTS).prefetch(1000),
}


def datasets() -> dict[str, Spread]:
    """Chain → small elements per second."""
    return {name: Spread.of(_rates(make())) for name, make in CHAINS.items()}


def _rates(dataset: Dataset) -> list[float]:
    rates = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        collections.deque[Any](dataset, maxlen=0)
        rates.append(ELEMENTS / (time.perf_counter() - begin))
    return rates
