"""Where a row of a CSV file is. Rows may span lines and blank lines may be no rows, so it takes a walk to the row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import arrow


class QuoteCounter:
    """A file that is read, and counts the quotation marks in it: an odd number says that one may not be closed."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(size)
        self.count += data.count(b'"')
        return data

    def close(self) -> None:
        self._stream.close()

    @property
    def closed(self) -> bool:
        return bool(self._stream.closed)


def line_of_row(path: str, row: int, delimiter: str, blank_lines: bool) -> int | None:
    """The line, from 1, in which a row, from 1, begins. `blank_lines` says whether they are rows.

    None where the walk fails: a value is too long for Python's `csv`, or the file ends before.
    """
    line = 1
    with _reader(path, delimiter=delimiter) as reader:
        try:
            for values in reader:
                row -= bool(values) or blank_lines
                if row == 0:
                    return line
                line = reader.line_num + 1
        except csv.Error:
            pass
    return None


def open_quotation(path: str, delimiter: str) -> int | None:
    """The line, from 1, in which the row begins that has a quotation without an end; None if there is none."""
    line = 1
    with _reader(path, delimiter=delimiter, strict=True) as reader:
        try:
            for _ in reader:
                line = reader.line_num + 1
        except csv.Error:
            return line
    return None


@contextmanager
def _reader(path: str, **options: Any) -> Iterator[Any]:
    with arrow.pyarrow("from_csv").input_stream(path) as stream:
        yield csv.reader(io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline=""), **options)
