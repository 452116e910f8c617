"""How elements are combined in the nests of loop kernels: one with another, and a block of lanes to one."""

from __future__ import annotations

from .....ir.graph import Node
from .....ir.template import Ref
from .....ir.types import Kind
from ...fusion.reduction import is_plain
from ...scalar.emitter import BOOL, DType, Emitter, castable, literal, llvm_type, memory_type, supported
from ...scalar.folds import FOLDS, start_of
from ...scalar.rules import RULES


def identity(rule: str, dtype: DType) -> str:
    """The neutral element of a rule, as a literal."""
    return str(literal(start_of(rule, dtype), dtype))


def combine(e: Emitter, rule: str, dtype: DType, known: str, value: str) -> str:
    """One step of a fold."""
    if dtype.kind != "f" or rule not in ("maximum", "minimum"):
        return RULES[rule].emit(e, dtype, [known, value])
    e.may_flag, kind = True, llvm_type(dtype)  # one instruction and another for a NaN, which stays once it is known
    better = e.do(f"fcmp {'ogt' if rule == 'maximum' else 'olt'} {kind} {value}, {known}")
    odd = e.do(f"fcmp uno {kind} {value}, {value}")
    return e.select(odd, dtype, value, e.select(better, dtype, value, known))


def sum_of_lanes(e: Emitter, rule: str, dtype: DType, lanes: str, count: int) -> str:
    """All lanes in memory combined to one value."""
    kind = memory_type(dtype)
    name, vector = FOLDS[rule].vector(dtype), f"<{count} x {kind}>"
    value = e.do(f"load {vector}, ptr {lanes}, align 64")
    function = f"@llvm.vector.reduce.{name}.v{count}{'f' if dtype.kind == 'f' else 'i'}{dtype.itemsize * 8}"
    first, flag = (f"{kind} {identity(rule, dtype)}, ", "reassoc ") if name == "fadd" else ("", "")
    e.intrinsics.add(f"declare {kind} {function}({f'{kind}, ' if first else ''}{vector})")
    found = e.do(f"call {flag}{kind} {function}({first}{vector} {value})")
    return e.do(f"icmp ne i8 {found}, 0") if dtype.kind == "b" else found


def reduces(node: Node) -> tuple[str, tuple[int, ...], DType, bool] | None:
    """How a node combines the elements of an array: the rule, the axes, the dtype that elements are cast to before that
    of the node, and whether the sum is divided by their number. None where it is no such node."""
    how, options = node.op.combines, dict(node.kwargs)
    if how is None or not is_plain(how) or node.args != (Ref(0),):
        return None
    if node.container is not None or len(node.inputs) != 1:
        return None
    rule, source, dtype = how.ufunc.__name__, node.inputs[0].type, node.type.dtype
    if not {"axis", "keepdims", "dtype"}.issuperset(options) or not source.ndim or not supported(source.dtype):
        return None
    if node.type.kind not in (Kind.ARRAY, Kind.SCALAR) or not supported(dtype):
        return None
    axis = options.get("axis")
    axes = tuple(range(source.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not axes or not all(isinstance(a, int) for a in axes):
        return None
    through = BOOL if rule.startswith("logical") or node.op.name == "count_nonzero" else source.dtype
    if dtype.kind == "b":
        rule = {"maximum": "logical_or", "minimum": "logical_and"}.get(rule, rule)
    is_float = dtype.kind == "f"
    if (dtype.kind == "b") != rule.startswith("logical") or (rule == "multiply" and is_float):
        return None  # in another order a product may pass through numbers too small to have all their digits
    if not castable(through, dtype) or (how.is_mean and not is_float):
        return None
    return rule, tuple(sorted({a % source.ndim for a in axes})), through, how.is_mean
