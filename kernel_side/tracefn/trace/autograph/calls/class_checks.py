"""Classes in rewritten code: `isinstance` and `issubclass` on them, and the code that runs where one is defined.

Of traced values they give the answer of the call; an answer that a metaclass gives (`ABC.register`, protocols) is asked
for again at each call."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Any

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ....ir.types import Kind
from ...active import current
from ...code.hidden import refuse_derived, refuse_metaclass
from ...foreign import Method
from ...origin import user_source, where
from ...tensor import Tensor
from ...values.graph_container import is_container
from ...values.number_types import of_each_type, one_typed
from ...values.symbolic_int import SymbolicInt
from ...values.traced_text import Text
from ..hooks.attribute_dicts import AttributeDict
from ..special import is_of_user, special


def is_instance(value: Any, classes: Any, /) -> bool:
    """`isinstance(value, classes)`."""
    if one_typed(value):
        return of_each_type(value, lambda exact: issubclass(class_at_call(exact), classes))
    if type(value) in (SymbolicInt, Text):
        return issubclass(class_at_call(value), classes)
    if type(value) is AttributeDict:
        return is_subclass(dict, classes)
    if is_container(value):
        return is_subclass(value.real_class, classes)
    if type(value) is Method:
        return isinstance(value.bound, classes)
    if type(value) is not Tensor or (cls := class_at_call(value)) is Tensor:
        return _asked(isinstance, "instance", value, classes)
    asks_for_tensors = classes is Tensor or (type(classes) is tuple and Tensor in classes)
    return asks_for_tensors or issubclass(cls, classes)  # not by a Tensor's methods: one that is a number has no items


def is_subclass(cls: Any, classes: Any, /) -> bool:
    """`issubclass(cls, classes)`."""
    return _asked(issubclass, "subclass", cls, classes)


def bases(*classes: Any) -> tuple[Any, ...]:
    """The bases of a class that traced code defines."""
    for cls in classes if current() is not None else ():
        refuse_derived(cls)
    return classes


def class_body(name: str) -> None:
    """The start of the body of a class, in traced code, that may read state."""
    if current() is not None:
        what = f"the body of class `{name}` reads values around it, which are those of one call"
        raise UnsupportedFunctionError(message(what, where(user_source(3)), "Define the class outside."))


def metaclass(cls: Any) -> Any:
    """The metaclass that the definition of a class names."""
    if current() is not None:
        refuse_metaclass(cls)
    return cls


def class_at_call(value: Any) -> type:
    """The class that a traced value has at the call. Which Python number it is may differ in each round of a loop."""
    if type(value) is SymbolicInt:
        return np.int64 if value.is_scalar else int
    if type(value) is Text:
        return str
    if value._node.type.kind is Kind.PYTHON:
        value._trace.root.sees_types = True
    return value.__class__


def _asked(function: Any, what: str, value: Any, classes: Any) -> bool:
    """The answer of Python, which is asked of each class in turn as Python does."""
    trace = current()
    if trace is None or (type(classes) is type and not _may_change(value, classes, what)):
        return function(value, classes)
    for cls in _each(classes):
        if type(cls) is not type and (mine := special(cls, _METHODS[what])) is not None:
            answer = bool(mine(value)) or (what == "instance" and type(value) is cls)
        else:
            answer = function(value, cls)
            if isinstance(cls, type) and _may_change(value, cls, what):
                trace.uses_answer(what, value, cls, answer)
        if answer:
            return True
    return False


_METHODS = {"instance": "__instancecheck__", "subclass": "__subclasscheck__"}


def _each(classes: Any) -> Iterator[Any]:
    """The classes of a tuple or union, as they are asked."""
    if isinstance(classes, tuple):
        for inner in classes:
            yield from _each(inner)
    elif isinstance(classes, UnionType):
        yield from classes.__args__
    else:
        yield classes


def _may_change(value: Any, cls: type, what: str) -> bool:
    """True where a metaclass is asked of a class of the user's, or a class of theirs may get other bases. Those of
    libraries answer as before."""
    mine = value if what == "subclass" else type(value)
    if not isinstance(mine, type):
        return False
    if type(cls) is type:
        return mine is not cls and is_of_user(mine) and is_of_user(cls)
    return is_of_user(cls) or is_of_user(mine)
