"""Derivatives of functions of plain NumPy: `grad` and its relatives, each a traced function itself."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .grad import grad, value_and_grad

if TYPE_CHECKING:
    from .custom import checkpoint, custom_gradient, custom_jvp, custom_vjp, stop_gradient
    from .jacobians import elementwise_grad, hessian, hvp, jacfwd, jacobian, jacrev
    from .linear import jvp, linearize, vjp
    from .tape import GradientTape

#: What a gradient does not need is imported when it is first asked for.
_FROM = {
    "custom": ("checkpoint", "custom_gradient", "custom_jvp", "custom_vjp", "stop_gradient"),
    "jacobians": ("elementwise_grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev"),
    "linear": ("jvp", "linearize", "vjp"),
    "tape": ("GradientTape",),
}
_LATE = {name: file for file, names in _FROM.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_LATE[name]}"), name)
    return found


__all__ = [
    "GradientTape",
    "checkpoint",
    "custom_gradient",
    "custom_jvp",
    "custom_vjp",
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
