"""The arguments that traces were made with, as far as they are still there: a measurement repeats the call."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...config import kept_arguments_size
from ...errors import UnsupportedFunctionError, message
from ...ir.types import Kind
from ...trace.signature import CallSignature, LeafSpec, ObjectSpec, TensorSpec, ValueSpec
from ...trace.tree import unflatten


class _KeptArrays:
    """Arrays of calls, the newest last."""

    def __init__(self) -> None:
        self._arrays: OrderedDict[int, np.ndarray[Any, Any]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def keep(self, values: Sequence[Any], budget: int) -> None:
        """Keep the arrays among the values, and no more than `budget` bytes in all."""
        if not budget and not self._arrays:
            return
        with self._lock:
            for array in values:
                if isinstance(array, np.ndarray) and _memory(array).nbytes <= budget:
                    if self._arrays.pop(id(array), None) is None:
                        self._size += _memory(array).nbytes
                    self._arrays[id(array)] = array
            while self._size > budget:
                _, oldest = self._arrays.popitem(last=False)
                self._size -= _memory(oldest).nbytes


def _memory(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array whose memory an array shows."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


_KEPT = _KeptArrays()


def remembered(values: Sequence[Any]) -> tuple[Any, ...]:
    """Weak references to the leaves of a call. NumPy scalars are kept, and arrays within `config.kept_arguments`."""
    _KEPT.keep(values, kept_arguments_size())
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
