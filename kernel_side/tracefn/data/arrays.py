"""Sources that have their elements in arrays: a range, slices of arrays in memory, and slices of a .npy file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain, count
from typing import Any

import numpy as np

from ..errors import message
from ..trace.tree import flatten, unflatten
from .node import INFINITE_CARDINALITY, Node
from .specs import slices_spec, tensor_spec
from .structure import elements, packer

#: As many numbers of a range are made at once.
CHUNK = 4096

#: About as many bytes of a file are in memory at once.
FILE_BLOCK = 1 << 20


class Range(Node):
    """int64 scalars."""

    from_arrays = True

    def __init__(self, *arguments: int) -> None:
        self._range = range(*arguments)
        try:
            np.array([self._range.start, self._range.stop], np.int64)
        except OverflowError as error:
            raise OverflowError(message(f"{self._range} does not fit into int64", fix="Use smaller bounds.")) from error
        super().__init__(repr(self._range).replace("range(0, ", "range("), tensor_spec((), np.int64), len(self._range))

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self.blocks(CHUNK))

    def blocks(self, size: int) -> Iterator[Any]:
        for start in range(0, len(self._range), size):
            part = self._range[start : start + size]
            yield np.arange(part.start, part.stop, part.step, dtype=np.int64)


class Count(Node):
    """int64 scalars from `start` on, without end."""

    from_arrays = True

    def __init__(self, start: int) -> None:
        self._start = start
        super().__init__(f"count({start})", tensor_spec((), np.int64), INFINITE_CARDINALITY)

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self.blocks(CHUNK))

    def blocks(self, size: int) -> Iterator[Any]:
        return (np.arange(start, start + size, dtype=np.int64) for start in count(self._start, size))


class Slices(Node):
    """The slices of arrays along their leading axis."""

    from_arrays = True

    def __init__(self, tensors: Any) -> None:
        leaves, self._tree = flatten(_lists_as_arrays(tensors), "tensors")
        if not leaves:
            raise ValueError(message(f"from_tensor_slices: {tensors!r} holds no array", fix="Pass at least one array."))
        self._arrays = [_as_array(path, leaf) for path, leaf in leaves]
        specs = [
            slices_spec(a, f"from_tensor_slices: {path}") for (path, _), a in zip(leaves, self._arrays, strict=True)
        ]
        lengths = {path: len(array) for (path, _), array in zip(leaves, self._arrays, strict=True)}
        if len({*lengths.values()}) > 1:
            said = ", ".join(f"{path} has {length}" for path, length in lengths.items())
            raise ValueError(
                message(
                    f"from_tensor_slices: the arrays have different numbers of slices: {said}",
                    fix="Cut them to one leading length, or zip datasets, which ends with the shortest.",
                )
            )
        super().__init__("from_tensor_slices", unflatten(self._tree, specs), len(self._arrays[0]))

    def __iter__(self) -> Iterator[Any]:
        return elements(self._tree, [rows(array) for array in self._arrays])

    def blocks(self, size: int) -> Iterator[Any]:
        pack = packer(self._tree)
        for start in range(0, self.cardinality, size):
            yield pack(tuple([array[start : start + size].copy() for array in self._arrays]))


def _lists_as_arrays(value: Any) -> Any:
    """Lists are arrays here, also those in tuples and dicts."""
    if isinstance(value, list):
        return _as_array("tensors", value)
    if type(value) is tuple:
        return tuple(map(_lists_as_arrays, value))
    if isinstance(value, dict):
        return type(value)((key, _lists_as_arrays(part)) for key, part in value.items())
    return value


def _as_array(path: str, value: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asanyarray(value)
        return array.view(np.ndarray) if isinstance(array, np.memmap) else array  # elements are plain arrays
    except (TypeError, ValueError) as error:
        fix = "Pass arrays; rows of different lengths can come from from_generator, and be stacked by padded_batch."
        raise type(error)(message(f"from_tensor_slices: {path} is no array: {error}", fix=fix)) from error


def rows(array: np.ndarray[Any, Any]) -> Iterable[Any]:
    """The scalars of an array, or copies of its rows: who gets them may write to them."""
    return array if array.ndim == 1 else map(np.ndarray.copy, array)


class NpyFile(Node):
    """The slices of the array in a .npy file. A piece of the file is mapped at a time, and copied."""

    from_arrays = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        try:
            array = np.load(self._path, mmap_mode="r")
        except (ValueError, EOFError) as error:
            fix = "Write it with np.save; an array of Python objects has to be converted first."
            raise ValueError(message(f"from_npy: cannot read {self._path}: {error}", fix=fix)) from error
        if not isinstance(array, np.memmap):
            array.close()
            fix = "Load it with np.load, and pass its arrays to from_tensor_slices."
            raise ValueError(message(f"from_npy: {self._path} is an archive of several arrays", fix=fix))
        spec = slices_spec(array.view(np.ndarray), f"from_npy: the array in {self._path}")
        order = "C" if array.flags.c_contiguous else "F"
        self._map: dict[str, Any] = {"dtype": array.dtype, "offset": array.offset, "shape": array.shape, "order": order}
        self._rows = max(1, FILE_BLOCK // max(1, array.nbytes // max(1, len(array))))
        super().__init__(f"from_npy({self._path!r})", spec, len(array))

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(map(rows, self.blocks(self._rows)))

    def blocks(self, size: int) -> Iterator[Any]:
        for start in range(0, self.cardinality, size):
            # Mapped anew for each block: the pages of a map stay in memory for as long as it lives.
            mapped: Any = np.memmap(self._path, mode="r", **self._map)
            yield np.array(mapped[start : start + size])
