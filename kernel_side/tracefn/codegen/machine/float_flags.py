"""The processor's floating-point flags: which of them NumPy warns of, and LLVM IR that clears and reads them.

On x86 they are read where vector instructions leave them, in MXCSR. The C library's functions look after the old
floating-point unit as well, which nothing here uses, and take 100 ns for it.
"""

from __future__ import annotations

import platform

_X86 = ("x86_64", "amd64")
_WARNED = {**dict.fromkeys(_X86, 1 | 4 | 8), "aarch64": 1 | 2 | 4, "arm64": 1 | 2 | 4}
"""FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW of each machine's <fenv.h>; of x86, they are the bits of MXCSR, too."""

# Calls, so that no operation moves past them. Who reads twice gets two answers for the empty assembly: LLVM takes the
# instruction that reads for one that depends on nothing.
_MXCSR = """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)

define internal void @tf.clear_flags(i32 %kinds) noinline nounwind {
entry:
%place = alloca i32, align 4
call void @llvm.x86.sse.stmxcsr(ptr %place)
%word = load i32, ptr %place, align 4
%raised = and i32 %word, %kinds
%clear = icmp eq i32 %raised, 0
br i1 %clear, label %done, label %write
write:
%cleared = xor i32 %word, %raised
store i32 %cleared, ptr %place, align 4
call void @llvm.x86.sse.ldmxcsr(ptr %place)
br label %done
done:
ret void
}

define internal i32 @tf.raised_flags(i32 %kinds) noinline nounwind {
entry:
%place = alloca i32, align 4
call void asm sideeffect "", "~{memory}"()
call void @llvm.x86.sse.stmxcsr(ptr %place)
%word = load i32, ptr %place, align 4
%raised = and i32 %word, %kinds
ret i32 %raised
}"""

_FENV = """
declare i32 @feclearexcept(i32)
declare i32 @fetestexcept(i32)

define internal void @tf.clear_flags(i32 %kinds) nounwind {
entry:
%done = call i32 @feclearexcept(i32 %kinds)
ret void
}

define internal i32 @tf.raised_flags(i32 %kinds) nounwind {
entry:
%raised = call i32 @fetestexcept(i32 %kinds)
ret i32 %raised
}"""


def is_known() -> bool:
    """True if this machine's flags are known."""
    return _machine() in _WARNED


def warned() -> int:
    """The flags that NumPy warns of."""
    return _WARNED[_machine()]


def underflow() -> int:
    """The flag of results that are too small to have all their digits."""
    return 16 if _machine() in _X86 else 8


def definitions() -> str:
    """LLVM IR of `tf.clear_flags` and `tf.raised_flags`."""
    return _MXCSR if _machine() in _X86 else _FENV


def _machine() -> str:
    return platform.machine().lower()
