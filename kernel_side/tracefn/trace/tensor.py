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
from ..ir.op import CAPTURE, INPUT, Op, by_call
from ..ir.types import Kind, dtype_name
from .origin import user_source, where
from .symbolic_int import SymbolicInt

if TYPE_CHECKING:
    from .context import Trace


class Tensor:
    """A value in a graph, with the interface of `np.ndarray`.

    It has a dtype and a shape, and no elements: whatever would need elements raises an error that says where the value
    came from and what to write instead.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def f(x):
    ...     print(x, np.tanh(x).dtype)
    ...     return x
    >>> _ = f(np.zeros((2, 3), np.float32))
    Tensor("x:0", shape=(2, 3), dtype=float32) float32
    """

    __slots__ = ("__weakref__", "_node", "_owned", "_shared", "_trace")
    __array_priority__ = 1000

    def __init__(self, node: Node, trace: Trace, owned: bool) -> None:
        self._node = node
        self._trace = trace
        self._owned = owned  # computed here: no argument, no view
        self._shared = False  # a view of it exists

    # --- what is known ------------------------------------------------------------------------------------------------

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
        shape = tuple(None if isinstance(n, Dim) else n for n in self._node.types[0].shape)
        return f'Tensor("{self._name()}:0", shape={shape}, dtype={dtype_name(self.dtype)})'

    def _name(self) -> str:
        return str(self._node.args[0]) if self._node.op in (INPUT, CAPTURE) else self._node.op.name

    def describe(self) -> str:
        """The value as messages name it: what it is, which line made it, and which arguments it depends on."""
        kind = f"{self._node.types[0]!r}"
        if self._node.op is INPUT:
            return f"argument `{self._name()}` ({kind})"
        if self._node.op is CAPTURE:
            return f"`{self._name()}` ({kind})"
        sources = sorted(_arguments(self._node))
        made = f" at {where(self._node.source)}" if self._node.source else ""
        depends = f", which depends on {', '.join(f'`{s}`' for s in sources)}" if sources else ""
        return f"the result of np.{self._node.op.name} ({kind}){made}{depends}"

    # --- silent coercions, refused ------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        self._refuse(TensorConversionError, "was turned into a concrete array (np.asarray, np.array, or C code that reads it)",
                     "Use a NumPy function that takes arrays, `np.stack([...])` to join traced values, or `np.zeros_like`, "
                     "`np.full_like` to make arrays; or do this part outside the traced function.")  # fmt: skip

    def __bool__(self) -> NoReturn:
        self._refuse(TensorBoolError, "was used as a condition (if, while, and, or, not, in)",
                     "Use `np.where(condition, a, b)`, `&` `|` `~` to combine conditions, or pass a Python value.")  # fmt: skip

    def __float__(self) -> NoReturn:
        self._refuse(TensorConversionError, "was turned into a Python float", "Write `x.astype(np.float64)`.")

    def __int__(self) -> NoReturn:
        self._refuse(TensorConversionError, "was turned into a Python int", "Write `x.astype(np.int64)`.")

    def __complex__(self) -> NoReturn:
        self._refuse(TensorConversionError, "was turned into a Python complex", "Write `x.astype(np.complex128)`.")

    def __index__(self) -> NoReturn:
        self._refuse(TensorConversionError, "was used where Python needs an int (range, slice, list index, shape)",
                     "Pass it as a Python int (each value then gets its own trace).")  # fmt: skip

    def __hash__(self) -> int:
        self._refuse(TensorConversionError, "was hashed (dict key, set, lru_cache)", "Key by a Python value instead.")

    def __format__(self, spec: str) -> str:
        if spec:
            self._refuse(TensorConversionError, f"was formatted with {spec!r}", "Format what the call returns.")
        return repr(self)

    def __contains__(self, item: Any) -> NoReturn:
        self._refuse(TensorBoolError, "was searched with `in`", "Write `np.any(x == item)` and use np.where on it.")

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self._refuse(TensorConversionError, "was pickled", "Return it from the traced function and pickle the result.")

    def item(self, *args: Any) -> NoReturn:
        self._refuse(TensorConversionError, "was read with .item()", "Index it: `x[i]` stays in the graph.")

    def tolist(self) -> NoReturn:
        self._refuse(TensorConversionError, "was read with .tolist()", "Return it and call .tolist() on the result.")

    def tobytes(self, order: str = "C") -> NoReturn:
        self._refuse(TensorConversionError, "was read with .tobytes()", "Return it and call .tobytes() on the result.")

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            self._refuse(TensorIterationError, "has no axis to iterate over", "Use the value itself.")
        length = self._node.types[0].shape[0]
        if isinstance(length, Dim):
            self._refuse(TensorIterationError, f"was iterated over, and its length `{length}` is not known",
                         "Work on the whole array, or declare the length in input_signature.")  # fmt: skip
        return iter([self[i] for i in range(length)])

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        self._refuse(InPlaceWriteError, "was written to in place (x[...] = value)",
                     "Make a new array: np.where(mask, value, x), np.concatenate(...).")  # fmt: skip

    def __delitem__(self, index: Any) -> NoReturn:
        raise ValueError("cannot delete array elements")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'Tensor' object has no attribute '{name}'")
        if name in ("fill", "sort", "partition", "put", "itemset", "resize", "setfield", "setflags"):
            self._refuse(InPlaceWriteError, f"was changed in place (x.{name})", _INSTEAD.get(name, "Make a new array."))
        self._refuse(UnsupportedFunctionError, f"has no traced `.{name}`", "Use a NumPy function; see docs/numpy.md.")

    def _refuse(self, error: Callable[[str], Exception], what: str, fix: str) -> NoReturn:
        self._trace.check(self)
        raise error(message(f"{self.describe()} {what}", where(user_source(3)), fix))

    # --- NumPy's protocols --------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .protocols import call_ufunc

        return call_ufunc(self._trace, ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        from .protocols import call_function

        return call_function(self._trace, func, args, kwargs)

    def _call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        from .protocols import call_function

        return call_function(self._trace, function, args, kwargs)

    # --- indexing and views -------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        from .protocols import get_item

        return get_item(self, index)

    @property
    def T(self) -> Any:
        return self._call(np.transpose, self)

    @property
    def mT(self) -> Any:
        return self._call(np.matrix_transpose, self)

    @property
    def real(self) -> Any:
        return self._call(np.real, self)

    @property
    def imag(self) -> Any:
        return self._call(np.imag, self)

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
        target = shape[0] if len(shape) == 1 else shape
        extra = {} if copy is None else {"copy": copy}
        return self._call(np.reshape, self, target, order=order, **extra)

    def transpose(self, *axes: Any) -> Any:
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)):
            axes = axes[0]
        return self._call(np.transpose, self, axes or None)

    def ravel(self, order: str = "C") -> Any:
        return self._call(np.ravel, self, order=order)

    def flatten(self, order: str = "C") -> Any:
        return self._call(np.copy, self._call(np.ravel, self, order=order), order="K")

    def squeeze(self, axis: Any = None) -> Any:
        return self._call(np.squeeze, self, axis=axis)

    def swapaxes(self, axis1: int, axis2: int) -> Any:
        return self._call(np.swapaxes, self, axis1, axis2)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        return self._call(np.diagonal, self, offset=offset, axis1=axis1, axis2=axis2)

    # --- copies and casts ---------------------------------------------------------------------------------------------

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
    ) -> Any:
        from .protocols import cast

        return cast(self, np.dtype(dtype), order, casting, subok, copy)

    def copy(self, order: str = "C") -> Any:
        return self._call(np.copy, self, order=order) if self._node.types[0].kind is Kind.ARRAY else self

    def __copy__(self) -> Any:
        return self.copy(order="K")

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy(order="K")

    # --- calculations -------------------------------------------------------------------------------------------------

    def conj(self) -> Any:
        return self._call_ufunc(np.conjugate, self)

    conjugate = conj

    def clip(self, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
        return self._call(np.clip, self, min, max, out=out, **kwargs)

    def dot(self, b: Any, out: Any = None) -> Any:
        return self._call(np.dot, self, b, out=out)

    def compress(self, condition: Any, axis: Any = None, out: Any = None) -> Any:
        return self._call(np.compress, condition, self, axis=axis, out=out)

    def choose(self, choices: Any, out: Any = None, mode: str = "raise") -> Any:
        return self._call(np.choose, self, choices, out=out, mode=mode)

    def nonzero(self) -> Any:
        return self._call(np.nonzero, self)

    def _call_ufunc(self, ufunc: np.ufunc, *inputs: Any) -> Any:
        from .protocols import call_ufunc

        return call_ufunc(self._trace, ufunc, "__call__", inputs, {})


_INSTEAD = {
    "sort": "Write `x = np.sort(x)`.",
    "fill": "Write `x = np.full_like(x, value)`.",
    "partition": "Write `x = np.partition(x, kth)`.",
    "resize": "Write `x = np.resize(x, shape)`.",
}


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


def _binary(name: str, ufunc: np.ufunc) -> None:
    """Gives Tensor the operator `name`, its reflection and its in-place form."""
    scalar_op = by_call(getattr(operator, name))
    assert scalar_op is not None
    always_scalar = name == "pow"  # `x ** 2` is not np.power(x, 2) for arrays either

    def compute(left: Any, right: Any) -> Any:
        from .protocols import call_ufunc

        if not (isinstance(left, _OPERANDS) and isinstance(right, _OPERANDS)):
            return NotImplemented
        trace = left._trace if type(left) is Tensor else right._trace
        if always_scalar or (_is_scalar(left) and _is_scalar(right)):
            return trace.record(scalar_op, (left, right), {})
        return call_ufunc(trace, ufunc, "__call__", (left, right), {})

    def forward(self: Tensor, other: Any) -> Any:
        return compute(self, other)

    def reflected(self: Tensor, other: Any) -> Any:
        return compute(other, self)

    def in_place(self: Tensor, other: Any) -> Any:
        from .protocols import in_place_verdict, write_in_place

        if self._node.types[0].kind is not Kind.ARRAY:
            return compute(self, other)
        try:
            value = compute(self, other)
        except Exception:
            in_place_verdict(ufunc, self, other)
            raise
        if value is NotImplemented:
            return value
        return write_in_place(self, value, f"x {_symbol(scalar_op)}= ...")

    dunder = name.strip("_")
    setattr(Tensor, f"__{dunder}__", forward)
    setattr(Tensor, f"__r{dunder}__", reflected)
    setattr(Tensor, f"__i{dunder}__", in_place)


def _symbol(op: Op | None) -> str:
    return op.symbol if op else ""


def _comparison(name: str, ufunc: np.ufunc) -> None:
    scalar_op = by_call(getattr(operator, name))

    def compare(self: Tensor, other: Any) -> Any:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        if _is_scalar(self) and _is_scalar(other):
            return self._trace.record(scalar_op, (self, other), {})  # type: ignore[arg-type]
        return self._call_ufunc(ufunc, self, other)

    setattr(Tensor, f"__{name}__", compare)


def _unary(name: str, ufunc: np.ufunc) -> None:
    scalar_op = by_call(getattr(operator, name))

    def compute(self: Tensor) -> Any:
        if _is_scalar(self) and scalar_op is not None:
            return self._trace.record(scalar_op, (self,), {})
        return self._call_ufunc(ufunc, self)

    setattr(Tensor, f"__{name}__", compute)


def _is_scalar(value: Any) -> bool:
    """True for what NumPy's operators treat as a number: no array, no list."""
    if type(value) is Tensor:
        return value._node.types[0].kind is not Kind.ARRAY
    return not isinstance(value, np.ndarray | list | tuple)


_OPERANDS = (Tensor, SymbolicInt, np.ndarray, np.generic, int, float, complex, str, bytes, list, tuple)


def _method(name: str) -> None:
    """Gives Tensor the ndarray method `name`, which takes what the NumPy function of that name takes."""
    function = getattr(np, name)

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return self._call(function, self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"As `np.ndarray.{name}`."
    setattr(Tensor, name, method)


def _divmod(self: Tensor, other: Any) -> Any:
    return self._call_ufunc(np.divmod, self, other) if isinstance(other, _OPERANDS) else NotImplemented


def _rdivmod(self: Tensor, other: Any) -> Any:
    return self._call_ufunc(np.divmod, other, self) if isinstance(other, _OPERANDS) else NotImplemented


def _matmul(self: Tensor, other: Any) -> Any:
    return self._call_ufunc(np.matmul, self, other) if _has_matmul(self, other) else NotImplemented


def _rmatmul(self: Tensor, other: Any) -> Any:
    return self._call_ufunc(np.matmul, other, self) if _has_matmul(self, other) else NotImplemented


def _has_matmul(left: Any, right: Any) -> bool:
    """NumPy's scalars have no `@`."""
    return isinstance(right, _OPERANDS) and not (_is_scalar(left) and _is_scalar(right))


def _install() -> None:
    for name, ufunc in (
        ("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("truediv", np.divide),
        ("floordiv", np.floor_divide), ("mod", np.remainder), ("pow", np.power), ("and_", np.bitwise_and),
        ("or_", np.bitwise_or), ("xor", np.bitwise_xor), ("lshift", np.left_shift), ("rshift", np.right_shift),
    ):  # fmt: skip
        _binary(name, ufunc)
    for name, ufunc in (
        ("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal), ("gt", np.greater),
        ("ge", np.greater_equal),
    ):  # fmt: skip
        _comparison(name, ufunc)
    for name, ufunc in (("neg", np.negative), ("pos", np.positive), ("invert", np.invert), ("abs", np.absolute)):
        _unary(name, ufunc)
    for name in (
        "all", "any", "argmax", "argmin", "argpartition", "argsort", "cumprod", "cumsum", "max", "mean", "min", "prod",
        "repeat", "round", "searchsorted", "std", "sum", "take", "trace", "var",
    ):  # fmt: skip
        _method(name)
    for dunder, function in (
        ("divmod", _divmod), ("rdivmod", _rdivmod), ("matmul", _matmul), ("rmatmul", _rmatmul),
    ):  # fmt: skip
        setattr(Tensor, f"__{dunder}__", function)


_install()
