"""Structured arrays: the functions of `numpy.lib.recfunctions`, which NumPy imports when it is asked to.

They give arrays; masked arrays and record arrays, subclasses, are not traced.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib import recfunctions

from ..ir.dims import maximum
from ..ir.op import op
from .rules import RuleError, TensorType, array, fresh_dim, operand, parts_of, probe, probe_dtype
from .write import writing_function


def _plain(name: str, usemask: bool, asrecarray: bool) -> None:
    if usemask or asrecarray:
        kind = "record" if asrecarray else "masked"
        raise RuleError(f"it gives a {kind} array; write np.lib.recfunctions.{name}(..., usemask=False)")


def _row(a: Any) -> TensorType:
    """The type of an array as one axis."""
    a = operand(a)
    return array(a.dtype, (a.size,))


def _several(arrays: Any) -> list[TensorType]:
    """The types of the arrays that a function joins. A single one comes back itself, or a view of it."""
    rows = [_row(a) for a in parts_of(arrays)] if isinstance(arrays, list | tuple) else []
    if len(rows) < 2:
        raise RuleError("a single array is not traced here: it needs no joining")
    return rows


@op(recfunctions.rename_fields, view=True, static=frozenset({"namemapper"}))
def rename_fields(base: Any, namemapper: Any) -> TensorType:
    base = operand(base)
    return array(recfunctions.rename_fields(np.zeros((1,) * base.ndim, base.dtype), namemapper).dtype, base.shape)


@op(recfunctions.drop_fields, static=frozenset({"drop_names", "usemask", "asrecarray"}))
def drop_fields(base: Any, drop_names: Any, usemask: bool = True, asrecarray: bool = False) -> TensorType:
    base = operand(base)
    _plain("drop_fields", usemask, asrecarray)
    return array(probe_dtype(recfunctions.drop_fields, base, drop_names, usemask), base.shape)


@op(recfunctions.require_fields, static=frozenset({"required_dtype"}))
def require_fields(array: Any, required_dtype: Any) -> TensorType:
    a = operand(array)
    return TensorType(probe_dtype(recfunctions.require_fields, a, np.dtype(required_dtype)), a.shape)


@op(recfunctions.repack_fields, view=True, static=frozenset({"align", "recurse"}))
def repack_fields(a: Any, align: bool = False, recurse: bool = False) -> TensorType:
    a = operand(a)
    return TensorType(probe_dtype(recfunctions.repack_fields, a, align, recurse), a.shape, a.kind)


@op(recfunctions.structured_to_unstructured, view=True, static=frozenset({"dtype", "copy", "casting"}))
def structured_to_unstructured(arr: Any, dtype: Any = None, copy: bool = False, casting: str = "unsafe") -> TensorType:
    arr = operand(arr)
    found = probe(recfunctions.structured_to_unstructured, arr, dtype, copy, casting)
    return array(found.dtype, (*arr.shape, found.shape[-1]))


@op(
    recfunctions.unstructured_to_structured, view=True, static=frozenset({"dtype", "names", "align", "copy", "casting"})
)
def unstructured_to_structured(
    arr: Any, dtype: Any = None, names: Any = None, align: bool = False, copy: bool = False, casting: str = "unsafe"
) -> TensorType:
    arr = operand(arr)
    *outer, fields = arr.shape
    some = np.ones((*[1 for _ in outer], fields), arr.dtype)  # as many columns as there are fields
    found = recfunctions.unstructured_to_structured(some, dtype, names, align, copy, casting)
    return array(found.dtype, tuple(outer))


@op(recfunctions.append_fields, static=frozenset({"names", "dtypes", "fill_value", "usemask", "asrecarray"}))
def append_fields(
    base: Any,
    names: Any,
    data: Any,
    dtypes: Any = None,
    fill_value: Any = -1,
    usemask: bool = True,
    asrecarray: bool = False,
) -> TensorType:
    _plain("append_fields", usemask, asrecarray)
    columns = [operand(data)] if isinstance(names, str) else [operand(d) for d in parts_of(data)]
    length, *others = [_row(base).size, *[_row(c).size for c in columns]]
    for other in others:
        length = maximum(length, other)
    given = columns[0] if isinstance(names, str) else columns
    dtype = probe_dtype(recfunctions.append_fields, _row(base), names, given, dtypes, fill_value, usemask)
    return array(dtype, (length,))


@op(recfunctions.merge_arrays, static=frozenset({"fill_value", "flatten", "usemask", "asrecarray"}))
def merge_arrays(
    seqarrays: Any, fill_value: Any = -1, flatten: bool = False, usemask: bool = False, asrecarray: bool = False
) -> TensorType:
    _plain("merge_arrays", usemask, asrecarray)
    rows = _several(seqarrays)
    length, *others = [row.size for row in rows]
    for other in others:
        length = maximum(length, other)
    return array(probe_dtype(recfunctions.merge_arrays, rows, fill_value, flatten), (length,))


@op(recfunctions.stack_arrays, static=frozenset({"defaults", "usemask", "asrecarray", "autoconvert"}))
def stack_arrays(
    arrays: Any, defaults: Any = None, usemask: bool = True, asrecarray: bool = False, autoconvert: bool = False
) -> TensorType:
    _plain("stack_arrays", usemask, asrecarray)
    rows = _several(arrays)
    dtype = probe_dtype(recfunctions.stack_arrays, rows, defaults, usemask, asrecarray, autoconvert)
    return array(dtype, (sum([row.size for row in rows[1:]], rows[0].size),))


@op(
    recfunctions.join_by,
    fresh_dims=True,
    static=frozenset({"key", "jointype", "r1postfix", "r2postfix", "defaults", "usemask", "asrecarray"}),
)
def join_by(
    key: Any,
    r1: Any,
    r2: Any,
    jointype: str = "inner",
    r1postfix: str = "1",
    r2postfix: str = "2",
    defaults: Any = None,
    usemask: bool = True,
    asrecarray: bool = False,
) -> TensorType:
    _plain("join_by", usemask, asrecarray)
    left, right = operand(r1), operand(r2)
    dtype = probe_dtype(
        recfunctions.join_by, key, left, right, jointype, r1postfix, r2postfix, defaults, usemask, asrecarray
    )
    return array(dtype, (fresh_dim(),))


assign_fields_by_name = writing_function(recfunctions.assign_fields_by_name)
