"""Operators by their names in a syntax tree: the functions called for them, and for `target op= value`."""

from __future__ import annotations

import bisect
import heapq
import operator
from collections.abc import Callable
from typing import Any

IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv, "Mod": operator.imod,
    "FloorDiv": operator.ifloordiv, "Pow": operator.ipow, "MatMult": operator.imatmul, "BitAnd": operator.iand,
    "BitOr": operator.ior, "BitXor": operator.ixor, "LShift": operator.ilshift, "RShift": operator.irshift,
}  # fmt: skip
"""The in-place function of each operator, by the operator's name in a syntax tree."""

SYMBOLS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Mod": "%", "FloorDiv": "//", "Pow": "**", "MatMult": "@",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>",
}  # fmt: skip
"""The operators themselves."""

ORDERING: dict[str, Callable[..., Any]] = {
    "heapq.heappush": heapq.heappush, "heapq.heappop": heapq.heappop, "heapq.heapify": heapq.heapify,
    "heapq.heapreplace": heapq.heapreplace, "heapq.heappushpop": heapq.heappushpop,
    "bisect.insort_left": bisect.insort_left, "bisect.insort_right": bisect.insort_right,
}  # fmt: skip
"""Functions that change a list as the order of its items says, by the names of such changes."""

NAMES = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "Mod": "mod", "FloorDiv": "floordiv", "Pow": "power",
    "MatMult": "matmul", "BitAnd": "bit_and", "BitOr": "bit_or", "BitXor": "bit_xor", "LShift": "lshift",
    "RShift": "rshift", "Lt": "lt", "LtE": "le", "Eq": "eq", "NotEq": "ne", "Gt": "gt", "GtE": "ge", "USub": "neg",
    "UAdd": "pos", "Invert": "invert",
}  # fmt: skip
"""The functions of `user_operators`, by the operator's name in a syntax tree."""
