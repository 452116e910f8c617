"""Causes, places and costs in the words of messages."""

from __future__ import annotations

from collections.abc import Iterable

from ..events import Cause, Location, renumbered

_CHANGES = frozenset({"value", "type", "dtype", "rank", "dimension", "device", "captured", "length"})


def changed(cause: Cause) -> str:
    """A cause as part of a sentence: `n changed 10 → 20 (Python int)`."""
    path, separator, rest = cause.text.partition(": ")
    if separator and cause.kind in _CHANGES and "→" in rest:
        return f"{path} changed {rest}"
    return cause.text


def all_changes(causes: Iterable[Cause]) -> str:
    """Several causes as one sentence."""
    return "; ".join(changed(c) for c in causes)


def place(location: Location | None) -> str:
    """` in cell [7] line 5`, ` in model.py line 5`; empty where it is not known."""
    return "" if location is None else f" in {renumbered(location).text}"
