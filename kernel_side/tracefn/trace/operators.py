"""Python's operators, NumPy's protocols and ndarray's methods on Tensors.

Importing this module gives them to `Tensor`: they need the dispatch functions, which need `Tensor`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import UnsupportedFunctionError, message
from ..ir.dims import Dim
from ..ir.op import Op, by_call, by_name
from ..ir.types import Kind, ghost
from ..ops.python_math import ABS, DIVMOD, ROUND
from .active import current
from .aliasing.writes import write as write_into
from .context import Trace
from .kinds import is_choice
from .numpy_api.in_place import get_item, in_place_verdict, same_shape, set_item, write_in_place
from .numpy_api.mismatched_operands import (
    cannot_be_compared,
    check_asks_no_elements,
    check_is_no_object,
    is_never_equal,
    is_number_and_sequence,
    nowhere_equal,
    repeated,
)
from .numpy_api.protocols import SIMPLE, call_function, call_ufunc, operand
from .origin import user_source, where
from .reads import as_value
from .tensor import Tensor
from .values.number_types import part_of
from .values.symbolic_int import SymbolicInt

_BINARY: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "and_": np.bitwise_and,
    "or_": np.bitwise_or,
    "xor": np.bitwise_xor,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
}
_EQUALITY: dict[str, np.ufunc] = {"eq": np.equal, "ne": np.not_equal}
_ORDER: dict[str, np.ufunc] = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
_UNARY: dict[str, np.ufunc] = {"neg": np.negative, "pos": np.positive, "invert": np.invert}
_METHODS = """
all any argmax argmin argpartition argsort cumprod cumsum diagonal dot max mean min nonzero prod repeat round
searchsorted squeeze std sum swapaxes take trace var
""".split()

_ARRAY = Kind.ARRAY  # an attribute of an enum takes longer to find
_OPERANDS = (Tensor, SymbolicInt, np.ndarray, np.generic, int, float, complex, str, bytes, list, tuple)


def _is_foreign(value: Any) -> bool:
    return hasattr(type(value), "__tracefn_foreign__")


def _is_scalar(value: Any) -> bool:
    """True for values that NumPy's operators treat as numbers: no array, no list."""
    if type(value) is Tensor:
        return value._node.types[0].kind is not _ARRAY
    return not isinstance(value, np.ndarray | list | tuple)


def _trace_of(*operands: Any) -> Trace:
    return next(v._trace for v in operands if type(v) is Tensor)


def _apply(ufunc: np.ufunc, scalar_op: Op | None, *operands: Any) -> Any:
    """An operator: the ufunc on arrays, the op of Python's operator on scalars alone; `x ** 2` is always the latter."""
    is_simple = SIMPLE.issuperset(map(type, operands))
    if not is_simple:
        operands = tuple(map(as_value, operands))
        if any(map(_is_foreign, operands)):
            return NotImplemented  # it knows what it is
        if not all(isinstance(v, _OPERANDS) for v in operands):
            check_asks_no_elements(ufunc, operands)
            return NotImplemented
        if scalar_op is not None and (made := repeated(scalar_op, operands)) is not None:
            return made
        if scalar_op is not None and is_number_and_sequence(scalar_op, operands):
            return NotImplemented
    trace = current() or _trace_of(*operands)
    if scalar_op is not None and (ufunc is np.power or all(map(_is_scalar, operands))):
        return trace.record(scalar_op, operands, {})
    if is_simple and (op := by_call(ufunc)) is not None:
        return trace.record(op, operands, {})
    return call_ufunc(trace, ufunc, "__call__", operands, {})


def combined(ufunc: np.ufunc, *operands: Any) -> Any:
    """`ufunc(*operands)` without the way through NumPy, which takes as long as all the rest where one is traced."""
    return _apply(ufunc, None, *operands) if Tensor in map(type, operands) else ufunc(*operands)


def _forward(ufunc: np.ufunc, scalar_op: Op | None) -> Callable[..., Any]:
    return lambda self, *others: _apply(ufunc, scalar_op, self, *others)


def _power(self: Tensor, other: Any, modulus: Any = None) -> Any:
    """`**`, and `pow(a, b)`. Raises for `pow(a, b, c)`: code that catches TypeError must not take that for Python's."""
    if modulus is not None:
        raise UnsupportedFunctionError(
            message("`pow` of a traced value has a modulus", where(user_source(3)), "Write `a ** b % c`.")
        )
    return _apply(np.power, by_name("operator.pow"), self, other)


def _equality(ufunc: np.ufunc, scalar_op: Op) -> Callable[..., Any]:
    """`==` and `!=`, which NumPy never refuses."""

    def compare(self: Tensor, other: Any) -> Any:
        other = as_value(other)
        if is_choice(other) or _is_foreign(other):
            return NotImplemented  # it knows what it is
        if not isinstance(other, _OPERANDS):
            check_is_no_object(self, other)
            if is_never_equal(self, other):
                return nowhere_equal(ufunc, self, False)
            check_asks_no_elements(ufunc, (self, other))
            return NotImplemented
        if self.dtype.names is not None:
            return (current() or self._trace).record(scalar_op, (self, other), {})
        try:
            return _apply(ufunc, scalar_op, self, other)
        except (TypeError, UnsupportedFunctionError):
            if not cannot_be_compared(ufunc, self, other):
                raise
            return nowhere_equal(ufunc, self, other)

    return compare


def _reflected(ufunc: np.ufunc, scalar_op: Op | None) -> Callable[..., Any]:
    return lambda self, other: _apply(ufunc, scalar_op, other, self)


def _in_place(ufunc: np.ufunc, scalar_op: Op) -> Callable[..., Any]:
    def write(self: Tensor, other: Any) -> Any:
        if is_choice(other):
            return other.split(lambda option: write(self, option))
        if self._node.types[0].kind is not Kind.ARRAY:
            return _apply(ufunc, scalar_op, self, other)
        try:
            value = _apply(ufunc, scalar_op, self, other)
        except Exception:
            in_place_verdict(ufunc, other, self)
            # NumPy takes it with an `out=` alone: texts, whose width is that of the array
            write_into(self, "call_into", (ufunc.__name__, (self, other)), {}, f"x {scalar_op.symbol}= ...")
            return self
        if value is NotImplemented:
            if getattr(type(other), "__array_ufunc__", other) is None:
                raise TypeError(f"operand {type(other).__name__!r} does not support ufuncs (__array_ufunc__=None)")
            return value
        other = operand(self._trace, as_value(other))
        return write_in_place(self, value, f"x {scalar_op.symbol}= ...", ufunc, (self, other), {})

    return write


def _in_place_matmul(self: Tensor, other: Any) -> Any:
    """`x @= y`, which NumPy refuses where `x @ y` has other axes than x, or `y` is no matrix."""
    if is_choice(other):
        return other.split(lambda option: _in_place_matmul(self, option))
    trace, other = current() or self._trace, as_value(other)
    if self._node.types[0].kind is not Kind.ARRAY or not isinstance(other, _OPERANDS):
        return NotImplemented
    other = operand(trace, other)
    left, right = [ghost(v._node.types[0], trace.hints) if type(v) is Tensor else v for v in (self, other)]
    is_known = all(n.symbols() <= trace.hints.keys() for n in _open_lengths(self, other))
    fits = np.ndim(right) > 1 and np.can_cast(np.result_type(left, right), left.dtype, "same_kind")
    has_axes = left.ndim and np.ndim(right) > 1
    if not has_axes or is_known and not (fits and left.shape[-1] == right.shape[-2]):
        operator.imatmul(np.zeros(left.shape, left.dtype), right)  # raises NumPy's own error
    value = _apply(np.matmul, None, self, other)
    if is_known and (value.ndim != self.ndim or not same_shape(self, value)):
        operator.imatmul(np.zeros(left.shape, left.dtype), right)
    return write_in_place(self, value, "x @= ...", np.matmul, (self, other), {})


def _open_lengths(*values: Any) -> list[Dim]:
    """The open lengths of some operands."""
    return [n for v in values if type(v) is Tensor for n in v._node.types[0].shape if isinstance(n, Dim)]


def _without_scalars(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's scalars have no `@`."""
    return lambda self, other: NotImplemented if _is_scalar(self) and _is_scalar(other) else function(self, other)


def _method(name: str) -> Callable[..., Any]:
    """The ndarray method `name`, with the parameters of the NumPy function of that name."""
    function = getattr(np, name)

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return self._call(function, self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"As `np.ndarray.{name}`."
    return method


def _conj(self: Tensor, out: Any = None) -> Any:
    """As `np.ndarray.conj`: an array of real numbers is its own conjugate, not a copy, and so are NumPy's scalars."""
    kind = self._node.types[0].kind
    if kind is Kind.SCALAR and self._one_type is None and out is None and self.dtype.kind in "biuf":
        return self
    if self._node.types[0].kind is Kind.ARRAY and out is None:
        if self.dtype.kind in "biuf":
            return self
        if self.dtype.kind != "c":
            raise TypeError("cannot conjugate non-numeric dtype")
    if out is None and (self._node.types[0].kind is Kind.PYTHON or self._one_type is not None):
        return part_of(self, "conjugate")
    return self.__array_ufunc__(np.conjugate, "__call__", self, out=out)


def _round(self: Tensor, ndigits: Any = None) -> Any:
    """`round(x, ndigits)` of a number."""
    if self._node.types[0].kind is Kind.ARRAY:
        raise TypeError("type numpy.ndarray doesn't define __round__ method")
    return (current() or self._trace).record(ROUND, (self,) if ndigits is None else (self, ndigits), {})


def _abs(self: Tensor) -> Any:
    """`abs(x)`: of a Python number it is one. Of a complex number NumPy's operator has other bits than the ufunc, of
    the least integer it warns."""
    found = self._node.types[0]
    differs = found.kind is Kind.SCALAR and found.dtype.kind in "ic"
    scalar_op = ABS if found.kind is Kind.PYTHON or differs or self._one_type is not None else None
    return _apply(np.absolute, scalar_op, self)


def _array_ufunc(self: Tensor, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    if any(map(is_choice, inputs)) or any(map(_is_foreign, inputs)):
        return NotImplemented  # it knows what it is
    return call_ufunc(self._trace, ufunc, method, inputs, kwargs)


def _array_function(self: Tensor, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    if any(hasattr(t, "__tracefn_choice__") or hasattr(t, "__tracefn_foreign__") for t in types):
        return NotImplemented
    return call_function(self._trace, func, args, kwargs)


def _call(self: Tensor, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return call_function(self._trace, function, args, kwargs)


def _install() -> None:
    found: dict[str, Callable[..., Any]] = {name: _method(name) for name in _METHODS}
    found |= {"__array_ufunc__": _array_ufunc, "__array_function__": _array_function, "_call": _call}
    found |= {"__getitem__": get_item, "__setitem__": set_item}
    for name, ufunc in _BINARY.items():
        scalar_op = by_name(f"operator.{getattr(operator, name).__name__}")
        dunder = name.strip("_")
        found[f"__{dunder}__"] = _forward(ufunc, scalar_op)
        found[f"__r{dunder}__"] = _reflected(ufunc, scalar_op)
        found[f"__i{dunder}__"] = _in_place(ufunc, scalar_op)
    for name, ufunc in (_ORDER | _UNARY).items():
        found[f"__{name}__"] = _forward(ufunc, by_name(f"operator.{name}"))
    for name, ufunc in _EQUALITY.items():
        found[f"__{name}__"] = _equality(ufunc, by_name(f"operator.{name}"))
    found["conj"] = found["conjugate"] = _conj
    found["__pow__"], found["__round__"] = _power, _round
    found["__abs__"] = _abs
    found["__divmod__"], found["__rdivmod__"] = _forward(np.divmod, DIVMOD), _reflected(np.divmod, DIVMOD)
    found["__matmul__"] = _without_scalars(_forward(np.matmul, None))
    found["__imatmul__"] = _in_place_matmul
    found["__rmatmul__"] = _without_scalars(_reflected(np.matmul, None))
    for name, function in found.items():
        setattr(Tensor, name, function)


_install()
