"""Uses of `tracefn.function`, for type checkers: `assert_type` says what they are to find. It is not run."""

from __future__ import annotations

import functools
from typing import assert_type

import numpy as np
import tracefn
from numpy.typing import NDArray

Array = NDArray[np.float64]


@tracefn.function
def scaled(x: Array, factor: float = 2.0, *, shift: int = 0) -> Array:
    """Docs."""
    return x * factor + shift


@tracefn.function(jit="off", max_traces=4)
def with_options(x: Array) -> tuple[Array, int]:
    return x, 1


def plain(x: Array) -> float:
    return float(x.sum())


class Model:
    def __init__(self) -> None:
        self.w = np.zeros(3)

    @tracefn.function
    def forward(self, x: Array, train: bool = False) -> Array:
        return x @ self.w

    @tracefn.function(reduce_retracing=True)
    def loss(self, x: Array) -> float:
        return float(x.sum())

    @tracefn.function
    @staticmethod
    def helper(x: Array) -> Array:
        return x

    @functools.cached_property
    def norm(self) -> float:
        return 1.0


def uses() -> None:
    x = np.zeros(3)
    model = Model()

    assert_type(scaled(x), Array)
    assert_type(scaled(x, 3.0, shift=1), Array)
    assert_type(with_options(x), tuple[Array, int])
    assert_type(tracefn.function(plain)(x), float)
    assert_type(tracefn.function(plain, precise=True)(x), float)
    assert_type(model.forward(x), Array)
    assert_type(model.forward(x, train=True), Array)
    assert_type(model.loss(x), float)
    assert_type(Model.helper(x), Array)
    assert_type(Model.forward(model, x), Array)

    print(scaled.explain(), scaled.tracing_count, scaled.concrete_functions, scaled.get_concrete_function(x))
    print(model.forward.explain(), model.forward.tracing_count, Model.loss.explain())
    scaled.clear_cache()

    scaled("text")  # error: argument
    model.forward()  # error: argument
    model.loss(x, x)  # error: argument
    scaled.explian()  # error: attribute
    wrong_result: str = with_options(x)  # error: assignment
    print(wrong_result)
