"""The derivatives of the orthogonal polynomials of `scipy.special`, by their operands: those of a lower degree.

The formulas are those of the NIST Digital Library of Mathematical Functions (dlmf.nist.gov/18.9).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def _s() -> Any:
    """`scipy.special`, which is imported where one of its ufuncs is called."""
    return sys.modules["scipy.special"]


def _below(n: Any) -> Any:
    """The degree below, 0 at least: NumPy has no Hermite polynomial of degree -1."""
    return np.maximum(n - 1, 0)


_N = NotImplemented
POLYNOMIALS: dict[str, tuple[Any, ...]] = {
    "eval_legendre": (_N, lambda out, n, x: (n + 1) / 2 * _s().eval_jacobi(n - 1, 1, 1, x)),
    "eval_chebyt": (_N, lambda out, n, x: n * _s().eval_chebyu(n - 1, x)),
    "eval_chebyu": (_N, lambda out, n, x: 2 * _s().eval_gegenbauer(n - 1, 2, x)),
    "eval_gegenbauer": (_N, _N, lambda out, n, a, x: 2 * a * _s().eval_gegenbauer(n - 1, a + 1, x)),
    "eval_jacobi": (_N, _N, _N, lambda out, n, a, b, x: (n + a + b + 1) / 2 * _s().eval_jacobi(n - 1, a + 1, b + 1, x)),
    "eval_sh_legendre": (_N, lambda out, n, x: (n + 1) * _s().eval_jacobi(n - 1, 1, 1, 2 * x - 1)),
    "eval_sh_chebyt": (_N, lambda out, n, x: 2 * n * _s().eval_chebyu(n - 1, 2 * x - 1)),
    "eval_sh_chebyu": (_N, lambda out, n, x: 4 * _s().eval_gegenbauer(n - 1, 2, 2 * x - 1)),
    "eval_hermite": (_N, lambda out, n, x: 2 * n * _s().eval_hermite(_below(n), x)),
    "eval_hermitenorm": (_N, lambda out, n, x: n * _s().eval_hermitenorm(_below(n), x)),
    "eval_laguerre": (_N, lambda out, n, x: -_s().eval_genlaguerre(n - 1, 1, x)),
    "eval_genlaguerre": (_N, _N, lambda out, n, a, x: -_s().eval_genlaguerre(n - 1, a + 1, x)),
}
"""The derivatives by the names of the ufuncs, in the form of `special.PARTIALS`."""
