"""Importing and attaching outside a notebook."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
JUPYTER = "[m for m in ('IPython', 'ipykernel', 'comm', 'jupyter_client', 'plotly', 'anywidget') if m in sys.modules]"


def run_python(code: str, **environment: str) -> str:
    env = os.environ | {"PYTHONPATH": str(ROOT / "kernel_side")} | environment
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_attach_outside_ipython_does_nothing_and_imports_nothing() -> None:
    assert run_python(f"import sys\nfrom tracefn.notebook import attach\nprint(attach(), {JUPYTER})") == "False []"


def test_attach_with_ipython_imported_but_not_running() -> None:
    assert run_python("import IPython\nfrom tracefn.notebook import attach\nprint(attach())") == "False"


def test_a_terminal_ipython_numbers_its_cells_without_comms(tmp_path: Path) -> None:
    code = """
from IPython.core.interactiveshell import InteractiveShell
from tracefn import events
from tracefn.notebook import attach
import sys
shell = InteractiveShell.instance()
shell.run_cell("from tracefn.notebook import attach; ok = attach()", store_history=True)
shell.run_cell("import sys\\nfrom tracefn import events", store_history=True)
shell.run_cell("\\nspot = events.locate(sys._getframe().f_code.co_filename, 2)", store_history=True)
spot = shell.user_ns["spot"]
print(shell.user_ns["ok"], spot.cell, spot.cell_number, spot.line, "comm" in sys.modules)
"""
    assert run_python(code, IPYTHONDIR=str(tmp_path)).splitlines()[-1] == "True None 3 2 False"


def test_a_cell_that_traced_says_when_it_runs_again(tmp_path: Path) -> None:
    code = """
from IPython.core.interactiveshell import InteractiveShell
from tracefn import events
shell = InteractiveShell.instance()
shell.run_cell("%load_ext tracefn")
shell.run_cell("import numpy as np, tracefn; f = tracefn.function(lambda x: x + 1)", store_history=True, cell_id="a")
for cell in "bab":
    shell.run_cell("f(np.ones(2));" if cell == "b" else "1", store_history=True, cell_id=cell)
print([(event.cell, event.number) for event in events.BUS.ledger.snapshot().events if event.type == "cell.started"])
"""
    assert run_python(code, IPYTHONDIR=str(tmp_path)).splitlines()[-1] == "[('b', 4)]"


def test_the_magic_works_in_a_terminal(tmp_path: Path) -> None:
    code = r"""
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("%load_ext tracefn", store_history=True)
shell.run_cell("import numpy as np", store_history=True)
shell.run_cell("%%tracefn\ndef f(x):\n    return x + 1\nf(np.ones(2));", store_history=True)
"""
    lines = run_python(code, IPYTHONDIR=str(tmp_path)).splitlines()
    assert lines[-3].startswith("tracefn: 1 trace · ")
    assert lines[-2] == "f"
    assert lines[-1].endswith("1 call  x: float64[2]")
