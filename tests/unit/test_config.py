"""Running traced functions eagerly."""

from __future__ import annotations

import numpy as np
import pytest
import threadpoolctl
import tracefn
from tracefn.errors import ArgumentMismatchError
from tracefn.trace.active import TRACING


@pytest.fixture(autouse=True)
def _nothing_is_left_on():
    yield
    tracefn.config.run_functions_eagerly(False)
    assert TRACING == []


def test_functions_methods_and_nested_calls_run_as_python():
    types = []

    @tracefn.autograph.do_not_convert
    def note(x):
        types.append("traced" if isinstance(x, tracefn.Tensor) else type(x).__name__)

    @tracefn.function
    def inner(x):
        note(x)
        return x * 2

    class Model:
        @tracefn.function
        def method(self, x, *, k=1):
            return inner(x) + k

    model = Model()
    x = np.ones(2)
    expected = model.method(x, k=2)
    assert types == ["traced"]
    with tracefn.config.run_functions_eagerly(True):
        assert tracefn.config.functions_run_eagerly()
        np.testing.assert_array_equal(model.method(x, k=2), expected)
        np.testing.assert_array_equal(model.method(x, k=2), expected)
    assert types == ["traced", "ndarray", "ndarray"]
    np.testing.assert_array_equal(model.method(x, k=2), expected)
    assert len(types) == 3
    assert model.method.tracing_count == 1


def test_control_flow_and_declared_signatures():
    f = tracefn.function(
        lambda x: tracefn.cond(x.sum() > 0, lambda: x, lambda: -x), input_signature=[tracefn.TensorSpec((2,))]
    )
    tracefn.config.run_functions_eagerly(True)
    np.testing.assert_array_equal(f(-np.ones(2)), [1, 1])
    with pytest.raises(ArgumentMismatchError):
        f(np.ones(3))
    assert f.tracing_count == 0


def test_it_can_be_switched_again_and_again():
    run, on = tracefn.config.run_functions_eagerly, tracefn.config.functions_run_eagerly
    run(True)
    run(True)
    with run(False):
        assert not on()
    assert on()
    run(False)
    assert not on()
    with pytest.raises(ZeroDivisionError), run(True):
        raise ZeroDivisionError
    assert not on()


def test_a_concrete_function_is_traced_and_runs_its_program():
    count = []
    f = tracefn.function(lambda x: (count.append(1), x + 1)[1])
    with tracefn.config.run_functions_eagerly():
        concrete = f.get_concrete_function(np.ones(2))
        np.testing.assert_array_equal(concrete(np.ones(2)), [2, 2])
    assert len(count) == 1


def test_threads_keep_to_what_threadpoolctl_allows(monkeypatch):
    if not threadpoolctl.threadpool_info():
        pytest.skip("threadpoolctl knows none of the libraries")
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    for limit, count in ((3, 3), (1, 1), (6, 4)):
        with threadpoolctl.threadpool_limits(limit):
            assert tracefn.config.thread_count() == count
            with tracefn.config.threads(2):
                assert tracefn.config.thread_count() == 2
