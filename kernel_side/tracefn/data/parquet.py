"""A source that reads Parquet files, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ..errors import message
from ..trace.tree import flatten
from . import arrow
from .node import Node
from .structure import elements

#: As many rows are read at once.
ROWS = 16384
_FIX = "Name the columns to read with columns=[...], and leave this one out."


class Parquet(Node):
    """Rows as dicts from column to scalar."""

    def __init__(self, paths: Any, columns: Sequence[str] | None, fill: dict[str, Any] | None) -> None:
        self._paths = arrow.path_list(paths, "from_parquet")
        specs: dict[str, Any] = {}
        rows = 0
        for path in self._paths:
            with _open(path) as file:
                found = _specs(path, file.schema_arrow, columns)
                rows += file.metadata.num_rows
            specs = specs or found
            if found != specs:
                fix = "Read files of one schema, or concatenate datasets that `map` has brought to one."
                what = f"from_parquet: {path} has {found}, and {self._paths[0]} has {specs}"
                raise TypeError(message(what, fix=fix))
        self._fill = arrow.fill_values(fill, specs, "from_parquet")
        super().__init__(f"from_parquet({', '.join(map(repr, self._paths))})", specs, rows)

    def __iter__(self) -> Iterator[Any]:
        _, tree = flatten(self.spec)
        batches = chain.from_iterable(map(self._columns, self._paths))
        return chain.from_iterable(elements(tree, columns) for columns in batches)

    def _columns(self, path: str) -> Iterator[list[Any]]:
        """The columns of each piece of a file."""
        with _open(path) as file:
            first = 1
            for batch in file.iter_batches(ROWS, columns=list(self.spec)):
                yield [self._scalars(path, first, name, batch.column(name)) for name in self.spec]
                first += batch.num_rows

    def _scalars(self, path: str, first: int, name: str, column: Any) -> Any:
        if column.null_count and name in self._fill:
            column = arrow.filled(column, self._fill[name])
        elif column.null_count:
            row = first + arrow.first_null(column)
            fix = f"Name a value for missing ones: fill={{{name!r}: ...}}."
            raise ValueError(message(f"from_parquet: {path}, row {row}: column {name!r} has no value", fix=fix))
        return arrow.scalars(column, self.spec[name].dtype)


def _open(path: str) -> Any:
    """The file. Raises ValueError where it is none; no more of it than a buffer is read ahead."""
    pa = arrow.pyarrow("from_parquet")
    from pyarrow.parquet import ParquetFile

    try:
        return ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
    except pa.ArrowInvalid as error:
        raise ValueError(message(f"from_parquet: cannot read {path}: {error}", fix="Pass a Parquet file.")) from error


def _specs(path: str, schema: Any, columns: Sequence[str] | None) -> dict[str, Any]:
    """The spec of each column that is read."""
    names = list(schema.names if columns is None else columns)
    for name in names:
        found = schema.names.count(name)
        if found != 1 or names.count(name) != 1:
            what = f"has no column {name!r}" if not found else f"would give the column {name!r} twice"
            fix = f"Its columns are {', '.join(map(repr, schema.names))}; name each that is wanted once."
            raise ValueError(message(f"from_parquet: {path} {what}", fix=fix))
    where = f"from_parquet: {path}"
    return {name: arrow.column_spec(name, schema.field(name).type, where, _FIX) for name in names}
