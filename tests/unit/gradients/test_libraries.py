"""Derivatives of SciPy's functions, against central finite differences."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.spatial
import scipy.special
import scipy.stats
import tracefn
from tracefn.autodiff.libraries.distributions import DENSITIES, MASSES
from tracefn.autodiff.libraries.functions import RULES
from tracefn.autodiff.libraries.special import PARTIALS
from tracefn.autodiff.libraries.special_polynomials import POLYNOMIALS
from tracefn.autodiff.libraries.standard import RULES as OF_PYTHON
from tracefn.errors import MissingDerivativeError
from unit.gradients.library_calls import CALLS, MATRIX, X, check

WHOLE_NUMBERS = {
    **{f"scipy.special.{name}": (2,) for name in ("expn", "yn", "kn", "pdtr", "pdtrc")},
    **{f"scipy.special.{name}": (2, 5) for name in ("bdtr", "bdtrc")},
    **{f"scipy.special.{name}": (3,) for name in POLYNOMIALS},
    "scipy.special._ufuncs._zeta": (3,),
}
"""Operands in the first places that are whole numbers."""


def of_matrix(f, x):
    return np.abs(f(MATRIX * x))


def reached(path):
    module, _, name = path.rpartition(".")
    libraries = (
        scipy.fft,
        scipy.integrate,
        scipy.spatial.distance,
        scipy.linalg,
        scipy.optimize,
        scipy.stats,
        scipy.ndimage,
        scipy.signal,
        scipy.special,
        scipy.special._ufuncs,
    )
    known = (cmath, math, *libraries)
    return getattr({m.__name__: m for m in known}[module], name)


@pytest.mark.parametrize("path", sorted(RULES))
def test_functions(path):
    function = reached(path)
    for call in CALLS.get(path, [of_matrix]):
        check(lambda x, call=call: call(function, x), X)


OF_NUMBERS = {
    "math.fsum": lambda f, x: f(x) + f([x[0], x[1] ** 2, 2.0]),
    "math.prod": lambda f, x: f(x, start=x[0]) + f([x[1], x[2] - 0.8, 3.0]),
    "math.dist": lambda f, x: f(x, [1.0, x[0] ** 2, 2.0]) + f(x, x),
    "cmath.log": lambda f, z: f(z, 3.0) + f(2.0, z),
    "cmath.phase": lambda f, z: f(z) ** 2,
    "cmath.polar": lambda f, z: f(z)[0] * f(z)[1] + f(z * z)[1],
    "cmath.rect": lambda f, z: f(z.real, z.imag**2),
}


@pytest.mark.parametrize("path", sorted(OF_PYTHON))
def test_functions_of_python(path):
    call = OF_NUMBERS.get(path, lambda f, z: f(z))

    def of_three(x):
        found = call(reached(path), x if path.startswith("math") else x[0] + 1j * x[1])
        return found.real + 2 * found.imag

    check(of_three, X)


@pytest.mark.parametrize("path", sorted(PARTIALS))
def test_ufuncs(path):
    ufunc = reached(path)
    whole = WHOLE_NUMBERS.get(path, ())
    given = [*whole, *[X + 0.05 * i for i in range(len(whole), ufunc.nin)]]
    for place, partial in enumerate(PARTIALS[path]):
        if partial is NotImplemented or place < len(whole):
            continue

        def call(x, place=place):
            found = ufunc(*given[:place], x, *given[place + 1 :])
            return np.real(found[0] + 2 * found[1] if ufunc.nout > 1 else found)

        check(call, -given[place] if path.endswith("ndtri_exp") else given[place])


@pytest.mark.parametrize("name", sorted(DENSITIES))
def test_densities(name):
    distribution = getattr(scipy.stats, name)
    shapes = (2.3, 3.1)[: distribution.numargs]
    values = distribution.ppf([0.2, 0.5, 0.9], *shapes, 0.3, 1.7)
    for method in ("logpdf", "pdf"):
        call = getattr(distribution, method)
        check(lambda x, call=call: call(x[:3], *x[3:-1], scale=x[-1]), np.array([*values, *shapes, 0.3, 1.7]))
    for method in ("ppf", "isf"):
        call = getattr(distribution, method)
        check(lambda x, call=call: call(x[:3], *shapes, x[3], x[4]), np.array([0.2, 0.5, 0.9, 0.3, 1.7]))
    for method in ("cdf", "sf", "logcdf", "logsf"):
        call = getattr(distribution, method)
        check(lambda x, call=call: call(x[:3], *shapes, x[3], x[4]), np.array([*values, 0.3, 1.7]))


@pytest.mark.parametrize("name", sorted(MASSES))
def test_masses(name):
    distribution, trials = getattr(scipy.stats, name), (4,) if MASSES[name][0] is None else ()
    check(lambda x: distribution.logpmf([[2]], *trials, x, loc=1), X)
    check(lambda x: distribution.pmf([[1], [9]], *trials, x), X)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.polynomial.polynomial.polyval(x, x * x),
        lambda x: np.polynomial.polynomial.polyval2d(x, x * x, MATRIX * x),
        lambda x: np.polynomial.polynomial.polyder(np.polynomial.polynomial.polyint(x, 2, k=[x[0], 1.0])),
        lambda x: np.polynomial.chebyshev.chebvander(x, 3),
        lambda x: np.polynomial.hermite.hermval(0.3, MATRIX * x),
    ],
)
def test_functions_of_polynomials(call):
    check(call, X)


@pytest.mark.parametrize("method", ["logpdf", "pdf"])
def test_normal_vectors(method):
    call = getattr(scipy.stats.multivariate_normal, method)
    check(lambda x: call(x, x**2, MATRIX @ MATRIX.T + np.outer(x, x)), X)
    check(lambda x: call(MATRIX * x, cov=np.eye(3) + np.outer(x, x), mean=x), X)


def test_normal_vectors_of_a_subspace():
    spread = np.diag([1.0, 2.0, 0.0])
    for call in (scipy.stats.multivariate_normal.logpdf, scipy.stats.multivariate_normal.pdf):
        check(lambda x, call=call: call(x * [1, 1, 0], x * [0, 3, 0], spread, allow_singular=True), X)
        with pytest.raises(MissingDerivativeError, match="logpdf|pdf"):
            tracefn.grad(lambda s, call=call: call(X, X, np.diag(s), allow_singular=True))(X)


def test_entropy_of_normal_vectors():
    check(lambda x: scipy.stats.multivariate_normal.entropy(x, MATRIX @ MATRIX.T + np.outer(x, x)), X)


@pytest.mark.parametrize("method", ["logpdf", "pdf"])
def test_dirichlets_distribution(method):
    call = getattr(scipy.stats.dirichlet, method)
    check(lambda x: call(x / np.sum(x), x**2 + 1), X)


@pytest.mark.parametrize("method", ["cdf", "sf", "logcdf", "logsf"])
def test_counts_of_events(method):
    call = getattr(scipy.stats.poisson, method)
    check(lambda x: call([[2], [0]], 3 * x), X)
    check(lambda x: call(2.5, mu=x, loc=1), X)


def test_frozen_distributions():
    frozen = scipy.stats.gamma(2.5, scale=0.7)
    check(lambda x: frozen.logpdf(x) + frozen.cdf(x), X)
    with pytest.raises(MissingDerivativeError, match="logpdf"):
        tracefn.grad(lambda x: np.sum(scipy.stats.norm(x).logpdf(0.3)))(X)


def test_what_is_not_known_is_said():
    with pytest.raises(MissingDerivativeError, match="float"):
        tracefn.grad(lambda x: float(str(x[0])) * x[1])(X)
    with pytest.raises(MissingDerivativeError, match="gammainc"):
        tracefn.grad(lambda a: np.sum(scipy.special.gammainc(a, 0.5)))(X)
    with pytest.raises(MissingDerivativeError, match="schur"):
        tracefn.grad(lambda x: np.sum(scipy.linalg.schur(MATRIX * x)[0]))(X)


SPARSE = scipy.sparse.csr_array(np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.5]]))


def test_products_with_sparse_matrices():
    check(lambda x: SPARSE @ x + x[:2] @ SPARSE @ np.diag(x) @ np.ones((3, 2)), X)
    check(lambda x: SPARSE @ (MATRIX * x), X)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.sum((SPARSE @ x) ** 3),
        lambda x: np.sum(scipy.linalg.expm(MATRIX * x) ** 2),
        lambda x: np.sum(scipy.fft.dct(x) ** 3 + scipy.stats.norm.ppf(x)),
        lambda x: scipy.optimize.rosen(x),
    ],
)
def test_second_derivatives(call):
    """A library is called for each row of a Jacobian."""
    slopes = tracefn.grad(call)
    steps = np.stack([slopes(X + step) - slopes(X - step) for step in 1e-6 * np.eye(3)]) / 2e-6
    for jacobian in (tracefn.jacrev, tracefn.jacfwd):
        with tracefn.no_fallback():
            found = jacobian(slopes)(X)
        np.testing.assert_allclose(found, steps, rtol=1e-6, atol=1e-5)


def test_rows_are_given_to_libraries():
    def each(rows):
        return tracefn.map_fn(lambda row: scipy.linalg.expm(np.diag(row)), rows)

    function = tracefn.function(each)
    for rows in (MATRIX, MATRIX[:1]):
        with tracefn.no_fallback():
            found = function(rows)
        np.testing.assert_allclose(found, np.reshape([np.diag(np.exp(row)) for row in rows], (-1, 3, 3)))


def test_lists_of_numbers_beside_steps_are_constants():
    check(lambda x: scipy.stats.multivariate_normal.logpdf(x * [1, 1, 0.5], x * [0, 3, 0], np.eye(3)), X)
