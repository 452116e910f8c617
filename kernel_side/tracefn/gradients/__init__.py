"""Derivatives of functions of plain NumPy: `grad` and its relatives, each a traced function itself."""

from __future__ import annotations

from .custom import checkpoint, custom_gradient, custom_jvp, custom_vjp, stop_gradient
from .grad import grad, value_and_grad
from .jacobian import elementwise_grad, hessian, hvp, jacfwd, jacobian, jacrev
from .tape import GradientTape
from .vjp import jvp, linearize, vjp

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
