"""The arguments that traces were made with, as far as they are still there: a measurement repeats the call."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError, message
from ...ir.types import Kind
from ...trace.signature import CallSignature, LeafSpec, ObjectSpec, TensorSpec, ValueSpec
from ...trace.tree import unflatten


def remembered(values: Sequence[Any]) -> tuple[Any, ...]:
    """Weak references to the leaves of a call: no array or object is kept for this. NumPy scalars are kept."""
    return tuple([value if isinstance(value, np.generic) else _reference(value) for value in values])


def _reference(value: Any) -> Any:
    try:
        return weakref.ref(value)
    except TypeError:
        return None


def arguments_again(
    call: CallSignature, references: Sequence[Any], name: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments of a call that was traced, and the paths of the arrays among them that are gone: for these, others
    of the same dtype and shape are made, random numbers from 0 to 1, and zeros where there are no fractions.

    Raises `UnsupportedFunctionError` for an object that is gone.
    """
    made: list[str] = []
    values: list[Any] = []
    for path, leaf, reference in zip(call.paths, call.leaves, references, strict=True):
        value = reference() if isinstance(reference, weakref.ref) else reference
        if isinstance(leaf, ValueSpec):
            value = leaf.value
        elif value is None and isinstance(leaf, ObjectSpec):
            value = leaf.target
        if value is None and isinstance(leaf, TensorSpec) and leaf.is_exact and leaf.device == "cpu":
            value = _made(leaf)
            made.append(path)
        elif not _fits(leaf, value):
            what = f"the argument `{path}` of the call that made this trace of `{name}` is gone"
            raise UnsupportedFunctionError(message(what, fix="Call it again, or use tracefn.timing.compare(f, …)."))
        values.append(value)
    parts = iter(values)
    return {n: unflatten(tree, [next(parts) for _ in range(tree.count())]) for n, tree in call.trees}, tuple(made)


def _fits(leaf: LeafSpec, value: Any) -> bool:
    """True for a value that has not changed: arrays may have got another shape."""
    if isinstance(leaf, TensorSpec):
        return value is not None and leaf.dtype == value.dtype and leaf.shape == value.shape
    return isinstance(leaf, ValueSpec) or value is not None


def _made(leaf: TensorSpec) -> Any:
    shape: Any = leaf.shape
    numbers = np.random.default_rng(0).random(shape) if leaf.dtype.kind in "fc" else np.zeros(shape)
    array = np.asarray(numbers).astype(leaf.dtype) if leaf.dtype.kind in "biufc" else np.zeros(shape, leaf.dtype)
    return array[()] if leaf.kind is Kind.SCALAR else array
