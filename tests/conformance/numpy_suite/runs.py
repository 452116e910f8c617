"""Runs NumPy's test modules traced, in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from . import skips

HERE = Path(__file__).resolve().parent
NUMPY = Path(np.__file__).parent

#: What the process imports from: NumPy's tests run outside of the project's own pytest settings.
PATHS = [HERE.parents[2] / folder for folder in ("kernel_side", "tools", "tests")]

#: Outcome and reason of a test.
Outcomes = dict[str, tuple[str, str]]


def run(modules: Iterable[str], workers: int = 1, options: Sequence[str] = ()) -> Outcomes:
    """Test id → outcome, for test modules given as in `modules.MODULES`. Raises RuntimeError where pytest stops."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder) / "outcomes.json"
        command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-c", os.devnull, "--rootdir", str(NUMPY)]
        command += [
            "-p",
            "conformance.numpy_suite.plugin",
            "-p",
            "no:cacheprovider",
            "--tb=no",
            "-m",
            "not slow",
            f"--outcomes={outcomes}",
        ]
        command += ["-n", str(workers), "--dist=worksteal"] if workers > 1 else []
        command += [f"--deselect={name}" for name in skips.not_run()]
        command += [*options, *[str(NUMPY / module) for module in modules]]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, PATHS)), "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        # 1: tests failed, which the outcomes say.
        if done.returncode > 1 or not outcomes.exists():
            raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-2000:]}")
        return {name: tuple(outcome) for name, outcome in json.loads(outcomes.read_text()).items()}
