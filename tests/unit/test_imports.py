"""What `import tracefn` brings along, and what waits until it is asked for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import tracefn

SCRIPT = """
import gc, json, sys
import numpy as np

before = set(sys.modules)
import tracefn

stages = [sorted(set(sys.modules) - before)]
f = tracefn.function(lambda x, n: np.tanh(x) * n)
f(np.ones(3), 1)
stages.append(sorted(set(sys.modules) - before))
f(np.ones(3), 2)
retraced = sorted(m for m in sys.modules if m.startswith("tracefn.explain."))
stages.append([cause.text for cause in f.explain().causes])
stages.append([tracefn.grad is tracefn.gradients.grad, "grad" in vars(tracefn), gc.isenabled()])
stages.append(retraced)
print(json.dumps(stages))
"""

ROOMS = ("autodiff", "data", "explain", "gradients", "nn", "notebook", "optimize", "reporting", "testing", "timing")
STANDARD = {"difflib", "hashlib", "html", "logging", "pathlib", "random", "shutil"}


def test_a_first_trace_imports_what_it_needs() -> None:
    """The rooms that explain and differentiate wait until a retrace is to be explained, or a name is asked for."""
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=120)
    imported, traced, causes, late, retraced = json.loads(found.stdout)
    assert not STANDARD.intersection(imported)
    assert not {f"tracefn.{room}" for room in ROOMS}.intersection(traced)
    assert causes == ["n: 1 → 2 (Python int)"]
    assert late == [True, True, True]
    assert "tracefn.explain.verdict" in retraced
    assert not {"tracefn.explain.advice", "tracefn.explain.explanation", "tracefn.explain.costs"}.intersection(retraced)


def test_late_names_are_there_as_any_other() -> None:
    """They are listed, and unknown ones are refused in Python's words."""
    assert set(dir(tracefn)).issuperset(tracefn.__all__)
    assert all(hasattr(tracefn, name) for name in tracefn.__all__)
    with pytest.raises(AttributeError, match="module 'tracefn' has no attribute 'nothing'"):
        tracefn.nothing  # noqa: B018


def test_a_program_on_disk_needs_nothing_of_what_builds_it() -> None:
    """A later process takes native programs over in a few milliseconds: the builder is a hundred modules."""
    script = "import sys, tracefn.runtime.kept_program, tracefn.runtime.elsewhere; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert "tracefn.codegen.machine.engine" in found.stdout
    assert not {"tracefn.codegen.native", "llvmlite"}.intersection(found.stdout.split())
