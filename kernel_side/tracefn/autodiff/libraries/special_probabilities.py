"""The derivatives of the probabilities of `scipy.special`, by their operands: densities, of quantiles their inverse.

Step functions have derivative 0; parameters whose derivative is not elementary have none that is known.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np


def _s() -> Any:
    """`scipy.special`, which is imported where one of its ufuncs is called."""
    return sys.modules["scipy.special"]


def _gamma(a: Any, x: Any) -> Any:
    """The density of a gamma distribution."""
    return np.exp((a - 1) * np.log(x) - x - _s().gammaln(a))


def _beta(a: Any, b: Any, x: Any) -> Any:
    return np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - _s().betaln(a, b))


def _student(df: Any, t: Any) -> Any:
    scale = np.exp(_s().gammaln((df + 1) / 2) - _s().gammaln(df / 2)) / np.sqrt(math.pi * df)
    return scale * np.power(1 + t * t / df, -(df + 1) / 2)


def _chi_squared(v: Any, x: Any) -> Any:
    return _gamma(v / 2, x / 2) / 2


def _fisher(n: Any, m: Any, x: Any) -> Any:
    below = m + n * x
    return _beta(n / 2, m / 2, n * x / below) * n * m / (below * below)


def _poisson(k: Any, m: Any) -> Any:
    k = np.floor(k)
    return np.exp(k * np.log(m) - m - _s().gammaln(k + 1))


def _binomial(k: Any, n: Any, p: Any) -> Any:
    """Minus the derivative by `p` of the probability of at most `k` successes in `n` trials: a beta density."""
    return _beta(np.floor(k) + 1, n - np.floor(k), p)


def _tukey(out: Any, shape: Any) -> Any:
    return 1 / (np.power(out, shape - 1) + np.power(1 - out, shape - 1))


_N = NotImplemented
PROBABILITIES: dict[str, tuple[Any, ...]] = {
    "gammainc": (_N, lambda out, a, x: _gamma(a, x)),
    "gammaincc": (_N, lambda out, a, x: -_gamma(a, x)),
    "gammaincinv": (_N, lambda out, a, y: 1 / _gamma(a, out)),
    "gammainccinv": (_N, lambda out, a, y: -1 / _gamma(a, out)),
    "betainc": (_N, _N, lambda out, a, b, x: _beta(a, b, x)),
    "betaincc": (_N, _N, lambda out, a, b, x: -_beta(a, b, x)),
    "betaincinv": (_N, _N, lambda out, a, b, y: 1 / _beta(a, b, out)),
    "betainccinv": (_N, _N, lambda out, a, b, y: -1 / _beta(a, b, out)),
    "stdtr": (_N, lambda out, df, t: _student(df, t)),
    "stdtrit": (_N, lambda out, df, p: 1 / _student(df, out)),
    "chdtr": (_N, lambda out, v, x: _chi_squared(v, x)),
    "chdtrc": (_N, lambda out, v, x: -_chi_squared(v, x)),
    "chdtri": (_N, lambda out, v, p: -1 / _chi_squared(v, out)),
    "fdtr": (_N, _N, lambda out, n, m, x: _fisher(n, m, x)),
    "fdtrc": (_N, _N, lambda out, n, m, x: -_fisher(n, m, x)),
    "fdtri": (_N, _N, lambda out, n, m, p: 1 / _fisher(n, m, out)),
    "gdtr": (lambda out, a, b, x: x * _gamma(b, a * x), _N, lambda out, a, b, x: a * _gamma(b, a * x)),
    "gdtrc": (lambda out, a, b, x: -x * _gamma(b, a * x), _N, lambda out, a, b, x: -a * _gamma(b, a * x)),
    "pdtr": (0, lambda out, k, m: -_poisson(k, m)),
    "pdtrc": (0, lambda out, k, m: _poisson(k, m)),
    "bdtr": (0, 0, lambda out, k, n, p: -_binomial(k, n, p)),
    "bdtrc": (0, 0, lambda out, k, n, p: _binomial(k, n, p)),
    "tklmbda": (lambda out, x, shape: _tukey(out, shape), _N),
}
"""The derivatives by the names of the ufuncs, in the form of `special.PARTIALS`."""
