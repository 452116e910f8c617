"""Which nodes native code computes element by element, and on which dtypes: those that NumPy would choose."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ....ir.dims import Dim, Length
from ....ir.graph import Node
from ....ir.op import CONSTANT
from ....ir.template import Ref
from ....ir.types import Kind, Shape, ufunc_dtypes, weak_operand
from ....records import dataclass
from ...machine.processor import vector_bits
from ..scalar import complex_powers as complex_powers  # whose rules are registered, as those that it needs are
from ..scalar import integer_rules as integer_rules
from ..scalar.emitter import BOOL, DType, castable, elementwise, literal
from ..scalar.rules import MOST_PRODUCTS, POWERS, RULES, ScalarRule, whole_power
from .compound import compound

_NUMBERS = (bool, int, float, complex, np.generic)


@dataclass(frozen=True, slots=True)
class Lowering:
    """How one node is emitted: the name of a rule of `scalar/rules.py`, and for each operand a `Ref`
    or a number, and the dtype that it is cast to first."""

    rule: str
    operands: tuple[Any, ...]
    dtypes: tuple[DType, ...]

    @property
    def facts(self) -> ScalarRule:
        return RULES[self.rule]


def is_exact(node: Node) -> bool:
    """True if native code gives NumPy's own bits: for all but exp and its like."""
    found = lowering(node)
    if found is None or found.facts.is_rounded:
        return False
    return found.dtypes[-1].kind != "c" or found.facts.is_exact_for_complex


def lowering(node: Node) -> Lowering | None:
    """How a node is computed element by element. None where native code does not know how."""
    try:
        return _KNOWN[node]
    except KeyError:
        found = _KNOWN[node] = _lowering(node)
        return found


_KNOWN: weakref.WeakKeyDictionary[Node, Lowering | None] = weakref.WeakKeyDictionary()
"""All steps that look for regions and write kernels ask about the same nodes."""


def _lowering(node: Node) -> Lowering | None:
    if node.container is not None or node.is_leaf or node.type.kind not in (Kind.ARRAY, Kind.SCALAR):
        return None
    if not elementwise(node.type.dtype) or not all(is_operand(n) for n in node.inputs):
        return None
    if node.type.kind is Kind.SCALAR and node.type.dtype.kind in "iu":
        return None  # NumPy warns where such a number overflows, and arrays of them wrap around in silence
    if all(n.op is CONSTANT for n in node.inputs):
        return None  # LLVM would compute it, and raise no flag where NumPy warns
    found = _lowered(node)
    if found is None or not all(_fits(node, o, t) for o, t in zip(found.operands, found.dtypes, strict=True)):
        return None
    if found.rule != "where" and any(isinstance(o, float | complex | np.inexact) and o != o for o in found.operands):
        return None  # LLVM leaves out the other operand's steps, and the flags that they raise
    return found if found.dtypes[-1].kind in RULES[found.rule].kinds else None


def is_slow(node: Node) -> bool:
    """True for operations that are slow enough in NumPy to be worth a kernel of their own."""
    found = lowering(node)
    if found is None or not node.type.ndim:
        return False
    kind = found.dtypes[-1].kind
    return (kind == "f" and found.facts.is_one_by_one) or (kind == "c" and not found.facts.is_light)


FEW, MANY = 1 << 10, 1 << 18
"""Of fewer elements than `FEW` a kernel computes any function sooner than NumPy begins, and of `MANY` the time is that
of reading and writing them."""


def is_fast_in_numpy(node: Node) -> bool:
    """True for functions that NumPy computes as fast as a kernel, or faster."""
    found = lowering(node)
    if found is None or not found.facts.is_fast_in_numpy or found.dtypes[-1].kind != "f" or vector_bits() < 512:
        return False
    size = node.type.size
    return not isinstance(size, int) or size >= FEW


def is_quick(node: Node) -> bool:
    """True for operations that a kernel computes no slower than NumPy, as the only step of a program."""
    if lowering(node) is None or not node.type.ndim or is_fast_in_numpy(node):
        return False
    size = node.type.size
    return not isinstance(size, int) or size < MANY


def is_operand(node: Node) -> bool:
    """True for values that a kernel can be given: arrays, NumPy scalars and Python numbers of supported dtypes."""
    return (
        node.container is None
        and node.type.kind in (Kind.ARRAY, Kind.SCALAR, Kind.PYTHON)
        and elementwise(node.type.dtype)
    )


def _lowered(node: Node) -> Lowering | None:
    name, args, kwargs = node.op.name, node.args, dict(node.kwargs)
    t = node.type.dtype
    if name == "where" and len(args) == 3 and not kwargs:
        return Lowering("where", args, (BOOL, t, t))
    if name == "astype" and len(args) == 2 and not kwargs:
        return Lowering("astype", args[:1], (t,))
    if name == "clip":
        return _clip(args, kwargs, t)
    if name == "ufunc_into":
        return None if kwargs else _into(node, *args)
    if name in ("operator.pow", "power") and not kwargs:
        return _power(args, t, name != "power")
    if node.op.elementwise and name in RULES and not kwargs:
        operands = tuple([weak_operand(node.inputs[a.index].type if isinstance(a, Ref) else a) for a in args])
        dtypes = ufunc_dtypes(node.op.call, operands)[: len(args)]
        if dtypes[0].char == "e" and name in ("logaddexp", "logaddexp2"):  # NumPy warns of NaN
            return None
        return Lowering(name, args, dtypes) if len(set(dtypes)) == 1 else None
    found = compound(node)
    return None if found is None else Lowering(*found)


def _into(node: Node, base: Any, path: tuple[Any, ...], name: str, operands: tuple[Any, ...]) -> Lowering | None:
    """A ufunc that writes all elements of an array, where that has the dtype of the ufunc's result: `x += y`."""
    if path or not node.type.ndim or name not in RULES or name == "power":
        return None
    inputs = tuple([weak_operand(node.inputs[a.index].type if isinstance(a, Ref) else a) for a in operands])
    *dtypes, made = ufunc_dtypes(getattr(np, name), inputs)
    if made != node.type.dtype or len(dtypes) != len(operands) or len(set(dtypes)) != 1:
        return None
    return Lowering(name, operands, tuple(dtypes))


def writes_whole(node: Node) -> bool:
    """True for a ufunc that writes all elements of an array."""
    return node.op.name == "ufunc_into" and not node.args[1]


def _clip(args: tuple[Any, ...], kwargs: dict[str, Any], t: DType) -> Lowering | None:
    low, high = kwargs.pop("a_min", None), kwargs.pop("a_max", None)
    if len(args) != 1 or kwargs or (low is None and high is None):
        return None
    if low is None:
        return Lowering("minimum", (args[0], high), (t, t))
    if high is None:
        return Lowering("maximum", (args[0], low), (t, t))
    return Lowering("clip", (args[0], low, high), (t, t, t))


_POWERS = {2: "square", 1: "positive", -1: "reciprocal"}


def _power(args: tuple[Any, ...], t: DType, is_operator: bool) -> Lowering | None:
    """Powers; those with exponents for which NumPy itself has faster functions are these functions: the operator also
    has the square root."""
    base, exponent = args
    known = _POWERS | POWERS | ({0.5: "sqrt"} if is_operator else {})
    is_number = type(exponent) in (int, float)
    if is_number and exponent == 0:
        return None
    if t.kind != "f" and is_number and abs(exponent) <= MOST_PRODUCTS and float(exponent).is_integer():
        known = {exponent: whole_power(int(exponent))} | known
    if t.kind in "iu" and not (type(exponent) is int and exponent > 0):
        return None
    if is_number and exponent in known and t.kind in RULES[known[exponent]].kinds:
        return Lowering(known[exponent], (base,), (t,))
    return Lowering("power", args, (t, t)) if t.kind in "fc" else None


def _fits(node: Node, operand: Any, dtype: DType) -> bool:
    """True if an operand can be cast to a dtype as NumPy casts it."""
    if isinstance(operand, Ref):
        given = node.inputs[operand.index]
        if given.op is CONSTANT and given.type.kind is Kind.PYTHON:
            return False
        return elementwise(dtype) and castable(given.type.dtype, dtype)
    if isinstance(operand, Dim) or not isinstance(operand, _NUMBERS) or not elementwise(dtype):
        return False
    try:
        literal(operand, dtype)
    except (OverflowError, ValueError, TypeError):
        return False
    return not isinstance(operand, np.generic) or elementwise(operand.dtype)


def may_be_same(shape: Shape, other: Shape) -> bool:
    """True if two shapes are one, at least where all open lengths that NumPy would broadcast are the same."""
    return len(shape) == len(other) and all(map(_may_be_equal, shape, other))


def _may_be_equal(a: Length, b: Length) -> bool:
    return a == b or (isinstance(a, Dim) and isinstance(b, Dim) and not _parts(a).isdisjoint(_parts(b)))


def _parts(length: Length) -> set[Length]:
    """The lengths that one was broadcast from, itself included."""
    found = {length}
    if isinstance(length, Dim) and len(length.terms) == 1:
        (monomial, coefficient) = length.terms[0]
        if coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], tuple):
            function, args = monomial[0]
            if function == "broadcast":
                found.update(*map(_parts, args))
    return found
