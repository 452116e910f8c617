"""Functions on structured arrays that call a function of the user's or write into an array that they give back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.lib import recfunctions

from ...ops import structures
from ...ops.write import WRITING
from .composed import COMPOSED, rewritten


def apply_along_fields(func: Callable[..., Any], arr: Any) -> Any:
    """The function gets the fields as the last axis."""
    if arr.dtype.names is None:
        raise ValueError("arr must be a structured array")
    return rewritten(func)(recfunctions.structured_to_unstructured(arr), axis=-1)


def recursive_fill_fields(input: Any, output: Any) -> Any:
    """Fields of the same name are written, as far as they go."""
    for name in output.dtype.names:
        if name in (input.dtype.names or ()):
            current = input[name]
            if current.dtype.names is not None:
                recursive_fill_fields(current, output[name])
            else:
                output[name][: len(current)] = current
    return output


COMPOSED[recfunctions.apply_along_fields] = apply_along_fields
COMPOSED[recfunctions.recursive_fill_fields] = recursive_fill_fields
WRITING[recfunctions.assign_fields_by_name] = structures.assign_fields_by_name
