"""Values made into elements: checked against a spec, Python numbers turned into NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import message
from ..ir.types import Kind
from ..trace.signature import TensorSpec
from .structure import branches, is_text, packer, spec_leaves

#: The conversions of Python values, by the kinds of dtype: a bool any number, an int any float, never the other way.
_FITS = {"b": "biufc", "i": "iufc", "u": "iufc", "f": "fc", "c": "c", "U": "U", "S": "S"}


class Conform:
    """Checks values, numbered from 0, against a spec, and gives them back as elements of it.

    Raises TypeError for another structure or dtype and ValueError for another shape, with the number and the path.
    """

    def __init__(self, spec: Any, what: str, copy: bool = False) -> None:
        paths, self._specs, self._tree = spec_leaves(spec)
        self._pack = packer(self._tree)
        self._what = what
        self._copy = copy

    def __call__(self, number: int, value: Any) -> Any:
        if self._tree.is_leaf:
            return self._leaf(number, "element", value, self._specs[0])
        try:
            leaves = list(branches(self._tree, value, "element"))
        except TypeError as error:
            raise self._error(TypeError, number, str(error)) from None
        parts = zip(leaves, self._specs, strict=True)
        return self._pack(tuple([self._leaf(number, path, leaf, spec) for (path, leaf), spec in parts]))

    def _leaf(self, number: int, path: str, value: Any, spec: TensorSpec) -> Any:
        if not isinstance(value, np.ndarray | np.generic):
            try:
                value = as_numpy(value, spec.dtype)
            except (TypeError, ValueError, OverflowError) as error:
                raise self._error(TypeError, number, f"{path}: {error}") from None
        elif self._copy and value.shape:
            value = np.array(value)
        if value.dtype != spec.dtype and not (is_text(spec.dtype) and value.dtype.kind == spec.dtype.kind):
            raise self._error(TypeError, number, f"{path}: dtype {value.dtype} where {spec.dtype} is expected")
        if value.shape != spec.shape and not _fits(value.shape, spec.shape):
            raise self._error(ValueError, number, f"{path}: shape {value.shape} where {spec.shape} is expected")
        if not spec.shape and (spec.kind is Kind.ARRAY) is not isinstance(value, np.ndarray):
            return np.asarray(value) if spec.kind is Kind.ARRAY else value[()]
        return value

    def _error(self, kind: type[Exception], number: int, what: str) -> Exception:
        fix = "Convert it where it is made (`np.asarray(value, dtype)`), or declare its type; None is any length."
        return kind(message(f"{self._what}, element {number}: {what}", fix=fix))


def _fits(shape: tuple[int, ...], expected: tuple[int | None, ...]) -> bool:
    return len(shape) == len(expected) and all(m is None or n == m for n, m in zip(shape, expected, strict=True))


def as_numpy(value: Any, dtype: np.dtype[Any]) -> Any:
    """A Python number or text, or a list of them, in NumPy's form: a scalar, or an array. NumPy's own stay as they are.

    Raises TypeError, ValueError or OverflowError where it does not fit the dtype.

    >>> as_numpy(3, np.dtype(np.float32)), as_numpy([1, 2], np.dtype(np.int8))
    (np.float32(3.0), array([1, 2], dtype=int8))
    """
    if isinstance(value, np.ndarray | np.generic):
        return value
    if not isinstance(value, bool | int | float | complex | str | bytes | list):
        raise TypeError(f"a {type(value).__name__} is neither an array nor a number")
    natural = np.asarray(value)
    if dtype.kind not in _FITS.get(natural.dtype.kind, "") and natural.size:
        raise TypeError(f"{value!r} ({natural.dtype}) does not fit {dtype}")
    return np.array(value, None if is_text(dtype) and natural.size else dtype)[()]
