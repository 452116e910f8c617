"""Kernels for arguments that do not lie in memory as C has them, compiled for the strides that calls bring."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..codegen.machine.engine import MachineCode
from ..codegen.native import CompiledKernel, Kernel
from .builtin import kernel_code
from .worker import later

MOST_STRIDES = 8
"""Limit of the memory layouts of arguments that a kernel is compiled for."""

OFTEN = 4
"""Calls with arguments of one layout after which machine code takes them, too."""

MOST_COUNTED = 64
"""So many layouts are counted at a time."""

Strides = tuple[tuple[int, ...], ...]
"""Those of all arrays that are arguments and have axes."""

Run = Callable[[Any], int]


class OfLayout(NamedTuple):
    """A kernel for arrays of one layout, and its loops."""

    compiled: CompiledKernel
    run: Run

    @property
    def kernel(self) -> Kernel:
        return self.compiled.kernel


class LaidOut:
    """The kernels of one for other layouts."""

    def __init__(self, compiled: CompiledKernel) -> None:
        self.functions: dict[Strides, Callable[..., Any]] = {}
        self._compiled = compiled
        self._kernel = compiled.kernel
        self._lock = threading.Lock()
        self._known: dict[Strides, OfLayout] = {}
        self._calls: dict[Strides, int] = {}

    def of(self, arrays: Sequence[Any]) -> OfLayout | None:
        """The kernel for arrays in such a layout. None where NumPy is to do it."""
        if not self._fits(arrays):
            return None
        strides = tuple([a.strides for a in arrays])
        with self._lock:
            if strides not in self._known:
                if len(self._known) >= MOST_STRIDES:
                    return None
                made = self._compiled.for_strides(strides)
                self._known[strides] = OfLayout(made, runner(made.code))
            return self._known[strides]

    def count(self, arrays: Sequence[Any], words: Any, others: Sequence[Callable[..., Any]]) -> None:
        """Counts a call with arrays. Where a layout is frequent, a function for it is made in the background, which
        leaves the same calls to `others` as the kernel's own function."""
        strides = tuple([a.strides for a in arrays])
        if len(self._calls) > MOST_COUNTED:
            self._calls.clear()
        calls = self._calls[strides] = self._calls.get(strides, 0) + 1
        if calls == OFTEN and self._fits(arrays):
            later(weakref.ref(self), lambda own: own._build(arrays, strides, words, others))

    def _build(self, arrays: Sequence[Any], strides: Strides, words: Any, others: Sequence[Callable[..., Any]]) -> None:
        """Makes the function for arrays in such a layout."""
        found = self.of(arrays)
        if found is not None:
            entry = found.compiled.entry()
            code = kernel_code(entry, found.compiled.code, ())
            self.functions[strides] = code.function(words.copy(), *others)

    def _fits(self, arrays: Sequence[Any]) -> bool:
        fits = self._kernel.is_for_strides and len(arrays) == len(self._kernel.arrays)
        return fits and not any(map(_is_stretched, arrays))


def _is_stretched(array: Any) -> bool:
    """True if elements of an array share memory: NumPy chooses the layout of results in a way of its own."""
    return any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))


def runner(code: MachineCode) -> Run:
    """The loops of a kernel."""
    run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(code.address("run"))
    run.code = code  # type: ignore[attr-defined]
    return run
