"""erf: a polynomial below 1, and 1 - exp(-x**2) * erfcx(x) beyond.

erfcx is a polynomial in (x - c) / (x + c) (M. M. Shepherd and J. G. Laframboise, "Chebyshev approximation of
(1 + 2x) exp(x**2) erfc x", 1981, use that map). The polynomials are minimax, by Remez' exchange in 90 digits.
"""

from __future__ import annotations

from .exponential import quarter_exp
from .fixed_points import fixed_where, is_nan
from .text import Value, absolute, copysign, minimum, muladd, polynomial, select

#: (erf x - x) / x in x**2 up to 1: error 2**-55 and 2**-29.
_NEAR = {
    64: (
        0.12837916709551256,
        -0.3761263890318334,
        0.11283791670936537,
        -0.026866170641868952,
        0.005223977595836822,
        -0.0008548325435912398,
        0.00012055278890801106,
        -1.4924432812495528e-05,
        1.6443727985288112e-06,
        -1.618066442939171e-07,
        1.36020764685698e-08,
        -7.580325347347515e-10,
    ),
    32: (
        0.12837916612625122,
        -0.3761262595653534,
        0.11283576488493873,
        -0.02685314416885376,
        0.005186567548662424,
        -0.0007990860613062978,
        7.778298459015787e-05,
    ),
}

#: The center c, and exp(x**2) * erfc(x) from 1 to 6 (4.1): error 2**-58 and 2**-28.
_CENTER = {64: 3.0, 32: 2.0}
_FAR = {
    64: (
        0.17900115118138996,
        -0.3262335600430372,
        0.24560380171233492,
        -0.15011593650077595,
        0.07166583719746952,
        -0.024392499319122133,
        0.004269136356939961,
        0.00070774647278834,
        -0.0005970624904314288,
        4.525425941642661e-05,
        6.40626424468659e-05,
        -1.2845233339167205e-05,
        -8.008369939602379e-06,
        2.012687767913156e-06,
        1.270914545839787e-06,
    ),
    32: (
        0.25539568066596985,
        -0.4271860122680664,
        0.2416580468416214,
        -0.07896768301725388,
        0.003736909246072173,
        0.006805634591728449,
        -0.0008701436454430223,
    ),
}


@fixed_where(is_nan)
def erf(x: Value) -> Value:
    bits = x.format.bits
    # Beyond these bounds the result rounds to 1.
    size = minimum(absolute(x), 6.0 if bits == 64 else 4.0)
    square = size * size
    inside = minimum(square, 1.0)
    near = muladd(size, polynomial(inside, _NEAR[bits]), size)
    center = _CENTER[bits]
    t = (size - center) / (size + center)
    far = 1.0 - quarter_exp(-square) * 4.0 * polynomial(t, _FAR[bits])
    return copysign(select(size < 1.0, near, far), x)
