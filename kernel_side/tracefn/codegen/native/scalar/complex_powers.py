"""LLVM IR of powers of complex numbers: products for small whole exponents, exp(w log z) for others.

As NumPy does; the modulus of a real power is a real power, which is more accurate. Values for which C has special rules
are left to NumPy: numbers that are not finite, and zero to a power that is not positive.
"""

from __future__ import annotations

import functools
from typing import Any

from .complex_functions import log_parts, require_finite
from .complex_numbers import on_parts
from .emitter import DType, Emitter, Pair, literal, part
from .rules import MOST_PRODUCTS, RULES, rule_for, whole_power


@rule_for("power", "c")
def _power(e: Emitter, t: DType, x: list[Any]) -> Any:
    """Whole exponents that NumPy would compute by products are so, too, as far as 3."""
    p, (base, exponent) = part(t), x
    zero, one = literal(0.0, p), literal(1.0, p)
    for each in x:
        require_finite(e, p, each)
    is_zero = e.do(f"xor i1 {e.is_true(base, t)}, true")
    is_positive = on_parts(e, "greater", p, exponent.real, zero)
    e.out_of_range.append(e.do(f"and i1 {is_zero}, {e.do(f'xor i1 {is_positive}, true')}"))
    hidden = e.hidden(one, p)
    base = Pair(e.select(is_zero, p, hidden, base.real), e.select(is_zero, p, hidden, base.imag))
    if exponent.imag == zero:
        size = on_parts(e, "power", p, RULES["absolute"].emit(e, t, [base]), exponent.real)
        angle = on_parts(e, "multiply", p, exponent.real, on_parts(e, "arctan2", p, base.imag, base.real))
    else:
        logarithm = RULES["multiply"].emit(e, t, [exponent, log_parts(e, p, base)])
        size, angle = on_parts(e, "exp", p, logarithm.real), logarithm.imag
    found = Pair(*[on_parts(e, "multiply", p, size, on_parts(e, name, p, angle)) for name in ("cos", "sin")])
    is_real = on_parts(e, "equal", p, exponent.imag, zero)
    product = base
    for number in (1, 2, 3):
        product = base if number == 1 else RULES["multiply"].emit(e, t, [product, base])
        is_number = e.do(f"and i1 {is_real}, {on_parts(e, 'equal', p, exponent.real, literal(float(number), p))}")
        found = e.select(is_number, t, product, found)
    return e.select(is_zero, t, Pair(zero, zero), found)


def _whole(number: int) -> None:
    def rule(e: Emitter, t: DType, x: list[Any]) -> Any:
        """By squares, as NumPy does, and one division at the end."""
        squares, left = [x[0]], abs(number)
        while left := left >> 1:
            squares.append(RULES["square"].emit(e, t, squares[-1:]))
        factors = [square for k, square in enumerate(squares) if abs(number) >> k & 1]
        found = functools.reduce(lambda a, b: RULES["multiply"].emit(e, t, [a, b]), factors)
        return found if number > 0 else RULES["reciprocal"].emit(e, t, [found])

    rule_for(whole_power(number), "c")(rule)


for _number in (*range(-MOST_PRODUCTS, -1), *range(3, MOST_PRODUCTS + 1)):
    _whole(_number)
