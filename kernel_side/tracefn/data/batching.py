"""Steps that stack elements: batch, and padded_batch for elements of different lengths."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..errors import message
from ..trace.signature import TensorSpec
from ..trace.tree import Tree, flatten, unflatten
from .conform import as_numpy
from .node import INFINITE_CARDINALITY, Node
from .specs import with_leading
from .structure import branches, columns, is_text, packer, spec_leaves


class Batch(Node):
    """Elements stacked along a new leading axis."""

    def __init__(self, source: Node, size: int, drop_remainder: bool) -> None:
        self._size = size
        self._drop = drop_remainder
        label = f"batch({size}, drop_remainder=True)" if drop_remainder else f"batch({size})"
        super().__init__(label, *_batched(source, source.spec, size, drop_remainder), [source])

    def __iter__(self) -> Iterator[Any]:
        blocks = self.inputs[0].blocks(self._size)
        return (b for b in blocks if len(flatten(b)[0][0][1]) == self._size) if self._drop else blocks


def _batched(source: Node, spec: Any, size: int, drop_remainder: bool) -> tuple[Any, int]:
    """Spec and number of the batches."""
    known = source.cardinality
    full = drop_remainder or known == INFINITE_CARDINALITY or (known >= 0 and known % size == 0)
    number = known if known < 0 else known // size if drop_remainder else -(-known // size)
    return with_leading(spec, size if full else None), number


class PaddedBatch(Node):
    """Elements stacked, each axis padded to a given length, or to the longest of the batch."""

    def __init__(self, source: Node, size: int, shapes: Any, values: Any, drop_remainder: bool) -> None:
        self._size = size
        self._drop = drop_remainder
        self._paths, self._specs, self._tree = spec_leaves(source.spec)
        self._shapes = [leaf.shape for leaf in self._specs]
        if shapes is not None:
            given = branches_of(self._tree, shapes, "padded_shapes")
            found = zip(self._paths, self._specs, given, strict=True)
            self._shapes = [_target_shape(path, spec, shape) for path, spec, shape in found]
        self._values = _padding_values(self._tree, self._paths, self._specs, values)
        padded = [TensorSpec(shape, leaf.dtype) for shape, leaf in zip(self._shapes, self._specs, strict=True)]
        spec = unflatten(self._tree, padded)
        super().__init__(f"padded_batch({size})", *_batched(source, spec, size, drop_remainder), [source])

    def __iter__(self) -> Iterator[Any]:
        pack = packer(self._tree)
        iterator = iter(self.inputs[0])
        number = 0
        while (found := list(islice(iterator, self._size))) and not (self._drop and len(found) < self._size):
            parts = zip(self._paths, self._shapes, self._values, columns(self._tree, found), strict=True)
            yield pack(tuple([_padded(path, shape, value, column, number) for path, shape, value, column in parts]))
            number += len(found)


def branches_of(tree: Tree, value: Any, what: str) -> list[Any]:
    """The parts of `value` for each leaf of the elements."""
    try:
        return [branch for _, branch in branches(tree, value, what)]
    except TypeError as error:
        fix = f"Give {what} the structure of an element, with one entry for each of its arrays."
        raise TypeError(message(f"padded_batch: {error}", fix=fix)) from None


def _target_shape(path: str, spec: TensorSpec, shape: Any) -> tuple[int | None, ...]:
    try:
        lengths = (shape,) if isinstance(shape, int) else tuple(shape)
        target = tuple(None if n is None or n == -1 else operator.index(n) for n in lengths)
    except TypeError as error:
        fix = "A shape has an int, or None for the longest of the batch, for each axis."
        raise TypeError(message(f"padded_batch: padded_shapes has {shape!r} for {path}", fix=fix)) from error
    too_short = any(n is not None and m is not None and n < m for n, m in zip(target, spec.shape, strict=False))
    if len(target) != len(spec.shape) or too_short:
        fix = "Give each axis at least the length that the elements have, or None."
        raise ValueError(message(f"padded_batch: {path} has shape {spec.shape}, not {target}", fix=fix))
    # An axis of known length stays that long where the longest is asked for.
    return tuple(n if m is None else m for n, m in zip(spec.shape, target, strict=True))


def _padding_values(tree: Tree, paths: list[str], specs: list[TensorSpec], values: Any) -> list[Any]:
    given = [values] * len(specs)
    if flatten(values)[1] != flatten(0)[1]:
        given = branches_of(tree, values, "padding_values")
    found = []
    for path, spec, value in zip(paths, specs, given, strict=True):
        try:
            value = np.zeros((), spec.dtype)[()] if value is None else as_numpy(value, spec.dtype)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(message(f"padded_batch: padding_values for {path}: {error}", fix=_VALUES)) from None
        if value.shape or not (
            value.dtype == spec.dtype or is_text(spec.dtype) and value.dtype.kind == spec.dtype.kind
        ):
            what = f"padded_batch: padding_values for {path} is {value!r}; a scalar of dtype {spec.dtype} is expected"
            raise TypeError(message(what, fix=_VALUES))
        found.append(value)
    return found


_VALUES = "Give one scalar for all arrays, or a structure with one for each; None is the zero of the dtype."


def _padded(path: str, shape: Any, value: Any, column: Sequence[Any], number: int) -> np.ndarray[Any, Any]:
    longest = [max(lengths) for lengths in zip(*[array.shape for array in column], strict=True)]
    target = tuple([n if fixed is None else fixed for n, fixed in zip(longest, shape, strict=True)])
    dtype = np.result_type(value, *column) if is_text(value.dtype) else value.dtype
    batch = np.full((len(column), *target), value, dtype)
    for i, array in enumerate(column):
        if any(n > m for n, m in zip(array.shape, target, strict=True)):
            raise ValueError(
                message(
                    f"padded_batch: {path} has shape {array.shape} in element {number + i}, longer than {target}",
                    fix="Give a longer padded_shapes, or None for the longest of the batch, or cut it with `map`.",
                )
            )
        region: Any = (i, *[slice(n) for n in array.shape])
        batch[region] = array
    return batch
