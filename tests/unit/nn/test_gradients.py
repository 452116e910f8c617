"""Gradients of `tracefn.nn` are those of finite differences, in a graph and by an eager tape."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special
import tracefn
from numpy.testing import assert_allclose, assert_array_equal
from tracefn import nn
from unit.nn.calls import CALLS

STEP = 1e-6


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_finite_differences(call):
    random = np.random.default_rng(0)
    weights = random.normal(size=np.shape(call.function(*call.args)))

    def loss(*args):
        return np.sum(call.function(*args) * weights)

    found = tracefn.grad(loss, argnums=range(len(call.args)))(*call.args)
    for number, (arg, gradient) in enumerate(zip(call.args, found, strict=True)):
        assert (gradient.dtype, gradient.shape) == (arg.dtype, arg.shape)
        direction = random.normal(size=arg.shape)
        ends = [loss(*call.args[:number], arg + s * direction, *call.args[number + 1 :]) for s in (STEP, -STEP)]
        assert_allclose(np.sum(gradient * direction), (ends[0] - ends[1]) / (2 * STEP), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_an_eager_tape(call):
    first, *others = call.args
    with tracefn.GradientTape() as tape:
        x = tape.watch(first)
        y = np.sum(call.function(x, *others) ** 2)
    expected = tracefn.grad(lambda x: np.sum(call.function(x, *others) ** 2))(first)
    assert_allclose(tape.gradient(y, x), expected, rtol=1e-12, atol=1e-13)


def test_far_from_zero():
    far = np.array([-1e4, -800.0, -40.0, 0.0, 40.0, 800.0, 1e4])
    s = scipy.special.expit(far)
    for function, expected in [
        (nn.sigmoid, s * (1 - s)),
        (nn.softplus, s),
        (nn.log_sigmoid, 1 - s),
        (nn.silu, s + far * s * (1 - s)),
        (nn.relu, far > 0),
    ]:
        with np.errstate(all="raise", under="ignore"):
            found = tracefn.elementwise_grad(function)(far)
        assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_softmax_cross_entropy_is_the_difference_to_the_labels():
    logits, labels = np.random.default_rng(1).normal(size=(4, 3)) * 300, np.array([2, 0, 1, 1])
    found = tracefn.grad(nn.cross_entropy)(logits, labels)
    assert_allclose(found, (nn.softmax(logits) - nn.one_hot(labels, 3)) / 4, atol=1e-15)


def test_ties_of_a_pool_share():
    found = tracefn.grad(lambda x: np.sum(nn.max_pool(x, 2)))(np.array([[[[1.0, 1, 3], [0, 1, 4]]]]))
    assert_allclose(found, [[[[1 / 3, 1 / 3, 0], [0, 1 / 3, 0]]]])


def test_second_order():
    x = np.random.default_rng(2).normal(size=(3,))
    found = tracefn.hessian(lambda x: nn.logsumexp(x) + np.sum(nn.sigmoid(x)))(x)
    p, s = nn.softmax(x), nn.sigmoid(x)
    assert_allclose(found, np.diag(p) - np.outer(p, p) + np.diag(s * (1 - s) * (1 - 2 * s)), atol=1e-14)


def test_second_order_of_a_product_with_a_derivative_of_its_own():
    def slopes(x):
        return np.sum(tracefn.grad(lambda z: np.sum(z * z * nn.sigmoid(z)))(x))

    x = np.array([-1.0, 0.5])
    s = nn.sigmoid(x)
    d = s * (1 - s)
    assert_allclose(tracefn.grad(slopes)(x), 2 * s + 4 * x * d + x * x * d * (1 - 2 * s))


def test_gradients_of_open_lengths_are_traced_once():
    spec = tracefn.TensorSpec((None, None), np.float64)
    gradient = tracefn.function(tracefn.grad(lambda x: np.sum(nn.softmax(x)[:, 0])), input_signature=[spec])
    for shape in ((2, 3), (4, 5)):
        x = np.random.default_rng(3).normal(size=shape)
        p = nn.softmax(x)
        expected = -p * p[:, :1]
        expected[:, 0] += p[:, 0]
        assert_allclose(gradient(x), expected, atol=1e-15)
    assert_array_equal(len(gradient.concrete_functions), 1)
