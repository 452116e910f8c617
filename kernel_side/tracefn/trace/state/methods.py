"""Guards of methods and properties: another one may be put into an object or its class between calls."""

from __future__ import annotations

import contextlib
import types
from typing import Any

from ..code.bound import is_bound
from ..code.plain import plain
from ..origin import file_of, is_library
from .compared import reference
from .paths import IdentityCapture, Path, ValueCapture


def record_method(captures: Any, path: Path, name: str, bound: Any) -> None:
    """Records that an object has this method, in its class or by itself: the function, and that it is bound to the
    object itself, as one of another object may be put there."""
    function = bound.__func__
    if type(function) is types.FunctionType and not is_library(function.__code__.co_filename):
        place = path.then("attr", name).then("attr", "__func__")
        captures.identities.setdefault(place.key(), IdentityCapture.of_function(place, function))
        if not isinstance(bound.__self__, type):
            captures.values[(path.key(), "bound", name)] = ValueCapture(path, name, "bound")
        else:  # a class method
            owner = path.then("attr", name).then("attr", "__self__")
            captures.identities.setdefault(owner.key(), IdentityCapture(owner, reference(bound.__self__)))


def record_of_class(identities: dict[Any, IdentityCapture], cls: type, name: str, value: Any) -> None:
    """Records that a class has this function or property."""
    if not is_library(file_of(cls)):
        path = Path(("held", reference(cls), cls.__qualname__), (("attr", name),))
        if isinstance(value, types.MethodType) and not is_bound(value):  # of the class itself, which binds it anew
            path, value = path.then("attr", "__func__"), value.__func__
        is_function = type(plain(value)) is types.FunctionType
        found = IdentityCapture.of_function(path, value) if is_function else IdentityCapture(path, reference(value))
        identities.setdefault(path.key(), found)
        if isinstance(value, property) and type(plain(value.fget)) is types.FunctionType:
            getter = path.then("attr", "fget")
            identities.setdefault(getter.key(), IdentityCapture.of_function(getter, value.fget))


def record_inherited(captures: Any, owner: Any, name: str, value: Any) -> type | None:
    """Records the class in which `super()` finds a method, and that those before it have none, nor other bases. A
    traced one has a function for each instance. Gives the class where it finds another value, which is read there."""
    order = owner.__self_class__.__mro__
    first = order.index(owner.__thisclass__) + 1
    found: type | None = None
    for cls in order[:first]:
        _record_base(captures, cls)
    for cls in order[first:]:
        if name in vars(cls):
            found = cls
            break
        path = Path(("held", reference(cls), cls.__qualname__))
        captures.values[(path.key(), "lacks", name)] = ValueCapture(path, name, "unset")
        _record_base(captures, cls)
    if found is None:
        return None
    if isinstance(value, types.MethodType) or is_bound(value):
        record_of_class(captures.identities, found, name, vars(found)[name])
        return None
    return None if hasattr(type(vars(found)[name]), "__get__") else found


def _record_base(captures: Any, cls: type) -> None:
    """Records the bases of a class, as code may set its `__bases__`: Python then makes another tuple."""
    if not is_library(file_of(cls)):
        path = Path(("held", reference(cls), cls.__qualname__), (("attr", "__bases__"),))
        captures.identities.setdefault(path.key(), IdentityCapture(path, reference(cls.__bases__)))


def record_answer(captures: Any, what: str, value: Any, cls: type, answer: bool) -> None:
    """Records an answer of `isinstance` ('instance') or `issubclass` ('subclass'). For an object that the trace has
    made it is that of its class."""
    path = None if what == "subclass" else captures.path_of(value)
    if path is None:
        what, owner = "subclass", value if what == "subclass" else type(value)
        path = Path(("held", reference(owner), owner.__qualname__))
        with contextlib.suppress(TypeError):  # protocols with attributes answer for objects alone
            answer = issubclass(owner, cls)
            captures.values[(path.key(), what, id(cls))] = ValueCapture(path, (cls, answer), what)
        return
    captures.values[(path.key(), what, id(cls))] = ValueCapture(path, (cls, answer), what)
