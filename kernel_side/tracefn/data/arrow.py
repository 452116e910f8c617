"""Columns of Arrow tables as NumPy scalars. pyarrow is imported when a file is first read with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import message
from ..trace.signature import TensorSpec
from .conform import as_numpy
from .specs import tensor_spec
from .structure import is_text

Path = str | os.PathLike[str]


def pyarrow(what: str) -> Any:
    """The module. Raises ModuleNotFoundError with how to install it."""
    try:
        import pyarrow
    except ModuleNotFoundError as error:
        fix = 'Install it: pip install "tracefn[data]"'
        raise ModuleNotFoundError(message(f"{what} needs pyarrow, which is not installed", fix=fix)) from error
    return pyarrow


def path_list(paths: Path | Sequence[Path], what: str) -> list[str]:
    """One path or several, as texts."""
    found = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not found:
        raise ValueError(message(f"{what}: no file is named", fix="Pass a path, or a list of paths."))
    return [os.fspath(path) for path in found]


def column_spec(name: str, kind: Any, where: str, fix: str) -> TensorSpec:
    """The spec of a column of an Arrow type. Raises TypeError for a type that NumPy has not."""
    pa = pyarrow(where)
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return tensor_spec((), np.str_)
    dtype = None if pa.types.is_null(kind) else pa.array([], kind).to_numpy(zero_copy_only=False).dtype
    if dtype is None or dtype.kind == "O":
        what = "has no value to tell its type from" if dtype is None else f"has the type {kind}, which NumPy has not"
        raise TypeError(message(f"{where}: column {name!r} {what}", fix=fix))
    return tensor_spec((), dtype)


def scalars(column: Any, dtype: np.dtype[Any]) -> Iterable[Any]:
    """The NumPy scalars of an Arrow array without nulls."""
    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    return map(np.str_, column.to_pylist()) if is_text(dtype) else column.to_numpy(zero_copy_only=False)


def fill_values(fill: dict[str, Any] | None, specs: dict[str, TensorSpec], where: str) -> dict[str, Any]:
    """The replacements of missing values, by column, in the dtype of the column."""
    values = {}
    for name, value in (fill or {}).items():
        if name not in specs:
            fix = f"The columns are {', '.join(map(repr, specs))}."
            raise ValueError(message(f"{where}: fill names the column {name!r}, which is not read", fix=fix))
        dtype = specs[name].dtype
        try:
            found = as_numpy(value, dtype)
            if found.shape or found.dtype.kind != dtype.kind:
                raise TypeError(f"{value!r} does not fit {dtype}")
        except (TypeError, ValueError, OverflowError) as error:
            fix = f"Give a value of dtype {dtype}."
            raise TypeError(message(f"{where}: fill for column {name!r}: {error}", fix=fix)) from None
        values[name] = found if is_text(dtype) else found.astype(dtype)
    return values


def filled(column: Any, value: Any) -> Any:
    """An Arrow array with a NumPy scalar in the place of its nulls."""
    pa = pyarrow("filling")
    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    return column.fill_null(pa.scalar(value.item() if isinstance(value, np.str_) else value, column.type))


def first_null(column: Any) -> int:
    """The index of the first null."""
    return int(column.is_null().to_numpy(zero_copy_only=False).argmax())
