"""A fix written into the source of notebook cells."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest
import tracefn
from tracefn.events import Cell
from tracefn.events.cells import CELLS
from tracefn.explain import advise, find_fix, written


class Notebook:
    """Cells that share one namespace, as in a kernel."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"np": np, "tracefn": tracefn}
        self.cells: dict[str, str] = {}

    def run(self, cell: str, source: str) -> None:
        file = f"<rewriting {cell}>"
        self.cells[cell] = source
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        CELLS.register_cell(file, Cell(cell, 1))
        exec(compile(source, file, "exec"), self.names)

    def fixed(self, name: str = "f") -> dict[str, str]:
        function = self.names[name]
        assert find_fix(function.function_id)
        return written(function, advise(function, may_run=False), self.cells)


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


SIGNATURE = "input_signature=[tracefn.TensorSpec((None, 2), np.float64)]"
ROWS = "for n in (1, 2, 3): f(np.ones((n, 2)))"


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("@tracefn.function", f"@tracefn.function({SIGNATURE})"),
        ("@tracefn.function()", f"@tracefn.function({SIGNATURE})"),
        ('@tracefn.function(name="ä")', f'@tracefn.function(name="ä", {SIGNATURE})'),
        ("@tracefn.function(max_traces=9,)", f"@tracefn.function(max_traces=9, {SIGNATURE})"),
        ("@alias", f"@alias({SIGNATURE})"),
    ],
)
def test_the_argument_of_a_decorator(notebook: Notebook, decorator: str, expected: str) -> None:
    rest = "\ndef f(x):\n    return np.tanh(x)  # ä\n"
    notebook.names["alias"] = tracefn.function
    notebook.run("a", f"# ä\n{decorator}{rest}{ROWS}")
    changed = notebook.fixed()
    assert changed == {"a": f"# ä\n{expected}{rest}{ROWS}"}
    notebook.run("a", changed["a"])
    assert notebook.names["f"].tracing_count == 1


def test_a_signature_that_is_there_is_replaced(notebook: Notebook) -> None:
    notebook.run("a", "@tracefn.function(reduce_retracing=False)\ndef f(*xs):\n    return np.tanh(xs[0])\n" + ROWS)
    assert notebook.fixed()["a"].startswith("@tracefn.function(reduce_retracing=True)\n")


def test_a_call_that_makes_the_function(notebook: Notebook) -> None:
    notebook.run("a", "def g(x):\n    return np.tanh(x)")
    notebook.run("b", f"f = tracefn.function(g)\n{ROWS}")
    assert notebook.fixed() == {"b": f"f = tracefn.function(g, {SIGNATURE})\n{ROWS}"}
    notebook.run("c", f"f = tracefn.function(lambda x: x + 1)\n{ROWS}")
    assert notebook.fixed() == {"c": f"f = tracefn.function(lambda x: x + 1, {SIGNATURE})\n{ROWS}"}


def test_magics_do_not_hide_the_function(notebook: Notebook) -> None:
    source = f"@tracefn.function\ndef f(x):\n    return np.tanh(x)\n{ROWS}"
    notebook.run("a", source)
    notebook.cells["a"] = f"%time 1 + 1\nfiles = !ls\n{source}"
    assert notebook.fixed()["a"].startswith(f"%time 1 + 1\nfiles = !ls\n@tracefn.function({SIGNATURE})\n")
    notebook.cells["a"] = "%%tracefn --time\n" + source.partition("\n")[2]
    assert notebook.fixed()["a"].startswith(f"%%tracefn --time\n@tracefn.function({SIGNATURE})\ndef f(x)")


def test_casts_at_all_calls_by_name(notebook: Notebook) -> None:
    notebook.run("a", "@tracefn.function\ndef f(x, n):\n    return np.tanh(x) * n")
    notebook.run("b", "x = np.ones(2)\nfor ä in (1, 2):\n    print('ä', f(x, ä + 1), f(n=3, x=x))")
    notebook.cells["c"] = "f(x, np.asarray(4))"
    notebook.cells["d"] = "this is no Python"
    changed = notebook.fixed()
    assert list(changed) == ["b"]
    assert changed["b"].endswith("print('ä', f(x, np.asarray(ä + 1)), f(n=np.asarray(3), x=x))")


def test_a_signature_and_its_casts(notebook: Notebook) -> None:
    notebook.run("a", "@tracefn.function\ndef f(x, n):\n    return np.tanh(x) * n")
    notebook.run("b", "for n in (1, 2, 3): f(np.ones((n, 2)), n)")
    changed = notebook.fixed()
    assert "TensorSpec((), np." in changed["a"]
    assert "f(np.ones((n, 2)), np." in changed["b"]
    for cell in ("a", "b"):
        notebook.run(cell, changed[cell])
    assert notebook.names["f"].tracing_count == 1


def test_the_names_of_the_notebook(notebook: Notebook) -> None:
    notebook.names = {"xp": np, "tf": tracefn}
    notebook.run("a", "@tf.function\ndef f(x):\n    return xp.tanh(x)\nfor n in (1, 2, 3): f(xp.ones((n, 2)))")
    assert "@tf.function(input_signature=[tf.TensorSpec((None, 2), xp.float64)])" in notebook.fixed()["a"]
    del notebook.names["xp"]
    with pytest.raises(ValueError, match="`numpy` has no name in the notebook"):
        notebook.fixed()


def test_what_cannot_be_written_is_said(notebook: Notebook) -> None:
    notebook.run("a", f"@tracefn.function\ndef f(x):\n    return np.tanh(x)\n{ROWS}")
    notebook.cells = {"b": "pass"}
    with pytest.raises(ValueError, match="not in a cell of this notebook: copy the change"):
        notebook.fixed()
    notebook.cells = {"a": "pass"}
    with pytest.raises(ValueError, match="not found in its cell any more: copy the change"):
        notebook.fixed()
    notebook.run(
        "a", "@tracefn.function\ndef f(x, n):\n    return np.tanh(x) * n\nfor n in (1, 2): f(*[np.ones(2), n])"
    )
    with pytest.raises(ValueError, match="passes its arguments as `\\*`"):
        notebook.fixed()
    notebook.cells = {"b": "g(1, 2)"}
    with pytest.raises(ValueError, match="No call of `f` is in the cells"):
        notebook.fixed()
    notebook.run(
        "a", "@tracefn.function\ndef f(x, how):\n    return how(x)\nfor n in (1, 2): f(np.ones(2), lambda x: x)"
    )
    with pytest.raises(ValueError, match="This is no change of one line: make the function for how once"):
        notebook.fixed()


def test_no_function_no_fix() -> None:
    assert not find_fix("gone#1")
