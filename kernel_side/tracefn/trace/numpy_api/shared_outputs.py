"""Several outputs of a ufunc in one array: `np.divmod(x, 3, out=(y, y))` leaves there the one that NumPy writes last.

Which output that is depends on how NumPy goes through the arrays, which it may copy part by part: on their dtypes,
shapes and strides, on whether they are aligned, and on whether operands lie in the same memory. So it is tried out on
arrays that are alike in all of that.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ...ir.types import Kind
from ..active import current
from ..aliasing.layout import stand_in, with_strides
from ..aliasing.views import roots
from ..control.choices import is_own_now, write_chosen
from ..control.targets import is_same_path
from ..tensor import Tensor
from ..trace_parts.external_arrays import ExternalArrays

MOST = 1 << 20
"""The most elements of arrays with which it is tried out."""


class SharedOutputs:
    """`write(number, array)` writes an output of the call into an array, `refuse()` is called where NumPy's
    result is not certain."""

    def __init__(
        self,
        ufunc: np.ufunc,
        kwargs: dict[str, Any],
        write: Callable[[int, Tensor], Any],
        refuse: Callable[[], NoReturn],
    ) -> None:
        self._ufunc = ufunc
        self._kwargs = kwargs
        self._write = write
        self._refuse = refuse

    def into(self, outputs: tuple[Tensor, ...], operands: tuple[Any, ...]) -> None:
        """Writes each output into its array, or the one that is last where they are one."""
        trace = current()
        assert trace is not None
        values = (*outputs, *operands)
        for position, value in enumerate(values):
            is_choice = type(value) is Tensor and _base(value)._choice is not None
            if is_choice and _may_be_one(value, outputs) and not is_own_now(trace, _base(value)):
                write_chosen(trace, value, lambda option, at=position: self._with(values, at, option, len(outputs)))  # type: ignore[misc]
                return
        if len({id(_base(array)) for array in outputs}) == len(outputs):
            for number, array in enumerate(outputs):
                self._write(number, array)
            return
        if not all(_is_same(array, outputs[0]) for array in outputs):
            self._refuse()
        self._write(self._last(trace.root.outside, outputs, operands), outputs[0])

    def _with(self, values: tuple[Any, ...], position: int, option: Tensor, count: int) -> None:
        values = (*values[:position], option, *values[position + 1 :])
        self.into(values[:count], values[count:])

    def _last(self, outside: ExternalArrays, outputs: tuple[Tensor, ...], operands: tuple[Any, ...]) -> int:
        """The number of the output that is written last."""
        array = outputs[0]
        traced = [v for v in operands if type(v) is Tensor]
        if any(v._doubts or v._node.type.kind not in _PLAIN for v in (array, *traced)):
            self._refuse()
        if not outside.assume_aligned([root for v in (array, *traced) for root in roots(v)]):
            self._refuse()
        out = self._like(array)
        given = [
            out if type(v) is Tensor and _is_same(v, array) else self._operand(v, array, outside) for v in operands
        ]
        values = [v.copy() if v is out else v for v in given]
        if any(isinstance(v, Tensor) for v in self._kwargs.values()):
            self._refuse()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            apart = [with_strides(out) for _ in outputs]
            self._ufunc(*values, out=tuple(apart), **self._kwargs)
            self._ufunc(*given, out=(out,) * len(outputs), **self._kwargs)
        found = [number for number, value in enumerate(apart) if np.array_equal(value, out)]
        return found[0] if len(found) == 1 else self._refuse()

    def _operand(self, value: Any, array: Tensor, outside: ExternalArrays) -> Any:
        if type(value) is not Tensor:
            if not isinstance(value, int | float | complex | np.generic):
                self._refuse()  # it may be an array that the trace does not follow
            return value
        met = {frozenset((id(a.tensor), id(b.tensor))) for a, b in outside.disjoint}
        base = _base(array)
        if any(root is base or frozenset((id(root), id(base))) in met for root in roots(value)):
            self._refuse()
        return self._like(value)

    def _like(self, tensor: Tensor) -> Any:
        """Sevens in an array that is alike, or such a number."""
        found = tensor._node.type
        shape = tuple([n for n in found.shape if type(n) is int])
        if found.dtype.names or len(shape) < found.ndim or math.prod(shape) > MOST:
            self._refuse()
        if found.kind is not Kind.ARRAY:
            number = found.dtype.type(7)
            return number.item() if found.kind is Kind.PYTHON else number
        lies = stand_in(tensor)
        if lies is None:
            self._refuse()
        made = with_strides(lies)
        made[...] = 7
        return made


_PLAIN = (Kind.ARRAY, Kind.SCALAR, Kind.PYTHON)


def _base(tensor: Tensor) -> Tensor:
    return tensor if tensor._base is None else tensor._base


def _is_same(left: Tensor, right: Tensor) -> bool:
    """True if the two show the same part of one array."""
    return _base(left) is _base(right) and is_same_path(left._path, right._path)


def _may_be_one(value: Tensor, outputs: tuple[Tensor, ...]) -> bool:
    """True if a value may show an array that other outputs show."""
    mine = set(map(id, roots(value)))
    return any(id(root) in mine for array in outputs if array is not value for root in roots(array))
