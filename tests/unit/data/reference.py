"""What tests of datasets share: comparing elements, bit by bit and in type."""

from __future__ import annotations

from typing import Any

import numpy as np
from tracefn.trace.tree import flatten


def assert_same(found: Any, expected: Any) -> None:
    """Asserts equal structures of leaves that are equal in type, dtype, shape and value."""
    (mine, tree), (theirs, other) = flatten(found), flatten(expected)
    assert tree == other
    for (path, a), (_, b) in zip(mine, theirs, strict=True):
        assert (type(a), a.dtype, a.shape) == (type(b), b.dtype, b.shape), path
        assert np.all(a == b), (path, a, b)


def fits(dataset: Any) -> bool:
    """True if every element fits the `element_spec`, and as many come as `cardinality` says."""
    specs, tree = flatten(dataset.element_spec)
    number = 0
    for number, element in enumerate(dataset, 1):  # noqa: B007
        leaves, found = flatten(element)
        if found != tree or not all(_fits(leaf, spec) for (_, leaf), (_, spec) in zip(leaves, specs, strict=True)):
            return False
    return dataset.cardinality() in (number, -2)


def _fits(leaf: Any, spec: Any) -> bool:
    dtype = leaf.dtype if leaf.dtype.kind not in "US" else np.dtype(leaf.dtype.kind)
    lengths = len(leaf.shape) == len(spec.shape) and all(
        m in (None, n) for n, m in zip(leaf.shape, spec.shape, strict=True)
    )
    return dtype == spec.dtype and lengths and isinstance(leaf, np.ndarray) == (spec.kind.value == "array")
