"""The methods of random generators that draw numbers one by one, with NumPy's own signatures.

Each entry takes the arguments of the method and gives those that are broadcast against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Table = dict[str, Callable[..., tuple[Any, ...]]]

_BOTH: Table = {
    "beta": lambda generator, a, b, size=None: (a, b),
    "binomial": lambda generator, n, p, size=None: (n, p),
    "chisquare": lambda generator, df, size=None: (df,),
    "exponential": lambda generator, scale=1.0, size=None: (scale,),
    "f": lambda generator, dfnum, dfden, size=None: (dfnum, dfden),
    "gamma": lambda generator, shape, scale=1.0, size=None: (shape, scale),
    "geometric": lambda generator, p, size=None: (p,),
    "gumbel": lambda generator, loc=0.0, scale=1.0, size=None: (loc, scale),
    "hypergeometric": lambda generator, ngood, nbad, nsample, size=None: (ngood, nbad, nsample),
    "laplace": lambda generator, loc=0.0, scale=1.0, size=None: (loc, scale),
    "logistic": lambda generator, loc=0.0, scale=1.0, size=None: (loc, scale),
    "lognormal": lambda generator, mean=0.0, sigma=1.0, size=None: (mean, sigma),
    "logseries": lambda generator, p, size=None: (p,),
    "negative_binomial": lambda generator, n, p, size=None: (n, p),
    "noncentral_chisquare": lambda generator, df, nonc, size=None: (df, nonc),
    "noncentral_f": lambda generator, dfnum, dfden, nonc, size=None: (dfnum, dfden, nonc),
    "normal": lambda generator, loc=0.0, scale=1.0, size=None: (loc, scale),
    "pareto": lambda generator, a, size=None: (a,),
    "poisson": lambda generator, lam=1.0, size=None: (lam,),
    "power": lambda generator, a, size=None: (a,),
    "rayleigh": lambda generator, scale=1.0, size=None: (scale,),
    "standard_cauchy": lambda generator, size=None: (),
    "standard_t": lambda generator, df, size=None: (df,),
    "triangular": lambda generator, left, mode, right, size=None: (left, mode, right),
    "uniform": lambda generator, low=0.0, high=1.0, size=None: (low, high),
    "vonmises": lambda generator, mu, kappa, size=None: (mu, kappa),
    "wald": lambda generator, mean, scale, size=None: (mean, scale),
    "weibull": lambda generator, a, size=None: (a,),
    "zipf": lambda generator, a, size=None: (a,),
}

GENERATOR: Table = _BOTH | {
    "integers": lambda generator, low, high=None, size=None, dtype=np.int64, endpoint=False: (low, high),
    "random": lambda generator, size=None, dtype=np.float64, out=None: (),
    "standard_exponential": lambda generator, size=None, dtype=np.float64, method="zig", out=None: (),
    "standard_gamma": lambda generator, shape, size=None, dtype=np.float64, out=None: (shape,),
    "standard_normal": lambda generator, size=None, dtype=np.float64, out=None: (),
}

RANDOM_STATE: Table = _BOTH | {
    "randint": lambda generator, low, high=None, size=None, dtype=int: (low, high),
    "random": lambda generator, size=None: (),
    "random_integers": lambda generator, low, high=None, size=None: (low, high),
    "random_sample": lambda generator, size=None: (),
    "standard_exponential": lambda generator, size=None: (),
    "standard_gamma": lambda generator, shape, size=None: (shape,),
    "standard_normal": lambda generator, size=None: (),
    "tomaxint": lambda generator, size=None: (),
}

SAFE: dict[str, tuple[Any, ...]] = {
    "integers": (0, 2),
    "logseries": (0.5,),
    "randint": (0, 2),
    "random_integers": (0, 1),
    "triangular": (0.0, 0.5, 1.0),
    "zipf": (2.0,),
}
"""Parameters that a method accepts where ones are not such."""

MAKERS: dict[str, Callable[..., None]] = {
    "default_rng": lambda seed=None: None,
    "Generator": lambda bit_generator: None,
    "RandomState": lambda seed=None: None,
    "SeedSequence": lambda entropy=None, *, spawn_key=(), pool_size=4, n_children_spawned=0: None,
    "MT19937": lambda seed=None: None,
    "PCG64": lambda seed=None: None,
    "PCG64DXSM": lambda seed=None: None,
    "Philox": lambda seed=None, counter=None, key=None: None,
    "SFC64": lambda seed=None: None,
}
"""Functions that make a generator, or the seed and state of one."""
