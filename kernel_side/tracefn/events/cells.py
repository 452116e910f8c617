"""Notebook cells by the file names their code was compiled under, so that a line of code leads to a cell."""

from __future__ import annotations

from dataclasses import dataclass

from tracefn.events.types import Location


@dataclass(frozen=True, slots=True)
class Cell:
    """A notebook cell as it was last run.

    `id` is the front end's cell id (None where it sent none), `number` the execution count. `line_offset` is added to a
    line of the compiled code to get the line in the cell (IPython strips leading empty lines before it compiles).
    """

    id: str | None
    number: int | None
    line_offset: int = 0


_cells: dict[str, Cell] = {}


def register_cell(file: str, cell: Cell) -> None:
    """Say that code compiled under the name `file` is the text of `cell`."""
    _cells[file] = cell


def locate(file: str, line: int) -> Location:
    """The place of line `line` (from 1) of the code compiled under the name `file`.

    >>> locate("model.py", 3)
    Location(file='model.py', line=3, cell=None, cell_number=None)
    """
    cell = _cells.get(file)
    if cell is None:
        return Location(file, line)
    return Location(file, line + cell.line_offset, cell.id, cell.number)
