"""The loops of kernels that compute each element by itself: one that computes all, or stages of them."""

from __future__ import annotations

from ..scalar.module import Code
from .kernel import Kernel
from .nest import KernelNest
from .staged_nest import StagedNest
from .stages import Stages, can_have_stages


def dense_code(kernel: Kernel) -> Code:
    """`run` for arguments that are C-contiguous. Axes that one loop can run over are one axis in the frame."""
    return _nest(kernel, len(kernel.axes), False).code()


def strided_code(kernel: Kernel) -> Code:
    """`run` for arguments with any strides."""
    return _nest(kernel, max(1, len(kernel.shape)), True).code()


def _nest(kernel: Kernel, rank: int, is_strided: bool) -> KernelNest:
    if can_have_stages(kernel):
        nest = StagedNest(kernel, rank, is_strided, Stages(kernel))
        if nest.is_worth_it:
            return nest
    return KernelNest(kernel, rank, is_strided)
