"""The transformations of a dataset: methods of `Dataset` that give another one."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any, Self

from ..errors import message
from ..trace.tree import flatten
from .arrays import Count
from .batching import Batch, PaddedBatch
from .buffering import Cache, Shuffle
from .joining import Concatenate, Repeat, Skip, Take, Zip
from .mapping import Filter, Map
from .node import Node
from .prefetching import Prefetch


class Transformations:
    """Each method leaves the dataset as it is and returns a new one, which reads this one when it is iterated."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def map(self, function: Callable[..., Any]) -> Self:
        """The results of `function` for each element.

        `function` is traced (`tracefn.function`; one that is traced already is taken as it is) when this is called,
        for the `element_spec`. An element that is a tuple is passed as several arguments, all else as one. Python
        numbers in the result become NumPy scalars.

        Raises errors of tracing, and TypeError where the result holds anything but arrays and numbers; while
        iterating TypeError or ValueError where a result does not fit the `element_spec` any more.

        >>> import numpy as np
        >>> from tracefn.data import Dataset
        >>> pairs = Dataset.from_tensor_slices((np.arange(3), np.array([0.5, 1.0, 1.5])))
        >>> list(pairs.map(lambda n, x: n * x))
        [np.float64(0.0), np.float64(1.0), np.float64(3.0)]
        """
        return type(self)(Map(self._node, function))

    def filter(self, predicate: Callable[..., Any]) -> Self:
        """The elements for which `predicate`, traced and called as in `map`, returns True.

        Raises errors of tracing, and TypeError where the result is not one boolean.

        >>> from tracefn.data import Dataset
        >>> list(Dataset.range(6).filter(lambda n: n % 3 == 0))
        [np.int64(0), np.int64(3)]
        """
        return type(self)(Filter(self._node, predicate))

    def batch(self, batch_size: int, drop_remainder: bool = False) -> Self:
        """Elements stacked along a new leading axis, `batch_size` at a time.

        The last batch may be shorter: its length is None in the `element_spec`, unless `drop_remainder` leaves it out
        or the number of elements is known to be a multiple.

        Raises ValueError for a size below 1, and while iterating where the shapes of elements differ.

        >>> from tracefn.data import Dataset
        >>> list(Dataset.range(5).batch(2))
        [array([0, 1]), array([2, 3]), array([4])]
        >>> Dataset.range(5).batch(2, drop_remainder=True).element_spec
        TensorSpec(shape=(2,), dtype=int64)
        """
        return type(self)(Batch(self._node, positive(batch_size, "batch: batch_size"), bool(drop_remainder)))

    def padded_batch(
        self, batch_size: int, padded_shapes: Any = None, padding_values: Any = None, drop_remainder: bool = False
    ) -> Self:
        """As `batch`, for arrays of different lengths: each is padded at the end of its axes.

        Parameters
        ----------
        batch_size: int
        padded_shapes: structure of shapes, optional
            The length of each axis, for each array of an element; None (or -1) is the longest of the batch, and so is
            leaving it out.
        padding_values: scalar or structure of scalars, optional
            The padding, of the dtype of the array. None is the dtype's zero.
        drop_remainder: bool
            Whether a shorter last batch is left out.

        Raises TypeError and ValueError for shapes and values that do not fit the elements, and while iterating
        ValueError where an array is longer than its padded shape.

        >>> import numpy as np
        >>> from tracefn.data import Dataset
        >>> words = Dataset.range(1, 4).map(lambda n: np.arange(n))
        >>> for batch in words.padded_batch(3, padding_values=-1):
        ...     print(batch)
        [[ 0 -1 -1]
         [ 0  1 -1]
         [ 0  1  2]]
        """
        size = positive(batch_size, "padded_batch: batch_size")
        return type(self)(PaddedBatch(self._node, size, padded_shapes, padding_values, bool(drop_remainder)))

    def shuffle(self, buffer_size: int, seed: int | None = None, reshuffle_each_iteration: bool = True) -> Self:
        """The elements in random order. Each is drawn from the next `buffer_size`: a buffer for all mixes evenly.

        With a seed, pass number k over this dataset has the same order in every run. Every pass has another order,
        unless `reshuffle_each_iteration` is False.

        Raises ValueError for a size below 1 and a seed below 0.

        >>> from tracefn.data import Dataset
        >>> shuffled = Dataset.range(4).shuffle(4, seed=1)
        >>> sorted(shuffled) == list(Dataset.range(4))
        True
        """
        size = positive(buffer_size, "shuffle: buffer_size")
        if seed is not None:
            seed = integer(seed, "shuffle: seed", 0)
        return type(self)(Shuffle(self._node, size, seed, bool(reshuffle_each_iteration)))

    def repeat(self, count: int | None = None) -> Self:
        """The elements `count` times over; None or -1: without end. Each round is a new pass, so it shuffles anew.

        >>> from tracefn.data import Dataset
        >>> list(Dataset.range(2).repeat(2))
        [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
        """
        return type(self)(Repeat(self._node, None if count is None else number_or_all(count, "repeat: count")))

    def take(self, count: int) -> Self:
        """The first `count` elements, or all if there are fewer; -1 is all.

        >>> from tracefn.data import Dataset
        >>> list(Dataset.range(5).take(2))
        [np.int64(0), np.int64(1)]
        """
        number = number_or_all(count, "take: count")
        return type(self)(self._node if number is None else Take(self._node, number))

    def skip(self, count: int) -> Self:
        """All but the first `count` elements; -1 leaves none.

        >>> from tracefn.data import Dataset
        >>> list(Dataset.range(5).skip(3))
        [np.int64(3), np.int64(4)]
        """
        number = number_or_all(count, "skip: count")
        return type(self)(Take(self._node, 0) if number is None else Skip(self._node, number))

    def enumerate(self, start: int = 0) -> Self:
        """Pairs of a number, int64 from `start` on, and an element.

        >>> import numpy as np
        >>> from tracefn.data import Dataset
        >>> list(Dataset.from_tensor_slices(np.array([0.5, 1.5])).enumerate())
        [(np.int64(0), np.float64(0.5)), (np.int64(1), np.float64(1.5))]
        """
        _, pair = flatten((0, 0))
        return type(self)(
            Zip(f"enumerate({start or ''})", pair, [Count(integer(start, "enumerate: start", 0)), self._node])
        )

    def concatenate(self, dataset: Transformations) -> Self:
        """The elements of this dataset, then those of another.

        Raises TypeError where structure, dtypes or ranks of the elements differ.

        >>> from tracefn.data import Dataset
        >>> list(Dataset.range(2).concatenate(Dataset.range(7, 8)))
        [np.int64(0), np.int64(1), np.int64(7)]
        """
        return type(self)(Concatenate(self._node, node_of(dataset, "concatenate")))

    def cache(self) -> Self:
        """The same elements, kept in memory in the first whole pass, and taken from there in later ones.

        A pass that stops early keeps nothing.

        >>> from tracefn.data import Dataset
        >>> cached = Dataset.range(2).cache()
        >>> list(cached) == list(cached)
        True
        """
        return type(self)(Cache(self._node))

    def prefetch(self, buffer_size: int) -> Self:
        """The same elements, up to `buffer_size` of them made ahead by a thread while the program uses earlier ones.

        The thread ends when its iterator is exhausted, closed or dropped. Errors of the dataset are raised here.

        Raises ValueError for a size below 1.

        >>> from tracefn.data import Dataset
        >>> list(Dataset.range(2).prefetch(1))
        [np.int64(0), np.int64(1)]
        """
        return type(self)(Prefetch(self._node, positive(buffer_size, "prefetch: buffer_size")))


def node_of(dataset: Any, what: str) -> Node:
    """The steps of a dataset. Raises TypeError for anything else."""
    if not isinstance(dataset, Transformations):
        fix = "Make one of it: Dataset.from_tensor_slices(array), or Dataset.from_generator."
        raise TypeError(message(f"{what}: {dataset!r} is no Dataset", fix=fix))
    return dataset._node


def integer(value: Any, what: str, least: int) -> int:
    """The value as an int. Raises TypeError where it is none, ValueError below `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(message(f"{what} is {value!r}, which is no integer", fix="Give an int.")) from None
    if number < least:
        raise ValueError(message(f"{what} is {number}", fix=f"Give {least} or more."))
    return number


def positive(value: Any, what: str) -> int:
    """The value as an int. Raises ValueError below 1."""
    return integer(value, what, 1)


def number_or_all(value: Any, what: str) -> int | None:
    """The value as an int, None for -1, which stands for all."""
    number = integer(value, what, -1)
    return None if number == -1 else number


for _name, _method in list(vars(Transformations).items()):
    if isinstance(_method, types.FunctionType):
        _method.__qualname__ = f"Dataset.{_name}"  # which Python's own errors name
