"""Derivatives of functions that no graph can follow: each call is traced for itself."""

import warnings

import numpy as np
import pytest
import tracefn


def of_other_rank(x):
    y = x[:2] if np.sum(x) > 1 else x[None] * 2
    return np.sum(y * y * x[0])


def until_large(x):
    rounds = 0
    while np.sum(x) < 10:
        x = np.concatenate([x, x[-1:] * 2])
        rounds += 1
    for i in range(int(np.sum(x) // 4)):
        x = x + i * 0.1 * x
    return np.sum(x) * rounds


def selected(x):
    total = 0.0
    for i in np.flatnonzero(x > 0.5):
        total = total + x[i] ** 2 * (i + 1)
    return total


def of_a_polynomial(x):
    return np.poly1d(x)(2.0) * x[0]  # which drops zeros in front


def of_a_fit(x):
    fitted = np.polynomial.Polynomial.fit(np.arange(3.0), x, 2).convert()
    return fitted(0.5) * fitted.coef[0]


def of_series(x):
    product = np.polynomial.Chebyshev(x) * np.polynomial.Chebyshev([1.0, 2.0]) - x[1] ** 2
    return product.deriv()(0.3) + np.sum(np.polynomial.polynomial.polymul(x, x[:2]))


def of_quotients(x):
    product = np.polynomial.Legendre(x) * np.polynomial.Legendre(x[::-1]) + np.polynomial.Legendre(x) ** 2
    return product(0.3) + (np.polynomial.Hermite(x) * np.polynomial.Hermite([1.0, 2.0]))(0.4)


def of_power(x):
    return np.emath.power(x - 2.5, 0.5).imag @ x


WITHOUT_SOURCE = {"np": np}
exec(
    """
def picked(x):
    total = np.add.reduce(x[np.array([0, 1, 1])])
    for i in range(3):
        total += x[i] ** 2 if x[i] > 0.5 else sum(x[j] for j in range(i))
    return total
""",
    WITHOUT_SOURCE,
)


@pytest.mark.parametrize(
    "function",
    [
        WITHOUT_SOURCE["picked"],
        of_other_rank,
        until_large,
        selected,
        of_a_polynomial,
        of_a_fit,
        of_series,
        of_quotients,
        of_power,
    ],
)
def test_the_derivative_is_that_of_the_way_that_the_call_takes(falls_back, function):
    derivative = tracefn.value_and_grad(function)
    for x in (np.array([1.0, 2.0, 0.3]), np.array([0.1, 0.2, 0.6]), np.array([2.0, 1.0, 0.9])):
        value, found = derivative(x.copy())
        np.testing.assert_allclose(value, function(x.copy()))
        for i in range(3):
            step = np.zeros(3)
            step[i] = 1e-6
            np.testing.assert_allclose(found[i], (function(x + step) - function(x - step)) / 2e-6, rtol=1e-6)


def test_a_notice_says_that_it_does(falls_back):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tracefn.grad(until_large)(np.array([1.0, 2.0]))
    assert [w.category for w in told] == [tracefn.errors.FallbackWarning]
    assert str(told[0].message).startswith("`grad of until_large` makes a trace for each call: ")


def test_a_comparison_says_what_a_derivative_is_compared_with():
    compared = tracefn.timing.compare(tracefn.grad(lambda x: np.sum(np.tanh(x))), np.ones(3))
    assert compared.reference == "a trace for each call" and compared.headline().startswith("a trace for each call ")


def test_lengths_that_values_decide_are_those_of_the_call(falls_back):
    def f(x):
        k = np.flatnonzero(x > 1)
        if len(k) > 1:
            return np.sum(np.reshape(x[k], (len(k), 1)) * np.ones((len(k), 2)))
        return x[0]

    derivative = tracefn.grad(f)
    np.testing.assert_array_equal(derivative(np.array([1.0, 2.0, 3.0])), [0.0, 2.0, 2.0])
    np.testing.assert_array_equal(derivative(np.array([1.0, 2.0, 0.0])), [1.0, 0.0, 0.0])


@pytest.mark.parametrize("function", [np.emath.sqrt, np.linalg.eigvals, lambda x: (np.real_if_close(x + 0j), 1.0)])
def test_tangents_have_the_dtype_that_the_values_decide(falls_back, function):
    for x in (np.diag([1.0, 2.0]) + 0.1, np.array([[-1.0, -2.0], [2.0, -3.0]])):
        value, tangent = tracefn.jvp(function, (x,), (x,))
        _, pull = tracefn.vjp(function, x)
        first, second = function(x * (1 + 1e-6)), function(x * (1 - 1e-6))
        if type(value) is tuple:
            value, tangent, first, second = value[0], tangent[0], first[0], second[0]
            cotangent = pull((np.ones_like(value), 0.0))[0]
        else:
            cotangent = pull(np.ones_like(value))[0]
        np.testing.assert_allclose(tangent, (first - second) / 2e-6, rtol=1e-6, atol=1e-8)
        assert tangent.dtype == value.dtype and np.isclose(np.sum(cotangent * x), np.sum(tangent).real)
