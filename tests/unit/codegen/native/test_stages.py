"""Kernels with functions of functions are computed in stages, block by block: the same elements in any case."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import tracefn


def chain(x, y):
    h = np.tanh(x * y + 1.0)
    h = np.exp(-(h * h - x))
    return np.log1p(h) / 2.0 + y


def several(x, y):
    h = np.tanh(x * y)
    g = np.arctan2(np.exp(-h), x)
    return h, g > h, np.rint(g * 3).astype(np.int32), np.power(g * g + 1.0, h) - y


def of_scalars(x, y):
    return np.arctan2(np.sin(x), 0.0) - np.arctan2(np.sin(x), -0.0) + np.power(np.exp(x), 2.3) * y.dtype.type(3)


def mixed(x, y):
    return np.exp(np.tanh(x.astype(np.float32)).astype(np.float64)) * np.cos(np.exp(y)) + np.float32(2)


PROGRAMS = [chain, several, of_scalars, mixed]
LENGTHS = [127, 512, 1028]


def native(function, *arguments):
    """The results as a tuple, and whether they were computed in stages."""
    f = tracefn.function(function, jit="now")
    found = f(*arguments)
    (kernel,) = f.concrete_functions[0]._execution.native.kernels
    return found if isinstance(found, tuple) else (found,), "@shared." in kernel.text


def numbers(dtype, *shape):
    x, y = np.random.default_rng(0).normal(size=(2, *shape)).astype(dtype)
    return x, y


def assert_same(found, wanted, function=None):
    """`mixed` has functions of float32 inside, that NumPy rounds in another way."""
    for a, b in zip(found, wanted, strict=True):
        assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
        assert type(a) is type(b)
        if a.dtype.kind == "f":
            eps = 40 * np.finfo(np.float32 if function is mixed else a.dtype).eps
            np.testing.assert_allclose(a, b, rtol=eps, atol=eps)
        else:
            np.testing.assert_array_equal(a, b)


def eager(function, *arguments):
    found = function(*arguments)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", PROGRAMS)
def test_elements_do_not_depend_on_stages(function, dtype):
    x, y = numbers(dtype, max(LENGTHS))
    f = tracefn.function(function, jit="now")
    few = [f(x[i : i + 4], y[i : i + 4]) for i in range(0, len(x), 4)]
    (kernel,) = f.concrete_functions[0]._execution.native.kernels
    assert "@shared." not in kernel.text
    parts = [each if isinstance(each, tuple) else (each,) for each in few]
    wanted = [np.concatenate(each) for each in zip(*parts, strict=True)]
    for length in LENGTHS:
        found, has_stages = native(function, x[:length], y[:length])
        assert has_stages
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(a, b[:length])
    assert_same(found, eager(function, x, y), function)


@pytest.mark.parametrize("function", PROGRAMS)
def test_open_lengths(function):
    f = tracefn.function(function, input_signature=[tracefn.TensorSpec([None], np.float64)] * 2, jit="now")
    for length in (0, 1, 3, 64, 700):
        x, y = numbers(np.float64, length)
        found = f(x, y)
        assert_same(found if isinstance(found, tuple) else (found,), eager(function, x, y), function)


def test_single_functions_of_open_lengths():
    f = tracefn.function(lambda x: np.exp(x) + 1, input_signature=[tracefn.TensorSpec([None], np.float32)], jit="now")
    for length in (1, 64, 700):
        x = numbers(np.float32, length)[0]
        assert_same((f(x),), (np.exp(x) + 1,))
    (kernel,) = f.concrete_functions[0]._execution.native.kernels
    assert "@shared." in kernel.text


@pytest.mark.parametrize("function", PROGRAMS)
def test_rows_that_are_stretched_and_columns(function):
    x, y = numbers(np.float64, 20, 70)
    for a, b in [(x, y[0]), (x, y[:, :1]), (x[:, 0][:, None], y[:1]), (x, y.T.copy().T), (x.T, y.T)]:
        found = tracefn.function(function, jit="now")(a, b)
        assert_same(found if isinstance(found, tuple) else (found,), eager(function, a, b), function)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_views_with_gaps(dtype):
    def of_views(x, y):
        return several(x[1::2], y[::-2][: len(x) // 2])

    x, y = numbers(dtype, 1400)
    found, has_stages = native(of_views, x, y)
    assert has_stages
    assert_same(found, eager(of_views, x, y))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arguments_with_gaps(dtype):
    x, y = numbers(dtype, 40000)
    f = tracefn.function(lambda x, y: np.exp(x) + y, jit="now")
    for a, b in [(x[::2], y[::2]), (x[::-1], y), (x[5000:35000:3], y[:10000])]:
        assert_same((f(a, b),), (np.exp(a) + b,))
        found = tracefn.function(several, jit="now")(a, b)
        assert_same(found, eager(several, a, b))


def logarithms(x, y):
    return np.log(np.log(x)) + np.arccosh(np.exp(y))


def test_what_makes_groups_whole_raises_no_flag():
    x, y = np.random.default_rng(0).random((2, 521)) + 1.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, has_stages = native(logarithms, x, y)
    assert has_stages
    assert_same(found, eager(logarithms, x, y))


@pytest.mark.parametrize("place", [0, 300, 520])
def test_warnings_are_those_of_numpy(place):
    x, y = np.random.default_rng(0).random((2, 521)) + 1.5
    x[place] = 0.5
    f = tracefn.function(logarithms, jit="now")
    with pytest.warns(RuntimeWarning, match="invalid value encountered in log"):
        found = f(x, y)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(found, logarithms(x, y), rtol=1e-14)


@pytest.mark.parametrize("place", [0, 520])
def test_numbers_that_functions_are_not_made_for(place):
    x, y = numbers(np.float64, 521)
    x[place] = 1e300
    found, has_stages = native(lambda x, y: np.exp(np.sin(x) * y), x, y)
    assert has_stages
    np.testing.assert_allclose(found[0], np.exp(np.sin(x) * y), rtol=1e-14)


def test_integers_divided_by_zero():
    def divided(x, k):
        return np.exp(np.tanh(x)), 7 // k

    x, k = np.linspace(0, 1, 521), np.ones(521, np.int64)
    f = tracefn.function(divided, jit="now")
    k[520] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        found = f(x, k)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(found[1], 7 // k)


def test_elements_do_not_depend_on_threads():
    x, y = numbers(np.float64, 300_001)
    f = tracefn.function(chain, jit="now")
    with tracefn.config.threads(1):
        alone = f(x, y)
    with tracefn.config.threads(3):
        np.testing.assert_array_equal(f(x, y), alone)


def test_many_values_wait():
    def many(x, y):
        found = [np.tanh(x * k + y) for k in range(20)]
        return sum(np.exp(a * b) for a, b in zip(found, found[::-1], strict=True))

    x, y = numbers(np.float64, 1000)
    found, has_stages = native(many, x, y)
    assert has_stages
    assert_same(found, eager(many, x, y))


def deep(x, y):
    return np.log1p(np.exp(-np.tanh(x * y))) * np.cos(x)


def of_all(x, y):
    h = deep(x, y)
    return h.sum(), (h > 0.5).sum(), (h * h).mean(), h.max(), np.nansum(np.sqrt(h * h)), h + 1


def with_itself(x, y):
    h = deep(x, y)
    return h.sum(), h


def of_rows(x, y):
    h = deep(x, y)
    return h.sum(axis=-1), (h * h).mean(axis=-1), h.min(axis=-1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("length", [127, 512, 1028])
def test_sums_do_not_depend_on_stages(dtype, length):
    """What stages compute is combined in the order of sums without functions."""
    x, y = numbers(dtype, length)
    ((total, *_), has_stages) = native(lambda x, y: (deep(x, y).sum(), deep(x, y).max()), x, y)
    assert has_stages
    h = tracefn.function(deep, jit="now")(x, y)
    assert total == tracefn.function(lambda h: h.sum(), jit="now")(h)
    for function in (of_all, with_itself):
        assert_same(tracefn.function(function, jit="now")(x, y), function(x, y))


def test_sums_of_rows_and_of_open_lengths():
    x, y = numbers(np.float64, 33, 130)
    found, has_stages = native(of_rows, x, y)
    assert has_stages
    assert_same(found, eager(of_rows, x, y))
    f = tracefn.function(of_all, input_signature=[tracefn.TensorSpec([None], np.float64)] * 2, jit="now")
    for length in (1, 60, 3000):
        x, y = numbers(np.float64, length)
        assert_same(f(x, y), of_all(x, y))


def test_sums_do_not_depend_on_threads():
    x, y = numbers(np.float64, 300_001)
    f = tracefn.function(lambda x, y: deep(x, y).sum(), jit="now")
    with tracefn.config.threads(1):
        alone = f(x, y)
    with tracefn.config.threads(3):
        assert f(x, y) == alone


def test_sums_of_numbers_that_functions_are_not_made_for():
    x, y = numbers(np.float64, 600)
    f = tracefn.function(lambda x, y: np.exp(np.sin(x) * y).sum(), jit="now")
    x[-1] = 1e300
    np.testing.assert_allclose(f(x, y), np.exp(np.sin(x) * y).sum(), rtol=1e-14)
    x[-1] = np.inf
    with pytest.warns(RuntimeWarning, match="invalid value encountered in sin"):
        assert np.isnan(f(x, y))


def test_steps_that_nobody_needs():
    """The last of few elements that are compared leaves an extremum that is not read."""
    x, y = numbers(np.float64, 200, 5)
    found = tracefn.function(lambda x, y: deep(x, y).argmax(axis=-1), jit="now")(x, y)
    np.testing.assert_array_equal(found, deep(x, y).argmax(axis=-1))
