"""Python's `math`, `round`, `abs` and `divmod` on single values, with Python's results and errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.op import Op, by_call, register
from ..ir.types import Kind, TensorType, python, type_of
from . import elementwise
from .derivatives.elementwise import of_divmod, of_frexp, of_modf
from .derivatives.python_math import PARTIALS, of_hypot, of_log
from .rules import RuleError, probe

_OF_SEQUENCES = frozenset(["dist", "fsum", "prod", "sumprod"])


def _rule(call: Callable[..., Any]) -> Callable[..., Any]:
    def rule(*args: Any, **kwargs: Any) -> TensorType | tuple[TensorType, ...]:
        for found in [a for a in (*args, *kwargs.values()) if isinstance(a, TensorType)]:
            if isinstance(found.size, int) and found.size != 1:
                call(np.zeros(2, found.dtype))  # Python's own error
            if found.dtype.kind not in "biufc":
                call(np.zeros((), found.dtype)[()])
                raise RuleError(f"a {found!r} is no real number")
        try:
            value = probe(call, *args, **kwargs)
        except (ValueError, ZeroDivisionError):  # 1 is not in its domain: those have all floats as results
            value = 0.0
        return tuple(map(_type, value)) if isinstance(value, tuple) else _type(value)

    return rule


def _type(value: Any) -> TensorType:
    return type_of(value) if isinstance(value, np.generic) else python(type(value))


def _may_raise(*args: Any, **kwargs: Any) -> bool:
    return True


def _is_too_large(number: Any) -> bool:
    """True for a complex number of Python's, of which no float may tell how large it is."""
    return type_of(number).kind is Kind.PYTHON and type_of(number).dtype.kind == "c"


def _op(name: str, call: Callable[..., Any], raises: Callable[..., bool] = _may_raise, **facts: Any) -> Op:
    return register(Op(name, call, _rule(call), style="builtin", raises=raises, **facts))


def _derivative(name: str) -> dict[str, Any]:
    """The derivative of a function of `math`: mostly that of NumPy's ufunc of the same name."""
    if name in _VJPS:
        return {"vjp": _VJPS[name]}
    same = None if name in ("ceil", "floor", "trunc") else by_call(getattr(np, name, None))  # those give ints
    return {"partials": PARTIALS.get(name, None if same is None else same.partials)}


_VJPS = {"log": of_log, "hypot": of_hypot, "modf": of_modf, "frexp": of_frexp}

ROUND = _op("builtins.round", round, partials=(0,))
ABS = _op("builtins.abs", abs, _is_too_large, scalar_of=np.absolute, partials=elementwise.absolute.partials)
DIVMOD = _op("builtins.divmod", divmod, vjp=of_divmod)

MATH: dict[Callable[..., Any], Op] = {
    call: _op(f"math.{name}", call, **_derivative(name))
    for name, call in vars(math).items()
    if callable(call) and name not in _OF_SEQUENCES and name[0] != "_"
}
"""The ops of the functions of `math` that take numbers."""
