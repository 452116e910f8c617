"""How times grow with the size, and where two of them cross."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

Curve = Sequence[tuple[float, float]]
"""(size, time) in the order of the sizes."""

LAST = 4
"""How many of the largest sizes tell the growth: small ones tell the overhead of a call."""

FLAT = 0.15
"""A smaller exponent is that of a time that does not grow."""


def exponent(curve: Curve) -> float | None:
    """The k of the line n^k through the largest sizes, on logarithmic axes. None for fewer than two sizes.

    >>> round(exponent([(n, 3 * n**2) for n in (10, 20, 40, 80)]), 6)
    2.0
    """
    last = curve[-LAST:]
    if len(last) < 2:
        return None
    sizes, times = np.log([size for size, _ in last]), np.log([time for _, time in last])
    return float(np.polyfit(sizes, times, 1)[0])


def growth_text(curve: Curve) -> str:
    """The growth in words; empty where it is not known.

    >>> growth_text([(n, 3 * n**1.9) for n in (10, 20, 40)]), growth_text([(1, 5.0), (2, 5.0)])
    ('grows as n^1.9', 'does not grow')
    """
    k = exponent(curve)
    if k is None:
        return ""
    return "does not grow" if abs(k) < FLAT else f"grows as n^{k:.1f}" if k > 0 else f"falls as n^{k:.1f}"


class Gain(NamedTuple):
    """How many times faster a graph is than eager code at a size. Where it is not `clear`, both take the same time."""

    size: float
    speedup: float
    clear: bool


def crossing(gains: Sequence[Gain]) -> float | None:
    """The size from which on a graph is faster than eager code, up to the largest one. None where there is none.

    Between two sizes it is where the straight lines on logarithmic axes cross. The smallest size, where the graph is
    faster at all of them. Sizes where both take the same time do not count.

    >>> crossing([Gain(1, 0.1, True), Gain(100, 10.0, True)])
    10.0
    """
    clear = [gain for gain in gains if gain.clear]
    if not clear or clear[-1].speedup <= 1:
        return None
    found = gains[0].size
    for (size, before, _), (following, after, _) in itertools.pairwise(clear):
        if before <= 1 < after:
            part = -math.log(before) / math.log(after / before)
            found = math.exp(math.log(size) + part * math.log(following / size))
    return round(found, 6)


def crossing_text(gains: Sequence[Gain]) -> str:
    """The same in words.

    >>> crossing_text([Gain(1, 0.1, True), Gain(100, 10.0, True)])
    'faster than eager from n ≈ 10 on'
    """
    if not gains:
        return ""
    if not gains[-1].clear:
        return "as fast as eager at the largest size"
    at = crossing(gains)
    if at is None:
        wins = any(gain.clear and gain.speedup > 1 for gain in gains)
        return "slower than eager at the largest size" if wins else "never faster than eager"
    if at <= gains[0].size:
        return "faster than eager at all sizes"
    return f"faster than eager from n ≈ {number(at)} on"


def number(size: float) -> str:
    """A size with two digits, and thousands apart.

    >>> number(12345), number(7.3), number(64)
    ('12,000', '7.3', '64')
    """
    rounded = float(f"{size:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"
