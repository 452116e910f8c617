"""Ways to avoid retraces, as changes of the keys of calls: each policy says which numbers still count."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..function.history.call_log import Column, Form
from ..ir.types import Kind
from ..records import dataclass

NUMBERS = {"int": np.dtype(np.int64), "float": np.dtype(np.float64)}
"""The Python numbers that can be passed as arrays, with the dtype that they get."""


CAPTURED = "captured"
"""The subject of a policy that takes surroundings for equal which differ in Python numbers alone."""


@dataclass(frozen=True, slots=True)
class Policy:
    """`about` are the kinds of columns that it makes equal, `ignored` all that are not compared. With `rounds`, lengths
    are rounded up to powers of two instead.

    Calls that come to share a trace must agree in the fingerprint `must_agree`, or else no trace can serve them all.
    `change` names the change of results that comes in any case.
    """

    name: str
    about: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset({"content", "source"})
    rounds: bool = False
    must_agree: str = "exact"
    change: str = ""

    def form(self, form: Form) -> Any:
        """The part of a form that remains."""
        numbers = self.about & NUMBERS.keys()
        leaves = [("tensor", NUMBERS[d[0]], 0, Kind.ARRAY, "cpu") if d[0] in numbers else d for d in form.leaves]
        return (form.trees, tuple(leaves))

    def number(self, column: Column, values: Any) -> Any:
        """The numbers to compare in place of a column's own; None where it does not count."""
        if column.kind in self.ignored:
            return None
        if self.rounds and column.kind == "length":
            rounded = 1 << np.ceil(np.log2(np.maximum(values, 1))).astype(np.int64)
            return np.where(values > 0, rounded, values)
        return values


def _ignoring(name: str, kinds: set[str], must_agree: str) -> Policy:
    return Policy(name, frozenset(kinds), frozenset({"content", "source"} | kinds), must_agree=must_agree)


AS_IS = Policy("as is")
SCALARS = _ignoring("scalars as arrays", {"int", "float"}, "numbers")
RELAXED = _ignoring("relaxed dims", {"length"}, "shapes")
BOTH = _ignoring("scalars as arrays, relaxed dims", {"int", "float", "length"}, "shapes")
BUCKETS = Policy(
    "power-of-two buckets",
    frozenset({"length"}),
    rounds=True,
    must_agree="shapes",
    change="arrays are padded: mask or cut the results",
)
OUTSIDE = _ignoring("captured numbers as arrays", {CAPTURED}, "numbers")
STATIC = Policy("static arguments", frozenset({"object"}), frozenset({"object", "source"}))
HOISTED = Policy("hoisted function", frozenset({"function"}), frozenset({"function", "content"}))

POLICIES = (SCALARS, RELAXED, BOTH, BUCKETS, OUTSIDE, STATIC, HOISTED)
"""All but the present one: in the order in which they are shown, and preferred where they need equally many traces."""
