"""A kernel of loops that Python can call: machine code, and NumPy, from the start, for unusual calls."""

from __future__ import annotations

import ctypes
import functools
import itertools
import struct
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from ..codegen import Program, numpy_program
from ..codegen.machine.abi import DATA
from ..codegen.machine.engine import MachineCode
from ..codegen.native import compile_loops, is_array
from ..ir.dims import Dim
from ..ir.graph import Graph, Node
from ..ir.types import Kind, Shape, TensorType, python_type
from .builtin import KernelCode, kernel_code

FUTILE = 8
"""Calls in a row that machine code could not finish before a kernel gives up."""


class LoopKernel:
    """The kernel of a graph of loops. `function` takes the graph's inputs in order, and gives its output, or a tuple of
    them. NumPy may write into those that are `owned`, as it would without a kernel: writes before an error
    stay. Those that others can see, which are not `fresh`, then have the content of the result. `state` is that of the
    machine code which leaves calls to `others`, where there is some."""

    def __init__(
        self,
        graph: Graph,
        name: str,
        module: Mapping[str, Any] | None = None,
        owned: Collection[Node] = (),
        fresh: Collection[Node] = (),
        state: np.ndarray | None = None,
    ) -> None:
        self.graph = graph
        self.name = name
        self.owned, self.fresh = owned, fresh
        self._module = module
        # calls in a row that were not finished, and the address of the code
        self._state = np.zeros(2, np.int64) if state is None else state
        self._compiled = compile_loops(graph, [n for n in owned if n not in fresh], fresh)
        self._loops = self._compiled.loops
        self.text = self._compiled.text
        self._run = _runner(self._compiled.code)
        self.size = self._compiled.code.size
        scalars = [n for n, (kind, _) in zip(graph.outputs, self._loops.results, strict=True) if kind == "scalar"]
        given = "".join(["q" if is_array(n) else _word(n) for n in graph.inputs])
        given += "q" * (len(self._loops.lengths) + len(self._loops.made) + 1)
        self._given = struct.Struct(f"<{given}")
        self._found = struct.Struct("<" + "".join(map(_word, scalars)))
        self._frame = ctypes.c_char * (self._given.size + self._found.size)
        place = {node: i for i, node in enumerate(graph.inputs)}
        self._types = [n.type for n in graph.inputs]
        self._arrays = [(i, n.type.shape) for n, i in place.items() if is_array(n)]
        self._symbols = [(name, place[n], axis) for name, (n, axis) in graph.symbols.items() if n in place]
        self._made = [(n.type.shape, n.type.dtype) for n in self._loops.made]
        self._kept = [(k, place[n]) for k, n in enumerate(self._loops.made) if self._loops.kept[k]]
        self._written = [place[n] for n in self._loops.written]
        self._shows_layout = any(self._loops.made[k].type.ndim > 1 for kind, k in self._loops.results if kind == "made")
        self.others = self._called, self._left
        self.code: KernelCode | None = None
        self.function: Callable[..., Any] = self._entry() if state is None else self._called

    def _entry(self) -> Callable[..., Any]:
        """The function for calls: machine code for the usual ones, where it knows all lengths."""
        entry = self._compiled.entry(FUTILE)
        if entry is None:
            return self._called
        self.size += entry.code.size
        self.code = kernel_code(entry, self._compiled.code, (0, 0))
        return self.code.function(self._state, *self.others)

    def _left(self, *args: Any) -> Any:
        return self._numpy.function(*args)

    def _called(self, *args: Any) -> Any:
        found = self._computed(args) if self._state[0] < FUTILE else None
        if found is None:
            self._state[0] += 1
            return self._numpy.function(*args)
        self._state[0] = 0
        return found[0] if len(found) == 1 else tuple(found)

    def _computed(self, args: tuple[Any, ...]) -> list[Any] | None:
        """The results. None where NumPy must find them."""
        if not all(map(_is_usual, self._types, args)):
            return None
        loops, symbols = self._loops, {name: args[i].shape[axis] for name, i, axis in self._symbols}
        words, copies = list(args), []
        for i, shape in self._arrays:
            array = args[i]
            if array.shape != shape and array.shape != _with_lengths(shape, symbols):
                return None
            if not array.flags.c_contiguous:
                if self._shows_layout and array.ndim > 1 and not _has_axes_in_order(array):
                    return None
                if loops.is_ordered and (array.ndim > 1 or array.strides[0] < 0):
                    return None
                copies.append((args[i], array := array.copy("C")))
            words[i] = _address(array)
        if symbols:
            made = [np.empty(_with_lengths(shape, symbols), dtype) for shape, dtype in self._made]
        else:
            made = [np.empty(shape, dtype) for shape, dtype in self._made]
        words += [n.value(symbols) for n in loops.lengths]
        words += map(_address, made)
        room = np.empty(loops.room, np.uint8) if loops.room else None
        words.append(0 if room is None else _address(room))
        frame = self._frame()
        try:
            self._given.pack_into(frame, 0, *words)
        except struct.error:  # a Python int of more than 64 bits
            return None
        if not all(args[i].flags.writeable for i in self._written):
            return None
        if self._run(ctypes.addressof(frame)):
            for k, i in self._kept:
                args[i][...] = made[k]
            return None
        for i in self._written:
            for given, copy in copies:
                if given is args[i]:
                    given[...] = copy
        scalars = self._found.unpack_from(frame, self._given.size)
        return [
            _scalar(node, scalars[i]) if kind == "scalar" else made[i] if kind == "made" else args[i]
            for node, (kind, i) in zip(self.graph.outputs, loops.results, strict=True)
        ]

    @functools.cached_property
    def _numpy(self) -> Program:
        return numpy_program(self.graph, self.name, self._module, self.owned)


def _is_usual(wanted: TensorType, value: Any) -> bool:
    if wanted.kind is Kind.ARRAY:
        return type(value) is np.ndarray and value.dtype == wanted.dtype and value.flags.aligned
    return type(value) is (wanted.dtype.type if wanted.kind is Kind.SCALAR else python_type(wanted.dtype))


def _has_axes_in_order(array: Any) -> bool:
    """True for a part of an array in C order: NumPy's results from it are in C order, too."""
    steps = [s for s, n in zip(array.strides, array.shape, strict=True) if n > 1]
    return all(a >= b for a, b in itertools.pairwise(steps)) and (not steps or steps[-1] > 0)


def _with_lengths(shape: Shape, symbols: Mapping[str, int]) -> tuple[int, ...]:
    return tuple([n.value(symbols) if isinstance(n, Dim) else n for n in shape])


_pointer_at = ctypes.c_void_p.from_address


def _address(array: Any) -> int:
    """Where the elements of an array are, several times faster than NumPy tells."""
    return _pointer_at(id(array) + DATA).value or 0


_WORDS = {"b1": "?7x", "i1": "b7x", "u1": "B7x", "i2": "h6x", "u2": "H6x", "i4": "i4x", "u4": "I4x", "i8": "q"}
_WORDS |= {"u8": "Q", "f4": "f4x", "f8": "d"}


def _word(node: Node) -> str:
    """How a scalar lies in a word of the frame, as `struct` says it."""
    dtype = node.type.dtype
    return _WORDS[f"{dtype.kind}{dtype.itemsize}"]


def _scalar(node: Node, value: Any) -> Any:
    return node.type.dtype.type(value) if node.type.kind is Kind.SCALAR else value


def _runner(code: MachineCode) -> Callable[[int], int]:
    """`run` of the machine code, which releases the GIL itself, and raises the error of a signal's handler."""
    run = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(code.address("run"))
    run.code = code  # type: ignore[attr-defined]
    return run
