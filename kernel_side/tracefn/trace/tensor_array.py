"""TensorArray: arrays of one dtype written one by one and read or stacked later, also in loops that the graph keeps."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ControlFlowError, message
from ..ir.op import by_name
from ..ir.types import NOTHING, Kind, dtype_name
from ..ops import tensor_array as reference
from .active import current
from .context import Trace
from .control.loops import fori_loop
from .origin import user_source, where
from .reads import as_value
from .state.place import Held
from .tensor import Tensor
from .values import lists
from .values.elements import as_scalar, fits, is_open, of_dtype, shape_of
from .values.symbolic_int import SymbolicInt


class TensorArray:
    """Arrays of one dtype, written and read by index.

    `size` is the number of elements, a Python int or a traced one; with `dynamic_size` a write behind the end makes it
    larger. `element_shape` is the shape of each element, with None for a length that is not known; without it, the
    first element that is written tells. With `infer_shape=False` elements may differ in length. An element that was not
    written reads as zeros. Elements of shape () are NumPy scalars.

    Methods that write return the TensorArray, so that code for `tf.TensorArray` works: `ta = ta.write(i, x)`. It may be
    (part of) the state of `while_loop`, `fori_loop`, `scan` and `cond`; use their results afterwards.

    Raises `TypeError` for a value of another dtype, `ValueError` for one of another shape, and `IndexError` for an
    index outside of it, in a trace at the call.

    >>> import numpy as np, tracefn
    >>> @tracefn.function
    ... def powers(x, n):
    ...     found = tracefn.TensorArray(x.dtype, size=n)
    ...     step = lambda i, state: (state[0] * x, state[1].write(i, state[0]))
    ...     return tracefn.fori_loop(0, n, step, (np.ones_like(x), found))[1].stack()
    >>> powers(np.array([2.0, 3.0]), np.int64(3)), powers(np.array([2.0, 3.0]), np.int64(1))
    (array([[1., 1.],
           [2., 3.],
           [4., 9.]]), array([[1., 1.]]))
    """

    __slots__ = ("__weakref__", "_dtype", "_dynamic", "_infer", "_shape", "_trace", "_values")

    def __init__(
        self,
        dtype: Any,
        size: Any = 0,
        dynamic_size: bool = False,
        element_shape: Sequence[int | None] | None = None,
        infer_shape: bool = True,
    ) -> None:
        self._dtype = np.dtype(dtype)
        self._dynamic = dynamic_size
        self._infer = infer_shape
        lengths = () if element_shape is None else element_shape
        shape = tuple([n.dim if isinstance(n, SymbolicInt) else n for n in lengths])
        self._shape: tuple[Any, ...] | None = None if element_shape is None else shape
        self._trace = current()
        self._values: list[Any] | Tensor
        if self._trace is not None and isinstance(size, Tensor | SymbolicInt):
            self._values = self._unwritten(self._trace, size)
        else:
            if operator.index(size) < 0:
                raise ValueError(message("a TensorArray cannot have a negative size", where(user_source()), f"{size}"))
            self._values = [None] * operator.index(size)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    @property
    def element_shape(self) -> tuple[int | None, ...] | None:
        """The shape of an element with None for lengths that are not known, or None where nothing is known."""
        found = self._shape if self._shape is not None or not self._infer else self._written_shape()
        return None if found is None else tuple(n if isinstance(n, int) else None for n in found)

    def size(self) -> Any:
        """The number of elements: an int, in a trace one that is known only at run time."""
        trace, values = self._current()
        return len(values) if trace is None or isinstance(values, list) else lists.ask(trace, values, "list_len")

    def write(self, index: Any, value: Any) -> TensorArray:
        """Makes `value` element number `index`."""
        value = self._checked(value)
        trace, values = self._writable()
        if trace is not None:
            name = "array_write_or_grow" if self._dynamic else "array_write"
            value = lists.stored(trace, value)
            return self._changed(trace, trace.record(by_name(name), (values, index, value), {}))
        place = operator.index(index)
        if self._dynamic and place >= len(values):
            values.extend([None] * (place + 1 - len(values)))
        reference.check_index(values, place)
        values[place] = value
        return self

    def read(self, index: Any) -> Any:
        """Element number `index`."""
        trace, values = self._staged() if isinstance(index, Tensor | SymbolicInt) else self._current()
        if trace is None:
            return reference.read(values, operator.index(index), self._dtype, self._zeros_shape())
        self._require_elements(values)
        return trace.record(by_name("array_read"), (values, index, self._dtype, self._zeros_shape()), {})

    def stack(self) -> Any:
        """All elements as one array with a new leading axis. Without elements its shape is `(0, *element_shape)`."""
        trace, values = self._filled()
        if trace is not None and values._node.type.dtype != NOTHING:
            return lists.as_array(trace, values)
        shape = tuple(n if isinstance(n, int) else 0 for n in self._shape or ())
        return np.stack(values) if trace is None and values else np.empty((0, *shape), self._dtype)

    def concat(self) -> Any:
        """All elements joined along their first axis. Raises `ValueError` where there is none, as NumPy does."""
        trace, values = self._filled()
        return np.concatenate(values) if trace is None else lists.ask(trace, values, "list_concatenate", 0)

    def gather(self, indices: Any) -> Any:
        """The elements at these indices, stacked. Indices count as those of an array."""
        return self.stack()[indices]

    def unstack(self, value: Any) -> TensorArray:
        """Makes the rows of an array the elements. Raises `ValueError` where there are more than `size`."""
        value = self._checked(value, rows=True)
        trace, values = self._writable()
        return self._replaced(trace, values, value, value.shape[0])

    def split(self, value: Any, lengths: Sequence[int]) -> TensorArray:
        """Makes pieces of these lengths along the first axis of an array the elements.

        The lengths must be known while tracing. Raises `ValueError` where they do not add up to the array's.
        """
        value = self._checked(value, pieces=True)
        ends = np.cumsum([operator.index(n) for n in lengths]).tolist()
        if not value.shape or (ends[-1] if ends else 0) != value.shape[0]:
            fix = f"{list(lengths)} for shape {value.shape}"
            raise ValueError(message("the lengths of a split must add up to the array's", where(user_source()), fix))
        if self._infer and len(set(lengths)) > 1:
            what = f"pieces of the lengths {list(lengths)} are written to a TensorArray of elements of one shape"
            raise ValueError(message(what, where(user_source()), "Give infer_shape=False."))
        trace, values = self._writable()
        return self._replaced(trace, values, [self._checked(v) for v in np.split(value, ends[:-1])], len(ends))

    def scatter(self, indices: Any, value: Any) -> TensorArray:
        """Makes the rows of an array the elements at these indices."""

        value = self._checked(value, rows=True)
        if not isinstance(indices, Tensor):
            for place, index in enumerate(indices):
                self.write(index, value[place])
            return self
        trace, _ = self._writable()
        after = fori_loop(0, indices.shape[0], lambda i, array: array.write(indices[i], value[i]), self)
        return self._changed(trace, after._values)

    def __len__(self) -> int:
        return operator.index(self.size())

    def __repr__(self) -> str:
        shape = "" if self._shape is None else f", element_shape={self._shape}"
        size = len(self._values) if isinstance(self._values, list) else self._values.shape[0]
        return f"TensorArray({dtype_name(self._dtype)}, size={size}{shape})"

    # --- for loops and branches

    def _state(self) -> Any:
        return self._values

    def _set_state(self, state: Any) -> None:
        self._values = state

    def __tracefn_flatten__(self) -> tuple[tuple[Any, ...], Any]:
        values = self._values if self._trace is None else self._staged()[1]
        if isinstance(values, list):
            return tuple(values), self._metadata("values")
        return (values,), self._metadata("list")

    def _metadata(self, form: str) -> Any:
        return self._dtype, self._shape, self._dynamic, self._infer, form

    @classmethod
    def __tracefn_unflatten__(cls, metadata: Any, children: tuple[Any, ...]) -> TensorArray:
        dtype, shape, dynamic, infer, form = metadata
        made = cls(dtype, 0, dynamic, shape, infer)
        made._values = list(children) if form == "values" else children[0]
        return made

    # --- the elements

    def _current(self) -> tuple[Trace | None, Any]:
        """The trace to read in and the elements: a list in the graph, or a Python list and no trace."""
        trace = current()
        if trace is None and isinstance(self._values, Tensor):
            self._values._trace.check(self._values)
        return (None, self._values) if isinstance(self._values, list) and trace is self._trace else self._staged()

    def _staged(self) -> tuple[Trace | None, Any]:
        """The trace and the elements, in the graph where there is a trace."""
        trace = current()
        if trace is not None and isinstance(self._values, list):
            if self._trace is None or self._trace.ended:
                fix = "Make it inside, or give it to the function as an argument."
                what = f"{self!r} was made outside the traced function that uses it"
                raise ControlFlowError(message(what, where(user_source()), fix))
            found = self._unwritten(self._trace, len(self._values))
            for index, value in enumerate(self._values):
                if value is not None:
                    stored = lists.stored(self._trace, value)
                    found = self._trace.record(by_name("array_write"), (found, index, stored), {})
            self._values = found
        return trace, self._values

    def _writable(self) -> tuple[Trace | None, Any]:
        """As `_staged`, before a change. A branch's or loop's changes outside of it go into its journal."""
        trace, values = self._staged()
        if trace is not None and values._trace is not trace:
            trace.journal.will_change(Held(self, "TensorArray"), user_source())
        return trace, values

    def _filled(self) -> tuple[Trace | None, Any]:
        """The trace, and a list of all elements in which nothing is unwritten."""
        trace, values = self._staged()
        shape = self._zeros_shape()
        if trace is None:
            return None, reference.filled(values, self._dtype, shape)
        if values._node.type.shape[0] != 0:
            self._require_elements(values)
        return trace, trace.record(by_name("array_filled"), (values, self._dtype, shape), {})

    def _require_elements(self, values: Tensor) -> None:
        if values._node.type.dtype == NOTHING:
            fix = "Give element_shape, or write an element before."
            raise ValueError(message(f"an element of {self!r} {reference.UNWRITTEN}", where(user_source()), fix))

    def _unwritten(self, trace: Trace, size: Any) -> Any:
        dtype = NOTHING if self._shape is None else self._dtype
        kind = Kind.SCALAR if self._shape == () else Kind.ARRAY
        return trace.record(by_name("array_unwritten"), (size, dtype, self._shape or (), kind.value), {})

    def _replaced(self, trace: Trace | None, values: Any, new: Any, count: Any) -> TensorArray:
        """Gives the array all new elements."""
        size = len(values) if trace is None else values._node.type.shape[0]
        known = isinstance(size, int) and isinstance(count, int)
        if not self._dynamic and known and count > size:
            fix = f"Make it larger (size={count}), or give dynamic_size=True."
            raise ValueError(message(f"{count} elements do not fit into {self!r}", where(user_source()), fix))
        if trace is None:
            return self._changed(None, [v[()] for v in new])
        if isinstance(new, list):
            return self._changed(trace, lists.new_list(trace, new))
        return self._changed(trace, lists.change(trace, lists.new_list(trace, []), "list_extend", new))

    def _changed(self, trace: Trace | None, values: Any) -> TensorArray:
        """The array with other elements: itself. In a branch or loop changes outside of it are taken back, and
        the result of its code must not be: another one."""
        outside = trace is not None and trace is not self._trace
        self._values = values
        return self.__tracefn_unflatten__(self._metadata("list"), (values,)) if outside else self

    def _written_shape(self) -> tuple[Any, ...] | None:
        """The shape of the elements that were written, None where there is none."""
        if isinstance(self._values, list):
            return next((tuple(v.shape) for v in self._values if v is not None), None)
        found = self._values._node.type
        return None if found.dtype == NOTHING else found.shape[1:]

    def _zeros_shape(self) -> tuple[Any, ...] | None:
        """The shape of zeros that stand for an element that was not written, None where it is not known."""
        for shape in (self._shape, self._written_shape()):
            if shape is not None and not any(n is None or is_open(n) for n in shape):
                return shape
        return None

    def _checked(self, value: Any, rows: bool = False, pieces: bool = False) -> Any:
        """A value, or an array of `rows` or of `pieces`, in the dtype and of the shape of the elements."""
        value = of_dtype(as_value(value), self._dtype)
        shape = shape_of(value)
        if rows and not shape:
            raise ValueError(message("a value without axes has no rows", where(user_source()), "Give an array."))
        wanted = [self._shape] + ([self._written_shape()] if self._infer and not pieces else [])
        for known in wanted:
            found = shape[1:] if rows else shape
            if known is not None and not fits(found[1:] if pieces else found, known[1:] if pieces else known):
                shown = tuple(None if n is None or is_open(n) else n for n in known)
                what = f"a value of shape {found} is written to a TensorArray of elements of shape {shown}"
                raise ValueError(message(what, where(user_source()), "With infer_shape=False lengths may differ."))
        return value if rows or pieces else as_scalar(value)
