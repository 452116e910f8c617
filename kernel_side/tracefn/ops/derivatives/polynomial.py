"""Derivatives of polynomials by their coefficients, highest power first, and by where they are evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np

from .common import conjugated, unbroadcast
from .matrices.common import in_conjugates
from .matrices.inverses import by_pinv
from .movement.scatter import counting


def polyval(g: Any, out: Any, p: Any, x: Any) -> tuple[Any, ...]:
    count = np.shape(p)[0]
    powers = counting(count, p)[::-1]
    shape = (count, *[1] * (np.ndim(g) - np.ndim(p) + 1), *np.shape(p)[1:])
    by_p = unbroadcast(g * np.power(x, np.reshape(powers, (-1, *[1] * np.ndim(g)))), np.reshape(p, shape))
    lowered = p * np.reshape(powers, (-1, *[1] * (np.ndim(p) - 1)))
    return np.reshape(by_p, np.shape(p)), g * np.polyval(lowered[:-1], x)


def polyadd(g: Any, out: Any, a1: Any, a2: Any) -> tuple[Any, ...]:
    return _last(g, a1), _last(g, a2)


def polysub(g: Any, out: Any, a1: Any, a2: Any) -> tuple[Any, ...]:
    return _last(g, a1), np.negative(_last(g, a2))


def _last(g: Any, like: Any) -> Any:
    return np.reshape(g[np.shape(g)[0] - np.size(like) :], np.shape(like))


def _filled(g: Any, count: Any, like: Any) -> Any:
    """The cotangent of `count` coefficients, the first of which were left out as zeros."""
    made = np.zeros_like(counting(count, like), dtype=g.dtype)
    made[count - np.shape(g)[0] :] = g
    return made


def _convolved_back(g: Any, other: Any) -> Any:
    """The cotangent of a factor of a product of polynomials, given that of the product and the other factor."""
    return np.correlate(g, conjugated(np.atleast_1d(other)), "valid")


def polymul(g: Any, out: Any, a1: Any, a2: Any) -> tuple[Any, ...]:
    whole = _filled(g, np.size(a1) + np.size(a2) - 1, g)
    by_a1, by_a2 = _convolved_back(whole, a2), _convolved_back(whole, a1)
    return np.reshape(by_a1, np.shape(a1)), np.reshape(by_a2, np.shape(a2))


def polydiv(g: Any, out: Any, u: Any, v: Any) -> tuple[Any, ...]:
    """`u` is the quotient times `v` and the remainder: a linear equation for both, with a triangular matrix. Where
    rounding makes the remainder longer than that, its first elements count as zeros."""
    by_quotient, by_remainder = g
    quotient = out[0]
    n, m, count = np.size(u), np.size(v), np.shape(out[0])[0]
    if n < m:
        return (None if by_remainder is None else np.reshape(_filled(by_remainder, n, out[1]), np.shape(u))), None
    wide = np.zeros_like(counting(n, quotient), dtype=quotient.dtype)
    if by_quotient is not None:
        wide[:count] = by_quotient
    if by_remainder is not None:
        wide[count:] = _filled(by_remainder, n, by_remainder)[count:]
    places = np.reshape(counting(n, quotient), (-1, 1)) - counting(n, quotient)  # row minus column
    taken = np.take(np.atleast_1d(v), np.clip(places, 0, m - 1))
    is_quotient = np.less(counting(n, quotient), count)
    matrix = np.where(is_quotient, np.where((places >= 0) & (places < m), taken, 0), np.equal(places, 0))
    by_u = np.linalg.solve(np.transpose(matrix), wide)
    by_v = np.negative(_convolved_back(by_u, quotient))
    return np.reshape(by_u, np.shape(u)), np.reshape(by_v, np.shape(v))


def polyder(g: Any, out: Any, p: Any, m: int = 1) -> tuple[Any, ...]:
    factors = np.polyder(np.ones_like(p), m)
    return (np.concatenate([g * factors, np.zeros_like(p[np.shape(g)[0] :])]),)


def polyint(g: Any, out: Any, p: Any, m: int = 1, k: Any = None) -> tuple[Any, ...]:
    """The constants are coefficients of the next integral."""
    count = np.shape(p)[0]
    by_p = g[:count] * np.polyint(np.ones_like(p), m)[:count]
    if k is None:
        return (by_p,)
    factors = [1.0]
    for i in range(m - 1):
        factors.append(factors[-1] / (i + 1))
    by_k = g[count:] * np.array(factors[::-1])
    return by_p, {"k": np.sum(by_k) if np.size(k) == 1 else np.reshape(by_k, np.shape(k))}


def complex_roots(g: Any, out: Any, p: Any) -> tuple[Any, ...]:
    """A root moves as the polynomial there, divided by its slope."""
    by_roots, roots = g[0], out[0]
    count = np.size(p)
    each = by_roots / np.polyval(np.polyder(np.atleast_1d(p)), roots)
    powers = np.power(np.expand_dims(roots, 1), counting(count, roots)[::-1])
    return (np.reshape(np.negative(each @ powers), np.shape(p)),)


def poly(g: Any, out: Any, seq_of_zeros: Any) -> tuple[Any, ...]:
    """Without a root the polynomial is one degree lower: its coefficients come from synthetic division."""
    count = np.shape(seq_of_zeros)[0]
    if count == 0:
        return (None,)
    sums = np.correlate(g[1:], conjugated(out[:-1]), "full")[count - 1 :]
    return (np.negative(np.polyval(sums[::-1], seq_of_zeros)),)


def polyfit(g: Any, out: Any, x: Any, y: Any, deg: int, full: bool = False, w: Any = None, cov: Any = False,
            **options: Any) -> Any:  # fmt: skip
    """The coefficients are the pseudo-inverse of the powers of x times y, each row times its weight."""
    if cov or (full and any(part is not None for part in g[1:])):
        return NotImplemented
    g, coefficients = (g[0], out[0]) if full else (g, out)
    powers = np.vander(x, deg + 1)
    weights = np.ones_like(x) if w is None else w
    columns = [np.reshape(v, (np.shape(v)[0], -1)) for v in (y, g)]
    by_rows, by_values = _by_fit(columns[1], powers * weights[:, None], columns[0] * weights[:, None])
    lowered = np.vander(x, deg) * counting(deg + 1, x)[:0:-1]
    by_x = weights * np.sum(by_rows[:, :-1] * lowered, axis=1)
    by_w = np.sum(by_rows * powers, axis=1) + np.sum(by_values * columns[0], axis=1)
    by_y = np.reshape(by_values * weights[:, None], np.shape(y))
    return by_x, by_y, None, {"w": by_w}


def _by_fit(g: Any, rows: Any, values: Any) -> tuple[Any, Any]:
    inverse = np.linalg.pinv(rows)
    return _in_pinv(g @ np.transpose(values), inverse, rows)[0], np.transpose(inverse) @ g


@in_conjugates
def _in_pinv(g: Any, inverse: Any, rows: Any) -> tuple[Any, ...]:
    return (by_pinv(g, inverse, rows),)
