"""Machine code from LLVM IR: optimised for this machine and freed with the object that holds it."""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
import threading
import weakref
from typing import Any

import numpy as np

from . import abi, object_cache

_LOCK = threading.Lock()


class MachineCode:
    """Functions in memory. They are gone when this object is: whoever can call them holds it."""

    def __init__(self, engine: Any, size: int) -> None:
        self._engine = engine
        self.size = size

    def address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))


_KNOWN: weakref.WeakValueDictionary[str, MachineCode] = weakref.WeakValueDictionary()
"""The code that somebody holds: what is unrolled has many kernels of one text."""


def compiled(text: str, has_loops: bool = True) -> MachineCode:
    """The machine code of a module's text: in memory already, as it was kept on disk, or compiled, with less care where
    it `has_loops` not. Raises RuntimeError where LLVM does not understand the text."""
    llvm = _llvm()
    name = object_cache.key(text, str(has_loops), *_host(), *_versions())
    if (known := _KNOWN.get(name)) is not None:
        return known
    kept = object_cache.load(name)
    made: list[bytes] = []
    with _LOCK:
        module = llvm.parse_assembly(text)
        machine = _machine(3 if has_loops else 0)
        if kept is None:
            (_optimize if has_loops else _tidy)(module)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.set_object_cache(lambda _, data: made.append(data), lambda _: kept)
        engine.finalize_object()
    for code in made:
        object_cache.store(name, code)
    return _KNOWN.setdefault(name, MachineCode(engine, len(kept) if kept is not None else sum(map(len, made))))


def optimized(text: str) -> str:
    """The text of a module after LLVM's passes."""
    with _LOCK:
        module = _llvm().parse_assembly(text)
        _optimize(module)
        return str(module)


@functools.cache
def _builder(level: int) -> Any:
    """What makes and runs passes, once for all modules: LLVM keeps a kilobyte of each for ever. Straight lines are not
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
def _versions() -> tuple[str, ...]:
    """What machine code depends on besides its text and the processor."""
    llvmlite: Any = importlib.import_module("llvmlite")
    return llvmlite.__version__, str(_llvm().llvm_version_info), sys.version, np.__version__


@functools.cache
def _llvm() -> Any:
    """llvmlite, with the symbols that machine code refers to."""
    llvm: Any = importlib.import_module("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name, address in abi.symbols().items():
        llvm.add_symbol(name, address)
    library = ctypes.CDLL(None)
    for name in ("feclearexcept", "fetestexcept", "memcpy"):
        llvm.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
    return llvm


def _machine(level: int) -> Any:
    """A new target machine: an engine owns its own."""
    llvm = _llvm()
    cpu, features = _host()
    return llvm.Target.from_default_triple().create_target_machine(opt=level, cpu=cpu, features=features, jit=True)


@functools.cache
def _host() -> tuple[str, str]:
    llvm = _llvm()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@functools.cache
def vector_bits() -> int:
    """How wide the processor's vectors are."""
    features = _host()[1].split(",")
    if "+avx512f" in features and "+prefer-256-bit" not in features:
        return 512
    return 256 if "+avx" in features else 128


@functools.cache
def has_half() -> bool:
    """True if the processor converts between float16 and float32."""
    features = _host()[1].split(",")
    return "+f16c" in features or "+neon" in features


@functools.cache
def has_fma() -> bool:
    """True if the processor multiplies and adds in one step."""
    features = _host()[1].split(",")
    return "+fma" in features or "+neon" in features
