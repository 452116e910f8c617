"""The sum over axes along which an array was repeated, where values decide which these are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.op import op
from .derivatives.common import sum_over_repeated
from .rules import TensorType, array, operand


def _lines(target: str, arguments: list[str]) -> list[str]:
    g, like = arguments
    axes = f"tuple([i for i, n in enumerate({like}.shape) if n != {g}.shape[i]])"
    return [f"{target} = np.sum({g}, axis={axes}, keepdims=True)"]


def _derivative(cotangent: Any, out: Any, g: Any, like: Any) -> tuple[Any, None]:
    return np.add(np.zeros_like(g), cotangent), None


@op(sum_over_repeated, style="effect", lines=_lines, vjp=_derivative)
def repeated(g: Any, like: Any, /) -> TensorType:
    return array(operand(g).dtype, operand(like).shape)
