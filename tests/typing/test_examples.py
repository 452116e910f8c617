"""Type checkers know what `tracefn.function` gives: `examples.py` has no errors but in the lines that say so."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent
EXAMPLES = FOLDER / "examples.py"
KERNEL_SIDE = ROOT / "kernel_side"

WRONG = {
    n: m[1] for n, line in enumerate(EXAMPLES.read_text().splitlines(), 1) if (m := re.search("# error: (.*)", line))
}


def mypy():
    """Line → the messages of mypy about it."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-incremental",
        "--follow-imports=silent",
        "--config-file=",
    ]
    done = subprocess.run(
        [*command, EXAMPLES],
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(KERNEL_SIDE)},
        check=False,
    )
    found = re.findall(rf"{re.escape(EXAMPLES.name)}:(\d+): error: (.*)", done.stdout)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return {int(line): message for line, message in found}


def pyright():
    """The same of pyright."""
    command = [ROOT / "node_modules" / ".bin" / "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run([*command, "--project", FOLDER], capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {d["range"]["start"]["line"] + 1: d["message"] for d in found if d["severity"] == "error"}


def test_mypy():
    found = mypy()
    assert found.keys() == WRONG.keys(), found


def test_pyright():
    found = pyright()
    assert found.keys() == WRONG.keys(), found
