"""Every demo notebook runs from top to bottom."""

from __future__ import annotations

import ast
from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "demo_notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_top_to_bottom(path, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = _with_promised_errors(cell.source)
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    )
    client.execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    assert code
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert [cell.source for cell in code if _promises_output(cell.source) and not cell.outputs] == []


def _with_promised_errors(source):
    """The cell, but for its `try` statements: where no error comes, they raise one."""
    if source.startswith(("%%", "!")):
        return source
    lines = source.splitlines()
    body = ast.parse("\n".join("" if line.startswith("%") else line for line in lines))
    promised = [node for node in ast.walk(body) if isinstance(node, ast.Try) and node.handlers]
    for node in sorted(promised, key=lambda node: -node.body[-1].end_lineno):
        indent = " " * node.body[0].col_offset
        lines.insert(node.body[-1].end_lineno, f"{indent}raise AssertionError('no error came')")
    return "\n".join(lines)


def _promises_output(source):
    """Whether a cell prints outside functions, or ends with the value of a name, an attribute or a tuple."""
    if source.startswith(("%", "!")):
        return False
    body = ast.parse("\n".join(line for line in source.splitlines() if not line.startswith("%"))).body
    waiting, prints = list(body), False
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            prints |= isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            waiting += ast.iter_child_nodes(node)
    last = body[-1] if body else None
    return prints or (isinstance(last, ast.Expr) and isinstance(last.value, ast.Name | ast.Attribute | ast.Tuple))
