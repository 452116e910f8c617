"""The rules of the splines of `scipy.interpolate`, which know their derivatives, by the places that they are given."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...trace import provided

Rule = Callable[..., Any]

_KINDS = ("PPoly", "BPoly", "BSpline")
"""The classes whose objects give their derivative of any order."""


def rule_of_spline(owner: Any, method: str) -> Rule | None:
    """The rule of a call of a spline from outside, or None."""
    module = sys.modules.get("scipy.interpolate")
    kinds = () if module is None or method != "__call__" else tuple([getattr(module, kind) for kind in _KINDS])
    return _of_places(owner) if isinstance(owner, kinds) else None


def _of_places(owner: Any) -> Rule:
    """The rule of a call of a spline."""

    def rule(g: Any, out: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        if owner.axis != 0 or not isinstance(nu, int):
            return NotImplemented
        slope = provided.call_foreign(owner.__call__, (x, nu + 1, extrapolate), {})
        return (np.sum(g * slope, axis=tuple(range(np.ndim(x), np.ndim(out)))),)

    return rule


def _splev(g: Any, out: Any, x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    if ext not in (0, 1) or type(g) is list:
        return NotImplemented
    return (g * provided.call_foreign(sys.modules["scipy.interpolate"].splev, (x, tck, der + 1, ext), {}),)


RULES: dict[str, Rule] = {"scipy.interpolate.splev": _splev}
"""The rules by the names under which users reach the functions."""
