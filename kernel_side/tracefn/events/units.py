"""Times and sizes in words, for texts and labels."""

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


def size(count: float) -> str:
    """A number of bytes, with three digits and the unit that fits.

    >>> size(0), size(1234567), size(999.96e3)
    ('0 B', '1.23 MB', '1 MB')
    """
    for unit, factor in (("B", 1.0), ("kB", 1e3), ("MB", 1e6)):
        digits = f"{count / factor:.3g}"
        if float(digits) < 1000:
            return f"{digits} {unit}"
    return f"{float(f'{count / 1e9:.3g}'):g} GB"


def percent(part: float) -> str:
    """A part of a whole.

    >>> percent(0.634), percent(0.0123), percent(0.0001)
    ('63 %', '1.2 %', '< 0.1 %')
    """
    if 0 < part < 0.001:
        return "< 0.1 %"
    return f"{100 * part:.3g} %" if part >= 0.9995 else f"{100 * part:.2g} %"


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
