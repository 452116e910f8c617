"""`Dataset`: the source of elements, their types, and their number."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..errors import message
from ..trace.tree import flatten
from .arrays import NpyFile, Range, Slices
from .csv import Csv
from .generator import Generator
from .joining import Zip
from .node import INFINITE_CARDINALITY
from .parquet import Parquet
from .transformations import Transformations, node_of, positive

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


class Dataset(Transformations):
    """Elements that come one after the other: NumPy scalars and arrays, or nested structures of them.

    A dataset is made by one of the static methods and changed by chaining the others. Nothing is read before it is
    iterated; every iteration starts anew, and several may go on at once.

    >>> import numpy as np
    >>> from tracefn.data import Dataset
    >>> dataset = Dataset.range(5).map(lambda n: n * 0.5).batch(2)
    >>> dataset
    <Dataset batch(2) of map(lambda) of range(5): TensorSpec(shape=(None,), dtype=float64)>
    >>> list(dataset)
    [array([0. , 0.5]), array([1. , 1.5]), array([2.])]
    """

    #: Loops over a dataset in a traced function stay loops.
    __tracefn_dataset__ = True

    @staticmethod
    def range(*args: int) -> Dataset:
        """int64 scalars, with the arguments of Python's `range`.

        >>> list(Dataset.range(1, 6, 2))
        [np.int64(1), np.int64(3), np.int64(5)]
        """
        return Dataset(Range(*args))

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """The slices along the leading axis of an array, or of each array in a structure.

        A list counts as an array. The arrays are not copied, the slices are.

        Raises ValueError where there is no array, or no leading axis, or the leading lengths differ, and
        `UnsupportedArgumentError` for arrays of Python objects and structured arrays.

        >>> import numpy as np
        >>> for element in Dataset.from_tensor_slices({"x": np.eye(2), "y": [3, 4]}):
        ...     print(element)
        {'x': array([1., 0.]), 'y': np.int64(3)}
        {'x': array([0., 1.]), 'y': np.int64(4)}
        """
        return Dataset(Slices(tensors))

    @staticmethod
    def from_generator(generator: Callable[[], Iterable[Any]], output_signature: Any) -> Dataset:
        """The elements of `generator()`, which is called for every pass.

        `output_signature` has the structure of an element with a `TensorSpec` for each leaf. Every element is checked:
        arrays and NumPy scalars must have the dtype, Python numbers and lists of them are converted where that loses
        nothing. Arrays are copied, so a generator may go on writing to its own.

        Raises TypeError for a signature that is none, and while iterating TypeError (structure, dtype) or ValueError
        (shape) with the number of the element, from 0, and the path in it.

        >>> import numpy as np
        >>> from tracefn import TensorSpec
        >>> def squares():
        ...     for n in range(3):
        ...         yield n, n**2
        >>> list(Dataset.from_generator(squares, (TensorSpec((), np.int64), TensorSpec((), np.float32))))[2]
        (np.int64(2), np.float32(4.0))
        """
        return Dataset(Generator(generator, output_signature))

    @staticmethod
    def from_npy(path: str | os.PathLike[str]) -> Dataset:
        """The slices along the leading axis of the array in a .npy file, read piece by piece.

        Raises FileNotFoundError, and ValueError where the file holds no array that can be read so.

        >>> import numpy as np, tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "numbers.npy")
        ...     np.save(path, np.arange(3.0))
        ...     list(Dataset.from_npy(path))
        [np.float64(0.0), np.float64(1.0), np.float64(2.0)]
        """
        return Dataset(NpyFile(path))

    @staticmethod
    def from_csv(
        paths: Paths,
        *,
        columns: Sequence[str] | None = None,
        dtypes: dict[str, Any] | None = None,
        column_names: Sequence[str] | None = None,
        delimiter: str = ",",
        fill: dict[str, Any] | None = None,
        block_size: int = 1 << 20,
    ) -> Dataset:
        """The rows of CSV files as dicts from column to scalar, read block by block. Needs pyarrow (`tracefn[data]`).

        Parameters
        ----------
        paths: path or sequence of paths
            Files in UTF-8, also compressed (.gz, .bz2, .zst), with the same columns.
        columns: sequence of str, optional
            The columns to read, in this order. Left out: all.
        dtypes: dict from column to dtype, optional
            The dtypes of columns; for others the first block of the first file tells: int64, float64, bool, str,
            datetime64.
        column_names: sequence of str, optional
            The names of the columns in files that have no line for them. Left out: the first line has them.
        delimiter: str
            One character.
        fill: dict from column to value, optional
            The replacement where a column of numbers or times has nothing, or `NA`, `N/A`, `#N/A`, `null`, `NULL`.
        block_size: int
            Bytes that are read at once; a row has to fit.

        No row is left out. Raises ValueError with file and line for a row with too many or too few values, for a value
        that is not of its column's type, and for a missing value that `fill` does not give; TypeError for a column
        whose dtype is not known; FileNotFoundError; ModuleNotFoundError without pyarrow.

        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "people.csv")
        ...     _ = path.write_text("name,height\\nAda,1.65\\nGrace,1.70\\n")
        ...     list(Dataset.from_csv(path))[1]
        {'name': np.str_('Grace'), 'height': np.float64(1.7)}
        """
        size = positive(block_size, "from_csv: block_size")
        return Dataset(Csv(paths, columns, dtypes, column_names, delimiter, fill, size))

    @staticmethod
    def from_parquet(paths: Paths, columns: Sequence[str] | None = None, fill: dict[str, Any] | None = None) -> Dataset:
        """The rows of Parquet files as dicts from column to scalar, read piece by piece.

        Needs pyarrow (`tracefn[data]`). `columns` names those to read, `fill` has the replacements of missing
        values, by column.

        Raises ValueError for a file that is not Parquet, a column that is not there, and, while iterating, a missing
        value; TypeError for a column of a type that NumPy has not, and for files with different types.

        >>> import pyarrow, pyarrow.parquet, tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "numbers.parquet")
        ...     pyarrow.parquet.write_table(pyarrow.table({"n": [1, 2], "x": [0.5, 1.5]}), path)
        ...     list(Dataset.from_parquet(path, columns=["x"]))
        [{'x': np.float64(0.5)}, {'x': np.float64(1.5)}]
        """
        return Dataset(Parquet(paths, columns, fill))

    @staticmethod
    def zip(*datasets: Any) -> Dataset:
        """Elements of several datasets side by side; ends with the shortest.

        The datasets are passed one by one or in a structure, which the elements then have.

        Raises ValueError where there is none, TypeError for other objects than datasets.

        >>> list(Dataset.zip(Dataset.range(2), Dataset.range(5, 9)))
        [(np.int64(0), np.int64(5)), (np.int64(1), np.int64(6))]
        >>> next(iter(Dataset.zip({"a": Dataset.range(2), "b": Dataset.range(5, 9)})))
        {'a': np.int64(0), 'b': np.int64(5)}
        """
        leaves, tree = flatten(datasets[0] if len(datasets) == 1 else datasets)
        if not leaves:
            raise ValueError(message("zip: there is no dataset", fix="Pass at least one."))
        return Dataset(Zip("zip", tree, [node_of(leaf, "zip") for _, leaf in leaves]))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._node)

    @property
    def element_spec(self) -> Any:
        """The structure of an element, with a `TensorSpec` in the place of each array or scalar.

        None is a length that differs between elements. The width of texts is left open: their dtype is `np.dtype('U')`.
        """
        return self._node.spec

    def cardinality(self) -> int:
        """The number of elements, `INFINITE_CARDINALITY` (-1), or `UNKNOWN_CARDINALITY` (-2): only reading tells.

        >>> Dataset.range(5).batch(2).cardinality(), Dataset.range(5).repeat().cardinality()
        (3, -1)
        """
        return self._node.cardinality

    def __len__(self) -> int:
        """The number of elements. Raises TypeError where it is infinite, or unknown before reading."""
        number = self._node.cardinality
        if number < 0:
            how = "infinite" if number == INFINITE_CARDINALITY else "not known before it is read"
            fix = "Use `cardinality()`, which has a number for that, or count while iterating."
            raise TypeError(message(f"the length of this dataset is {how}", fix=fix))
        return number

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<Dataset {self._node.text}: {self._node.spec!r}>"
