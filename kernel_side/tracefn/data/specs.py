"""The specs of elements: made from arrays, widened to hold two kinds of element, and given a leading length."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import UnsupportedArgumentError, message
from ..ir.types import Kind
from ..trace.signature import TensorSpec
from ..trace.trace_parts.defaults import check_array
from ..trace.tree import map_leaves, unflatten
from .structure import is_text, spec_leaves


def open_width(dtype: Any) -> np.dtype[Any]:
    """The dtype as specs have it: texts of any width are `np.dtype('U')`, bytes `np.dtype('S')`."""
    dtype = np.dtype(dtype)
    return np.dtype(dtype.kind) if is_text(dtype) else dtype


def tensor_spec(shape: Any, dtype: Any, kind: Kind | None = None) -> TensorSpec:
    """The spec of a leaf. Without axes it is a NumPy scalar, unless `kind` says that it is a 0-d array."""
    return TensorSpec(shape, open_width(dtype), kind=Kind.ARRAY if kind is Kind.ARRAY else Kind.SCALAR)


def slices_spec(array: np.ndarray[Any, Any], what: str) -> TensorSpec:
    """The spec of a row of an array. Raises where it has no rows, or its values cannot be traced."""
    check_array(array, what)
    if array.dtype.names is not None:
        fix = "Pass its fields as a dict: {name: x[name] for name in x.dtype.names}."
        raise UnsupportedArgumentError(message(f"{what} is a structured array ({array.dtype})", fix=fix))
    if array.ndim == 0:
        raise ValueError(message(f"{what} has no axis to take slices of", fix="Pass an array with a leading axis."))
    return tensor_spec(array.shape[1:], array.dtype)


def result_spec(result: Any, what: str) -> Any:
    """The spec of a traced function's results: `structured_outputs`, with Python values as NumPy has them."""

    def leaf(path: str, output: Any) -> TensorSpec:
        if isinstance(output, TensorSpec):
            return tensor_spec(output.shape, output.dtype, output.kind)
        if isinstance(output, bool | int | float | complex | str | bytes):
            return tensor_spec((), np.asarray(output).dtype)
        raise TypeError(
            message(
                f"{what} returns {output!r} at {path}, which is no array and no number",
                fix="Return arrays, numbers and texts, or tuples, dicts and lists of them.",
            )
        )

    return map_leaves(leaf, result, "result")


def with_leading(spec: Any, length: int | None) -> Any:
    """The spec of elements that are stacked."""
    return map_leaves(lambda _, leaf: TensorSpec((length, *leaf.shape), leaf.dtype), spec)


def common(first: Any, second: Any, what: str) -> Any:
    """The spec that holds the elements of both. Raises TypeError with the leaf in which they cannot meet."""
    paths, mine, tree = spec_leaves(first)
    _, theirs, other = spec_leaves(second)
    fix = "Bring both to one structure and dtype with `map` first."
    if tree != other:
        raise TypeError(message(f"{what}: elements {first!r} and {second!r} are of different structure", fix=fix))
    return unflatten(tree, [_common(p, a, b, what, fix) for p, a, b in zip(paths, mine, theirs, strict=True)])


def _common(path: str, a: TensorSpec, b: TensorSpec, what: str, fix: str) -> TensorSpec:
    if a.dtype != b.dtype or len(a.shape) != len(b.shape) or not a.fits_kind(b):
        raise TypeError(message(f"{what}: {path} is {a.text} in one and {b.text} in the other", fix=fix))
    return tensor_spec([n if n == m else None for n, m in zip(a.shape, b.shape, strict=True)], a.dtype, a.kind)
