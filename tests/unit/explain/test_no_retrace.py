"""Blocks, a fixture, a marker and an assertion against retraces."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import tracefn
from tracefn.errors import RetraceError
from tracefn.testing import assert_trace_count


def traced(*calls):
    @tracefn.function
    def f(x, n=1):
        return x * n

    for call in calls:
        f(*call)
    return f


def test_a_miss_raises_with_every_reason_and_traces_nothing() -> None:
    f = traced([np.ones(2), 1], [np.ones(3), 2])
    with tracefn.events.record() as events, tracefn.no_retrace():
        f(np.ones(2), 1)
        with pytest.raises(RetraceError) as error:
            f(np.ones(2), 2)
    text = str(error.value)
    assert text.startswith("`f` would be traced again (#3): x changed shape (3,) → (2,) at dimension 0\n  at ")
    assert "compared with #2: x: shape (3,) → (2,) at dimension 0" in text
    assert "compared with #1: n: 1 → 2 (Python int)" in text
    assert "Declare input_signature=[" in text
    assert f.tracing_count == 2
    assert [e.type for e in events] == ["calls"]
    np.testing.assert_array_equal(f(np.ones(2), 2), [2, 2])


def test_a_first_trace_is_no_retrace() -> None:
    f = traced()
    with tracefn.no_retrace():
        f(np.ones(2))
        with pytest.raises(RetraceError):
            f(np.ones(3))


def test_some_traces_may_be_made_first() -> None:
    f = traced()
    with tracefn.no_retrace(f, after=2):
        f(np.ones(1))
        f(np.ones(2))
        with pytest.raises(RetraceError, match="#3"):
            f(np.ones(3))
        f(np.ones(1))


def test_a_block_for_one_function_leaves_others_alone() -> None:
    f, g = traced([np.ones(1)]), tracefn.function(lambda x: x)
    g(1)
    with tracefn.no_retrace(f):
        g(2)
        with pytest.raises(RetraceError):
            f(np.ones(2))


def test_methods_and_nested_blocks() -> None:
    class Model:
        @tracefn.function
        def run(self, x):
            return x + 1

    model = Model()
    model.run(np.ones(1))
    with tracefn.no_retrace(after=5):
        model.run(np.ones(2))
        with tracefn.no_retrace(model.run), pytest.raises(RetraceError):
            model.run(np.ones(3))
        with tracefn.no_retrace(Model.run), pytest.raises(RetraceError):
            model.run(np.ones(3))
        model.run(np.ones(3))


def test_it_holds_for_its_own_thread() -> None:
    f = traced([np.ones(1)])
    with tracefn.no_retrace():
        thread = threading.Thread(target=f, args=[np.ones(2)])
        thread.start()
        thread.join()
    assert f.tracing_count == 2


def test_wrong_uses_say_so() -> None:
    with pytest.raises(TypeError, match="takes a traced function"):
        tracefn.no_retrace(len)
    with pytest.raises(ValueError, match="after must be 0 or more"):
        tracefn.no_retrace(after=-1)


def test_the_trace_count_is_asserted_with_reasons() -> None:
    f = traced([np.ones(1)], [np.ones(2)])
    assert_trace_count(f, 2)
    with pytest.raises(AssertionError) as error:
        assert_trace_count(f, 1)
    text = str(error.value)
    assert text.startswith("`f` was traced 2 times, not 1:\n  f was traced for the first time (#1, ")
    assert "x changed shape (1,) → (2,) at dimension 0" in text


TESTS = """
import numpy as np, pytest, tracefn
f = tracefn.function(lambda x: x + 1)

def test_fixture(no_retrace):
    f(np.ones(1))
    f(np.ones(1))

def test_fixture_fails(no_retrace):
    f(np.ones(2))

@pytest.mark.max_traces(2)
def test_marker():
    f(np.ones(3)), f(np.ones(4))

@pytest.mark.max_traces(1)
def test_marker_fails():
    f(np.ones(5)), f(np.ones(6))

@pytest.mark.max_traces
def test_marker_is_wrong():
    pass
"""


def test_the_pytest_plugin(tmp_path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--strict-markers",
        "-p",
        "tracefn.testing",
        "-p",
        "no:cacheprovider",
    ]
    environment = os.environ | {
        "PYTHONPATH": str(Path(tracefn.__file__).parents[1]),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # where tracefn is installed, its plugin loads by itself
    }
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert "3 failed, 2 passed" in done.stdout, done.stdout
    assert done.stdout.count("RetraceError: `lambda` would be traced again") >= 2
    assert "write the marker as @pytest.mark.max_traces(2)" in done.stdout
