"""Machine code from LLVM IR: optimised for this machine and freed with the object that holds it."""

from __future__ import annotations

import ctypes
import functools
import importlib
import re
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import abi, object_cache, object_file, processor
from .llvm import llvm_binding

_LOCK = threading.Lock()


class MachineCode:
    """Functions in memory, and the name of their file on disk. They live as long as this object."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self.size = len(content)
        self._called = {symbol.decode(): _shared(name.decode()) for symbol, name in _OF_SHARED.findall(content)}
        self._functions = object_file.load(content, _address) or _LoadedByLLVM(content, self._called)

    def address(self, name: str) -> int:
        return self._functions.address(name)


_KNOWN: weakref.WeakValueDictionary[str, MachineCode] = weakref.WeakValueDictionary()
"""Code in use: unrolled programs have many kernels of one text."""


def forget_contents() -> None:
    """Lets go the content of code that is not in memory any more."""
    if CONTENTS is not None:
        for name in set(CONTENTS).difference(list(_KNOWN)):
            CONTENTS.pop(name, None)


def called(content: bytes) -> list[str]:
    """The names of the shared code that an object file calls."""
    return list(dict.fromkeys(name.decode() for _, name in _OF_SHARED.findall(content)))


_OF_SHARED = re.compile(rb"(shared\.([0-9a-f]+)\.[\w.]+)")
"""The symbol of a function in shared code, and the name of that, in an object file."""


class _Elsewhere(threading.local):
    """The compiler of texts on this thread, in the place of LLVM in this process; None where there is no other."""

    code: Callable[[str, bool], bytes | None] = staticmethod(lambda text, has_loops: None)


ELSEWHERE = _Elsewhere()

CONTENTS: dict[str, bytes] | None = None
"""The content of all code in memory, by its name, in a process that compiles for another one."""


def compiled(text: str, has_loops: bool = True) -> MachineCode:
    """The machine code of a module's text: in memory already, as it was kept on disk, or compiled, with less care where
    it `has_loops` not. Raises RuntimeError where LLVM does not understand the text."""
    name = object_cache.key(text, str(has_loops), *surroundings())
    if (code := kept(name)) is not None:
        return code
    content = ELSEWHERE.code(text, has_loops) or object_code(text, has_loops)
    object_cache.store(name, content)
    return taken(name, content)


def taken(name: str, content: bytes) -> MachineCode:
    """The code of an object file, in memory from now on. Raises LookupError where code that it calls is not known."""
    if (known := _KNOWN.get(name)) is not None:
        return known
    if CONTENTS is not None:
        CONTENTS[name] = content
    return _KNOWN.setdefault(name, MachineCode(name, content))


def kept(name: str) -> MachineCode | None:
    """The machine code that has this name. None where it is neither in memory nor on disk."""
    if (known := _KNOWN.get(name)) is not None:
        return known
    content = object_cache.load(name)
    try:
        return None if content is None else taken(name, content)
    except LookupError:
        return None


def shared(text: str, function: str) -> str:
    """The symbol by which other machine code calls a function of a module. Such code stays in memory."""
    code = compiled(text)
    _shared(code.name)
    return f"shared.{code.name}.{function}"


@functools.cache
def _shared(name: str) -> MachineCode:
    """Raises LookupError where the code is not on disk any more."""
    if (code := kept(name)) is None:
        raise LookupError(name)
    return code


@functools.cache
def surroundings() -> tuple[str, ...]:
    """The versions and the processor that machine code depends on. Each version of llvmlite is for one of LLVM."""
    llvmlite: Any = importlib.import_module("llvmlite")
    return processor.identity(), llvmlite.__version__, sys.version, np.__version__


def object_code(text: str, has_loops: bool) -> bytes:
    """A module's machine code, as it is kept on disk."""
    with _LOCK:
        module = _llvm().parse_assembly(text)
        (_optimize if has_loops else _tidy)(module)
        return bytes(_machine(3 if has_loops else 0).emit_object(module))


class _LoadedByLLVM:
    """Functions in memory, where LLVM put them."""

    def __init__(self, content: bytes, called: Iterable[str]) -> None:
        llvm = _llvm()
        with _LOCK:
            _name_symbols()
            for symbol in called:
                llvm.add_symbol(symbol, _address(symbol))
            # An engine owns its machine.
            self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _new_machine(3))
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(content))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))


def optimized(text: str) -> str:
    """The text of a module after LLVM's passes."""
    with _LOCK:
        module = _llvm().parse_assembly(text)
        _optimize(module)
        return str(module)


@functools.cache
def _builder(level: int) -> Any:
    """The builder of passes, once for all modules: LLVM keeps a kilobyte of each for ever. Straight lines are not
    searched for vectors: that takes long where lines are many, and all that is worth it is in loops."""
    llvm = _llvm()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = level == 3
    return llvm.create_pass_builder(_machine(level), options)


def _optimize(module: Any) -> None:
    """Runs LLVM's passes."""
    builder = _builder(3)
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    _free(passes)


def _tidy(module: Any) -> None:
    """Runs the few passes that straight lines need: a tenth of the time of all."""
    passes = _llvm().create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, _builder(1))
    _free(passes)


def _free(passes: Any) -> None:
    free = _llvm().newpassmanagers.NewPassManager._dispose
    if type(passes)._dispose is not free:  # llvmlite 0.50 has another first, which does nothing: 80 kB a time
        free(passes)


@functools.cache
def _llvm() -> Any:
    """llvmlite, with the symbols that machine code refers to."""
    llvm = llvm_binding()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def _name_symbols() -> None:
    """Tells LLVM where that is which machine code refers to by name."""
    for name, address in abi.symbols().items():
        _llvm().add_symbol(name, address)


def _address(symbol: str) -> int | None:
    """Where that is which machine code refers to by name: in shared code, CPython or NumPy, or in the C library."""
    if symbol.startswith("shared."):
        _, name, function = symbol.split(".", 2)
        return _shared(name).address(function)
    return _foreign_address(symbol)


@functools.cache
def _foreign_address(symbol: str) -> int | None:
    if (known := abi.symbols().get(symbol)) is not None:
        return known
    function = getattr(ctypes.CDLL(None), symbol, None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p).value


@functools.cache
def _machine(level: int) -> Any:
    """The target machine, once for all modules."""
    return _new_machine(level)


def _new_machine(level: int) -> Any:
    llvm = _llvm()
    cpu, features = processor.host()
    return llvm.Target.from_default_triple().create_target_machine(opt=level, cpu=cpu, features=features, jit=True)
