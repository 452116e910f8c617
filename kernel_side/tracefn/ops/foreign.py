"""Calls of functions that are not NumPy's: opaque steps, on real arrays at each call, in program order.

`foreign` may have effects, `foreign_pure` does nothing but compute its results (or raise), `foreign_ufunc` is a ufunc
of another package, which works element by element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.op import Op, register
from ..ir.types import TensorType
from .effects import Callback
from .elementwise import ufunc_result


def _step(step: Callback, *values: Any) -> tuple[Any, ...]:
    return step(np, *values)


def _pure_step(step: Callback, *values: Any) -> tuple[Any, ...]:
    return step(np, *values)


def _step_rule(step: Callback, *values: Any) -> tuple[TensorType, ...]:
    return step.types()


def _step_lines(target: str, arguments: list[str]) -> list[str]:
    step, *rest = arguments
    call = f"{step}({', '.join(['np', *rest])})"
    return [f"{target} = {call}" if target else call]


def _raises(step: Callback, *values: Any) -> bool:
    return True


def _ufunc(ufunc: np.ufunc, *operands: Any, **options: Any) -> Any:
    return ufunc(*operands, **options)


def _ufunc_rule(ufunc: np.ufunc, *operands: Any, dtype: Any = None, casting: str = "same_kind") -> Any:
    return ufunc_result(ufunc, operands, True, dtype, casting)


def _ufunc_lines(target: str, arguments: list[str]) -> list[str]:
    ufunc, *rest = arguments
    call = f"{ufunc}({', '.join(rest)})"
    return [f"{target} = {call}" if target else call]


def _checkpoint(checkpoint: Any, *values: Any) -> None:
    checkpoint(*values)


def _checkpoint_rule(checkpoint: Any, *values: Any) -> tuple[TensorType, ...]:
    return ()


def _checkpoint_lines(target: str, arguments: list[str]) -> list[str]:
    checkpoint, *rest = arguments
    return [f"{checkpoint}({', '.join(rest)})"]


checkpoint = register(
    Op("checkpoint", _checkpoint, _checkpoint_rule, style="effect", pure=False, lines=_checkpoint_lines)
)
foreign = register(Op("foreign", _step, _step_rule, style="effect", pure=False, fresh_dims=True, lines=_step_lines))
foreign_pure = register(
    Op("foreign_pure", _pure_step, _step_rule, style="effect", fresh_dims=True, raises=_raises, lines=_step_lines)
)
foreign_ufunc = register(Op("foreign_ufunc", _ufunc, _ufunc_rule, style="effect", lines=_ufunc_lines))
