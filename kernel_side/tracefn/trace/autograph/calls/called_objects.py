"""Objects of the standard library that are called: getters of items, weak references, methods of a class."""

from __future__ import annotations

import functools
import operator
import re
import types
import weakref
from collections.abc import Callable
from typing import Any, NoReturn, cast

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ....ir.types import Kind
from ... import provided
from ...active import current
from ...origin import user_source, where
from ...tensor import Tensor
from ..containers.symbolic import holds_what_is_found
from ..hooks.items import item
from ..hooks.places import delete_plainly, store_plainly
from ..hooks.shown import text_by
from ..iterators.advancing import refuse_iterator
from ..special import is_code_of_user
from .attributes import del_attribute, get_attribute, set_attribute
from .container_methods import CHANGES, CONTAINERS, held_item
from .errors import will_be_made


def _items(getter: Any) -> Callable[[Any], Any]:
    """`operator.itemgetter(*keys)`."""

    def read(owner: Any, /) -> Any:

        found = [item(owner, key) for key in getter.__reduce__()[1]]
        return found[0] if len(found) == 1 else tuple(found)

    return read


_OF_ATTRIBUTES: dict[Any, Callable[..., None]] = {
    object.__setattr__: set_attribute,
    object.__delattr__: del_attribute,
}

_PASSING_BY: dict[Any, Callable[..., None]] = {
    object.__setattr__: lambda owner, name, value: store_plainly(value, owner, name, object.__setattr__),
    object.__delattr__: lambda owner, name: delete_plainly(owner, name, object.__delattr__),
}
"""The same, where the class has methods of its own under these names."""

FUNCTIONS_IN_C = (types.BuiltinFunctionType, type(re.compile("").match))
"""Types of functions and methods in C: that of most, and that of methods which are told their class."""

OF_TEXTS = ("__str__", "__repr__", "__format__")


def _unbound(function: Any) -> Callable[..., Any]:
    """A method that is called through its class: `list.append(items, x)`, `str.format("{}", x)`,
    `np.ndarray.sort(x)`."""
    cls, name = function.__objclass__, function.__name__

    def call(owner: Any, /, *args: Any, **kwargs: Any) -> Any:
        if name == "__next__":
            return provided.callee(next)(owner)
        if function is object.__getattribute__:
            return get_attribute(owner, *args)
        if name in OF_TEXTS and not kwargs and (trace := current()) is not None:
            if isinstance(owner, CONTAINERS) and trace.is_outside(owner):
                holds_what_is_found(trace, owner)
            return text_by(function, owner, *args)
        if cls is np.ndarray and type(owner) is Tensor and owner._node.type.kind is Kind.ARRAY:
            return provided.method(owner, name)(*args, **kwargs)
        if type(owner) is cls and (cls is str or (cls in CONTAINERS and not name.startswith("__"))):
            return provided.method(owner, name)(*args, **kwargs)
        if function in _OF_ATTRIBUTES and (trace := current()) is not None:
            if getattr(type(owner), name) is function:
                return _OF_ATTRIBUTES[function](owner, *args)
            if is_code_of_user(getattr(type(owner), name)):  # which may have called this one
                return _PASSING_BY[function](owner, *args)
            if trace.is_outside(owner):
                _refuse(f"`object.{name}` passes by that of the class {type(owner).__name__}")
        if isinstance(owner, CONTAINERS) and (name in CHANGES or name == "__init__"):
            if name in CHANGES or ((trace := current()) is not None and trace.is_outside(owner)):
                _refuse(f"`{cls.__name__}.{name}` is called through the class, and its change is not recorded")
            for argument in args:
                refuse_iterator(argument)
        elif isinstance(owner, CONTAINERS) and cls in CONTAINERS and (trace := current()) is not None:
            if name == "__getitem__" and cls in (list, dict):
                return held_item(owner, *args)
            if trace.is_outside(owner):
                holds_what_is_found(trace, owner)
        elif isinstance(owner, BaseException) and name == "__init__" and (trace := current()) is not None:
            will_be_made(trace, owner)
        return function(owner, *args, **kwargs)

    return call


def _bound(function: Any) -> Callable[..., Any]:
    """A special method in C of an object: `self.__setattr__(name, x)`, `super().__setattr__(name, x)`."""
    descriptor = vars(function.__objclass__).get(function.__name__)
    if type(descriptor) is not types.WrapperDescriptorType:
        return cast(Callable[..., Any], function)
    return functools.partial(_unbound(descriptor), function.__self__)


def _referred(reference: Any) -> NoReturn:
    _refuse("a weak reference is followed, and its object may be gone at the next call")


def _refuse(why: str) -> NoReturn:
    raise UnsupportedFunctionError(message(why, where(user_source(4)), "Do that outside the traced function."))


CALLED_OBJECTS: dict[type, Callable[[Any], Any]] = {
    operator.itemgetter: _items,
    weakref.ReferenceType: _referred,
    weakref.WeakMethod: _referred,
    types.MethodDescriptorType: _unbound,
    types.WrapperDescriptorType: _unbound,
    types.MethodWrapperType: _bound,
}
"""Type of a called object → its traced replacement."""
