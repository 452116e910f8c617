"""Guards of methods and properties: another one may be put into an object or its class between calls."""

from __future__ import annotations

import types
from typing import Any

from ..code.plain import plain
from ..origin import file_of, is_library
from .compared import reference
from .paths import IdentityCapture, Path


def record_method(identities: dict[Any, IdentityCapture], path: Path, name: str, function: Any) -> None:
    """Records that an object has this function as a method, in its class or by itself."""
    if type(function) is types.FunctionType and not is_library(function.__code__.co_filename):
        place = path.then("attr", name).then("attr", "__func__")
        identities.setdefault(place.key(), IdentityCapture.of_function(place, function))


def record_of_class(identities: dict[Any, IdentityCapture], cls: type, name: str, value: Any) -> None:
    """Records that a class has this function or property."""
    if not is_library(file_of(cls)):
        path = Path(("held", reference(cls), cls.__qualname__), (("attr", name),))
        is_function = type(plain(value)) is types.FunctionType
        found = IdentityCapture.of_function(path, value) if is_function else IdentityCapture(path, reference(value))
        identities.setdefault(path.key(), found)


def record_inherited(identities: dict[Any, IdentityCapture], owner: Any, name: str, method: Any) -> None:
    """Records the class in which `super()` finds a method. A traced one has a function for each instance."""
    function = plain(method.__func__)
    found = next((c for c in owner.__self_class__.__mro__ if plain(vars(c).get(name)) is function), None)
    if found is not None:
        record_of_class(identities, found, name, vars(found)[name])
