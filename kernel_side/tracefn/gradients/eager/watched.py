"""A value that a tape outside of traced functions watches: an array whose operations are recorded."""

from __future__ import annotations

import opcode
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...errors import GradientError, message
from ...ir.types import Kind
from ...trace import provided
from ...trace.active import ACTIVE, current
from ...trace.libraries import PURE_PACKAGES
from ...trace.origin import is_library, source_of, user_frame, user_source, where
from ...trace.tensor import Tensor
from ...trace.variables.conversions import Converts

if TYPE_CHECKING:
    from .session import Session


class FromAround(GradientError):
    """A trace meets a watched value that is no argument of its function."""

    def __init__(self) -> None:
        what = "a traced function uses a value that a tape outside watches, and gets it from around"
        super().__init__(message(what, where(user_source(4)), "Pass it as an argument."))


class Watched(Converts, np.lib.mixins.NDArrayOperatorsMixin):
    """A value that acts as an array or number in NumPy's functions and operators. While a tape is open, steps
    on it are recorded, and their results are watched, too; afterwards it is a plain array, which is read-only:
    derivatives rest on its content."""

    __slots__ = ("session", "tensor")
    __array_priority__ = 950

    def __init__(self, session: Session, tensor: Tensor) -> None:
        self.session = session
        self.tensor = tensor

    def value(self) -> Any:
        """The array, which is read-only, or NumPy scalar."""
        found = self.session.value(self.tensor)
        if not isinstance(found, np.ndarray):
            return found
        found = found[...]
        found.flags.writeable = False
        return found

    def numpy(self) -> Any:
        """A copy that may be written into, or the NumPy scalar."""
        return np.array(self.value())[()] if not self.ndim else np.array(self.value())

    def __tracefn_operand__(self) -> Tensor:
        """The Tensor that it is in the trace under way: a constant in that of one call, once its tapes have ended."""
        trace = current()
        if trace is not None and trace.root is self.session.trace:
            return self.tensor
        if trace is None or self.session.is_open or trace.root.value_now is None:
            raise FromAround()
        return Tensor(trace.value_node(self.value()), trace, owned=False)

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.session.is_open:
            if current() is None:
                return self.session.run(function, *args, **kwargs)
            self.__tracefn_operand__()
            return function(*self.session.inner(args), **self.session.inner(kwargs))
        try:
            return function(*plain(args, only_ended=True), **plain(kwargs, only_ended=True))
        except ValueError as error:
            if "read-only" in str(error):
                _refuse_write()
            raise

    # --- NumPy

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return self._call(ufunc if method == "__call__" else getattr(ufunc, method), inputs, kwargs)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return self._call(function, tuple(args), kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """The values, for functions of plain arrays: an open tape would know nothing of these."""
        self._refuse_leaving("array")
        return np.array(self.value(), dtype)

    def __float__(self) -> float:
        """The number, for the user's code: a library computes with it, or a plain array has it as an element from now
        on, and an open tape would know nothing of that."""
        frame = sys._getframe(1)
        is_library = frame.f_globals.get("__name__", "").partition(".")[0] in PURE_PACKAGES
        if is_library or frame.f_code.co_code[frame.f_lasti] == _STORES_ITEM:
            self._refuse_leaving("float")
        return float(self.value())

    def _refuse_leaving(self, what: str) -> None:
        """Raises `GradientError` where a tape is open that could not follow the value."""
        if self.session not in ACTIVE.eager or self.dtype.kind not in "fc":
            return
        happens = f"a value that a tape watches becomes a plain {what}, which the tape cannot follow"
        fix = (
            "Decorate the function, in which all calls are seen: `@tracefn.function`; or take the values alone: "
            "`x.numpy()`; or use tracefn.grad."
        )
        frame = user_frame(3)
        while frame is not None and is_library(frame.f_code.co_filename):
            frame = frame.f_back
        raise GradientError(message(happens, where(source_of(frame)), fix))

    @property
    def flat(self) -> Any:
        """All elements in order, which show the array's memory where they can."""
        return self._call(lambda array: array.ravel(), (self,), {})

    # --- its type and form

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.value())

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.tensor.dtype

    @property
    def ndim(self) -> int:
        return self.tensor.ndim

    @property
    def size(self) -> int:
        return int(np.size(self.value()))

    def __len__(self) -> int:
        return len(self.value())

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(len(self))])

    def __getitem__(self, index: Any) -> Any:
        return self._call(lambda array, index: array[index], (self, index), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        if not self.session.is_open:
            _refuse_write()
        self.session.run(provided.set_item, self, index, value)

    def __getattr__(self, name: str) -> Any:
        """The methods and attributes of arrays: `x.sum()`, `x.T`."""
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'Watched' object has no attribute '{name}'")
        if name in _OF_MEMORY:
            return getattr(self.value(), name)
        if not callable(getattr(np.ndarray, name)):
            return self._call(lambda array: getattr(array, name), (self,), {})
        return lambda *args, **kwargs: self._call(
            lambda array, *given, **named: getattr(array, name)(*given, **named), (self, *args), kwargs
        )

    # --- Python

    __hash__ = object.__hash__

    def __format__(self, spec: str) -> str:
        return format(self.value(), spec)

    def __repr__(self) -> str:
        return repr(self.value())


_STORES_ITEM = opcode.opmap["STORE_SUBSCR"]
"""The instruction of `array[i] = x`."""

_OF_MEMORY = frozenset({"flags", "itemsize", "nbytes", "strides"})
"""Attributes that tell of the memory of an array, and are known."""


def _augmented(name: str) -> Callable[[Watched, Any], Any]:
    """An operator as `+=`: it writes into an array, and gives another number."""
    write, plainly = getattr(Watched, f"__i{name}__"), getattr(Watched, f"__{name}__")

    def augmented(self: Watched, other: Any) -> Any:
        return (write if self.tensor._node.type.kind is Kind.ARRAY else plainly)(self, other)

    return augmented


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"):
    setattr(Watched, f"__i{_name}__", _augmented(_name))


def _refuse_write() -> NoReturn:
    what = "an array that a tape has recorded is written into, and its derivatives depend on its values"
    fix = "Write into a copy: `y = y.numpy()`; or inside of the block of the tape."
    raise GradientError(message(what, where(user_source(3)), fix)) from None


def plain(value: Any, only_ended: bool = False) -> Any:
    """The value with plain arrays in the place of watched values: of all, or of those that no open tape records."""
    if type(value) is Watched:
        return value if only_ended and value.session.is_open else value.value()
    if type(value) in (list, tuple):
        return type(value)([plain(v, only_ended) for v in value])
    return {k: plain(v, only_ended) for k, v in value.items()} if type(value) is dict else value
