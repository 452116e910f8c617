"""`%%tracefn` and `%tracefn`: their registration in IPython and the help that `%%tracefn?` shows."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.display import display

from tracefn.notebook.cell_run import Recording, TracefnCells
from tracefn.notebook.cell_syntax import FunctionWrapper, replace_magic_line
from tracefn.notebook.cell_tracker import CellTracker
from tracefn.notebook.expression import traced_value
from tracefn.notebook.options import split_expression


@magics_class
class TracefnMagics(Magics):
    """The magics of tracefn."""

    @no_var_expand
    @line_cell_magic
    def tracefn(self, line: str, cell: str | None = None) -> Any:
        """Trace the functions of a cell, or one expression, and report the traces.

        As the first line of a cell:

            %%tracefn [--time] [--no-wrap] [--only NAME] [--quiet]

        Functions defined at the top level of the cell become traced functions, as with @tracefn.function. Functions
        that have a decorator, generators, async functions and classes are left alone. Then the cell runs as usual.
        Its output ends with a summary: for each function its signatures, the traces made in this cell with the reason
        and the cost of each, the nodes of the graph before and after the passes, and the calls.

            --time       also measure each traced function that was called, eager against graph, on the arguments of
                         its first call
            --no-wrap    make no function a traced one; only record and summarise
            --only NAME  make only this function of the cell a traced one (may be given again)
            --quiet      no summary

        On a line:

            %tracefn [--time] [--quiet] EXPRESSION

        Trace one expression and give its value. In `%tracefn f(x)`, f is traced even if it is a plain function; any
        other expression is traced as a function of the arrays and numbers that it names.
        """
        shell: Any = self.shell
        if cell is not None:
            result = shell.run_cell(f"%%tracefn {line}\n{cell}")
            result.raise_error()
            return None
        try:
            options, expression = split_expression(line)
        except ValueError as error:
            raise UsageError(str(error)) from None
        recording = Recording(options.time)
        recording.start()
        succeeded = False
        try:
            value = traced_value(expression, shell.user_ns)
            succeeded = True
        finally:
            summary = recording.finish(succeeded)
            if not options.quiet:
                display(summary)
        return value


def add_magics(shell: Any, tracker: CellTracker) -> None:
    """Make `%%tracefn` and `%tracefn` known to `shell`. Loading a second time changes nothing."""
    if hasattr(shell, "tracefn_cells"):
        return
    shell.tracefn_cells = TracefnCells(shell, tracker)
    shell.register_magics(TracefnMagics)
    shell.input_transformers_cleanup.append(replace_magic_line)
    shell.ast_transformers.append(FunctionWrapper())


def remove_magics(shell: Any) -> None:
    """Undo `add_magics`."""
    if not hasattr(shell, "tracefn_cells"):
        return
    del shell.tracefn_cells
    shell.input_transformers_cleanup.remove(replace_magic_line)
    shell.ast_transformers[:] = [each for each in shell.ast_transformers if not isinstance(each, FunctionWrapper)]
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("tracefn", None)
