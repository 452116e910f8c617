"""Python's conversions of holders of an array or number."""

from __future__ import annotations

import operator
from typing import Any


class Converts:
    """Something with a `value()`, an array, a NumPy scalar or a Tensor, that Python converts to numbers and bools."""

    __slots__ = ()

    def value(self) -> Any:
        raise NotImplementedError

    def __bool__(self) -> bool:
        return bool(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __int__(self) -> int:
        return int(self.value())

    def __complex__(self) -> complex:
        return complex(self.value())

    def __index__(self) -> int:
        return operator.index(self.value())
