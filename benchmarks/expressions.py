"""Functions of arrays as texts, as NumExpr wants them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Expression:
    """The expression that a function computes, as it is written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __neg__(self) -> Expression:
        return Expression(f"(-{self.text})")


def _operator(symbol: str, swapped: bool) -> Callable[[Expression, Any], Expression]:
    def apply(self: Expression, other: Any) -> Expression:
        left, right = self.text, getattr(other, "text", repr(other))
        return Expression(f"({right} {symbol} {left})" if swapped else f"({left} {symbol} {right})")

    return apply


for _name, _symbol in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/")):
    setattr(Expression, f"__{_name}__", _operator(_symbol, False))
    setattr(Expression, f"__r{_name}__", _operator(_symbol, True))


class Expressions:
    """Has the functions that are written as NumPy names them."""

    def __getattr__(self, name: str) -> Callable[[Expression], Expression]:
        return lambda x: Expression(f"{name}({x.text})")


def text_of(function: Callable[..., Any]) -> str:
    """The text of a function of two arrays. TypeError or AttributeError where it has none.

    >>> text_of(lambda x, y: -(x * y) + 1)
    '((-(x * y)) + 1)'
    """
    return str(function(Expression("x"), Expression("y")).text)
