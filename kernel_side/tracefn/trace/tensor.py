"""The symbolic array: stands for an array, a NumPy scalar or a number while a function is traced."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import (
    InPlaceWriteError,
    TensorBoolError,
    TensorConversionError,
    TensorIterationError,
    UnsupportedFunctionError,
    message,
)
from ..ir.dims import Dim
from ..ir.graph import Node
from ..ir.op import CAPTURE, INPUT, ITEM
from ..ir.types import Kind, dtype_name, python_type, random_class
from . import provided
from .active import current
from .one_by_one import one_by_one
from .origin import is_asked_from_outside, user_source, where
from .tensor_parts.array_methods import RESIZE, ArrayMethods
from .tensor_parts.constants import known_value
from .tensor_parts.formatting import FORMATTING
from .tensor_parts.memory import HasMemory
from .tensor_parts.one_type import OneType
from .tensor_parts.suggestions import call_text, instead_of

if TYPE_CHECKING:
    from .context import Trace


_ARRAY = Kind.ARRAY  # an attribute of an enum takes longer to find

_NO_DOUBTS: dict[int, tuple[Any, Node]] = {}


class Tensor(ArrayMethods, HasMemory):
    """A value in a graph, with the interface of `np.ndarray`.

    It has a dtype and a shape, and no elements: whatever would need elements raises an error that names the source of
    the value and the code to write instead.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def f(x):
    ...     print(x, np.tanh(x).dtype)
    ...     return x
    >>> _ = f(np.zeros((2, 3), np.float32))
    Tensor("x:0", shape=(2, 3), dtype=float32) float32
    """

    __slots__ = ("_born", "_one_type", "_trace")
    __array_priority__ = 1000

    _home: Trace

    def __init__(self, node: Node, trace: Trace, owned: bool, outside: bool = False) -> None:
        self._node = node
        self._trace = self._home = trace  # the trace of its present value, and that of its making
        self._born = node, trace  # the maker of the array: writes leave it where it lies in memory
        self._owned = owned
        self._outside = outside
        self._aliased = self._held = False
        self._views = self._base = self._choice = self._seen = None
        self._doubts = _NO_DOUBTS
        self._path = ()
        self._one_type: OneType | None = None  # a number of which a traced value decides the type

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The type of the value at call time: `isinstance(x, np.ndarray)` has the same answer as without tracing."""
        value_type = self._node.types[0]
        if value_type.kind is _ARRAY:
            return np.ndarray
        if value_type.kind in (Kind.LIST, Kind.OBJECT):
            return type(self)  # it is held by a stand-in for the list, or the object
        if value_type.kind.is_random:
            return random_class(value_type.kind)
        if value_type.kind is Kind.SCALAR:
            return value_type.dtype.type
        if is_asked_from_outside(2):
            self._trace.root.sees_types = True
        return python_type(value_type.dtype)

    # --- known facts

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._node.types[0].dtype

    @property
    def shape(self) -> tuple[Any, ...]:
        shape: tuple[Any, ...] = self._trace.public(self._node.types[0].shape)
        return shape

    @property
    def ndim(self) -> int:
        return len(self._node.types[0].shape)

    @property
    def size(self) -> Any:
        return self._trace.public(self._node.types[0].size)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        return self.size * self.itemsize

    @property
    def device(self) -> str:
        return "cpu"

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return operator.index(self.shape[0])

    def __repr__(self) -> str:
        if FORMATTING.stack:
            return FORMATTING.marker(self, "r", "")
        if self._trace.attempt and not FORMATTING.is_shown:
            self._refuse(TensorConversionError, "was turned into text", "Return it, and print the result.")
        if self._node.types[0].kind.is_random:
            return FORMATTING.stand_in(f"<traced {self.describe()}>")
        shape = tuple(None if isinstance(n, Dim) else n for n in self._node.types[0].shape)
        return FORMATTING.stand_in(f'Tensor("{self._name()}:0", shape={shape}, dtype={dtype_name(self.dtype)})')

    def _name(self) -> str:
        return str(self._node.args[0]) if self._node.op in (INPUT, CAPTURE) else self._node.op.name

    def _state(self) -> Tensor:
        """Its present value, as a Tensor of its own: see `journal.Held`."""
        return Tensor(self._node, self._trace, self._owned)

    def _unowned(self) -> Tensor:
        """The same, as a Tensor of its own that is not computed here."""
        return Tensor(self._node, self._trace, owned=False)

    def _set_state(self, state: Tensor) -> None:
        self._node, self._trace = state._node, state._trace
        self._trace.root.made_as.setdefault(state._node, self._born)

    def describe(self) -> str:
        """The value as messages name it: its type, which line made it, and which arguments it depends on."""
        kind = f"{self._node.types[0]!r}"
        if self._node.types[0].kind is Kind.LIST:
            return f"a {kind}"
        if self._node.op is INPUT:
            return f"argument `{self._name()}` ({kind})"
        if self._node.op is CAPTURE:
            return f"`{self._name()}` ({kind})"
        sources = sorted(_arguments(self._node))
        made = f" at {where(self._node.source)}" if self._node.source else ""
        depends = f", which depends on {', '.join(f'`{s}`' for s in sources)}" if sources else ""
        op = self._node.inputs[0].op if self._node.op is ITEM else self._node.op
        if op.style == "control":
            construct = {"cond": "a branch", "switch": "a branch", "call": "a call"}.get(op.name, "a loop")
            return f"the result of {construct} ({kind}){made}{depends}"
        step = self._node.inputs[0] if self._node.op is ITEM else self._node
        name = getattr(step.args[0], "__name__", "") if op.style == "effect" and step.args else f"np.{op.name}"
        call = f"`{op.symbol}`" if op.symbol else name or f"np.{op.name}"
        return f"the result of {call} ({kind}){made}{depends}"

    # --- silent coercions, refused

    def _known(self) -> Any:
        """(the value,) where it depends on constants alone, or the trace holds for one call; else None."""
        trace = current() or self._trace
        provided.refresh(trace, self)
        if trace.root.value_now is not None and self.dtype.kind in "biu":
            return (trace.root.value_now(trace, self),)
        # A float that comes from the source of a derivative stays a value; conditions on it are known all the same.
        return known_value(self._node, trace.root.sources if self.dtype.kind in "fc" else ())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if (known := self._known()) is not None:
            return np.array(known[0], dtype)
        call = call_text()
        self._refuse(
            TensorConversionError,
            f"was turned into a concrete array by {f'`{call}`' if call else 'C code that reads it'}",
            instead_of(call)
            or "Use a NumPy function that takes arrays, `np.stack([...])` to join traced values, `np.zeros_like` or "
            "`np.full_like` to make arrays; or do this part outside the traced function.",
        )

    def __bool__(self) -> bool:
        if (known := self._known()) is not None:
            return bool(known[0])
        self._refuse(
            TensorBoolError,
            "was used as a condition (if, while, and, or, not, in)",
            "Use `np.where(condition, a, b)`, `&` `|` `~` to combine conditions, or pass a Python value.",
        )

    def __float__(self) -> float:
        return float(self._number("float", "np.float64"))

    def __int__(self) -> int:
        return int(self._number("int", "np.int64"))

    def __complex__(self) -> complex:
        return complex(self._number("complex", "np.complex128"))

    def _number(self, name: str, dtype: str) -> Any:
        if (known := self._known()) is not None:
            return known[0]
        fix = instead_of(call_text(3)) or f"Write `x.astype({dtype})`."
        self._refuse(TensorConversionError, f"was turned into a Python {name}", fix)

    def __index__(self) -> int:
        if (known := self._known()) is not None:
            return operator.index(known[0])
        fix = instead_of(call_text()) or "Pass it as a Python int (each value then gets its own trace)."
        self._refuse(TensorConversionError, "was used where Python needs an int (range, slice, list index, shape)", fix)

    def __hash__(self) -> int:
        self._refuse(TensorConversionError, "was hashed (dict key, set, lru_cache)", "Key by a Python value instead.")

    def __format__(self, spec: str) -> str:
        if FORMATTING.stack:
            return FORMATTING.marker(self, "", spec)
        if spec:
            self._refuse(TensorConversionError, f"was formatted with {spec!r}", "Format what the call returns.")
        return repr(self)

    def __str__(self) -> str:
        return FORMATTING.marker(self, "s", "") if FORMATTING.stack else repr(self)

    def __contains__(self, item: Any) -> NoReturn:
        self._refuse(TensorBoolError, "was searched with `in`", "Write `np.any(x == item)` and use np.where on it.")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self._refuse(TensorConversionError, "was pickled", "Return it from the traced function and pickle the result.")

    def item(self, *args: Any) -> Any:
        if (known := self._known()) is not None:
            return known[0].item(*args)
        if self.dtype.kind not in "biufc" or self.dtype.char in "gG":
            self._refuse(TensorConversionError, "was read with .item()", "Index it: `x[i]` stays in the graph.")
        index = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        return provided.to_python(self if not args else self[index] if len(index) == self.ndim else self.ravel()[index])

    def tolist(self) -> Any:
        if (known := self._known()) is not None:
            return known[0].tolist()
        return provided.to_list(self)

    def __dlpack__(self, **kwargs: Any) -> NoReturn:
        self._refuse(TensorConversionError, "was read through DLPack", "Do this part outside the traced function.")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def tobytes(self, order: str = "C") -> NoReturn:
        self._refuse(TensorConversionError, "was read with .tobytes()", "Return it and call .tobytes() on the result.")

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            self._refuse(TensorIterationError, "has no axis to iterate over", "Use the value itself.")
        length = self._node.types[0].shape[0]
        if isinstance(length, Dim) and not length.symbols() <= self._trace.hints.keys():
            self._refuse(TensorIterationError, f"was iterated over, and its length `{length}` is not known",
                         "Work on the whole array, or declare the length in input_signature.")  # fmt: skip
        return one_by_one(self, len(self))

    def __delitem__(self, index: Any) -> NoReturn:
        raise ValueError("cannot delete array elements")

    def __getattr__(self, name: str) -> Any:
        if self._node.types[0].kind.is_random:
            return provided.generator_method(self, name)
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'Tensor' object has no attribute '{name}'")
        if name in _READS:
            self._refuse(TensorConversionError, f"was read with .{name}", f"Return it, and use .{name} on the result.")
        if name in _INSTEAD:
            self._refuse(InPlaceWriteError, f"was changed in place (x.{name})", _INSTEAD[name])
        if name in ("flags", "strides"):
            return getattr(provided.known_layout(self), name)
        self._refuse(UnsupportedFunctionError, f"has no traced `.{name}`", "Use a NumPy function; see docs/numpy.md.")

    def _refuse(self, error: Callable[[str], Exception], what: str, fix: str) -> NoReturn:
        self._trace.check(self)
        raise error(message(f"{self.describe()} {what}", where(user_source(3)), fix))

    if TYPE_CHECKING:  # `operators` adds them, which can import their needs

        def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any: ...
        def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any: ...
        def _call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any: ...
        def __getitem__(self, index: Any) -> Any: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...


def _changed_in_place(name: str) -> property:
    """An attribute that NumPy arrays let be set and Tensors do not."""
    known = vars(Tensor).get(name)

    def change(self: Tensor, value: Any) -> NoReturn:
        self._refuse(InPlaceWriteError, f"was changed in place (x.{name} = ...)", _SETTING[name])

    return property(known.fget if known else lambda self: self.__getattr__(name), change)


_READS = {"ctypes", "data", "dump", "dumps", "tofile"}

_SETTING = {
    "data": "Write `x[...] = value`.",
    "dtype": "Write `x = x.astype(dtype)` for the values, or set the dtype outside the traced function.",
    "strides": "Write `x = np.lib.stride_tricks.as_strided(x, shape, strides)`.",
}
"""The code to write instead of setting an attribute."""

_INSTEAD = {
    "resize": RESIZE,
    "setfield": "Write `x[...] = value`.",
    "setflags": "Set flags outside the traced function.",
}


def _set_shape(self: Tensor, value: Any) -> None:
    provided.set_shape(self, value)


for _name in _SETTING:
    setattr(Tensor, _name, _changed_in_place(_name))
Tensor.shape = vars(Tensor)["shape"].setter(_set_shape)  # type: ignore[method-assign]


def _arguments(node: Node) -> set[str]:
    """The paths of the arguments that a node depends on."""
    found, seen, stack = set(), set(), [node]
    while stack:
        n = stack.pop()
        if n in seen:
            continue
        seen.add(n)
        if n.op is INPUT:
            found.add(str(n.args[0]))
        stack += n.inputs
    return found
