"""Derivatives of SciPy's functions, against central finite differences."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats
import tracefn
from sklearn.linear_model import Ridge
from tracefn.autodiff.libraries.distributions import DENSITIES, MASSES
from tracefn.autodiff.libraries.functions import RULES
from tracefn.autodiff.libraries.special import PARTIALS
from tracefn.autodiff.libraries.special_polynomials import POLYNOMIALS
from tracefn.autodiff.libraries.standard import RULES as OF_PYTHON
from tracefn.errors import MissingDerivativeError

X = np.array([0.35, 0.62, 0.8])
MATRIX = np.array([[2.0, 0.3, 0.1], [0.4, 1.5, -0.2], [0.2, 0.1, 1.1]])
WHOLE_NUMBERS = {
    **{f"scipy.special.{name}": (2,) for name in ("expn", "yn", "kn", "pdtr", "pdtrc")},
    **{f"scipy.special.{name}": (2, 5) for name in ("bdtr", "bdtrc")},
    **{f"scipy.special.{name}": (3,) for name in POLYNOMIALS},
    "scipy.special._ufuncs._zeta": (3,),
}
"""Operands in the first places that are whole numbers."""

CALLS = {
    "scipy.special.logsumexp": [
        lambda f, x: f(x),
        lambda f, x: f(x * MATRIX, 1, b=x, keepdims=True),
        lambda f, x: f(x, b=[1, -2, 0.5], return_sign=True)[0],
    ],
    "scipy.special.softmax": [lambda f, x: f(x), lambda f, x: f(x * MATRIX, axis=0)],
    "scipy.special.lambertw": [lambda f, x: np.real(f(x) + f(x + 1j, 1))],
    "scipy.special.softplus": [lambda f, x: f(x)],
    "scipy.special.comb": [lambda f, x: f(3 + x, x)],
    "scipy.special.factorial": [lambda f, x: f(x)],
    **{
        f"scipy.special.spherical_{name}": [lambda f, x: f(2, x) + f(1, x, derivative=True)]
        for name in ("jn", "yn", "in", "kn")
    },
    "scipy.special.zeta": [lambda f, x: f(2.5, x)],
    "scipy.special.polygamma": [lambda f, x: f(2, x)],
    "scipy.linalg.solve": [lambda f, x: f(MATRIX * x, x), lambda f, x: f(MATRIX * x, x, transposed=True)],
    "scipy.linalg.lstsq": [
        lambda f, x: f(MATRIX * x, x)[0],
        lambda f, x: f((MATRIX * x)[:, :2], x**2)[1],
        lambda f, x: f((MATRIX * x)[:, :2], MATRIX + x)[0],
    ],
    "scipy.linalg.lu": [
        lambda f, x: f((MATRIX * x)[::-1])[1],
        lambda f, x: f(MATRIX[[1, 2, 0]] * x)[2],
        lambda f, x: f(MATRIX[[2, 0, 1]] * x)[1] @ f(MATRIX * x)[2],
    ],
    "scipy.linalg.lu_factor": [lambda f, x: f(MATRIX[[1, 2, 0]] * x)[0]],
    "scipy.linalg.lu_solve": [
        lambda f, x: f(scipy.linalg.lu_factor(MATRIX[[1, 2, 0]] * x), x**2),
        lambda f, x: f(scipy.linalg.lu_factor(MATRIX * x), MATRIX * x),
    ],
    "scipy.linalg.solve_continuous_lyapunov": [lambda f, x: f(MATRIX * x, MATRIX + x)],
    "scipy.linalg.fractional_matrix_power": [lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x), 0.3)],
    "scipy.linalg.logm": [lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x))],
    "scipy.linalg.solve_triangular": [
        lambda f, x: f(MATRIX * x, x, lower=True, trans=1),
        lambda f, x: f(MATRIX * x, MATRIX, trans="T", unit_diagonal=True),
        lambda f, x: f(MATRIX * x, x, lower=True),
        lambda f, x: f(MATRIX * x, x, unit_diagonal=True),
    ],
    "scipy.linalg.cholesky": [
        lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x)),
        lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x), lower=True),
    ],
    "scipy.linalg.eigh": [
        lambda f, x: f(MATRIX + MATRIX.T + np.outer(x, x))[1] ** 2,
        lambda f, x: f(MATRIX + MATRIX.T + np.outer(x, x), eigvals_only=True),
    ],
    "scipy.linalg.eigvalsh": [lambda f, x: f(MATRIX + MATRIX.T + np.outer(x, x))],
    "scipy.linalg.svd": [lambda f, x: f(MATRIX * x)[0] ** 2 @ f(MATRIX * x, full_matrices=False)[2] ** 2],
    **{
        f"scipy.fft.{name}": [
            lambda f, x, type=type, norm=norm: f(MATRIX * x, type, axis=0, norm=norm)
            for type in (1, 2, 3, 4)
            for norm in (None, "forward", "ortho")
        ]
        for name in ("dct", "idct", "dst", "idst")
    },
    "scipy.linalg.eig": [
        lambda f, x: np.abs(f(MATRIX * x)[1]),
        lambda f, x: np.real(f(MATRIX * x, right=False)),
    ],
    "scipy.linalg.eigvals": [lambda f, x: np.real(f(MATRIX * x))],
    "scipy.linalg.hankel": [lambda f, x: f(x), lambda f, x: f(x, x[:2] * 2)],
    "scipy.linalg.norm": [lambda f, x: f(x), lambda f, x: f(MATRIX * x, 1)],
    "scipy.linalg.cho_factor": [
        lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x))[0],
        lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x), lower=True)[0],
    ],
    "scipy.linalg.cho_solve": [
        lambda f, x: f((np.tril(MATRIX * x), True), x),
        lambda f, x: f((np.triu(MATRIX * x), False), MATRIX * x),
        lambda f, x: f(scipy.linalg.cho_factor(MATRIX @ MATRIX.T + np.outer(x, x)), x),
    ],
    "scipy.linalg.block_diag": [lambda f, x: f(MATRIX * x, x, MATRIX[:2] * x)],
    "scipy.linalg.toeplitz": [lambda f, x: f(x), lambda f, x: f(x, x[:2] * 2)],
    "scipy.special.multigammaln": [lambda f, x: f(x + 2, 3)],
    "scipy.linalg.solve_sylvester": [lambda f, x: f(MATRIX * x, MATRIX + x, MATRIX.T * x)],
    "scipy.linalg.sqrtm": [lambda f, x: f(MATRIX @ MATRIX.T + np.outer(x, x))],
    "scipy.linalg.qr": [lambda f, x: f(MATRIX * x)[1], lambda f, x: f((MATRIX * x)[:, :2], mode="economic")[0]],
    "scipy.linalg.circulant": [lambda f, x: f(x)],
}
for name in ("convolve", "fftconvolve", "oaconvolve"):
    CALLS[f"scipy.signal.{name}"] = [
        *[lambda f, x, mode=mode: f(x, x[:2] * 2, mode) for mode in ("full", "same", "valid")],
        lambda f, x: f(MATRIX * x, np.outer(x, x[:2]), mode="same"),
    ]
CALLS["scipy.fft.fft"] = [lambda f, x: np.abs(f(x, 4, norm="ortho")), lambda f, x: np.imag(f(MATRIX * x, axis=0))]
CALLS["scipy.fft.irfft"] = [lambda f, x: f(x + 1j * x**2), lambda f, x: f(x * 1j, n=5)]
CALLS["scipy.fft.rfft2"] = [lambda f, x: np.abs(f(MATRIX * x, s=(2, 4)))]


def of_matrix(f, x):
    return np.abs(f(MATRIX * x))


def gradient(call, x):
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        found[place] = np.sum(call(x + step) - call(x - step)) / 2e-6
    return found


def check(call, x):
    weights = np.cos(np.arange(np.size(call(x)))).reshape(np.shape(call(x)))
    with tracefn.no_fallback():
        found = tracefn.grad(lambda x: np.sum(call(x) * weights))(x)
    np.testing.assert_allclose(found, gradient(lambda x: call(x) * weights, x), rtol=1e-6, atol=1e-7)


def reached(path):
    module, _, name = path.rpartition(".")
    known = (cmath, math, scipy.fft, scipy.linalg, scipy.signal, scipy.special, scipy.special._ufuncs)
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


def test_frozen_distributions():
    frozen = scipy.stats.gamma(2.5, scale=0.7)
    check(lambda x: frozen.logpdf(x) + frozen.cdf(x), X)
    with pytest.raises(MissingDerivativeError, match="logpdf"):
        tracefn.grad(lambda x: np.sum(scipy.stats.norm(x).logpdf(0.3)))(X)


def test_objects_keep_what_they_are_called_with():
    model = Ridge()

    def fitted_outside(y):
        model.fit(MATRIX, y)
        return np.sum(model.predict(MATRIX))

    for call in (fitted_outside, lambda y: np.sum(Ridge().fit(MATRIX, y).coef_)):
        with pytest.raises(MissingDerivativeError, match="Ridge"):
            tracefn.grad(call)(X)


def test_what_is_not_known_is_said():
    with pytest.raises(MissingDerivativeError, match="float"):
        tracefn.grad(lambda x: float(str(x[0])) * x[1])(X)
    with pytest.raises(MissingDerivativeError, match="gammainc"):
        tracefn.grad(lambda a: np.sum(scipy.special.gammainc(a, 0.5)))(X)
    with pytest.raises(MissingDerivativeError, match="schur"):
        tracefn.grad(lambda x: np.sum(scipy.linalg.schur(MATRIX * x)[0]))(X)
