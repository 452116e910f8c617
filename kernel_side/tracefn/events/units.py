"""Times in words, for texts and labels."""

from __future__ import annotations


def duration(ns: float) -> str:
    """A time in ns, with three digits and the unit that fits.

    >>> duration(1234567), duration(999.96), duration(80)
    ('1.23 ms', '1 µs', '80 ns')
    """
    for unit, size in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6)):
        digits = f"{ns / size:.3g}"
        if float(digits) < 1000:
            return f"{digits} {unit}"
    return f"{float(f'{ns / 1e9:.3g}'):g} s"


def shortened(text: str, limit: int = 120) -> str:
    """A list of arguments that is not much longer than `limit`, cut between two of them.

    >>> shortened("x: float64[2], y: int64, z: 3 (int)", 20)
    'x: float64[2], …'
    """
    if len(text) <= limit:
        return text
    end = text.rfind(", ", 0, limit)
    return f"{text[:end]}, …" if end > 0 else f"{text[:limit]}…"


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "call"), count(1200, "call")
    ('1 call', '1,200 calls')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
