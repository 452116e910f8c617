"""Derivatives of functions of plain NumPy: `grad` and its relatives, each a traced function itself."""

from __future__ import annotations

from .grad import grad, value_and_grad
from .jacobian import elementwise_grad, hessian, hvp, jacfwd, jacobian, jacrev
from .vjp import jvp, linearize, vjp

__all__ = [
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "value_and_grad",
    "vjp",
]
