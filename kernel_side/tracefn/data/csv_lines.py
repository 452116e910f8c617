"""Where a row of a CSV file is. Rows may span lines and blank lines may be no rows, so it takes a walk to the row."""

from __future__ import annotations

import csv
import io

from . import arrow


def line_of_row(path: str, row: int, delimiter: str, blank_lines: bool) -> int | None:
    """The line, from 1, in which a row, from 1, begins. `blank_lines` says whether they are rows.

    None where the walk fails: a value is too long for Python's `csv`, or the file ends before.
    """
    pa = arrow.pyarrow("from_csv")
    with pa.input_stream(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="")
        reader = csv.reader(text, delimiter=delimiter)
        line = 1
        try:
            for values in reader:
                row -= bool(values) or blank_lines
                if row == 0:
                    return line
                line = reader.line_num + 1
        except csv.Error:
            pass
    return None
