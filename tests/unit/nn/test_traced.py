"""Functions of `tracefn.nn` give the eager answer where they are traced, with known and with open lengths."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import tracefn
from tracefn import nn
from unit.nn.calls import CALLS


def test_every_function_has_a_call():
    called = {call.name.split()[0] for call in CALLS} | {"scaled_dot_product_attention", "one_hot"}
    assert called >= set(nn.__all__)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_traced_as_eager(call, dtype):
    args = [a.astype(dtype) for a in call.args]
    expected = call.function(*args)
    assert expected.dtype == dtype
    found = tracefn.function(call.function)(*args)
    assert (type(found), found.dtype, found.shape) == (type(expected), expected.dtype, expected.shape)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_open_batch(call):
    first, *rest = call.args
    specs = [tracefn.TensorSpec(a.shape, a.dtype) for a in rest]
    if call.name in ("batch_norm used", "conv3d", "conv3d_transpose") or first.ndim > 2:
        specs = [tracefn.TensorSpec((None, *first.shape[1:-1], None), first.dtype), *specs]
    else:
        specs = [tracefn.TensorSpec((None,) * first.ndim, first.dtype), *specs]
    traced = tracefn.function(call.function, input_signature=specs)
    np.testing.assert_array_equal(traced(*call.args), call.function(*call.args))


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_machine_code_as_eager(call):
    found = tracefn.function(call.function, jit="now")(*call.args)
    np.testing.assert_allclose(found, call.function(*call.args), rtol=1e-13, atol=1e-14)


def test_running_values_are_written_at_each_call():
    def train(x, mean, variance):
        return nn.batch_norm(x, mean, variance, training=True)

    traced, random = tracefn.function(train), np.random.default_rng(0)
    ours, theirs = (np.zeros(3), np.ones(3)), (np.zeros(3), np.ones(3))
    for _ in range(3):
        x = random.normal(2, 3, size=(5, 3, 2))
        np.testing.assert_array_equal(traced(x, *ours), train(x, *theirs))
    np.testing.assert_array_equal(ours, theirs)
    assert len(traced.concrete_functions) == 1


def test_dropout_draws_at_each_call():
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)

    @tracefn.function
    def drop(x, rng):
        return nn.dropout(x, 0.5, rng)

    for _ in range(3):
        np.testing.assert_array_equal(drop(np.ones(20), ours), nn.dropout(np.ones(20), 0.5, theirs))


def test_errors_name_the_users_line():
    @tracefn.function
    def f(x):
        return nn.conv2d(x, np.ones((2, 5, 3, 3)))

    line = inspect.getsourcelines(f.python_function)[1] + 2
    with pytest.raises(ValueError, match="x has 4 channels, and weight is for 5") as caught:
        f(np.ones((1, 4, 8, 8)))
    assert [entry.lineno + 1 for entry in caught.traceback][-1] == line
