"""The features of the processor: the code that is made for it, and the code on disk that it can run."""

from __future__ import annotations

import contextlib
import functools
import platform

from .llvm import llvm_binding

_TELLING = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags", "Features", "CPU part")
"""Lines of /proc/cpuinfo that are the same at every start."""


@functools.cache
def identity() -> str:
    """A text that two processors share only if they run the same code. Linux tells at once, LLVM must be loaded."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        first = file.read(8192).partition("\n\n")[0]
        lines = [line for line in first.splitlines() if line.partition("\t")[0].strip() in _TELLING]
        if any(line.startswith(("flags", "Features")) for line in lines):
            return "\n".join([platform.machine(), *lines])
    return " ".join(host())


@functools.cache
def host() -> tuple[str, str]:
    """The name of the processor and its features, as LLVM has them."""
    llvm = llvm_binding()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@functools.cache
def vector_bits() -> int:
    """How wide the processor's vectors are."""
    features = host()[1].split(",")
    if "+avx512f" in features and "+prefer-256-bit" not in features:
        return 512
    return 256 if "+avx" in features else 128


@functools.cache
def has_masks(size: int) -> bool:
    """True if the processor has masked vector instructions for elements of this size, in bytes."""
    return vector_bits() == 512 and (size >= 4 or "+avx512bw" in host()[1].split(","))


@functools.cache
def has_half() -> bool:
    """True if the processor converts between float16 and float32."""
    features = host()[1].split(",")
    return "+f16c" in features or "+neon" in features


@functools.cache
def has_fma() -> bool:
    """True if the processor multiplies and adds in one step."""
    features = host()[1].split(",")
    return "+fma" in features or "+neon" in features
