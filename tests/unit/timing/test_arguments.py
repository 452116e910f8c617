"""Fresh copies of arguments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tracefn.timing.arguments import fresh_copies


@dataclass
class Batch:
    x: np.ndarray
    name: str


def test_arrays_anywhere_are_copied_and_the_rest_is_passed_on() -> None:
    x, other = np.arange(6.0).reshape(2, 3), object()
    args, kwargs = fresh_copies((x, [{"x": x}], other, 3), {"batch": Batch(x, "n")})
    args[0][0, 0] = 99
    assert x[0, 0] == 0
    assert args[1][0]["x"] is args[0]
    assert kwargs["batch"].x is args[0]
    assert kwargs["batch"].name == "n"
    assert (args[2], args[3]) == (other, 3)


def test_the_memory_order_is_kept() -> None:
    x = np.asfortranarray(np.ones((3, 4)))
    (copy,), _ = fresh_copies((x,), {})
    assert copy.flags.f_contiguous
    assert not copy.flags.c_contiguous


def test_numpy_scalars_stay() -> None:
    scalar = np.float32(2)
    assert fresh_copies((scalar,), {})[0][0] is scalar
