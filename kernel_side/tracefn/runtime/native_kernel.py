"""A kernel that Python can call: machine code for the usual call, NumPy for calls that raise floating-point flags."""

from __future__ import annotations

import functools
import math
import struct
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..codegen import Program, numpy_program
from ..codegen.native import (
    OUT_OF_RANGE,
    WORTH_PLANNING,
    Kernel,
    Order,
    apply,
    chain,
    compile_kernel,
    empty,
    orders,
    part,
)
from ..ir.graph import Graph, Node
from ..ir.types import Kind, python_type
from .builtin import KernelCode, kernel_code
from .laid_out import OFTEN, LaidOut, runner
from .reducing import reduced
from .threads import dense_frame, share_out, strided_frame
from .worker import later

FEW_IN_ROW, MANY_IN_ROW = 16, 4096
"""A loop of fewer rounds than `FEW_IN_ROW` is not the innermost one, unless the next loop has more than `MANY_IN_ROW`
rounds: its data would leave the cache before the next pass."""

MOST_ORDERS = 64
"""Limit of the memory layouts of arguments that are known at a time."""

WORTH_KERNELS = 1 << 10
"""Elements of arrays that are not C-contiguous from which a row kernel gets a variant that does not go by rows."""

FUTILE = 8
"""Calls with NaNs, or of products, that raised flags before a kernel gives up: NumPy warns of none of them."""


class NativeKernel:
    """The kernel of a graph whose nodes work on elements of one shape.

    `function` takes the graph's inputs in order, and gives its output, or a tuple of them. A kernel that goes row by
    row is given `by_columns`, which makes a function that takes arrays of other memory layouts. `code` is its machine
    code where that is known. `others` are the functions to which that leaves calls.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        module: Mapping[str, Any] | None = None,
        by_columns: Callable[[], Callable[..., Any]] | None = None,
        code: KernelCode | None = None,
    ) -> None:
        self.graph = graph
        self.name = name
        self.is_by_rows = by_columns is not None
        self._compiled = compile_kernel(graph, self.is_by_rows, None if code is None else code.run)
        self._kernel = self._compiled.kernel
        self._make_by_columns = by_columns
        self._module = module
        self._futile = 0
        self._often = 0
        self._laid_out = LaidOut(self._compiled)
        self._known_orders: dict[Any, dict[Node, Order]] = {}
        self._dense = runner(self._compiled.code)
        if code is None:
            most = min(self._kernel.worth_sharing, self._kernel.most)
            code = kernel_code(self._compiled.entry(), self._compiled.code, (0, most))
        self.code = code
        self.size = code.size
        self.others = self._called, self._flagged, self._by_numpy
        self._words = np.array(code.words, np.int64)
        self.function = code.function(self._words, *self.others)

    @property
    def text(self) -> str:
        return self._compiled.text

    def _by_numpy(self, *args: Any) -> Any:
        return self._numpy.function(*args)

    def _called(self, *args: Any) -> Any:
        """Takes any call that the program makes."""
        arrays = [a for a in args if type(a) is np.ndarray and a.ndim]
        function = self._laid_out.functions.get(tuple([a.strides for a in arrays]))
        return self._left(*args) if function is None else function(*args)

    def _left(self, *args: Any) -> Any:
        """Takes any call that is left to Python."""
        arrays = [a for a in args if type(a) is np.ndarray and a.ndim]
        if all(a.flags.c_contiguous for a in arrays):
            return self._computed(args, False)
        size = max(a.size for a in arrays)
        if self._make_by_columns is not None:
            return self._by_columns(*args) if self._is_worth_columns(size) else self._numpy.function(*args)
        self._laid_out.count(arrays, self._words, (self._left, self._flagged, self._by_numpy))
        return self._numpy.function(*args) if size < WORTH_PLANNING else self._computed(args, False)

    def _is_worth_columns(self, size: int) -> bool:
        """True if a call with arrays that do not lie row by row is one for other kernels: where they are small, these
        are made in the background when such calls come often."""
        if size >= WORTH_KERNELS or "_by_columns" in vars(self):
            return True
        self._often += 1
        if self._often == OFTEN:
            later(weakref.ref(self), lambda own: own._by_columns)
        return False

    def _flagged(self, *args: Any) -> Any:
        """Takes a call in which a floating-point flag was raised: NumPy warns, raises or stays silent as is set."""
        if set(np.geterr().values()) == {"ignore"} and not self._kernel.adds_up:  # an overflow depends on the order
            return self._computed(args, True)
        is_futile = self._kernel.has_product or self._kernel.searches  # NumPy does not tell of all their flags
        if is_futile or any(_holds_nan(a) for a in args):
            self._futile += 1
        return self._numpy.function(*args)

    def _computed(self, args: tuple[Any, ...], silent: bool) -> Any:
        kernel = self._kernel
        inputs = kernel.graph.inputs
        fits = kernel.shape and len(args) == len(inputs) and all(map(_is_usual, inputs, args))
        if self._futile >= FUTILE or not fits:
            return self._numpy.function(*args)
        given = dict(zip(inputs, args, strict=True))
        arrays = [given[n] for n in kernel.arrays]
        try:
            scalars = [word for n in kernel.scalars for word in _words(n, given[n])]
        except struct.error:  # a Python number that no register holds
            return self._numpy.function(*args)
        shape = _shape_of(kernel, given)
        if shape is None:
            return self._numpy.function(*args)
        is_dense, run = all(a.flags.c_contiguous for a in arrays), self._dense
        is_flat = not is_dense and kernel.is_flat and _lie_alike(arrays)
        if not is_dense and self._make_by_columns is not None:
            return self._by_columns(*args)
        if not is_dense and (kernel.reductions or kernel.scans):
            found = self._laid_out.of(arrays)
            if found is None:
                return self._numpy.function(*args)
            kernel, run, is_dense = found.kernel, found.run, True
        if kernel.reductions:
            if not 0 < math.prod(shape) < kernel.most:
                return self._numpy.function(*args)
            flags, made = reduced(kernel, run, arrays, shape, scalars)
            return self._finished(args, flags, made, silent)
        if not is_dense and (math.prod(shape) < WORTH_PLANNING or kernel.tables):
            return self._numpy.function(*args)
        least = kernel.worth_sharing // 2
        if is_flat:
            made = [np.empty_like(arrays[0], n.type.dtype) for n in kernel.results]
            flags = share_out(run, 0, [math.prod(shape)], dense_frame([*arrays, *made], scalars), least)
        elif is_dense:
            own = [kernel.lengths_of(n, list(shape), 1) for n in kernel.results]
            made = [empty(o, n.type.dtype, kernel.layouts.get(n)) for n, o in zip(kernel.results, own, strict=True)]
            lengths = [math.prod([shape[a] for a in group]) for group in kernel.axes]
            flags = share_out(run, 0, lengths, dense_frame([*arrays, *made], scalars), least)
            made = [m[()] if n.type.kind is Kind.SCALAR else m for n, m in zip(kernel.results, made, strict=True)]
        else:
            operands = {n: _viewed(n, given) for n in kernel.operands}
            layouts = self._orders(operands)
            made = [empty(shape, n.type.dtype, layouts.get(n)) for n in kernel.results]
            views = _reordered([*operands.values()], made)
            if views[0].ndim > 1 and views[0].shape[-1] < FEW_IN_ROW:
                views = _with_long_rows(kernel, views)
            lengths = [1] * (len(shape) - views[0].ndim) + list(views[0].shape)
            axis = next((a for a, n in enumerate(lengths) if n > 1), 0)
            flags = share_out(self._strided, axis, lengths, strided_frame(views, axis, scalars), least)
        return self._finished(args, flags, made, silent)

    def _orders(self, operands: Mapping[Node, Any]) -> dict[Node, Order]:
        """How NumPy lays out the results of these arrays in memory."""
        key = tuple([(a.strides, a.shape) for a in operands.values()])
        if (found := self._known_orders.get(key)) is None:
            if len(self._known_orders) >= MOST_ORDERS:
                self._known_orders.clear()
            found = self._known_orders[key] = orders(self._kernel.whole, {}, operands)
        return found

    def _finished(self, args: tuple[Any, ...], flags: int, made: list[Any], silent: bool) -> Any:
        if flags & OUT_OF_RANGE or (flags and not silent):
            return self._numpy.function(*args) if silent else self._flagged(*args)
        return made[0] if len(made) == 1 else tuple(made)

    @functools.cached_property
    def _by_columns(self) -> Callable[..., Any]:
        assert self._make_by_columns is not None
        return self._make_by_columns()

    @functools.cached_property
    def _numpy(self) -> Program:
        return numpy_program(self.graph, self.name, self._module)

    @functools.cached_property
    def _strided(self) -> Callable[[Any], int]:
        return runner(self._compiled.strided)


def _lie_alike(arrays: list[Any]) -> bool:
    """True for arrays whose elements lie one after the other, in the same order of axes."""
    first, after = arrays[0], arrays[0].itemsize
    for stride, length in sorted(zip(first.strides, first.shape, strict=True)):
        if length != 1 and stride != after:
            return False
        after *= length
    steps = [s // first.itemsize for s in first.strides]
    return all([s // a.itemsize for s in a.strides] == steps for a in arrays[1:])


def _shape_of(kernel: Kernel, given: Mapping[Node, Any]) -> tuple[int, ...] | None:
    """The shape that a kernel is to compute. None where the lengths of arguments are not those that it is made for."""
    shape = []
    for axis in range(len(kernel.shape)):
        length = kernel.length(axis)
        shape.append(length if isinstance(length, int) else given[length[0]].shape[length[1]])
    for node in kernel.arrays:
        if kernel.is_static or node not in kernel.operands:
            if given[node].shape != node.type.shape:
                return None
            continue
        first = len(shape) - node.type.ndim
        wanted = [n if kernel.is_full(node.type, first + k) else 1 for k, n in enumerate(shape[first:])]
        if list(given[node].shape) != wanted:
            return None
    return tuple(shape)


def _viewed(node: Node, given: Mapping[Node, Any]) -> Any:
    """The array that an operand is in this call."""
    root, *views = chain(node)
    return functools.reduce(lambda array, view: apply(view, array), views, given[root])


def _is_usual(node: Node, value: Any) -> bool:
    if node.type.kind is Kind.ARRAY:
        return type(value) is np.ndarray and value.dtype == node.type.dtype and value.flags.aligned
    return type(value) is (node.type.dtype.type if node.type.kind is Kind.SCALAR else python_type(node.type.dtype))


def _holds_nan(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc" and bool(np.isnan(value).any())


def _words(node: Node, value: Any) -> list[int]:
    """The bits of a scalar argument as words of the frame."""
    dtype = part(node.type.dtype)
    value = value.item() if isinstance(value, np.ndarray | np.generic) else value
    if isinstance(value, complex):
        return [_word(dtype, value.real), _word(dtype, value.imag)]
    return [_word(dtype, value)]


def _word(dtype: np.dtype[Any], value: Any) -> int:
    if dtype.kind == "f":
        packed = struct.pack("<d" if dtype.itemsize == 8 else "<f4x", value)
    else:
        packed = struct.pack("<Q" if dtype.kind == "u" else "<q", value)
    return int(struct.unpack("<q", packed)[0])


def _reordered(arrays: list[Any], made: list[Any]) -> list[Any]:
    """Views of arrays, and of those that are made from them, with their axes in the order of memory and merged where
    that can be."""
    flags: list[Any] = [["readonly"]] * len(arrays) + [["writeonly"]] * len(made)
    iterator = np.nditer([*arrays, *made], ["external_loop", "zerosize_ok"], flags, order="K")
    return list(iterator.itviews)


def _with_long_rows(kernel: Kernel, views: list[Any]) -> list[Any]:
    """Views of few elements along the last axis as others for the same loops: with the axis before as the last, or
    copied, so that more axes may be one. The remainder of a row is computed without vectors, which takes long for
    functions."""
    if not kernel.has_functions and views[0].shape[-2] <= MANY_IN_ROW:
        return [v.swapaxes(-1, -2) for v in views]
    count = len(kernel.operands)
    return _reordered([np.ascontiguousarray(v) for v in views[:count]], views[count:])
