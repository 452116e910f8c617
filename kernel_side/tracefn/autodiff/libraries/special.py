"""The derivatives of the ufuncs of `scipy.special`, by their operands.

An entry is a tuple with one derivative for each operand: a function of the results and the operands, a number, or
NotImplemented. Of ufuncs with several results it returns one for each. The formulas are those of the NIST Digital
Library of Mathematical Functions (dlmf.nist.gov).
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from .special_polynomials import POLYNOMIALS
from .special_probabilities import PROBABILITIES

_ROOT_PI = math.sqrt(math.pi)


def _s() -> Any:
    """`scipy.special`, which is imported where one of its ufuncs is called."""
    return sys.modules["scipy.special"]


def _polygamma_1(x: Any) -> Any:
    """The trigamma function, by reflection left of 0."""
    right = _s().zeta(2, np.where(x > 0, x, 1 - x))
    return np.where(x > 0, right, (np.pi / np.sin(np.pi * x)) ** 2 - right)


def _over(x: Any, value: Any, at_zero: Any) -> Any:
    """`value / x`, which has a limit at 0."""
    return np.where(x == 0, at_zero, value / np.where(x == 0, 1, x))


def _of_struve(v: Any, x: Any) -> Any:
    """The term of the recurrences of Struve functions besides their neighbours (11.4.25, 11.4.29)."""
    return np.power(x / 2, v) / (_ROOT_PI * _s().gamma(v + 1.5))


def _of_inv_boxcox(out: Any, y: Any, power: Any) -> Any:
    """By the power: of `exp(log1p(power * y) / power)`."""
    return out * _over(power, y / (1 + power * y) - _over(power, np.log1p(power * y), y), -y * y / 2)


def _delta(phi: Any, m: Any) -> Any:
    return np.sqrt(1 - m * np.sin(phi) ** 2)


def _of_ellipkinc(out: Any, phi: Any, m: Any) -> Any:
    """19.4.5, with its limit at 0."""
    limit, other = phi / 2 + np.sin(2 * phi) / 4, np.sin(2 * phi) / (2 * (1 - m) * _delta(phi, m))
    return (_over(m, _s().ellipeinc(phi, m) / (1 - m) - out, limit + 0 * m) - other) / 2


def _of_agm(out: Any, a: Any, b: Any) -> Any:
    """By one number: the mean is `pi / 4 * (a + b)` over the elliptic integral of `((a - b) / (a + b)) ** 2`."""
    total, ratio = a + b, (a - b) / (a + b)
    m = ratio * ratio
    whole = _s().ellipk(m)
    slope = _over(m, _s().ellipe(m) / (1 - m) - whole, math.pi / 4) / 2
    return out / total - out / whole * slope * 4 * ratio * b / (total * total)


def _of_voigt(x: Any, sigma: Any, gamma: Any) -> Any:
    """By `x`, as a complex number: the function is the real part of one of `x + 1j * gamma`."""
    z = (x + 1j * gamma) / (sigma * math.sqrt(2))
    return (2j / _ROOT_PI - 2 * z * _s().wofz(z)) / (2 * _ROOT_PI * sigma * sigma)


_ONE: dict[str, Any] = {
    "expit": lambda out, x: out * (1 - out),
    "logit": lambda out, x: 1 / (x * (1 - x)),
    "log_expit": lambda out, x: _s().expit(-x),
    "erf": lambda out, x: 2 / _ROOT_PI * np.exp(-x * x),
    "erfc": lambda out, x: -2 / _ROOT_PI * np.exp(-x * x),
    "erfcx": lambda out, x: 2 * x * out - 2 / _ROOT_PI,
    "erfi": lambda out, x: 2 / _ROOT_PI * np.exp(x * x),
    "erfinv": lambda out, x: _ROOT_PI / 2 * np.exp(out * out),
    "erfcinv": lambda out, x: -_ROOT_PI / 2 * np.exp(out * out),
    "dawsn": lambda out, x: 1 - 2 * x * out,
    "wofz": lambda out, x: 2j / _ROOT_PI - 2 * x * out,
    "ndtr": lambda out, x: np.exp(-x * x / 2) / math.sqrt(2 * math.pi),
    "ndtri": lambda out, x: math.sqrt(2 * math.pi) * np.exp(out * out / 2),
    "log_ndtr": lambda out, x: np.exp(-x * x / 2 - out) / math.sqrt(2 * math.pi),
    "gamma": lambda out, x: out * _s().psi(x),
    "rgamma": lambda out, x: -out * _s().psi(x),
    "gammaln": lambda out, x: _s().psi(x),
    "loggamma": lambda out, x: _s().psi(x),
    "psi": lambda out, x: _polygamma_1(x),
    "j0": lambda out, x: -_s().j1(x),
    "j1": lambda out, x: _s().j0(x) - _over(x, out, 0.5),
    "y0": lambda out, x: -_s().y1(x),
    "y1": lambda out, x: _s().y0(x) - out / x,
    "i0": lambda out, x: _s().i1(x),
    "i1": lambda out, x: _s().i0(x) - _over(x, out, 0.5),
    "i0e": lambda out, x: _s().i1e(x) - np.sign(x) * out,
    "i1e": lambda out, x: _s().i0e(x) - np.sign(x) * out - _over(x, out, 0.5),
    "k0": lambda out, x: -_s().k1(x),
    "k1": lambda out, x: -_s().k0(x) - out / x,
    "k0e": lambda out, x: out - _s().k1e(x),
    "k1e": lambda out, x: out - _s().k0e(x) - out / x,
    "entr": lambda out, x: -np.log(x) - 1,
    "exprel": lambda out, x: _over(x, np.exp(x) - out, 0.5),
    "exp10": lambda out, x: math.log(10) * out,
    "exp2": lambda out, x: math.log(2) * out,
    "expm1": lambda out, x: out + 1,
    "log1p": lambda out, x: 1 / (1 + x),
    "cbrt": lambda out, x: 1 / (3 * out * out),
    "cosm1": lambda out, x: -np.sin(x),
    "sindg": lambda out, x: np.pi / 180 * np.cos(np.pi / 180 * x),
    "cosdg": lambda out, x: -np.pi / 180 * np.sin(np.pi / 180 * x),
    "tandg": lambda out, x: np.pi / 180 * (1 + out * out),
    "cotdg": lambda out, x: -np.pi / 180 * (1 + out * out),
    "round": lambda out, x: 0 * x,
    "wrightomega": lambda out, x: out / (1 + out),
    "ndtri_exp": lambda out, x: math.sqrt(2 * math.pi) * np.exp(x + out * out / 2),
    "ber": lambda out, x: _s().berp(x),
    "bei": lambda out, x: _s().beip(x),
    "ker": lambda out, x: _s().kerp(x),
    "kei": lambda out, x: _s().keip(x),
    "exp1": lambda out, x: -np.exp(-x) / x,
    "expi": lambda out, x: np.exp(x) / x,
    "ellipk": lambda out, m: _over(m, _s().ellipe(m) / (1 - m) - out, math.pi / 4) / 2,
    "ellipe": lambda out, m: _over(m, out - _s().ellipk(m), -math.pi / 4) / 2,
    "ellipkm1": lambda out, p: (out - _s().ellipe(1 - p) / p) / (2 * (1 - p)),
    "gammasgn": lambda out, x: 0 * x,
    "spence": lambda out, x: np.log(x) / (1 - x),
    "fresnel": lambda s, c, x: (np.sin(np.pi / 2 * x * x), np.cos(np.pi / 2 * x * x)),
    "airy": lambda a, a_slope, b, b_slope, x: (a_slope, x * a, b_slope, x * b),
    "sici": lambda s, c, x: (np.sinc(x / np.pi), np.cos(x) / x),
    "shichi": lambda s, c, x: (_over(x, np.sinh(x), 1), np.cosh(x) / x),
}
_SEVERAL: dict[str, tuple[Any, ...]] = {
    "xlogy": (lambda out, x, y: np.log(y), lambda out, x, y: x / y),
    "xlog1py": (lambda out, x, y: np.log1p(y), lambda out, x, y: x / (1 + y)),
    "rel_entr": (lambda out, x, y: np.log(x / y) + 1, lambda out, x, y: -x / y),
    "kl_div": (lambda out, x, y: np.log(x / y), lambda out, x, y: 1 - x / y),
    "beta": (
        lambda out, a, b: out * (_s().psi(a) - _s().psi(a + b)),
        lambda out, a, b: out * (_s().psi(b) - _s().psi(a + b)),
    ),
    "betaln": (lambda out, a, b: _s().psi(a) - _s().psi(a + b), lambda out, a, b: _s().psi(b) - _s().psi(a + b)),
    "binom": (
        lambda out, n, k: out * (_s().psi(n + 1) - _s().psi(n - k + 1)),
        lambda out, n, k: out * (_s().psi(n - k + 1) - _s().psi(k + 1)),
    ),
    "poch": (lambda out, z, m: out * (_s().psi(z + m) - _s().psi(z)), lambda out, z, m: out * _s().psi(z + m)),
    "jv": (NotImplemented, lambda out, v, x: (_s().jv(v - 1, x) - _s().jv(v + 1, x)) / 2),
    "yv": (NotImplemented, lambda out, v, x: (_s().yv(v - 1, x) - _s().yv(v + 1, x)) / 2),
    "iv": (NotImplemented, lambda out, v, x: (_s().iv(v - 1, x) + _s().iv(v + 1, x)) / 2),
    "kv": (NotImplemented, lambda out, v, x: -(_s().kv(v - 1, x) + _s().kv(v + 1, x)) / 2),
    "yn": (NotImplemented, lambda out, n, x: (_s().yv(n - 1, x) - _s().yv(n + 1, x)) / 2),
    "kn": (NotImplemented, lambda out, n, x: -(_s().kv(n - 1, x) + _s().kv(n + 1, x)) / 2),
    "hankel1": (NotImplemented, lambda out, v, x: (_s().hankel1(v - 1, x) - _s().hankel1(v + 1, x)) / 2),
    "hankel2": (NotImplemented, lambda out, v, x: (_s().hankel2(v - 1, x) - _s().hankel2(v + 1, x)) / 2),
    "struve": (
        NotImplemented,
        lambda out, v, x: (_s().struve(v - 1, x) - _s().struve(v + 1, x) + _of_struve(v, x)) / 2,
    ),
    "modstruve": (
        NotImplemented,
        lambda out, v, x: (_s().modstruve(v - 1, x) + _s().modstruve(v + 1, x) + _of_struve(v, x)) / 2,
    ),
    "ive": (NotImplemented, lambda out, v, x: (_s().ive(v - 1, x) + _s().ive(v + 1, x)) / 2 - np.sign(x) * out),
    "kve": (NotImplemented, lambda out, v, x: out - (_s().kve(v - 1, x) + _s().kve(v + 1, x)) / 2),
    "hyp0f1": (NotImplemented, lambda out, b, x: _s().hyp0f1(b + 1, x) / b),
    "hyperu": (NotImplemented, NotImplemented, lambda out, a, b, x: -a * _s().hyperu(a + 1, b + 1, x)),
    "hyp1f1": (NotImplemented, NotImplemented, lambda out, a, b, x: a / b * _s().hyp1f1(a + 1, b + 1, x)),
    "hyp2f1": (
        NotImplemented,
        NotImplemented,
        NotImplemented,
        lambda out, a, b, c, z: a * b / c * _s().hyp2f1(a + 1, b + 1, c + 1, z),
    ),
    "powm1": (lambda out, x, y: y * np.power(x, y - 1), lambda out, x, y: (out + 1) * np.log(x)),
    "expn": (0, lambda out, n, x: -_s().expn(n - 1, x)),
    "boxcox": (
        lambda out, x, power: np.power(x, power - 1),
        lambda out, x, power: _over(power, (1 + power * out) * np.log(x) - out, 0),
    ),
    "boxcox1p": (
        lambda out, x, power: np.power(1 + x, power - 1),
        lambda out, x, power: _over(power, (1 + power * out) * np.log1p(x) - out, 0),
    ),
    "inv_boxcox": (lambda out, y, power: np.power(out, 1 - power), lambda out, y, power: _of_inv_boxcox(out, y, power)),
    "inv_boxcox1p": (
        lambda out, y, power: np.power(1 + out, 1 - power),
        lambda out, y, power: _of_inv_boxcox(1 + out, y, power),
    ),
    "ellipkinc": (lambda out, phi, m: 1 / _delta(phi, m), lambda out, phi, m: _of_ellipkinc(out, phi, m)),
    "ellipeinc": (
        lambda out, phi, m: _delta(phi, m),
        lambda out, phi, m: _over(m, out - _s().ellipkinc(phi, m), np.sin(2 * phi) / 4 - phi / 2) / 2,
    ),
    "agm": (lambda out, a, b: _of_agm(out, a, b), lambda out, a, b: _of_agm(out, b, a)),
    "owens_t": (
        lambda out, h, a: -np.exp(-h * h / 2) * _s().erf(a * h / math.sqrt(2)) / math.sqrt(8 * math.pi),
        lambda out, h, a: np.exp(-h * h * (1 + a * a) / 2) / (2 * math.pi * (1 + a * a)),
    ),
    "radian": (math.pi / 180, math.pi / 180 / 60, math.pi / 180 / 3600),
    "voigt_profile": (
        lambda out, x, sigma, gamma: np.real(_of_voigt(x, sigma, gamma)),
        lambda out, x, sigma, gamma: -(out + np.real((x + 1j * gamma) * _of_voigt(x, sigma, gamma))) / sigma,
        lambda out, x, sigma, gamma: np.real(1j * _of_voigt(x, sigma, gamma)),
    ),
    "huber": (
        lambda out, delta, r: np.where(np.abs(r) <= delta, 0, np.abs(r) - delta),
        lambda out, delta, r: np.clip(r, -delta, delta),
    ),
    "pseudo_huber": (
        lambda out, delta, r: 2 * out / delta - r * r / (delta * np.sqrt(1 + (r / delta) ** 2)),
        lambda out, delta, r: r / np.sqrt(1 + (r / delta) ** 2),
    ),
}

PARTIALS: dict[str, tuple[Any, ...]] = {
    **{f"scipy.special.{name}": (partial,) for name, partial in _ONE.items()},
    **{f"scipy.special.{name}": partials for name, partials in {**_SEVERAL, **POLYNOMIALS, **PROBABILITIES}.items()},
    "scipy.special._ufuncs._zeta": (NotImplemented, lambda out, x, q: -x * _s().zeta(x + 1, q)),
}
"""The derivatives by the names of the ufuncs."""
