"""A source that reads CSV files, a block at a time; whatever is wrong in one is said with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from ..errors import message
from ..trace.tree import flatten
from . import arrow
from .csv_lines import QuoteCounter, line_of_row, open_quotation
from .node import UNKNOWN_CARDINALITY, Node
from .structure import elements, is_text

#: Texts that are missing values, in columns that are not texts. `nan` is a number.
NULLS = ("", "NA", "N/A", "#N/A", "null", "NULL")


class Csv(Node):
    """Rows as dicts from column to scalar."""

    def __init__(
        self,
        paths: Any,
        columns: Sequence[str] | None,
        dtypes: dict[str, Any] | None,
        column_names: Sequence[str] | None,
        delimiter: str,
        fill: dict[str, Any] | None,
        block_size: int,
    ) -> None:
        self._paths = arrow.path_list(paths, "from_csv")
        self._delimiter = delimiter
        self._block_size = block_size
        self._given_names = None if column_names is None else list(column_names)
        self._blank_lines = False  # whether a blank line is a row: only where there is one column
        with self._open(self._paths[0], self._paths[0]) as reader:
            inferred = reader.schema
        self._names = _once(inferred.names, f"from_csv: {self._paths[0]}", inferred.names)
        self._blank_lines = len(self._names) == 1
        wanted = self._names if columns is None else _once(list(columns), "from_csv: columns", self._names)
        given = _arrow_types(dtypes or {}, wanted)
        self._types = {name: given.get(name, inferred.field(name).type) for name in wanted}
        where = f"from_csv: {self._paths[0]}"
        specs = {
            name: arrow.column_spec(name, kind, where, f"Name its dtype, such as dtypes={{{name!r}: np.float64}}.")
            for name, kind in self._types.items()
        }
        self._fill = arrow.fill_values(fill, specs, "from_csv")
        label = f"from_csv({', '.join(map(repr, self._paths))})"
        super().__init__(label, specs, UNKNOWN_CARDINALITY)

    def __iter__(self) -> Iterator[Any]:
        _, tree = flatten(self.spec)
        batches = chain.from_iterable(map(self._columns, self._paths))
        return chain.from_iterable(elements(tree, columns) for columns in batches)

    def _columns(self, path: str) -> Iterator[list[Any]]:
        """The columns of each block of a file."""
        row = 1 if self._given_names is not None else 2
        file = QuoteCounter(arrow.pyarrow("from_csv").input_stream(path))
        with closing(file), self._open(path, file, self._types) as reader:
            if {*reader.schema.names} != {*self._types}:
                fix = "Read files of one kind, or name the columns that they share with columns=[...]."
                what = f"from_csv: {path} has the columns {reader.schema.names}, {self._paths[0]} has {self._names}"
                raise ValueError(message(what, fix=fix))
            for batch in self._batches(path, reader):
                yield [self._scalars(path, row, name, batch.column(name)) for name in self._types]
                row += batch.num_rows
        if file.count % 2:
            self._check_quotations(path)

    def _scalars(self, path: str, row: int, name: str, column: Any) -> Any:
        if column.null_count and name in self._fill:
            column = arrow.filled(column, self._fill[name])
        elif column.null_count:
            fix = f"Correct the file, or name a value for missing ones: fill={{{name!r}: ...}}."
            where = self._where(path, row + arrow.first_null(column))
            raise ValueError(message(f"{where}: column {name!r} has no value", fix=fix))
        return arrow.scalars(column, self.spec[name].dtype)

    def _open(self, path: str, file: Any, types: dict[str, Any] | None = None) -> Any:
        """A reader of record batches, with the types of the columns to read, or those that it finds itself."""
        pa = arrow.pyarrow("from_csv")
        from pyarrow import csv

        # One thread, because rows are numbered in errors only then.
        read = csv.ReadOptions(use_threads=False, block_size=self._block_size, column_names=self._given_names)
        parse = csv.ParseOptions(
            delimiter=self._delimiter, newlines_in_values=True, ignore_empty_lines=not self._blank_lines
        )
        all_columns = types is None or {*types} == {*self._names}
        include = None if all_columns else list(types or ())
        convert = csv.ConvertOptions(column_types=types, null_values=NULLS, include_columns=include)
        try:
            return csv.open_csv(file, read, parse, convert)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowKeyError) as error:
            self._fail(path, error)

    def _batches(self, path: str, reader: Any) -> Iterator[Any]:
        try:
            yield from reader
        except arrow.pyarrow("from_csv").ArrowInvalid as error:
            self._fail(path, error)

    def _fail(self, path: str, error: Exception) -> NoReturn:
        """Raises pyarrow's error, in words that name the line and the column."""
        found = re.search(r"(?:In CSV column #(\d+): )?Row #(\d+): (.*)", str(error), re.DOTALL)
        if found is None:
            fix = "Pass a CSV file in UTF-8."
            if "straddling" in str(error):
                self._check_quotations(path)
                fix = f"A row is longer than a block: raise block_size ({self._block_size} bytes)."
            raise ValueError(message(f"from_csv: cannot read {path}: {error}", fix=fix)) from error
        column, row, what = found.groups()
        fix = "Correct the line: each has to have a value for each column."
        if column is not None:
            name = self._names[int(column)]
            what = f"column {name!r}: {what.removeprefix('CSV conversion error to ')}"
            fix = f"Correct the line, or read the column as another type: dtypes={{{name!r}: ...}}."
        raise ValueError(message(f"{self._where(path, int(row))}: {what}", fix=fix)) from error

    def _check_quotations(self, path: str) -> None:
        """Raises where a quotation mark is not closed: pyarrow then takes all that follows as one value."""
        line = open_quotation(path, self._delimiter)
        if line is not None:
            what = f"from_csv: {path}, line {line}: a quotation in this row does not end"
            raise ValueError(message(what, fix="Close it; a quotation mark within one is written twice."))

    def _where(self, path: str, row: int) -> str:
        line = line_of_row(path, row, self._delimiter, self._blank_lines)
        return f"from_csv: {path}, " + (f"row {row}" if line is None else f"line {line}")


def _once(names: list[str], what: str, known: list[str]) -> list[str]:
    """The names. Raises ValueError unless each is known, and there once: elements are dicts."""
    for name in names:
        if known.count(name) != 1 or names.count(name) != 1:
            said = f"has no column {name!r}" if name not in known else f"has the column {name!r} twice"
            fix = f"The columns of the file are {', '.join(map(repr, known))}; column_names=[...] gives others."
            raise ValueError(message(f"{what} {said}", fix=fix))
    return names


def _arrow_types(dtypes: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The Arrow types of the columns whose dtype is given."""
    pa = arrow.pyarrow("from_csv")
    types = {}
    for name, given in dtypes.items():
        if name not in names:
            fix = f"The columns are {', '.join(map(repr, names))}."
            raise ValueError(message(f"from_csv: dtypes names the column {name!r}, which is not read", fix=fix))
        dtype = np.dtype(given)
        try:
            types[name] = pa.string() if is_text(dtype) else pa.from_numpy_dtype(dtype)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
            fix = "Read it as a number, a text or a datetime64, and convert it with `map`."
            raise TypeError(message(f"from_csv: column {name!r} cannot be read as {dtype}", fix=fix)) from error
    return types
