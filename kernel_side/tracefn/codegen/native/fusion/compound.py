"""NumPy's functions that are a few operations for each element: their operands, and LLVM IR of one element."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....ir.graph import Node
from ....ir.template import Ref
from ....ir.types import Kind
from ..scalar.complex_numbers import on_parts
from ..scalar.emitter import DType, Emitter, literal, llvm_type, part
from ..scalar.rules import RULES, rule_for

Found = tuple[str, tuple[Any, ...], tuple[DType, ...]] | None
"""A rule, its operands, and the dtypes that these are cast to."""

COMPOUND: dict[str, Callable[..., Found]] = {}
"""For each such function that is no ufunc the finder of its steps, given a node and its arguments."""


def compound(node: Node) -> Found:
    """How such a node is computed. None where it is another, or native code does not know how."""
    find = COMPOUND.get(node.op.name)
    if find is None or not node.inputs:
        return None
    try:
        given = inspect.signature(find).bind(node, *node.args, **dict(node.kwargs))
    except TypeError:  # an option that is not known here
        return None
    return find(*given.args, **given.kwargs)


def _is_float(node: Node, operand: Any) -> bool:
    """True for an array of floats that are computed with their own digits."""
    return isinstance(operand, Ref) and node.inputs[operand.index].type.dtype.char in "fd"


def _are_numbers(*values: Any) -> bool:
    return all(type(value) in (int, float) for value in values)


def _nan_to_num(node: Node, x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Found:
    t = node.type.dtype
    if copy is not True or not _is_float(node, x):
        return None
    largest = float(np.finfo(t).max)
    values = nan, largest if posinf is None else posinf, -largest if neginf is None else neginf
    return ("nan_to_num", (x, *values), (t,) * 4) if _are_numbers(*values) else None


@rule_for("nan_to_num", "f", is_one_by_one=True)
def _without_nan(e: Emitter, t: DType, x: list[str]) -> str:
    kind = llvm_type(t)
    infinities = [literal(math.inf, t), literal(-math.inf, t)]
    tests = [e.do(f"fcmp uno {kind} {x[0]}, {x[0]}"), *[e.do(f"fcmp oeq {kind} {x[0]}, {each}") for each in infinities]]
    found = x[0]
    for test, value in zip(tests, x[1:], strict=True):
        found = e.select(test, t, e.hidden(value, t), found)
    return found


def _isclose(node: Node, a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Found:
    t = node.inputs[0].type.dtype
    arrays = [v for v in (a, b) if isinstance(v, Ref)]
    if equal_nan is not False or any(n.type.dtype != t or n.type.kind is Kind.PYTHON for n in node.inputs):
        return None
    if not all(_is_float(node, v) for v in arrays) or not _are_numbers(rtol, atol):
        return None
    others = [v for v in (a, b) if v not in arrays]
    fits = _are_numbers(*others) and math.isfinite(rtol) and math.isfinite(atol)
    return ("isclose", (a, b, rtol, atol), (t,) * 4) if fits else None


@rule_for("isclose", "f", is_one_by_one=True)
def _is_close(e: Emitter, t: DType, x: list[str]) -> str:
    a, b, rtol, atol = x
    apart = _do(e, "absolute", t, _do(e, "subtract", t, a, b))
    bound = _do(e, "add", t, atol, _do(e, "multiply", t, rtol, _do(e, "absolute", t, b)))
    near = e.do(f"and i1 {_do(e, 'less_equal', t, apart, bound)}, {_do(e, 'isfinite', t, b)}")
    return e.do(f"or i1 {near}, {_do(e, 'equal', t, a, b)}")


def _round(node: Node, a: Any, decimals: Any = 0) -> Found:
    t = node.type.dtype
    if not _is_float(node, a) or type(decimals) is not int or abs(decimals) > 22:  # which powers of ten are exact
        return None
    if not decimals:
        return "rint", (a,), (t,)
    return "round" if decimals > 0 else "round_up", (a, 10.0 ** abs(decimals)), (t, t)


def _rounding(name: str, there: str, back: str) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        return _do(e, back, t, _do(e, "rint", t, _do(e, there, t, *x)), x[1])

    rule_for(name, "f", is_one_by_one=True)(rule)


_rounding("round", "multiply", "divide")
_rounding("round_up", "divide", "multiply")


def _sinc(node: Node, x: Any) -> Found:
    t = node.type.dtype
    return ("sinc", (x,), (t,)) if t.char in "fd" else None


@rule_for("sinc", "f", is_rounded=True, is_one_by_one=True)
def _sine_over_angle(e: Emitter, t: DType, x: list[str]) -> str:
    angle = _do(e, "multiply", t, x[0], literal(t.type(math.pi), t))
    is_zero = e.do(f"fcmp oeq {llvm_type(t)} {angle}, {literal(0.0, t)}")
    angle = e.select(is_zero, t, e.hidden(literal(np.finfo(t).eps, t), t), angle)
    return _do(e, "divide", t, _do(e, "sin", t, angle), angle)


def _fix(node: Node, x: Any) -> Found:
    return ("trunc", (x,), (node.type.dtype,)) if isinstance(x, Ref) and node.type.dtype.kind in "fiu" else None


def _angle(node: Node, z: Any) -> Found:
    t = node.inputs[0].type.dtype
    return ("angle", (z,), (t,)) if t.kind == "c" and isinstance(z, Ref) else None


@rule_for("angle", "c")
def _angle_of_parts(e: Emitter, t: DType, x: list[Any]) -> str:
    return str(on_parts(e, "arctan2", part(t), x[0].imag, x[0].real))


COMPOUND |= {
    "nan_to_num": _nan_to_num,
    "isclose": _isclose,
    "round": _round,
    "sinc": _sinc,
    "fix": _fix,
    "angle": _angle,
}


def _do(e: Emitter, name: str, t: DType, *operands: str) -> str:
    return str(RULES[name].emit(e, t, list(operands)))


def _sum_of_exponentials(name: str, exponential: str, factor: float) -> None:
    def rule(e: Emitter, t: DType, x: list[str]) -> str:
        """The larger number, and the logarithm of 1 + exp(-d), where d is how far they are apart: 0 for infinities of
        one sign."""
        same = e.do(f"fcmp oeq {llvm_type(t)} {x[0]}, {x[1]}")
        apart = _do(e, "subtract", t, *[e.select(same, t, literal(0.0, t), operand) for operand in x])
        apart = _do(e, "negative", t, _do(e, "absolute", t, apart))
        more = _do(e, "log1p", t, _do(e, exponential, t, apart))
        more = more if factor == 1 else _do(e, "multiply", t, more, literal(t.type(factor), t))
        return _do(e, "add", t, _do(e, "maximum", t, *x), more)

    rule_for(name, "f", is_rounded=True, is_one_by_one=True)(rule)


_sum_of_exponentials("logaddexp", "exp", 1)
_sum_of_exponentials("logaddexp2", "exp2", 1 / np.log(2))


@rule_for("heaviside", "f", is_one_by_one=True)
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
