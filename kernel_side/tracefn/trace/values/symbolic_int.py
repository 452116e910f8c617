"""A length that is known only at call time, as user code sees it: an int, and a guard when it is branched on."""

from __future__ import annotations

import numbers
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import SymbolicDimensionError, message
from ...ir.dims import Dim, Length, definitely_different, definitely_equal
from ...ir.op import by_call, by_name
from .. import provided
from ..active import current
from ..origin import is_user_code, user_source, where
from ..tensor_parts.formatting import FORMATTING

if TYPE_CHECKING:
    from ..context import Trace
    from ..tensor import Tensor


class SymbolicInt:
    """An entry of a traced array's shape where the signature leaves the length open (`None`).

    Integer arithmetic gives `SymbolicInt`s again, and shapes and arrays accept it: `x.reshape(n * 2)`, `x / n`.
    Comparing it, or using it where Python needs a number (`range(n)`), takes the number from the call that is being
    traced and records a guard: a call for which the answer differs gets a trace of its own. Of a length that values
    decide, user code gets traced comparisons.

    `is_scalar` is set of results of `np.prod(x.shape)` and the like: an `np.int64`.
    """

    __slots__ = ("_trace", "dim", "is_scalar")
    __array_priority__ = 1000

    def __init__(self, dim: Dim, trace: Trace, is_scalar: bool = False) -> None:
        self.dim = dim
        self.is_scalar = is_scalar
        self._trace = trace

    def as_tensor(self, trace: Trace | None = None) -> Tensor:
        """The value in the graph of a trace, of the one that is being made unless another one is given."""
        trace = trace or current_trace() or self._trace
        found = trace.dimension(self.dim)
        return trace.record(by_name("as_scalar"), (found, np.dtype(np.int64)), {}) if self.is_scalar else found

    def __repr__(self) -> str:
        return self._text("r", "")

    def __str__(self) -> str:
        return self._text("s", "")

    def __format__(self, spec: str) -> str:
        return self._text("", spec)

    def _text(self, conversion: str, spec: str) -> str:
        """In the text of an exception the number of each call; in other text that user code makes that of this one."""

        if FORMATTING.stack:
            return FORMATTING.marker(self.as_tensor(), conversion, spec)
        if not is_user_code(3):  # a print while tracing, a debugger
            return format(f"SymbolicInt({self.dim})", spec)
        number = np.int64(self.__index__()) if self.is_scalar else self.__index__()
        return repr(number) if conversion == "r" else format(number, spec)

    def __hash__(self) -> int:
        return hash(self.__index__())

    def _value(self, what: str) -> int:
        hints = self._trace.hints
        if not self.dim.symbols() <= hints.keys():
            if self.dim.depends_on_values and self._trace.root.value_now is not None:
                return int(self._trace.root.value_now(self._trace, self.as_tensor()))
            if self.dim.depends_on_values:
                raise SymbolicDimensionError(
                    message(
                        f"{what} needs a length of `{self._trace.name}` that only values decide "
                        f"(`{self.dim}`: the number of elements that a mask or np.nonzero picks)",
                        where(user_source(4)),
                        "Work on the whole array with np.where, or do this part outside the traced function.",
                    )
                )
            raise SymbolicDimensionError(
                message(
                    f"{what} needs the number behind the dimension `{self.dim}` of `{self._trace.name}`, which is None "
                    "in its TensorSpec, and there is no call to take it from",
                    where(user_source(4)),
                    "Declare the dimension with its length, or call the function with an array.",
                )
            )
        return self.dim.value(hints)

    def __index__(self) -> int:
        value = self._value("a Python int")
        self._trace.guard("==", self.dim, value, True)
        return value

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __bool__(self) -> bool:
        return self._compare("!=", 0)

    def __neg__(self) -> Any:
        return self._trace.public(-self.dim)

    def __pos__(self) -> Any:
        return self

    __trunc__ = __floor__ = __ceil__ = __pos__

    def __invert__(self) -> Any:
        return -self - 1

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __round__(self, ndigits: Any = None) -> Any:
        return self if ndigits is None or ndigits >= 0 else round(self.__index__(), ndigits)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        """The other attributes of an int: of the number of this call."""
        if self.is_scalar and not name.startswith("_") and hasattr(np.int64, name):
            return getattr(self.as_tensor(), name)
        if name in _ATTRIBUTES:
            return getattr(self.__index__(), name)
        raise AttributeError(f"'int' object has no attribute {name!r}")

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def _compare(self, symbol: str, other: Any) -> Any:
        if isinstance(other, SymbolicInt):
            other = other.dim
        if not isinstance(other, int | Dim):
            if isinstance(other, np.generic) or not isinstance(other, numbers.Number):
                return NotImplemented
            return _COMPARISONS[symbol](self.__index__(), other)  # type: ignore[arg-type]
        certain = _certain(symbol, self.dim, other)
        if certain is not None:
            return np.bool_(certain) if self.is_scalar else certain
        if self.is_traced and is_user_code(3):
            return _COMPARISONS[symbol](self._trace.dimension(self.dim), self._trace.public(other))
        right = self._trace_value(other)
        outcome = bool(_COMPARISONS[symbol](self._value(f"`{self.dim} {symbol} {other}`"), right))
        self._trace.guard(symbol, self.dim, other, outcome)
        return np.bool_(outcome) if self.is_scalar else outcome

    @property
    def is_traced(self) -> bool:
        """True for a length that values decide: operations on it are decided at the call."""
        return self.dim.depends_on_values and not self.dim.symbols() <= self._trace.hints.keys()

    def _trace_value(self, length: Length) -> int:
        return SymbolicInt(length, self._trace)._value(str(length)) if isinstance(length, Dim) else length

    def __eq__(self, other: object) -> Any:
        return self._compare("==", other)

    def __ne__(self, other: object) -> Any:
        return self._compare("!=", other)

    def __lt__(self, other: Any) -> Any:
        return self._compare("<", other)

    def __le__(self, other: Any) -> Any:
        return self._compare("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._compare(">", other)

    def __ge__(self, other: Any) -> Any:
        return self._compare(">=", other)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return provided.call_ufunc(self._trace, ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return provided.call_function(self._trace, func, args, kwargs)


_ATTRIBUTES = {name for name in dir(int) if not name.startswith("_")}


def current_trace() -> Trace | None:

    return current()


_COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def with_numbers(value: Any) -> Any:
    """A slice with the numbers of this call in the place of open lengths; everything else as it is."""
    if type(value) is not slice:
        return value
    parts = value.start, value.stop, value.step
    return slice(*[operator.index(v) if type(v) is SymbolicInt else v for v in parts])


def compare(symbol: str, left: int, right: int) -> bool:
    """The outcome of `left symbol right`."""
    return bool(_COMPARISONS[symbol](left, right))


def _certain(symbol: str, left: Length, right: Length) -> bool | None:
    """The outcome of a comparison where it is the same for all lengths."""
    if symbol in ("==", "!="):
        if definitely_equal(left, right):
            return symbol == "=="
        if definitely_different(left, right):
            return symbol == "!="
        return None
    if symbol in ("<", "<="):
        flipped = _certain(">" if symbol == "<=" else ">=", left, right)
        return None if flipped is None else not flipped
    difference = left - right
    least = difference if isinstance(difference, int) else difference.least()
    if least is not None and least >= (1 if symbol == ">" else 0):
        return True
    negated = right - left
    most = negated if isinstance(negated, int) else negated.least()
    if most is not None and most >= (0 if symbol == ">" else 1):
        return False
    return None


def _divides(trace: Trace, divisor: Length) -> bool:
    """False for a divisor that is zero, or may be. Of a length that the call has, a guard says that it is not."""
    if not isinstance(divisor, Dim):
        return divisor != 0
    if (least := divisor.least()) is not None and least > 0:
        return True
    if not divisor.symbols() <= trace.hints.keys():
        return False
    return trace.guard("!=", divisor, 0, divisor.value(trace.hints) != 0)


def _as_scalar(length: Length, trace: Trace) -> Any:
    return SymbolicInt(length, trace, is_scalar=True) if isinstance(length, Dim) else np.int64(length)


def _arithmetic(name: str) -> None:
    function = getattr(operator, name)
    integral = name in ("add", "sub", "mul", "floordiv", "mod")

    def compute(left: Any, right: Any) -> Any:
        trace = current_trace() or (left._trace if isinstance(left, SymbolicInt) else right._trace)
        plain = [v.dim if isinstance(v, SymbolicInt) else v for v in (left, right)]
        is_scalar = any(isinstance(v, SymbolicInt) and v.is_scalar for v in (left, right))
        if integral and all(issubclass(type(v), int | Dim) for v in plain):
            if name not in ("floordiv", "mod") or _divides(trace, plain[1]):
                found = function(*plain)
                return _as_scalar(found, trace) if is_scalar else trace.public(found)
            if not is_scalar:
                return trace.public(Dim.apply(name, *plain))  # raises at the call
        if not all(issubclass(type(v), int | float | complex | Dim | np.generic) for v in plain):
            return NotImplemented  # a Tensor only looks like a number
        op = by_call(function)
        assert op is not None
        return trace.record(op, (left, right), {})

    def forward(self: SymbolicInt, other: Any, *modulus: Any) -> Any:
        return pow(operator.index(self), other, *modulus) if modulus else compute(self, other)

    def reflected(self: SymbolicInt, other: Any) -> Any:
        return compute(other, self)

    setattr(SymbolicInt, f"__{name.strip('_')}__", forward)
    setattr(SymbolicInt, f"__r{name.strip('_')}__", reflected)


numbers.Integral.register(SymbolicInt)

for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
    _arithmetic(_name)
