"""Random orders of arrays by which derivatives are taken: the order is drawn, and the array is indexed by it.

NumPy's methods draw the same numbers for the numbers of the rows as for the rows themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..context import Trace
from ..tensor import Tensor

Draw = Callable[..., Any]
"""Draws by the method, given its arguments."""


def in_drawn_order(trace: Trace, name: str, draw: Draw, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a method that gives items of its first argument in an order. NotImplemented for other methods, and
    where no derivative may be asked."""
    form = _FORMS.get(name)
    if form is None or not trace.root.inlines_calls or kwargs.get("out") is not None:
        return NotImplemented
    try:
        bound = inspect.signature(form).bind(*args, **kwargs)
    except TypeError:  # which the method raises itself
        return NotImplemented
    x = next(iter(bound.arguments.values()))
    if type(x) is not Tensor or x.dtype.kind not in "fc" or not x.ndim:
        return NotImplemented
    return form(*bound.args, **bound.kwargs)(draw)


def _permutation(x: Any, axis: Any = 0) -> Callable[[Draw], Any]:
    return lambda draw: np.take(x, draw(x.shape[axis]), axis=axis)


def _permuted(x: Any, *, axis: Any = None, out: Any = None) -> Callable[[Draw], Any]:
    numbers = np.reshape(np.arange(np.size(x), like=x), np.shape(x))
    return lambda draw: np.ravel(x)[draw(numbers, axis=axis)]


def _choice(a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0,
            shuffle: Any = True) -> Callable[[Draw], Any]:  # fmt: skip
    options = {} if shuffle is True else {"shuffle": shuffle}  # which an older generator does not have
    return lambda draw: np.take(a, draw(a.shape[axis], size, replace, p, **options), axis=axis)


_FORMS: dict[str, Callable[..., Callable[[Draw], Any]]] = {
    "choice": _choice,
    "permutation": _permutation,
    "permuted": _permuted,
    "shuffle": _permutation,
}
