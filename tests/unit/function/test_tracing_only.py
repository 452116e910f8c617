"""`print` and logging happen once for each trace, and a script is told so."""

import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import tracefn
from tracefn.errors import TracingOnlyWarning

LOG = logging.getLogger("test")

SCRIPT = """\
import logging
import numpy as np
import tracefn

@tracefn.function
def f(x):
    print("tracing f")
    return x + 1

@tracefn.function
def g(x):
    logging.getLogger("g").warning("tracing g")
    tracefn.print("at each call")
    return x + 1

for n in (2, 2, 3):
    f(np.ones(n)), g(np.ones(n))
"""


def test_a_script_is_told_once_for_each_line(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    environment = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
    environment["PYTHONPATH"] = str(Path(tracefn.__file__).parents[1])
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment, timeout=100)
    assert done.stdout.splitlines() == ["tracing f", "at each call", "at each call", "tracing f", "at each call"]
    warned = [line for line in done.stderr.splitlines() if "TracingOnlyWarning" in line]
    assert warned == [
        f"{path}:7: TracingOnlyWarning: `print` runs while tracing alone: later calls of `f` that find the trace do "
        "not. tracefn.print runs at each call.",
        f"{path}:12: TracingOnlyWarning: `warning` of logging runs while tracing alone: later calls of `g` that find "
        "the trace do not. tracefn.py_function(logging.info, [...]) runs at each call.",
    ]


def test_a_test_that_looks_at_its_warnings_is_told(capsys):
    def f(x):
        print("tracing")
        return x + 1

    with pytest.warns(TracingOnlyWarning, match=r"`print` runs while tracing alone.*tracefn\.print") as warned:
        tracefn.function(f)(np.ones(2))
    assert [(w.filename, w.lineno) for w in warned] == [(__file__, f.__code__.co_firstlineno + 1)]
    with warnings.catch_warnings(record=True, action="always") as again:
        tracefn.function(f)(np.ones(2))
    assert again == []
    assert capsys.readouterr().out == "tracing\ntracing\n"


def test_other_tests_and_notebooks_are_not_told(recwarn, monkeypatch):
    def f(x):
        LOG.info("tracing")
        return x + 1

    with warnings.catch_warnings(record=True) as warned:
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        tracefn.function(f)(np.ones(2))
    assert warned == []
    shell = type("Shell", (), {"kernel": object()})
    monkeypatch.setitem(sys.modules, "IPython", type("IPython", (), {"get_ipython": staticmethod(shell)}))
    with warnings.catch_warnings(record=True, action="always") as warned:
        tracefn.function(f)(np.ones(2))
    assert warned == []
