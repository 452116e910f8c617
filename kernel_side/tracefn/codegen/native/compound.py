"""LLVM IR of one element of NumPy's functions that are a few operations each."""

from __future__ import annotations

import numpy as np

from .emitter import DType, Emitter, literal, llvm_type
from .scalars import RULES, rule_for


def _do(e: Emitter, name: str, t: DType, *operands: str) -> str:
    return str(RULES[name][1](e, t, list(operands)))


def _sum_of_exponentials(name: str, exponential: str, factor: float) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        """The larger number, and the logarithm of 1 + exp(-d), where d is how far they are apart."""
        apart = _do(e, "negative", t, _do(e, "absolute", t, _do(e, "subtract", t, *x)))
        more = _do(e, "log1p", t, _do(e, exponential, t, apart))
        more = more if factor == 1 else _do(e, "multiply", t, more, literal(t.type(factor), t))
        return _do(e, "add", t, _do(e, "maximum", t, *x), more)

    rule_for(name, "f")(rule)


_sum_of_exponentials("logaddexp", "exp", 1)
_sum_of_exponentials("logaddexp2", "exp2", 1 / np.log(2))


@rule_for("heaviside", "f")
def _heaviside(e: Emitter, t: DType, x: list[str]) -> str:
    kind, zero = llvm_type(t), literal(0.0, t)
    e.may_flag = True
    above, null = [e.do(f"fcmp {test} {kind} {x[0]}, {zero}") for test in ("ogt", "oeq")]
    is_number = e.do(f"fcmp ord {kind} {x[0]}, {x[0]}")
    step = e.select(above, t, e.hidden(literal(1.0, t), t), e.hidden(zero, t))
    return str(e.select(null, t, x[1], e.select(is_number, t, step, x[0])))


@rule_for("bitwise_count", "iu")
def _bitwise_count(e: Emitter, t: DType, x: list[str]) -> str:
    """Those of the absolute value."""
    kind = llvm_type(t)
    count = e.intrinsic("ctpop", t, _do(e, "absolute", t, *x))
    return count if t.itemsize == 1 else e.do(f"trunc {kind} {count} to i8")
