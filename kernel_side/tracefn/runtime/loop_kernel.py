"""A kernel of loops that Python can call: machine code on copies of what it writes into, NumPy for what is unusual."""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from ..codegen import Program, numpy_program
from ..codegen.native.engine import MachineCode, compiled
from ..codegen.native.loop_code import loop_code
from ..ir.dims import Dim
from ..ir.graph import Graph, Node
from ..ir.types import Kind, python_type
from .native_kernel import module_text

FUTILE = 8
"""After so many calls in a row that machine code could not finish a kernel gives up."""


class LoopKernel:
    """The kernel of a graph of loops. `function` takes the graph's inputs in order, and gives its output, or a tuple of
    them. NumPy may write into those that are `owned`, as it would without a kernel: what was written before an error
    stays."""

    def __init__(
        self, graph: Graph, name: str, module: Mapping[str, Any] | None = None, owned: Collection[Node] = ()
    ) -> None:
        self.graph = graph
        self.name = name
        self._module = module
        self._owned = owned
        self._futile = 0
        self._loops = loop_code(graph)
        self.text = module_text(self._loops.code, "")
        self._code = compiled(self.text)
        self._run = _runner(self._code)
        self.size = self._code.size
        scalars = [n for n, (kind, _) in zip(graph.outputs, self._loops.results, strict=True) if kind == "scalar"]
        given = "".join(["q" if n.type.kind is Kind.ARRAY else _word(n) for n in graph.inputs])
        given += "q" * (len(self._loops.lengths) + len(self._loops.made))
        self._given = struct.Struct(f"<{given}")
        self._found = struct.Struct("<" + "".join(map(_word, scalars)))
        self._frame = ctypes.c_char * (self._given.size + self._found.size)
        self._symbols = [(name, node, axis) for name, (node, axis) in graph.symbols.items() if node in graph.inputs]
        self.function: Callable[..., Any] = self._called

    def _called(self, *args: Any) -> Any:
        found = self._computed(args) if self._futile < FUTILE else None
        if found is None:
            self._futile += 1
            return self._numpy.function(*args)
        self._futile = 0
        return found[0] if len(found) == 1 else tuple(found)

    def _computed(self, args: tuple[Any, ...]) -> list[Any] | None:
        """The results. None where NumPy must find them."""
        graph, loops = self.graph, self._loops
        if not all(map(_is_usual, graph.inputs, args)):
            return None
        given = dict(zip(graph.inputs, args, strict=True))
        symbols = {name: given[node].shape[axis] for name, node, axis in self._symbols}
        words, kept = [], []
        for node, value in given.items():
            if node.type.kind is not Kind.ARRAY:
                words.append(value)
                continue
            if value.shape != node.type.shape and value.shape != _shape(node, symbols):
                return None
            kept.append(value if value.flags.c_contiguous else value.copy("C"))
            words.append(kept[-1].ctypes.data)
        made = [np.empty(_shape(node, symbols), node.type.dtype) for node in loops.made]
        words += [n.value(symbols) for n in loops.lengths]
        words += [a.ctypes.data for a in made]
        frame = self._frame()
        try:
            self._given.pack_into(frame, 0, *words)
        except struct.error:  # a Python int of more than 64 bits
            return None
        outcome = self._run(ctypes.addressof(frame))
        if outcome:
            return None
        scalars = self._found.unpack_from(frame, self._given.size)
        return [
            _scalar(node, scalars[i]) if kind == "scalar" else made[i] if kind == "made" else args[i]
            for node, (kind, i) in zip(graph.outputs, loops.results, strict=True)
        ]

    @functools.cached_property
    def _numpy(self) -> Program:
        return numpy_program(self.graph, self.name, self._module, self._owned)


def _is_usual(node: Node, value: Any) -> bool:
    if node.type.kind is Kind.ARRAY:
        return type(value) is np.ndarray and value.dtype == node.type.dtype and value.flags.aligned
    return type(value) is (node.type.dtype.type if node.type.kind is Kind.SCALAR else python_type(node.type.dtype))


def _shape(node: Node, symbols: Mapping[str, int]) -> tuple[int, ...]:
    return tuple([n.value(symbols) if isinstance(n, Dim) else n for n in node.type.shape])


_WORDS = {"b1": "?7x", "i1": "b7x", "u1": "B7x", "i2": "h6x", "u2": "H6x", "i4": "i4x", "u4": "I4x", "i8": "q"}
_WORDS |= {"u8": "Q", "f4": "f4x", "f8": "d"}


def _word(node: Node) -> str:
    """How a scalar lies in a word of the frame, as `struct` says it."""
    dtype = node.type.dtype
    return _WORDS[f"{dtype.kind}{dtype.itemsize}"]


def _scalar(node: Node, value: Any) -> Any:
    return node.type.dtype.type(value) if node.type.kind is Kind.SCALAR else value


def _runner(code: MachineCode) -> Callable[[int], int]:
    """`run` of the machine code, which gives back the global lock itself, and raises what a signal's handler raised."""
    run = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(code.address("run"))
    run.code = code  # type: ignore[attr-defined]
    return run
