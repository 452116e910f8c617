"""`no_fallback`, as a block and as a fixture: what runs eagerly is an error that says why."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tracefn
from tracefn.errors import FallbackError

pytestmark = pytest.mark.usefixtures("falls_back")


def read(x):
    return x.tobytes() if x.dtype == int else x + 1


def test_a_fallback_is_an_error_at_the_end_of_the_block():
    f = tracefn.function(read)
    with pytest.raises(FallbackError) as error, tracefn.no_fallback():
        assert f(np.arange(2)) == np.arange(2).tobytes()
    lines = str(error.value).splitlines()
    assert lines == [
        "`read` ran eagerly (1 call, x: int64[2]): argument `x` (int64[2]) was read with .tobytes()",
        f"  at {__file__} line {read.__code__.co_firstlineno + 1}",
        "  Return it and call .tobytes() on the result.",
    ]


def test_calls_that_fell_back_before_count_as_well():
    f = tracefn.function(read)
    f(np.arange(2))
    with pytest.raises(FallbackError, match=r"`read` ran eagerly \(3 calls, x: int64\[2\]\)"), tracefn.no_fallback():
        for _ in range(3):
            f(np.arange(2))


def test_graphs_are_no_fallback():
    f = tracefn.function(read)
    f(np.arange(2))
    with tracefn.no_fallback():
        np.testing.assert_array_equal(f(np.ones(2)), [2, 2])


def test_one_function_alone_is_watched():
    f, g = tracefn.function(read), tracefn.function(lambda x: x.tobytes())
    with tracefn.no_fallback(f):
        g(np.arange(2))
    with pytest.raises(FallbackError, match="`lambda` ran eagerly"), tracefn.no_fallback(g):
        f(np.arange(2)), g(np.arange(2))
    with pytest.raises(TypeError, match="takes a traced function"):
        tracefn.no_fallback(len)


def test_a_function_that_is_gone_is_named():
    with pytest.raises(FallbackError, match=r"`read` ran eagerly \(1 call, x: int64"), tracefn.no_fallback():
        tracefn.function(read)(np.arange(2))


def test_errors_of_the_block_come_out():
    f = tracefn.function(read)
    with pytest.raises(KeyError), tracefn.no_fallback():
        f(np.arange(2))
        raise KeyError("mine")


TESTS = """
import numpy as np, pytest, tracefn
f = tracefn.function(lambda x: x.tobytes() if x.dtype == int else x + 1)

def test_graph(no_fallback):
    assert f(np.ones(2))[0] == 2

def test_eager(no_fallback):
    assert f(np.arange(2))

def test_eager_where_it_may():
    assert f(np.arange(2))
"""


def test_the_fixture(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-W", "ignore", "-p", "tracefn.testing", "-p", "no:cacheprovider"]
    environment = os.environ | {
        "PYTHONPATH": str(pathlib.Path(tracefn.__file__).parents[1]),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # where tracefn is installed, its plugin loads by itself
    }
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert "FallbackError: `lambda` ran eagerly (1 call, x: int64[2])" in done.stdout
