"""`type`, `callable` and `np.isscalar` in rewritten code: they ask for the type of a value at the call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...foreign import Foreign
from ...tensor import Tensor
from ...values.graph_container import is_container
from ...values.number_types import of_each_type, one_typed
from ...values.symbolic_int import SymbolicInt
from ...values.traced_text import Text
from ..hooks.attribute_dicts import AttributeDict
from .class_checks import class_at_call


def type_of(*args: Any) -> Any:
    """`type(x)`: of a traced value the type that it will have at the call, as `x.__class__` says."""
    if len(args) == 1 and is_container(args[0]):
        return args[0].real_class
    if len(args) != 1 or type(args[0]) not in (Tensor, SymbolicInt, Text, Foreign):
        return type(*args) if type(args[0]) is not AttributeDict else dict
    if one_typed(args[0]):
        return of_each_type(args[0], class_at_call)
    return args[0].__class__ if type(args[0]) is Foreign else class_at_call(args[0])


def is_callable(value: Any, /) -> bool:
    """`callable(value)`: the stand-in for an object of a library can be called, whatever the object is."""
    return callable(value.known if type(value) is Foreign else value)


def is_scalar(element: Any) -> bool:
    """`np.isscalar(element)`."""
    return type(element) is Text or bool(np.isscalar(element))
