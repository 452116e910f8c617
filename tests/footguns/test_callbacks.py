"""Functions that a library calls back: each call gives them the variables of its own round, and they change what they
change once."""

import collections

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import tracefn


def weighted(a):
    total = 0.0
    for n in range(3):
        total = total + scipy.integrate.quad(lambda x: np.exp(-a * x) * n, 0, 1)[0]  # noqa: B023
        total = total + scipy.integrate.quad(lambda x, n=n: x * n * a, 0, 1)[0]
    return total


class Fit:
    def __init__(self):
        self.tried = 0

    def residuals(self, p, x, y):
        self.tried += 1
        return p[0] * x - y

    def run(self, x, y):
        return scipy.optimize.least_squares(self.residuals, [1.0], args=(x, y)).x.round(6)


def test_variables_of_a_round():
    f = tracefn.function(weighted)
    for a in (1.0, 2.0, 1.0):
        assert f(np.float64(a)) == weighted(np.float64(a))


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_method_that_counts_its_calls():
    def calls(run):
        fit, x = Fit(), np.arange(4.0)
        return [(run(fit, x, x * k).tolist(), fit.tried) for k in (2.0, 3.0, 2.0)]

    assert calls(tracefn.function(Fit.run, on_unsupported="eager")) == calls(Fit.run)


def doubled(x):
    doubled.calls += 1
    return x * 2


def powers(n):
    def power(x, k=n):
        return x * power(x, k - 1) if k else 1.0

    return power


def zero(function, x):
    tried = [0]

    def shifted(s):
        tried[0] += 1
        return function(s) - 1

    return x * scipy.optimize.root_scalar(shifted, bracket=[0, 3]).root, tried


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_a_function_that_counts_its_calls():
    def calls(run):
        doubled.calls = 0
        return [(repr(run(doubled, np.ones(2))), doubled.calls) for _ in range(3)]

    assert calls(tracefn.function(zero, on_unsupported="eager")) == calls(zero)


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_calls_that_a_counter_counts():
    def root(x):
        def shifted(s):
            tried["calls"] += 1
            return s - x[0]

        return scipy.optimize.brentq(shifted, 0, 3)

    results = []
    for function in (root, tracefn.function(root, on_unsupported="eager")):
        tried = collections.Counter(rounds=2)
        results.append([(function(np.ones(2)), dict(tried)) for _ in range(3)])
    assert results[1] == results[0]


def test_a_function_that_calls_itself():
    def root(function, x):
        return x * scipy.optimize.brentq(lambda s: function(s) - 2, 0, 3)

    traced, power = tracefn.function(root), powers(3)
    for x in (np.ones(2), np.zeros(2), np.ones(2)):
        assert (traced(power, x) == root(power, x)).all()
    assert traced.tracing_count == 1


def test_the_whole_result_of_a_solver_is_returned():
    nearest = tracefn.function(lambda x: scipy.optimize.minimize_scalar(lambda t: (t - x[0]) ** 2))
    for number in (1.0, 2.0):
        found = nearest(np.full(2, number))
        assert type(found) is scipy.optimize.OptimizeResult and found.x == pytest.approx(number)
    assert nearest.tracing_count == 1 and not nearest.fallbacks


@pytest.mark.filterwarnings("ignore::tracefn.errors.FallbackWarning")
def test_the_text_of_a_result_that_an_object_holds():
    class Fit:
        results = (scipy.optimize.minimize_scalar(lambda t: t * t),)

    def described(fit, x):
        return f"{fit.results[0]} {x[0]}"

    traced, fit = tracefn.function(described, on_unsupported="eager"), Fit()
    assert traced(fit, np.ones(2)) == described(fit, np.ones(2))
    assert not any("report" in fallback.fix for fallback in traced.fallbacks)
