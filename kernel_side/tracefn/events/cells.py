"""Notebook cells by the file names their code was compiled under, so that a line of code leads to a cell."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from tracefn.events.types import Location
from tracefn.records import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """A notebook cell as it was last run.

    `id` is the front end's cell id (None where it sent none). `number` is its execution count; where it is None, the
    numbering set by `set_numbering` is asked. `line_offset` is added to a line of the compiled code to get the line in
    the cell (IPython strips leading empty lines before it compiles).
    """

    id: str | None
    number: int | None = None
    line_offset: int = 0


@dataclass(slots=True)
class CellRun:
    """One run of a cell, in ns of `time.perf_counter_ns`; `end_ns` is 0 while it runs. `calls` of traced functions were
    made in it, which took `calls_ns`, as far as those tell that were timed."""

    name: str
    cell: str | None
    start_ns: int
    end_ns: int = 0
    calls: int = 0
    calls_ns: int = 0


MOST_RUNS = 2_000
"""Runs of cells that are remembered."""

Numbering = Callable[[str], int | None]


class CellRegistry:
    """The cells that are known by file name. `running` is the id of the cell that runs now, `traced` are the ids of
    those in which a function was traced, `located` the files of cells that places were asked of, `runs` the newest runs
    of all cells."""

    def __init__(self) -> None:
        self.running: str | None = None
        self.traced: set[str] = set()
        self.located: set[str] = set()
        self.runs: deque[CellRun] = deque(maxlen=MOST_RUNS)
        self._cells: dict[str, Cell] = {}
        self._numbering: Numbering | None = None

    def register_cell(self, file: str, cell: Cell) -> None:
        """Say that code compiled under the name `file` is the text of `cell`."""
        self._cells[file] = cell

    def trace(self) -> str | None:
        """The id of the cell that runs now, as a function is traced in it."""
        if self.running is not None:
            self.traced.add(self.running)
        return self.running

    def set_numbering(self, numbering: Numbering | None) -> None:
        """Ask `numbering(file)` for the execution count of a cell that was registered without one, or not at all."""
        self._numbering = numbering

    def locate(self, file: str, line: int) -> Location:
        """The place of line `line` (from 1) of the code compiled under the name `file`.

        >>> from tracefn import events
        >>> events.locate("model.py", 3)
        Location(file='model.py', line=3, cell=None, cell_number=None)
        """
        cell = self._cells.get(file)
        number = None if cell is None else cell.number
        if number is None and self._numbering is not None:
            number = self._numbering(file)
        if cell is None:
            return Location(file, line, None, number)
        self.located.add(file)
        return Location(file, line + cell.line_offset, cell.id, number)

    def line_in_file(self, location: Location) -> int:
        """The line of a place in the code as it was compiled, for warnings, which show that line."""
        cell = self._cells.get(location.file)
        return location.line if cell is None or cell.id != location.cell else location.line - cell.line_offset

    def renumbered(self, location: Location) -> Location:
        """The place with the execution count that its cell has now, if it was run again as it was."""
        cell = self._cells.get(location.file)
        if cell is None or cell.id != location.cell:
            return location
        return replace(location, cell_number=self.locate(location.file, 1).cell_number)


CELLS = CellRegistry()
