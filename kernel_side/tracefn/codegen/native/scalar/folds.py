"""The rules by which reductions and running totals combine elements: one record each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....records import dataclass
from .emitter import DType


@dataclass(frozen=True, slots=True)
class FoldRule:
    """NumPy's ufunc of two elements, and LLVM's reductions of vectors of signed and unsigned integers, floats and
    booleans; empty where there is none. A rule that `gives_position` gives the index of the first extremum, or NaN:
    its ufunc is that of the value. One that `runs` has running totals,
    one `in_rows` is for kernels of rows."""

    ufunc: np.ufunc
    vectors: tuple[str, str, str, str] = ("", "", "", "")
    gives_position: bool = False
    runs: bool = False
    in_rows: bool = False

    @property
    def name(self) -> str:
        """The scalar rule for two elements."""
        return str(self.ufunc.__name__)

    def vector(self, dtype: DType) -> str:
        """LLVM's reduction of a vector."""
        return self.vectors["iufb".find(dtype.kind)]


FOLDS: dict[str, FoldRule] = {
    "add": FoldRule(np.add, ("add", "add", "fadd", ""), runs=True, in_rows=True),
    "multiply": FoldRule(np.multiply, ("mul", "mul", "fmul", ""), runs=True),
    "maximum": FoldRule(np.maximum, ("smax", "umax", "fmaximum", ""), runs=True, in_rows=True),
    "minimum": FoldRule(np.minimum, ("smin", "umin", "fminimum", ""), runs=True, in_rows=True),
    "logical_or": FoldRule(np.logical_or, ("or", "or", "or", "or")),
    "logical_and": FoldRule(np.logical_and, ("and", "and", "and", "and")),
    "bitwise_or": FoldRule(np.bitwise_or, ("or", "or", "or", "or")),
    "bitwise_and": FoldRule(np.bitwise_and, ("and", "and", "and", "and")),
    "bitwise_xor": FoldRule(np.bitwise_xor, ("xor", "xor", "xor", "xor")),
    "argmax": FoldRule(np.maximum, gives_position=True),
    "argmin": FoldRule(np.minimum, gives_position=True),
}


def start_of(rule: str, dtype: DType) -> Any:
    """The neutral element of a rule."""
    if rule in ("maximum", "minimum"):
        if dtype.kind == "f":
            return -np.inf if rule == "maximum" else np.inf
        if dtype.kind == "b":
            return rule == "minimum"
        return np.iinfo(dtype).min if rule == "maximum" else np.iinfo(dtype).max
    if rule == "bitwise_and":
        return np.bitwise_not(dtype.type(0))
    return int(FOLDS[rule].ufunc.identity)
