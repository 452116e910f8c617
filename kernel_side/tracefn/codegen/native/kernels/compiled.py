"""Kernels as machine code."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from typing import NamedTuple

from ....ir.graph import Graph, Node
from ...machine.engine import MachineCode, compiled
from ..fusion.unrolled import unrolled
from ..scalar.module import Code
from .column_nest import column_code
from .elementwise import dense_code, strided_code
from .entry import ADDRESS, WORDS, KernelEntry
from .kernel import Kernel
from .row_kernel import RowKernel
from .row_nest import row_code
from .scan_nest import scanning_code
from .staged_reduction import reducing_code

Strides = tuple[tuple[int, ...], ...]
"""Those of all array arguments that have axes."""


class Entry(NamedTuple):
    """The machine code of `entry`, which Python calls. It takes `others` functions, for the calls that it leaves to
    them, an array of int64 that has the address of `run` at `place`, and the `objects`."""

    code: MachineCode
    others: int
    place: int
    objects: tuple[object, ...]


class CompiledKernel:
    """The machine code of a kernel. `text` is that of `run`, the loops for C-contiguous arguments, or for arguments
    with the `strides` that the kernel is made for. `code` is its machine code where that is known."""

    def __init__(self, kernel: Kernel, code: MachineCode | None = None) -> None:
        self.kernel = kernel
        self.code = compiled(self.text) if code is None else code
        self._lock = threading.Lock()

    @functools.cached_property
    def text(self) -> str:
        return _dense(self.kernel).module()

    def entry(self) -> Entry:
        """The code that Python calls: it checks the arguments, makes the results and calls `run`."""
        writer = KernelEntry(self.kernel)
        return Entry(compiled(writer.module(), has_loops=False), WORDS, ADDRESS, tuple(writer.objects))

    @property
    def strided(self) -> MachineCode:
        """The loops for any strides, compiled when they are first needed."""
        with self._lock:
            return self._strided

    @functools.cached_property
    def _strided(self) -> MachineCode:
        return compiled(strided_code(self.kernel).module())

    def for_strides(self, strides: Strides) -> CompiledKernel:
        """The kernel for arguments of these strides."""
        given: Mapping[Node, tuple[int, ...]] = dict(zip(self.kernel.arrays, strides, strict=True))
        return CompiledKernel(Kernel(self.kernel.graph, given))


def compile_kernel(body: Graph, by_rows: bool = False, code: MachineCode | None = None) -> CompiledKernel:
    """The kernel of a body that fusion has found; `by_rows` for one that goes row by row. `code` is its machine code
    where that is known.

    Raises Unsupported where the toolchain is missing.
    """
    return CompiledKernel(RowKernel(body) if by_rows else Kernel(unrolled(body)), code)


def _dense(kernel: Kernel) -> Code:
    """The loops of a kernel for C-contiguous arguments."""
    if isinstance(kernel, RowKernel):
        return row_code(kernel)
    if kernel.scans:
        return scanning_code(kernel)
    if not kernel.reductions:
        return dense_code(kernel)
    return column_code(kernel) if kernel.is_by_columns else reducing_code(kernel)
