"""Variable: an array that is kept from call to call, and that traced functions read and assign."""

from __future__ import annotations

import itertools
import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import message
from ...ir.types import dtype_name
from .. import provided
from ..active import ACTIVE, current
from ..context import Trace
from ..origin import user_source, where
from ..reads import as_value
from ..state.place import Held
from ..tensor import Tensor
from .array_protocol import StoredArray, index_value
from .conversions import Converts
from .values import as_initial, check_dtype, check_shape, traced_initial, traced_value

_numbers = itertools.count()


class Variable(StoredArray):
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
    variable of shape () holds a NumPy scalar. The result of `value()` never changes afterwards: assignments replace it.

    In a traced function reads and assignments happen in the order of the program, and the call assigns when its program
    has run; one that raises makes the assignments of the Python function. While a call runs no other thread assigns its
    Variables. A variable may be created on the first call of a traced function alone, where something outside holds it
    afterwards.

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
            found = as_initial(as_value(found), dtype)
        lengths = found.shape if tensor is None else _lengths(trace, tensor)
        self._dtype: np.dtype[Any] = found.dtype if tensor is None else tensor.dtype
        self._shape: tuple[int | None, ...] = lengths if shape is None else _declared(shape)
        check_shape(self, lengths)
        if tensor is None:
            self._value = found
        if trace is not None:
            if tensor is None:
                tensor = Tensor(trace.value_node_of_constant(found), trace, owned=False)
            trace.variables.create(self, tensor, user_source(), trace.journal, bool(getattr(trace, "depth", 0)))

    # --- known facts

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
        """The shape of its present content."""
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
        """Its present content: an array that is read-only, a NumPy scalar for shape (), or a Tensor in a trace."""
        if (trace := current()) is not None:
            return trace.variables.read(self)
        return ACTIVE.eager[-1].variable(self) if ACTIVE.eager else self._known_value()

    def numpy(self) -> Any:
        """A copy of its present content."""
        value = self.value() if current() is not None else self._known_value()
        return np.copy(value) if value.ndim else value

    read_value = value

    def __tracefn_tensor__(self) -> Any:
        return self.value()

    # --- assigning

    def assign(self, value: Any) -> Variable:
        """Makes `value`, of the same shape, the content of the variable. Returns the variable."""
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
        if (trace := current()) is not None:
            return self.assign(change(trace.variables.content(self), other))
        with self._lock:
            return self.assign(change(self._known_value(), other))

    def __setitem__(self, index: Any, value: Any) -> None:
        index, value = index_value(index), as_value(value)
        trace = current()
        if trace is None:
            self._changed_by(lambda array: array.__setitem__(index, value))
            return
        if self._shape:
            tensor = Tensor(trace.node_of(trace.variables.content(self)), trace, owned=True)
            provided.set_item(tensor, index, value)
        else:
            np.zeros(())[index]  # NumPy's own error
            tensor = traced_value(trace, self, value, casting="unsafe")
        self._assign_in(trace, tensor)

    def _changed_by(self, change: Callable[[Any], None]) -> None:
        with self._lock:
            changed = np.array(self._known_value())
            change(changed)
            self._store(_frozen(changed))

    def _assign_in(self, trace: Trace, value: Tensor) -> None:
        trace.journal.will_change(Held(self, self._name), user_source(3))
        self._set_state(value)

    def _state(self) -> Any:
        """Its content at this place of the trace under way: see `journal.Held`."""
        trace = current()
        assert trace is not None
        return trace.variables.state(self)

    def _set_state(self, state: Any) -> None:
        trace = current()
        assert trace is not None
        trace.variables.hold(self, state)

    # --- its content outside of traces

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
        found = check_dtype(self, value.value() if isinstance(value, Converts) else value)
        check_shape(self, found.shape)
        return _frozen(np.array(found, self._dtype))

    def _accepted(self, value: Any, is_fresh: bool) -> Any:
        """As `_checked`, for the result of a program, which has the dtype; `is_fresh`: nothing else refers to it."""
        if value.shape != self._shape:
            check_shape(self, value.shape)
        return _frozen(value if is_fresh or not value.ndim else value.copy(order="K"))

    def _store(self, value: Any) -> None:
        with self._lock:
            self._value = value

    # --- Python

    def __repr__(self) -> str:
        shown = "nothing yet" if current() is None and self._value is None else repr(self.value())
        shape = self._shape if current() is not None or self._value is None else self.shape
        return f"<tracefn.Variable {self._name!r} shape={shape} dtype={dtype_name(self._dtype)}, value={shown}>"

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
    """An array without writers, or a NumPy scalar."""
    if isinstance(array, np.generic):
        return array
    if not array.ndim:
        return array[()]
    array.setflags(write=False)
    return array
