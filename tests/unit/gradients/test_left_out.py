"""Derivatives where a selection leaves out elements at which a function has none: the problem of two wheres."""

import numpy as np
import pytest
import tracefn


def _written(x):
    y = np.log(x)
    y[x <= 0] = 0
    return np.sum(y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "function, x, expected",
    [
        (lambda x: np.sum(np.where(x > 0, np.log(x), 0.0)), [0.0, 1.0], [0.0, 1.0]),
        (lambda x: np.sum(np.where(x > 0, x**0.5, x)), [-1.0, 1.0], [1.0, 0.5]),
        (lambda x: np.sum(np.where(x != 0, np.sin(x) / x, 1.0)), [0.0, np.pi], [0.0, -1 / np.pi]),
        (lambda x: np.sum(np.select([x > 1, x > 0], [np.sqrt(x - 1), x])), [0.5, 2.0], [1.0, 0.5]),
        (_written, [0.0, 1.0], [0.0, 1.0]),
        (lambda x: np.sum(np.where(x > 0, x * np.log(x), 0.0)), [0.0, 1.0], [0.0, 1.0]),
        (lambda x: np.sum(np.where(x > 0, np.square(np.log(x)), 0.0)), [0.0, 1.0], [0.0, 0.0]),
        (lambda x: np.sum(np.where(np.isnan(x), 0.0, x * x)), [np.nan, 1.0], [0.0, 2.0]),
        (lambda x: np.nansum(x * np.log(x)), [0.0, 1.0], [0.0, 1.0]),
        (lambda x: np.sum(x * np.log(x), where=x > 0), [0.0, 1.0], [0.0, 1.0]),
        (lambda x: np.sum((x * np.log(x))[x > 0]), [0.0, 1.0], [0.0, 1.0]),
        (lambda x: np.sum(np.clip(np.log(x), -9.0, 9.0)), [0.0, 1.0], [0.0, 1.0]),
        (lambda x: np.sum(np.maximum(np.log(x), -9.0)), [0.0, 1.0], [0.0, 1.0]),
        (lambda x: np.max(np.log(x)), [0.0, 1.0], [0.0, 1.0]),
    ],
)
def test_an_infinite_slope_of_what_is_left_out_is_no_nan(function, x, expected):
    np.testing.assert_allclose(tracefn.grad(function)(np.array(x)), expected)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_missing_data_has_no_part_in_the_derivative_by_weights():
    x = np.array([np.nan, 2.0])
    f = tracefn.grad(lambda w: np.sum(np.where(np.isnan(x), 0.0, x * w)))
    np.testing.assert_array_equal(f(np.ones(2)), [0.0, 2.0])


def test_a_product_of_finite_numbers_gets_no_guard():
    f = tracefn.grad(lambda x: np.sum(np.where(x > 0, x**2 * x / 3, 0.0)))
    f(np.array([-1.0, 1.0]))
    assert "isfinite" not in str(f.get_concrete_function(np.ones(2)).graph)


def test_a_cotangent_of_zero_keeps_the_second_derivative():
    def f(x):
        return np.sum(np.where(np.array([True, True]), x**3, 0.0) * x)

    np.testing.assert_allclose(tracefn.hessian(f)(np.array([0.0, 2.0])), [[0.0, 0.0], [0.0, 48.0]])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_selected_keeps_its_infinite_slope():
    f = tracefn.grad(lambda x: np.sum(np.where(x >= 0, np.sqrt(x), 0.0)))
    np.testing.assert_array_equal(f(np.array([0.0, 1.0])), [np.inf, 0.5])
