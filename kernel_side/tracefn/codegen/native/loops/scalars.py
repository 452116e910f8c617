"""Scalar operations in loop kernels: Python's rules for Python numbers, NumPy's for NumPy scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....ir.graph import Node
from ....ir.types import Kind, TensorType, type_of, ufunc_dtypes, weak_operand
from ....records import dataclass
from ..fusion.lowering import lowering
from ..scalar.emitter import BOOL, DType, literal, llvm_type, supported
from ..scalar.rules import RULES
from .checked import FLOAT, INT, Checking, Unfit


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar: the register or literal that holds it, and its dtype."""

    name: str
    type: TensorType
    value: Any = None  # if it is known

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    @property
    def is_python(self) -> bool:
        return self.type.kind is Kind.PYTHON


def number(value: Any) -> Number:
    """A known scalar. Raises Unfit for those that no register holds."""
    if not isinstance(value, bool | int | float | np.generic):
        raise Unfit(f"{value!r} is no number")
    found = type_of(value)
    if not supported(found.dtype):
        raise Unfit(f"{found!r} is not computed natively")
    try:
        return Number(literal(value, found.dtype), found, value)
    except OverflowError:
        raise Unfit(f"{value!r} has more than 64 bits") from None


_COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}


def emit(e: Checking, node: Node, get: Callable[[Any], Number]) -> str:
    """Emits a node on scalars, and gives the register of its result. `get` gives its operands. Raises Unfit where
    native code does not know how."""
    found = node.type
    if node.container is not None or found.shape or found.kind not in (Kind.SCALAR, Kind.PYTHON):
        raise Unfit(f"{node.op.name} gives {node.types}")
    if not supported(found.dtype):
        raise Unfit(f"{found!r} is not computed natively")
    name = node.op.name
    if name in _CONVERSIONS:
        result = _CONVERSIONS[name](e, get(node.args[0]), found)
    elif (ufunc := node.op.scalar_of) is not None:
        operator, operands = name.rpartition(".")[2], [get(a) for a in node.args]
        if all(o.is_python for o in operands):
            result = _python(e, operator, ufunc, operands, found)
        else:
            result = _numpy(e, operator, ufunc, operands, found)
    elif node.op.elementwise and name in RULES and not node.kwargs:
        result = _ufunc(e, name, getattr(np, name), [get(a) for a in node.args], found)
    else:
        result = _lowered(e, node, get)
    e.leave_where_wrong()
    return result


def _lowered(e: Checking, node: Node, get: Callable[[Any], Number]) -> str:
    """An elementwise operation, as kernels compute it."""
    how = lowering(node)
    if how is None:
        raise Unfit(f"{node.op.name} is not computed natively")
    wraps = how.rule == "astype"
    values = [converted(e, get(o), t, wraps) for o, t in zip(how.operands, how.dtypes, strict=True)]
    return RULES[how.rule].emit(e, how.dtypes[-1], values)


def converted(e: Checking, value: Number, dtype: DType, wraps: bool = False) -> str:
    """A scalar as another dtype has it. Leaves the kernel where that has no such value, unless it `wraps`."""
    if value.value is not None and value.is_python:
        try:
            return literal(value.value, dtype)
        except OverflowError:
            raise Unfit(f"{dtype} has no {value.value!r}") from None
    if wraps and value.dtype.kind in "iub":
        return e.cast(value.name, value.dtype, dtype)
    return e.fitting(value.name, value.dtype, dtype)


def _ufunc(e: Checking, name: str, ufunc: np.ufunc, operands: list[Number], found: TensorType) -> str:
    values, dtype = _promoted(e, ufunc, operands, found)
    if dtype.kind not in RULES[name].kinds:
        raise Unfit(f"{name} of {dtype} is not computed natively")
    return RULES[name].emit(e, dtype, values)


def _promoted(e: Checking, ufunc: np.ufunc, operands: list[Number], found: TensorType) -> tuple[list[str], DType]:
    """The operands in the dtype in which NumPy computes."""
    given = [weak_operand(o.value if o.is_python and o.value is not None else o.type) for o in operands]
    dtypes = ufunc_dtypes(ufunc, tuple(given))
    before = set(dtypes[: len(operands)])
    if len(before) > 1 or dtypes[len(operands)] != found.dtype or not supported(dtypes[0]):
        raise Unfit(f"{ufunc.__name__} of {', '.join(map(str, given))} is not computed natively")
    return [converted(e, o, dtypes[0]) for o in operands], dtypes[0]


def _numpy(e: Checking, operator: str, ufunc: np.ufunc, operands: list[Number], found: TensorType) -> str:
    """An operator with NumPy scalars, which warn where an integer overflows."""
    values, t = _promoted(e, ufunc, operands, found)
    return _same_dtype(e, operator, ufunc.__name__, t, values)


def _same_dtype(e: Checking, operator: str, name: str, t: DType, x: list[str]) -> str:
    if t.kind in "iu" and operator in ("add", "sub", "mul"):
        return e.checked(operator, t, *x)
    if t.kind in "iu" and operator == "neg":
        return e.checked("sub", t, "0", x[0])
    if t.kind == "i" and operator == "abs":
        e.leave_if(e.compare("eq", t, x[0], str(np.iinfo(t).min)))
    if t.kind == "f" and operator in ("floordiv", "mod"):
        return _floored(e, t, x)[operator == "mod"]
    if t.kind == "f" and operator == "truediv":
        e.leave_if(e.is_zero(x[1], t))
    if operator == "pow":
        return _float_power(e, t, x) if t.kind == "f" else _integer_power(e, t, x)
    if name not in RULES or t.kind not in RULES[name].kinds:
        raise Unfit(f"{name} of {t} is not computed natively")
    return RULES[name].emit(e, t, x)


def _floored(e: Checking, t: DType, x: list[str]) -> tuple[str, str]:
    """`x // y` and `x % y` of floats, in the steps of CPython and NumPy, which round in the same places."""
    kind, zero, one = llvm_type(t), literal(0.0, t), literal(1.0, t)
    e.may_flag = True
    e.leave_if(e.is_zero(x[1], t))
    rest = e.do(f"frem {kind} {x[0]}, {x[1]}")
    quotient = e.do(f"fdiv {kind} {e.do(f'fsub {kind} {x[0]}, {rest}')}, {x[1]}")
    some = e.compare("une", t, rest, zero)
    other_sign = e.do(f"xor i1 {e.compare('olt', t, x[1], zero)}, {e.compare('olt', t, rest, zero)}")
    moves = e.do(f"and i1 {some}, {other_sign}")
    moved = e.select(moves, t, e.do(f"fadd {kind} {rest}, {x[1]}"), rest)
    rest = e.select(some, t, moved, e.intrinsic("copysign", t, zero, x[1]))
    quotient = e.select(moves, t, e.do(f"fsub {kind} {quotient}, {one}"), quotient)
    whole = e.intrinsic("floor", t, quotient)
    above = e.compare("ogt", t, e.do(f"fsub {kind} {quotient}, {whole}"), literal(0.5, t))
    whole = e.select(above, t, e.do(f"fadd {kind} {whole}, {one}"), whole)
    sign = e.intrinsic("copysign", t, zero, e.do(f"fdiv {kind} {x[0]}, {x[1]}"))
    return e.select(e.compare("une", t, quotient, zero), t, whole, sign), rest


def _float_power(e: Checking, t: DType, x: list[str]) -> str:
    """The C library's power, as NumPy scalars and Python floats have it, where its result is an ordinary number."""
    result = e.library("pow", t, *x)
    size = e.intrinsic("fabs", t, result)
    least, most = np.finfo(t).tiny, np.finfo(t).max
    inside = e.compare("oge", t, size, literal(least, t)), e.compare("ole", t, size, literal(most, t))
    e.leave_if(e.do(f"xor i1 {e.do(f'and i1 {inside[0]}, {inside[1]}')}, true"))
    return result


def _integer_power(e: Checking, t: DType, x: list[str]) -> str:
    """Powers of integers by squaring. A negative exponent leaves the kernel, and so does a result that is too large."""
    kind = llvm_type(t)
    base, exponent, result = e.variable(kind), e.variable(kind), e.variable(kind)
    if t.kind == "i":
        e.leave_if(e.compare("slt", t, x[1], "0"))
    for variable, value in ((base, x[0]), (exponent, x[1]), (result, "1")):
        e.put(f"store {kind} {value}, ptr {variable}")
    head, odd, even, square, done = [e.block("power") for _ in range(5)]
    e.jump(head)
    e.begin(head)
    left = e.do(f"load {kind}, ptr {exponent}")
    e.branch(e.do(f"trunc {kind} {left} to i1"), odd, even)
    e.begin(odd)
    product = e.checked("mul", t, e.do(f"load {kind}, ptr {result}"), e.do(f"load {kind}, ptr {base}"))
    e.put(f"store {kind} {product}, ptr {result}")
    e.jump(even)
    e.begin(even)
    half = e.do(f"lshr {kind} {left}, 1")
    e.put(f"store {kind} {half}, ptr {exponent}")
    e.branch(e.compare("eq", t, half, "0"), done, square)
    e.begin(square)
    before = e.do(f"load {kind}, ptr {base}")
    e.put(f"store {kind} {e.checked('mul', t, before, before)}, ptr {base}")
    e.jump(head)
    e.begin(done)
    return e.do(f"load {kind}, ptr {result}")


def _python(e: Checking, operator: str, ufunc: np.ufunc, operands: list[Number], found: TensorType) -> str:
    """An operator of Python numbers. Ints beyond 64 bits leave the kernel."""
    dtypes = [o.dtype for o in operands]
    t: DType
    if operator in _COMPARISONS or operator == "truediv":
        t = FLOAT if FLOAT in dtypes or operator == "truediv" else INT
    elif operator in ("and_", "or_", "xor") and set(dtypes) == {BOOL}:
        t = BOOL
    else:
        t = FLOAT if FLOAT in dtypes else INT
    if found.dtype != (BOOL if operator in _COMPARISONS else t) or (operator == "invert" and dtypes != [INT]):
        raise Unfit(f"{operator} of {', '.join(map(repr, [o.type for o in operands]))} is not computed natively")
    exact = operator in _COMPARISONS or operator == "truediv"
    x = [_as_python(e, o, t, exact) for o in operands]
    if operator in ("lshift", "rshift"):
        return _python_shift(e, operator, x)
    if t == FLOAT and operator == "pow":
        return _float_power(e, t, x)
    return _same_dtype(e, operator, ufunc.__name__, t, x)


_EXACT = 2**53


def _as_python(e: Checking, value: Number, t: DType, exact: bool) -> str:
    """A Python number as a float or an int. `exact`: the operation takes no rounded ints."""
    if exact and t == FLOAT and value.dtype == INT:
        if value.value is None:
            e.leave_if(e.compare("sgt", INT, value.name, str(_EXACT)))
            e.leave_if(e.compare("slt", INT, value.name, str(-_EXACT)))
        elif abs(value.value) > _EXACT:
            raise Unfit(f"{value.value} is no float")
    if value.value is not None:
        return literal(t.type(value.value), t)
    return e.cast(value.name, value.dtype, t)


def _python_shift(e: Checking, operator: str, x: list[str]) -> str:
    """Shifts of Python ints: no bit is lost to the left, and none comes in from beyond the end."""
    e.leave_if(e.compare("ugt", INT, x[1], "62"))
    if operator == "rshift":
        return e.do(f"ashr i64 {x[0]}, {x[1]}")
    shifted = e.do(f"shl i64 {x[0]}, {x[1]}")
    e.leave_if(e.compare("ne", INT, e.do(f"ashr i64 {shifted}, {x[1]}"), x[0]))
    return shifted


def _to_bool(e: Checking, x: Number, found: TensorType) -> str:
    return e.is_true(x.name, x.dtype)


def _not(e: Checking, x: Number, found: TensorType) -> str:
    return e.is_zero(x.name, x.dtype)


def _to_number(e: Checking, x: Number, found: TensorType) -> str:
    return converted(e, x, found.dtype)


_CONVERSIONS: dict[str, Callable[[Checking, Number, TensorType], str]] = {
    "bool": _to_bool,
    "not": _not,
    "int": _to_number,
    "float": _to_number,
    "as_scalar": _to_number,
}
