"""One step of a dataset: its elements' types, their number, and their source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..errors import message
from .structure import columns, is_text, packer, spec_leaves

#: The result of `Dataset.cardinality()` for a dataset that never ends, and for one whose length only reading it tells.
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class Node:
    """A step: a source without `inputs`, or a transformation of the elements of its inputs.

    `spec` is the structure of an element with a `TensorSpec` for each leaf; `cardinality` the number of elements, or
    one of the two constants. Iterating starts anew each time, and iterators do not know of each other. Elements
    belong to who takes them: no array in one is handed out again.
    """

    #: Whether `blocks` takes elements from arrays, so that nothing can go wrong in one that is not asked for.
    from_arrays = False

    def __init__(self, label: str, spec: Any, cardinality: int, inputs: Sequence[Node] = ()) -> None:
        self.label = label
        self.spec = spec
        self.cardinality = cardinality
        self.inputs = tuple(inputs)

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def blocks(self, size: int) -> Iterator[Any]:
        """Elements stacked, `size` in each block, fewer in the last. Sources that have them stacked do it faster."""
        iterator = iter(self)
        number = 0
        while found := list(islice(iterator, size)):
            yield stacked(self.spec, found, number)
            number += len(found)

    @property
    def text(self) -> str:
        """The whole chain: `batch(32) of range(100)`."""
        if not self.inputs:
            return self.label
        inputs = ", ".join(node.text for node in self.inputs)
        return f"{self.label} of {inputs if len(self.inputs) == 1 else f'({inputs})'}"


def stacked(spec: Any, found: Sequence[Any], number: int) -> Any:
    """Elements along a new leading axis. Raises ValueError where their shapes differ; `number` is that of the first."""
    paths, specs, tree = spec_leaves(spec)
    leaves = []
    for path, leaf, column in zip(paths, specs, columns(tree, found), strict=True):
        if None in leaf.shape:
            _check_shapes(path, column, number)
        leaves.append(np.array(column, None if is_text(leaf.dtype) else leaf.dtype))
    return packer(tree)(tuple(leaves))


def _check_shapes(path: str, column: Sequence[Any], number: int) -> None:
    for i, array in enumerate(column):
        if array.shape != column[0].shape:
            raise ValueError(
                message(
                    f"batch: {path} has shape {column[0].shape} in element {number} and {array.shape} in element "
                    f"{number + i}; only arrays of one shape can be stacked",
                    fix="Use padded_batch, which pads to the longest, or bring them to one shape with `map` first.",
                )
            )
