"""Functions of machine code as built-in functions of Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codegen.machine.engine import MachineCode
from ..records import dataclass

if TYPE_CHECKING:
    from ..codegen.native import Entry


class _MethodDef(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("call", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


METH_KEYWORDS, METH_FASTCALL = 0x02, 0x80
_NAME = b"kernel"


def builtin(code: MachineCode, name: str, flags: int, *owned: Any) -> Callable[..., Any]:
    """A function of machine code as a built-in function. Its `self` is a tuple of the objects that it uses, and of
    those that must live as long as it does."""
    # Python reads the definition when the function goes. In a garbage cycle the collector frees the memory of a
    # structure of ctypes before that; it does not know arrays.
    definition = np.frombuffer(bytes(_MethodDef(_NAME, code.address(name), flags, None)), np.uint8)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    function: Callable[..., Any] = make(definition.ctypes.data, (*owned, code, definition), None)
    return function


@dataclass(frozen=True)
class KernelCode:
    """The parts that the function of a kernel is made from. `entry` takes the calls of Python, and leaves some to other
    functions, whose number is `others`. It finds `run` through an array of int64, which has its address at `place`;
    `words` are the other items. `objects` are those that `entry` refers to."""

    entry: MachineCode
    run: MachineCode
    others: int
    words: tuple[int, ...]
    place: int
    objects: tuple[Any, ...]

    @property
    def size(self) -> int:
        """Bytes of machine code."""
        return self.run.size + self.entry.size

    def function(self, words: np.ndarray, *others: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with others for the calls that machine code leaves to them."""
        words[self.place] = self.run.address("run")
        return builtin(self.entry, "entry", METH_FASTCALL | METH_KEYWORDS, *others, words, *self.objects, self.run)


def kernel_code(entry: Entry, run: MachineCode, words: tuple[int, ...]) -> KernelCode:
    """The same of an entry that was just compiled."""
    return KernelCode(entry.code, run, entry.others, words, entry.place, entry.objects)
