"""Variable: an array that is kept from call to call, and that traced functions read and assign."""

from __future__ import annotations

import itertools
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import message
from ..ir.types import Kind, dtype_name
from .context import Trace, check_array, current
from .journal import Held
from .origin import user_source, where
from .tensor import Tensor
from .variable_values import as_initial, as_value, check_dtype, check_shape, traced_initial, traced_value

_numbers = itertools.count()


class Variable:
    """An array that is kept between calls and changed by assignment, in traced functions and outside.

    Parameters
    ----------
    initial_value: anything `np.array` takes, or a callable that returns it
    trainable: bool
        Whether gradients are taken with respect to it.
    dtype: anything `np.dtype` accepts, optional
    name: str, optional
        Names the variable in messages and graphs.
    shape: sequence of int or None, optional
        None stands for a length that assignments may change. Without it the shape is that of the initial value.

    It acts as an array in NumPy functions and operators. In-place operators assign: `v += 1` is `v.assign_add(1)`. A
    variable of shape () holds a NumPy scalar. What `value()` returns is never changed afterwards: assignments replace it.

    In a traced function reads and assignments happen in the order of the program, and the call assigns when its program
    has run; a program that raises assigns nothing. A call reads and assigns what it assigns in one step: no other thread
    comes in between. A variable may be created on the first call of a traced function alone, where something outside
    holds it afterwards.

    Raises `TypeError` for values whose dtype cannot be cast within its kind, `ValueError` for those of another shape.

    >>> import numpy as np, tracefn
    >>> w = tracefn.Variable([1.0, 2.0], name="w")
    >>> @tracefn.function
    ... def step(x):
    ...     w.assign_add(x)
    ...     return w * 2
    >>> step(np.ones(2)), step(np.ones(2)), w
    (array([4., 6.]), array([6., 8.]), <tracefn.Variable 'w' shape=(2,) dtype=float64, value=array([3., 4.])>)
    """

    __slots__ = ("__weakref__", "_dtype", "_lock", "_name", "_number", "_shape", "_trainable", "_value")
    __array_priority__ = 900

    def __init__(
        self,
        initial_value: Any,
        trainable: bool = True,
        dtype: Any = None,
        name: str | None = None,
        shape: Sequence[int | None] | None = None,
    ) -> None:
        self._name = name or "Variable"
        self._trainable = bool(trainable)
        self._lock = threading.RLock()
        self._number = next(_numbers)
        self._value: Any = None
        found = initial_value() if callable(initial_value) else initial_value
        trace = current()
        tensor = None if trace is None else traced_initial(trace, as_value(found), dtype)
        if tensor is None:
            if isinstance(found, np.ndarray):
                check_array(found, "the initial value of a Variable", user_source())
            found = as_initial(as_value(found), dtype)
            check_array(found, "the initial value of a Variable", user_source())
        lengths = found.shape if tensor is None else _lengths(trace, tensor)
        self._dtype: np.dtype[Any] = found.dtype if tensor is None else tensor.dtype
        self._shape: tuple[int | None, ...] = lengths if shape is None else _declared(shape)
        check_shape(self, lengths)
        if tensor is None:
            self._value = found
        if trace is not None:
            if tensor is None:
                tensor = Tensor(trace.value_node_of_constant(found), trace, owned=False)
            trace.variables.create(trace, self, tensor, user_source())

    # --- what is known

    @property
    def name(self) -> str:
        return self._name

    @property
    def trainable(self) -> bool:
        return self._trainable

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape of what it holds now."""
        if None not in self._shape:
            return self._shape
        shape: tuple[Any, ...] = self.value().shape
        return shape

    @property
    def ndim(self) -> int:
        return len(self._shape)

    @property
    def size(self) -> Any:
        return self.value().size

    # --- reading

    def value(self) -> Any:
        """What it holds now: an array that cannot be written to, or a NumPy scalar for shape (); a Tensor in a trace."""
        trace = current()
        return self._known_value() if trace is None else trace.variables.read(self)

    def numpy(self) -> Any:
        """A copy of what it holds now."""
        value = self.value()
        return np.copy(value) if value.ndim else value

    read_value = value

    def __getitem__(self, index: Any) -> Any:
        """A copy of some elements, as writing to them would not change the variable: `v[0] = x` does."""
        part = self.value()[_index(index)]
        if type(part) is Tensor:
            return part if part._owned else part.copy(order="K")
        return part if not isinstance(part, np.ndarray) or part.flags.writeable else part.copy(order="K")

    def __len__(self) -> int:
        return len(self.value())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __contains__(self, item: Any) -> bool:
        return as_value(item) in self.value()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        value = self.value()
        return value.__array__(dtype, copy) if type(value) is Tensor else np.array(value, dtype, copy=copy)

    def __tracefn_tensor__(self) -> Any:
        return self.value()

    def __getattr__(self, name: str) -> Any:
        """The methods and attributes of arrays: `v.sum()`, `v.T`."""
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'Variable' object has no attribute '{name}'")
        return getattr(self.value(), name)

    # --- assigning

    def assign(self, value: Any) -> Variable:
        """Makes `value`, of the same shape, what the variable holds. Returns the variable."""
        value = as_value(value)
        trace = current()
        if trace is None:
            self._store(self._checked(value))
        else:
            self._assign_in(trace, traced_value(trace, self, value))
        return self

    def assign_add(self, delta: Any) -> Variable:
        """`v += delta`. Returns the variable."""
        return self._update(operator.add, delta)

    def assign_sub(self, delta: Any) -> Variable:
        """`v -= delta`. Returns the variable."""
        return self._update(operator.sub, delta)

    def _update(self, change: Callable[[Any, Any], Any], other: Any) -> Variable:
        other = as_value(other)
        if current() is not None:
            return self.assign(change(self.value(), other))
        with self._lock:
            return self.assign(change(self._known_value(), other))

    def __setitem__(self, index: Any, value: Any) -> None:
        from .protocols import set_item

        index, value = _index(index), as_value(value)
        trace = current()
        if trace is None:
            with self._lock:
                changed = np.array(self._known_value())
                changed[index] = value
                self._store(_frozen(changed))
            return
        if self._shape:
            changed = Tensor(trace.node_of(self.value()), trace, owned=True)
            set_item(changed, index, value)
        else:
            np.zeros(())[index]  # NumPy's own error
            changed = traced_value(trace, self, value, casting="unsafe")
        self._assign_in(trace, changed)

    def _assign_in(self, trace: Trace, value: Tensor) -> None:
        trace.journal.will_change(Held(self, self._name), user_source(3))
        self._set_state(value)

    def _state(self) -> Tensor:
        """What it holds at this place of the trace under way: see `journal.Held`."""
        trace = current()
        assert trace is not None
        return trace.variables.read(self)

    def _set_state(self, state: Tensor) -> None:
        trace = current()
        assert trace is not None
        trace.variables.hold(self, state)

    # --- what it holds outside of traces

    def _known_value(self) -> Any:
        if self._value is None:
            raise ValueError(
                message(
                    f"the Variable {self._name!r} has no value: the call that was to give its initial value has not "
                    "ended, or failed",
                    where(user_source()),
                    "Assign to it, or create it anew.",
                )
            )
        return self._value

    def _checked(self, value: Any) -> Any:
        """The value as this variable can hold it: an array of its own. Raises where dtype or shape do not fit."""
        found = check_dtype(self, value)
        check_shape(self, found.shape)
        return _frozen(np.array(found, self._dtype))

    def _store(self, value: Any) -> None:
        with self._lock:
            self._value = value

    # --- Python and NumPy

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "at" and isinstance(inputs[0], Variable):
            return inputs[0]._changed_by(lambda array: ufunc.at(array, *map(as_value, inputs[1:])))
        return self._call(getattr(ufunc, method), tuple(map(as_value, inputs)), kwargs)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return self._call(func, _values(args), kwargs)

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A NumPy function on values; where `out` is a variable it is assigned the result."""
        out = kwargs.get("out")
        target = out[0] if type(out) is tuple and len(out) == 1 else out
        if not isinstance(target, Variable):
            return function(*args, **_values(kwargs))
        result = function(*args, **_values({k: v for k, v in kwargs.items() if k != "out"}))
        return target.assign(np.broadcast_to(result, target.shape))

    def _changed_by(self, change: Callable[[Any], None]) -> None:
        with self._lock:
            changed = np.array(self.value())
            change(changed)
            self._store(_frozen(changed))

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return bool(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __int__(self) -> int:
        return int(self.value())

    def __complex__(self) -> complex:
        return complex(self.value())

    def __index__(self) -> int:
        return operator.index(self.value())

    def __repr__(self) -> str:
        shown = "nothing yet" if current() is None and self._value is None else repr(self.value())
        shape = self._shape if current() is not None or self._value is None else self.shape
        return f"<tracefn.Variable {self._name!r} shape={shape} dtype={dtype_name(self._dtype)}, value={shown}>"

    def __format__(self, spec: str) -> str:
        return format(self.value(), spec) if spec else repr(self)

    def __deepcopy__(self, memo: Any) -> Variable:
        return self._like(self.value())

    def __copy__(self) -> Variable:
        return self._like(self.value())

    def _like(self, value: Any) -> Variable:
        return type(self)(value, self._trainable, self._dtype, self._name, self._shape)

    def __reduce__(self) -> Any:
        return type(self), (self.numpy(), self._trainable, self._dtype, self._name, self._shape)


def _declared(shape: Sequence[int | None] | int) -> tuple[int | None, ...]:
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    return tuple(None if n is None else operator.index(n) for n in lengths)


def _lengths(trace: Any, tensor: Tensor) -> tuple[int, ...]:
    return tuple([operator.index(n) for n in tensor.shape])


def _frozen(array: Any) -> Any:
    """An array that nobody writes to, or a NumPy scalar."""
    if not array.ndim:
        return array[()]
    array.flags.writeable = False
    return array


def _index(index: Any) -> Any:
    return tuple(map(as_value, index)) if type(index) is tuple else as_value(index)


def _values(value: Any) -> Any:
    """The value with what the variables in it hold, also in lists, tuples and dicts."""
    if type(value) in (list, tuple):
        return type(value)(map(_values, value))
    return {k: _values(v) for k, v in value.items()} if type(value) is dict else as_value(value)


_BINARY = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift".split()


def _forward(function: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    return lambda self, other: function(self.value(), as_value(other))


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Any]:
    return lambda self, other: function(other, self.value())


def _in_place(function: Callable[[Any, Any], Any]) -> Callable[[Variable, Any], Variable]:
    return lambda self, other: self._update(function, other)


def _install() -> None:
    for name in _BINARY:
        function, dunder = getattr(operator, name), name.strip("_")
        setattr(Variable, f"__{dunder}__", _forward(function))
        setattr(Variable, f"__r{dunder}__", _reflected(function))
        setattr(Variable, f"__i{dunder}__", _in_place(function))
    for name in "eq ne lt le gt ge".split():
        setattr(Variable, f"__{name}__", _forward(getattr(operator, name)))
    for name in "neg pos invert abs".split():
        setattr(Variable, f"__{name}__", lambda self, function=getattr(operator, name): function(self.value()))
    Variable.__divmod__ = _forward(divmod)  # type: ignore[attr-defined]
    Variable.__rdivmod__ = _reflected(divmod)  # type: ignore[attr-defined]


_install()
