"""NaN and infinities set apart from the numbers that a function is computed for.

Ordered comparisons raise the invalid flag for NaN; those in this file do not, whatever the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps

from .text import Value, absolute, select


def is_nan(x: Value) -> Value:
    return _unordered_or("uno", x, 0.0)


def is_nan_or_inf(x: Value) -> Value:
    return _unordered_or("ueq", x, math.inf)


def is_nan_or_infinite(x: Value) -> Value:
    """NaN or an infinity of either sign."""
    return is_nan_or_inf(absolute(x))


def fixed_where(
    condition: Callable[[Value], Value], harmless: float = 0.5
) -> Callable[[Callable[[Value], Value]], Callable[[Value], Value]]:
    """The function is x itself where the condition holds; the result computed there, for a harmless number, is
    dropped."""

    def decorate(writer: Callable[[Value], Value]) -> Callable[[Value], Value]:
        @wraps(writer)
        def write(x: Value) -> Value:
            fixed = condition(x)
            return select(fixed, x, writer(select(fixed, harmless, x)))

        return write

    return decorate


def _unordered_or(predicate: str, x: Value, number: float) -> Value:
    return x.body.write(x.format, "i1", f"fcmp {predicate} {x.type} {x.name}, {x.operand(number)}")
