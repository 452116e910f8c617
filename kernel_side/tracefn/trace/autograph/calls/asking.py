"""`type`, `isinstance`, `callable` and `np.isscalar` in rewritten code: they ask what a value is at the call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....ir.types import Kind
from ...foreign import Foreign, Method
from ...tensor import Tensor
from ...values.number_types import of_each_type, one_typed
from ...values.symbolic_int import SymbolicInt
from ...values.traced_text import Text


def type_of(*args: Any) -> Any:
    """`type(x)`: of a traced value what it will be at the call, as `x.__class__` says."""
    if len(args) != 1 or type(args[0]) not in (Tensor, SymbolicInt, Text, Foreign):
        return type(*args)
    if one_typed(args[0]):
        return of_each_type(args[0], _class_of)
    return args[0].__class__ if type(args[0]) is Foreign else _class_of(args[0])


def is_instance(value: Any, classes: Any, /) -> bool:
    """`isinstance(value, classes)`."""
    if one_typed(value):
        return of_each_type(value, lambda exact: issubclass(_class_of(exact), classes))
    if type(value) in (SymbolicInt, Text):
        return issubclass(_class_of(value), classes)
    if type(value) is Method:
        return isinstance(value.bound, classes)
    if type(value) is not Tensor or (cls := _class_of(value)) is Tensor:
        return isinstance(value, classes)
    asks_for_tensors = classes is Tensor or (type(classes) is tuple and Tensor in classes)
    return asks_for_tensors or issubclass(cls, classes)  # not what a Tensor has: one that is a number has no items


def _class_of(value: Any) -> type:
    """The class that a traced value has at the call. Which Python number it is may differ in each round of a loop."""
    if type(value) is SymbolicInt:
        return np.int64 if value.is_scalar else int
    if type(value) is Text:
        return str
    if value._node.type.kind is Kind.PYTHON:
        value._trace.root.sees_types = True
    return value.__class__


def is_callable(value: Any, /) -> bool:
    """`callable(value)`: what stands for an object of a library can be called, whatever the object is."""
    return callable(value.known if type(value) is Foreign else value)


def is_scalar(element: Any) -> bool:
    """`np.isscalar(element)`."""
    return type(element) is Text or bool(np.isscalar(element))
