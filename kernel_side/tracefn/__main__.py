"""`python -m tracefn report`: runs a notebook or a script, and writes a report of its traces."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .reporting import report

_LAST_CELL = "import tracefn; tracefn.report({path!r}, title={title!r})"


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 1 where a cell or the script raised; the report is written all the same."""
    parser = argparse.ArgumentParser(prog="python -m tracefn", description="Reports on traced functions.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("report", help="run a notebook or a script, and write its traces as one HTML file")
    command.add_argument("source", type=Path, help="a notebook (.ipynb) or a Python script")
    command.add_argument(
        "-o", "--output", type=Path, help="the HTML file; the name of the source with .html if left out"
    )
    given = parser.parse_args(arguments)
    output = (given.output or given.source.with_suffix(".html")).resolve()
    if not given.source.is_file():
        parser.error(f"there is no file {given.source}")
    failed = (_run_notebook if given.source.suffix == ".ipynb" else _run_script)(given.source, output)
    print(f"{output} written" + (f"; {failed}" if failed else ""))
    return 1 if failed else 0


def _run_notebook(source: Path, output: Path) -> str:
    """Runs a copy of a notebook, with a cell at its end that writes the report. The failure, in words."""
    try:
        import nbformat
        from nbclient import NotebookClient
    except ImportError as error:
        sys.exit(f"Notebooks need nbformat and nbclient (pip install nbclient): {error}")
    notebook = nbformat.read(source, as_version=4)
    last = nbformat.v4.new_code_cell(_LAST_CELL.format(path=str(output), title=source.name))
    notebook.cells.append(last)
    resources = {"metadata": {"path": str(source.resolve().parent)}}
    NotebookClient(notebook, allow_errors=True, resources=resources, store_widget_state=False).execute()
    errors = [(cell.get("execution_count"), error) for cell in notebook.cells for error in _errors(cell)]
    if _errors(last):
        sys.exit(f"The report could not be written: {errors[-1][1]}")
    return f"cell [{errors[0][0]}] raised {errors[0][1]}" if errors else ""


def _errors(cell: Any) -> list[str]:
    found = [output for output in cell.get("outputs", ()) if output["output_type"] == "error"]
    return [f"{output['ename']}: {output['evalue']}" for output in found]


def _run_script(source: Path, output: Path) -> str:
    failed = ""
    sys.path.insert(0, str(source.resolve().parent))
    try:
        runpy.run_path(str(source), run_name="__main__")
    except Exception as error:
        failed = f"the script raised {type(error).__name__}: {error}"
    report(output, title=source.name)
    return failed


if __name__ == "__main__":
    sys.exit(main())
