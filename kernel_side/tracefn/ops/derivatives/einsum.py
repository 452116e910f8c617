"""The derivative of Einstein summation: a sum of the same kind for each operand."""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from .common import unbroadcast
from .movement.scatter import counting


def einsum(terms: list[list[Any]], output: list[Any], g: Any, values: list[Any], optimize: Any) -> list[Any]:
    """The cotangents of the operands. `terms` are their subscripts, `output` those of the result."""
    letters = iter([c for c in string.ascii_letters if not any(c in term for term in terms)])
    longest = max([np.ndim(v) - len(term) + 1 for v, term in zip(values, terms, strict=True) if ... in term], default=0)
    dots = [next(letters) for _ in range(longest)]
    named = [_named(term, dots, np.ndim(v)) for v, term in zip(values, terms, strict=True)]
    result = _named(output, dots, np.ndim(g))
    return [_of_operand(i, named, result, g, values, optimize) for i in range(len(values))]


def _named(term: list[Any], dots: list[str], ndim: int) -> list[str]:
    """The subscripts with letters in place of the ellipsis, the last of which are for the last axes."""
    if ... not in term:
        return term
    place, count = term.index(...), ndim - len(term) + 1
    return [*term[:place], *dots[len(dots) - count :], *term[place + 1 :]]


def _of_operand(i: int, terms: list[list[str]], result: list[str], g: Any, values: list[Any], optimize: Any) -> Any:
    """Sums over the subscripts that the operand lacks; spreads over those that it alone has; and where it has one
    subscript twice, fills the diagonal."""
    others = [(term, v) for k, (term, v) in enumerate(zip(terms, values, strict=True)) if k != i]
    own = list(dict.fromkeys(terms[i]))
    there = [c for c in own if c in result or any(c in term for term, _ in others)]
    given = ",".join(["".join(result), *["".join(term) for term, _ in others]])
    made = np.einsum(f"{given}->{''.join(there)}", g, *[v for _, v in others], optimize=optimize)
    lengths = [np.shape(values[i])[terms[i].index(c)] for c in own]
    made = np.reshape(made, [np.shape(made)[there.index(c)] if c in there else 1 for c in own])
    like = np.einsum(f"{''.join(terms[i])}->{''.join(own)}", values[i])
    made = np.broadcast_to(unbroadcast(made, like), lengths)
    for c in own:
        made = _spread(made, own, c, terms[i].count(c))
        own = [d for d in own if d != c] + [c] * terms[i].count(c)
    order, left = [], list(own)
    for c in terms[i]:
        order.append(left.index(c))
        left[order[-1]] = ""
    return np.transpose(made, order)


def _spread(made: Any, own: list[str], letter: str, count: int) -> Any:
    """The array with the axis of a subscript moved to the end, and as a diagonal of `count` axes there."""
    made = np.moveaxis(made, own.index(letter), -1)
    for _ in range(count - 1):
        length = np.shape(made)[-1]
        is_on = np.equal(np.reshape(counting(length, made), (-1, 1)), counting(length, made))
        made = np.where(is_on, np.expand_dims(made, -1), 0)
    return made
