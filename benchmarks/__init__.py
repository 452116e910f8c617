"""Benchmarks: tracefn beside NumPy, JAX and TensorFlow in one run. `make bench`, or `python -m benchmarks`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# The kernel and the JupyterLab server of the tests serve here too.
for folder in ("tests", "tools"):
    if (path := str(ROOT / folder)) not in sys.path:
        sys.path.append(path)

os.environ.setdefault("TRACEFN_KEEP_TRACES", "0")  # else later processes would not trace
