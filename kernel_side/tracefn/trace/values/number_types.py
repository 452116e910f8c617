"""Tagged numbers: a traced value tells whether one is a Python number or a NumPy scalar, an int or a float.

Branches and loops make them. Such a number is kept as a value that holds all of its types (`carrier_of`), with the
number of the type that it has. An operation is recorded once if its result is the same for all of these types, else in
a branch for each type.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import ControlFlowError, message
from ...ir.graph import Node
from ...ir.infer import infer
from ...ir.number_types import NUMBER_TYPES, number_of
from ...ir.op import Op, by_name
from ...ir.types import Kind, TensorType, python_type
from .. import provided
from ..active import current
from ..context import Trace
from ..origin import user_source, where
from ..tensor import Tensor
from ..tensor_parts.one_type import OneType

_COMPARISONS = frozenset({"operator.eq", "operator.ne", "operator.lt", "operator.le", "operator.gt", "operator.ge"})
_EXACT = {
    "d": _COMPARISONS | {"operator.add", "operator.sub", "operator.mul", "operator.neg", "operator.pos", "abs"},
    "?": frozenset({"operator.eq", "operator.ne", "operator.and", "operator.or", "operator.xor"}),
}
"""Operators with equal results for Python's numbers and NumPy's scalars, by dtype."""

_NUMERIC = frozenset({"function", "operator", "write", "list"})
_CONVERSIONS = frozenset({"bool", "int", "float", "complex", "not"})
_MOST = 16
"""The most types of the numbers of a call that are looked at together; of more, one number after the other."""
_LIMIT = 64
"""The most branches that a call is traced in."""


def one_typed(value: Any) -> bool:
    return type(value) is Tensor and value._one_type is not None


def record(
    trace: Trace,
    op: Op,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    inputs: list[Node],
    frozen: Any,
    given: list[Tensor],
) -> Any:
    """Records a call that is `given` such numbers, among others. `inputs` are the nodes of its template `frozen`.

    Raises the call's error for one of the types where no traced value decides which it is.
    """
    trace.root.sees_types = True
    if not all(_holds((args, kwargs), t) for t in given):
        what = f"{given[0].describe()}, whose Python type depends on a traced value, was used in `{op.name}`"
        raise ControlFlowError(message(what, where(user_source(4)), "Convert it before: `float(x)`."))
    numbers = list({id(t): t for t in given}.values())
    nodes = [trace.node_of(t) for t in numbers]
    known = [_types_of(t) for t in numbers]
    count = math.prod(map(len, known))
    if count > _LIMIT:
        what = f"`{op.name}` is given numbers whose Python types depend on traced values: {count} cases"
        raise ControlFlowError(message(what, where(user_source(4)), "Convert them before: `float(x)`."))
    if count > _MOST:
        return _for_each_type(trace, op, args, kwargs, numbers[0])
    plain = _inferred(op, [n.types[0] for n in inputs], frozen, trace)
    results = {}
    for types in itertools.product(*known):
        exact = {node: NUMBER_TYPES[n] for node, n in zip(nodes, types, strict=True)}
        results[types] = _inferred(op, [exact.get(n, n.types[0]) for n in inputs], frozen, trace)
    is_numeric = op.style in _NUMERIC or op.elementwise or op.name in _CONVERSIONS
    if is_numeric and plain is not None and op.name != "operator.pow" and all(r == plain for r in results.values()):
        return trace.record(op, _untyped(args), _untyped(kwargs))
    if _has_same_bits(op, plain, results.values(), [n.types[0] for n in inputs], known, args):
        made = trace.record(op, _untyped(args), _untyped(kwargs))
        found = {types: number_of(r) for types, r in results.items()}
        which: Any = None
        for types, number in found.items():
            tests = [t._one_type.which == n for t, n in zip(numbers, types, strict=True)]  # type: ignore[union-attr]
            test = tests[0]
            for other in tests[1:]:
                test = operator.and_(test, other)
            part = test * number
            which = part if which is None else which + part
        made._one_type = OneType(which, tuple(sorted({n for n in found.values() if n is not None})))
        return made
    return _for_each_type(trace, op, args, kwargs, numbers[0])


def _types_of(tensor: Tensor) -> tuple[int, ...]:
    assert tensor._one_type is not None
    which, types = tensor._one_type
    return (which,) if type(which) is int else types


def _inferred(op: Op, types: list[TensorType], frozen: Any, trace: Trace) -> Any:
    """The types of a call's results. None if it raises."""
    try:
        return infer(op, tuple(types), frozen[0], frozen[1], trace.hints)
    except Exception:
        return None


def _has_same_bits(
    op: Op, plain: Any, results: Any, types: list[TensorType], known: list[tuple[int, ...]], args: tuple[Any, ...]
) -> bool:
    """True for an operator that gives the same value, whatever of their types its operands have."""
    if type(plain) is not TensorType or not all(type(r) is TensorType for r in results):
        return False
    chars = {NUMBER_TYPES[n].dtype.char for numbers in known for n in numbers} | {t.dtype.char for t in types}
    others = [a for a in args if type(a) is not Tensor]
    if len(chars) != 1 or any(number_of(r) is None or r.dtype != plain.dtype for r in results):
        return False
    (char,) = chars
    is_small = all(type(a) in (bool, float) or (type(a) is int and abs(a) < 2**53) for a in others)
    return op.name in _EXACT.get(char, ()) and is_small and number_of(plain) is not None


def _for_each_type(trace: Trace, op: Op, args: Any, kwargs: Any, number: Tensor) -> Any:
    return for_each_type(
        trace, number, lambda inner, value: inner.record(op, _with(number, value, args), _with(number, value, kwargs))
    )


def for_each_type(trace: Trace, number: Tensor, function: Callable[[Any, Tensor], Any]) -> Any:
    """Applies `function(trace, value)` to the number, in a branch for each of its types."""
    assert number._one_type is not None
    return _branches(trace, number, number._one_type.which, _types_of(number), function)


def _branches(trace: Any, number: Tensor, which: Any, types: Sequence[int], function: Callable[..., Any]) -> Any:
    if len(types) == 1:
        return function(trace, as_type(trace, number, types[0]))
    sides = [
        provided.run_side(
            trace,
            name,
            lambda some=some: {"the value": _branches(current(), number, which, some, function)},
        )
        for name, some in (("if_true", types[:1]), ("if_false", types[1:]))
    ]
    return provided.choose(trace, "cond", trace.record(by_name("operator.eq"), (which, types[0]), {}), sides)[
        "the value"
    ]


def of_each_type(number: Tensor, function: Callable[[Tensor], Any]) -> Any:
    """Applies a function to the number, converted to its type."""

    trace = current() or number._trace
    trace.root.sees_types = True
    return for_each_type(trace, number, lambda inner, value: function(value))


def part_of(number: Tensor, name: str) -> Any:
    """`x.real`, `x.imag` and `x.conjugate()` of a Python number, or of one that may be one."""

    trace = current() or number._trace
    if number._one_type is not None:
        return of_each_type(number, lambda v: getattr(v, name)() if name == "conjugate" else getattr(v, name))
    if number.dtype.kind == "c":
        call = "complex.conjugate" if name == "conjugate" else f"complex.{name}.__get__"
        return trace.record(by_name(call), (number,), {})
    if name == "imag":
        return 0.0 if number.dtype.kind == "f" else 0
    return trace.record(by_name("int"), (number,), {}) if number.dtype.kind == "b" else number


def as_type(trace: Trace, number: Tensor, wanted: int) -> Any:
    """The number converted to the type with this tag."""
    value, found = _untyped(number), NUMBER_TYPES[wanted]
    have = trace.node_of(number).types[0]
    if have == found:
        return value
    if have.dtype.kind == "c" and found.dtype.kind != "c":
        value = trace.record(by_name("real"), (value,), {})
    if found.kind is Kind.SCALAR:
        return trace.record(by_name("as_scalar"), (value, found.dtype), {})
    return trace.record(by_name(python_type(found.dtype).__name__), (value,), {})


def _untyped(value: Any) -> Any:
    """Arguments with tagged numbers replaced by their carriers."""
    return _each(value, lambda t: t if t._one_type is None else Tensor(t._node, t._trace, owned=True))


def _holds(value: Any, number: Tensor) -> bool:
    found: list[Tensor] = []
    _each(value, found.append)
    return any(t is number for t in found)


def _with(number: Tensor, exact: Any, value: Any) -> Any:
    """Arguments with a tagged number replaced by an exact one."""
    return _each(value, lambda t: exact if t is number else t)


def _each(value: Any, function: Callable[[Tensor], Any]) -> Any:
    """Arguments with `function` of each traced value in its place. The bounds of slices are among them."""
    kind = type(value)
    if kind is Tensor:
        return function(value)
    if kind is dict:
        return {k: _each(v, function) for k, v in value.items()}
    if kind is slice:
        return slice(_each(value.start, function), _each(value.stop, function), _each(value.step, function))
    return kind([_each(v, function) for v in value]) if kind in (tuple, list) else value


__all__ = ["as_type", "of_each_type", "one_typed", "part_of", "record"]


provided.part_of = part_of
