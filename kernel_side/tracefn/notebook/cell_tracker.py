"""Which cell runs, and which file name its code is compiled under; filled from IPython's own cell events."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tracefn.events import BUS, CELLS, Cell, CellRun, CellStarted, live_counters


class CellTracker:
    """Follows the cells that `shell` (an IPython shell) runs.

    `running` holds IPython's `ExecutionInfo` of the cells that are under way: one, or more where a cell runs cells.
    `on_change` is called after it has changed.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._names_by_text = getattr(shell, "kernel", None) is not None
        self._waiting: list[tuple[Any, Callable[[Any], None]]] = []
        self._run: tuple[Any, CellRun, tuple[int, int]] | None = None
        self.running: list[Any] = []
        self.on_change: Callable[[], None] = _nothing
        CELLS.set_numbering(self._number)
        self._adopt_current()
        shell.events.register("pre_run_cell", self._before)
        shell.events.register("post_run_cell", self._after)

    def when_done(self, callback: Callable[[Any], None]) -> bool:
        """Call `callback` with IPython's `ExecutionResult` (or None) after the innermost cell that runs now.

        False, and no call, if no cell is running.
        """
        if not self.running:
            return False
        self._waiting.append((self.running[-1], callback))
        return True

    def _adopt_current(self) -> None:
        """Take over the cell that was already running when the tracker was made."""
        result = getattr(self._shell.displayhook, "exec_result", None)
        if result is not None:
            self._before(result.info, self._next_number() - 1)  # its input is listed already

    def _before(self, info: Any, number: int | None = None) -> None:
        self._register(info)
        self.running.append(info)
        self._tell_which_runs()
        cell = getattr(info, "cell_id", None)
        if len(self.running) == 1:
            run = CellRun(f"cell [{number or self._next_number()}]", cell, time.perf_counter_ns())
            self._run = info, run, _calls()
            CELLS.runs.append(run)
        file = self._file(info.raw_cell) if self._names_by_text else ""
        if cell is not None and (cell in CELLS.traced or file in CELLS.located):
            BUS.emit(CellStarted(cell=cell, number=self._next_number(), file=file))
        self.on_change()

    def _after(self, result: Any) -> None:
        if not self.running:
            return
        # A cell that was cancelled while it awaited has no result.
        info = self.running[-1] if result is None else result.info
        self.running = [running for running in self.running if running is not info]
        if self._run is not None and self._run[0] is info:
            _, run, before = self._run
            run.calls, run.calls_ns = (max(0, now - then) for now, then in zip(_calls(), before, strict=True))
            run.end_ns, self._run = time.perf_counter_ns(), None
        due = [callback for waits_for, callback in self._waiting if waits_for is info]
        self._waiting = [entry for entry in self._waiting if entry[0] is not info]
        for callback in due:
            callback(result)
        self._tell_which_runs()
        self.on_change()

    def _tell_which_runs(self) -> None:
        """The front end's cell: the innermost that has an id."""
        ids = [getattr(info, "cell_id", None) for info in self.running]
        CELLS.running = next((cell for cell in reversed(ids) if cell is not None), None)

    def _register(self, info: Any) -> None:
        if not self._names_by_text:
            return
        raw: str = info.raw_cell
        cell_id: str | None = getattr(info, "cell_id", None)
        offset = _leading_empty_lines(raw)
        outer = self.running[-1] if self.running else None
        if outer is not None and cell_id is None and outer.raw_cell.endswith(raw):
            # A cell magic such as %%capture runs its body as a cell of its own.
            above = outer.raw_cell[: len(outer.raw_cell) - len(raw)].count("\n")
            number = self._number(self._file(outer.raw_cell))
            CELLS.register_cell(self._file(raw), Cell(getattr(outer, "cell_id", None), number, above + offset))
        else:
            CELLS.register_cell(self._file(raw), Cell(cell_id, None, offset))

    def _next_number(self) -> int:
        """The execution count of the cell that is about to run: newer versions of IPython have counted on by then, but
        have not yet listed its input."""
        return len(self._shell.history_manager.input_hist_raw)

    def _file(self, raw: str) -> str:
        """The name that a Jupyter kernel compiles the cell with this text under."""
        return str(self._shell.compile.get_code_name(raw, raw, 0))

    def _number(self, file: str) -> int | None:
        """The execution count of the cell that was compiled under the name `file`."""
        label = self._shell.compile.format_code_name(file)
        name = label[1] if label else ""  # "In[7]"
        number = name[3:-1]
        return int(number) if name.startswith("In[") and number.isdecimal() else None


def _calls() -> tuple[int, int]:
    """All calls of traced functions so far, and their time, in ns, estimated from those that were timed."""
    counted = [(c.count, c.timed_ns * c.count // c.timed if c.timed else 0) for c in live_counters()]
    return sum(n for n, _ in counted), sum(ns for _, ns in counted)


def _nothing() -> None:
    pass


def _leading_empty_lines(text: str) -> int:
    lines = text.splitlines()
    return next((n for n, line in enumerate(lines) if line.strip()), 0)
