"""Which objects stand in the place of those of a trace."""

from __future__ import annotations

import sys
import types
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...trace.code.bound import is_bound, is_traced_function
from ...trace.code.plain import stored
from ...trace.origin import is_library
from ...trace.signature import CallSignature, ObjectSpec
from ...trace.state.compared import VALUES, reference, refers_to
from ...trace.state.paths import IdentityCapture, Path
from ...trace.tree import Tree
from ..guards import Now


class Unlike(Exception):
    """A trace cannot be taken over for these objects."""


Classes = dict[int, tuple[type, Any]]
"""By the id of a weak reference: the class of its object, and the function of the class, where the object is that of an
instance."""

_SHARED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
_BARE = frozenset({"abc", "typing"})
"""Modules whose classes add nothing to an instance that code can see."""
_HEAP_TYPE = 1 << 9
"""Py_TPFLAGS_HEAPTYPE of CPython: a class that is not written as a static C struct."""


def classes_of(signature: CallSignature, identities: Iterable[IdentityCapture]) -> Classes:
    """The classes of the objects that a new trace knows by identity, and in whose place others may stand."""
    references = [leaf._reference for leaf in signature.leaves if type(leaf) is ObjectSpec]
    references += [identity.reference for identity in identities]
    found: Classes = {}
    for one in references:
        value: Any = one() if type(one) is weakref.ref else None
        if is_traced_function(value) and not is_bound(value):
            if value._class_has is not None:
                found[id(one)] = (type(value).__base__ or type(value), value._class_has)
        elif value is not None and _holds_attributes_alone(type(value)):
            found[id(one)] = (type(value), None)
    return found


def _holds_attributes_alone(cls: type) -> bool:
    """True for a class of the user's, written in Python: code reads its instances by their attributes, which guards
    compare. An object of a library, or of a class in C, is known by its identity alone."""
    for base in cls.__mro__[:-1]:
        if not base.__flags__ & _HEAP_TYPE:
            return False
        file = stored(sys.modules.get(base.__module__), "__file__")
        is_users = base.__module__ == "__main__" if file is None else not is_library(file)
        if not is_users and base.__module__ not in _BARE:
            return False
    return True


class Objects:
    """The objects of a call, by the references that a trace has to those in whose place they stand. Raises `Unlike`
    where one is of another class, or stands for two."""

    def __init__(self, classes: Classes, old: CallSignature, call: CallSignature, now: Now) -> None:
        self._classes = classes
        self._arguments = now.by_path
        self._new: dict[int, Any] = {}  # by the id of the reference
        self._stands_for: dict[int, int] = {}
        self._references: list[Any] = []  # that ids stay theirs
        for spec, leaf, value in zip(old.leaves, call.leaves, now.leaves, strict=True):
            if type(spec) is ObjectSpec and type(leaf) is ObjectSpec:
                self._put(spec._reference, value)
            elif not spec.accepts(leaf):
                raise Unlike

    def follow(self, identities: Iterable[IdentityCapture]) -> None:
        """Finds all objects to which paths lead from those that are known."""
        waiting = list(identities)
        while waiting:
            later = []
            for identity in waiting:
                root = self._root(identity.path)
                if root is _UNKNOWN:
                    later.append(identity)
                    continue
                try:
                    value = identity.path.follow(root)
                except (LookupError, AttributeError, ValueError, TypeError):
                    raise Unlike from None
                self._put(identity.reference, value)
            if len(later) == len(waiting):
                raise Unlike
            waiting = later
        if all(refers_to(one, self._new[id(one)]) for one in self._references):
            raise Unlike  # these are the trace's own objects

    def _put(self, one: Any, value: Any) -> None:
        if self._new.setdefault(id(one), value) is not value:
            raise Unlike
        if not refers_to(one, value):
            cls, of_class = self._classes.get(id(one), (None, None))
            is_alike = getattr(value, "_class_has", None) is of_class and isinstance(value, cls or ())
            if not (is_alike if of_class is not None else type(value) is cls):
                raise Unlike
        self._references.append(one)
        if type(one) is weakref.ref and self._stands_for.setdefault(id(value), id(one)) != id(one):
            raise Unlike  # the trace has two objects there

    def _root(self, path: Path) -> Any:
        kind, owner, name = path.root
        if kind == "argument":
            return self._arguments.get(name, _UNKNOWN)
        if kind == "held":
            return self.of(owner, _UNKNOWN)
        return Path(path.root).load()

    def of(self, one: Any, default: Any = None) -> Any:
        """The object that stands in the place of the one that a reference leads to."""
        if id(one) in self._new:
            return self._new[id(one)]
        found = one()
        return found if isinstance(found, _SHARED) else default

    def path(self, path: Path) -> Path:
        """The same path from the object that stands there."""
        kind, owner, name = path.root
        for _, key in path.steps:
            if key is not None and not isinstance(key, VALUES) and not (type(key) is tuple and _is_plain(key)):
                raise Unlike
        if kind == "object" and not isinstance(owner, (dict, types.CellType, *_SHARED)):
            raise Unlike
        if kind != "held":
            return path
        found = self.of(owner, _UNKNOWN)
        if found is _UNKNOWN:
            raise Unlike
        return path if found is owner() else Path(("held", reference(found), name), path.steps)

    def identity(self, identity: IdentityCapture) -> IdentityCapture:
        """The guard of the object that stands there."""
        found = self._new[id(identity.reference)]
        kept = identity.reference if refers_to(identity.reference, found) else reference(found)
        return IdentityCapture(self.path(identity.path), kept, identity.source, identity.made_of)

    def constant(self, value: Any) -> Any:
        """An object that each call uses."""
        if type(value) is weakref.ref:
            found = self.of(value, _UNKNOWN)
            if found is _UNKNOWN:
                raise Unlike
            return value if value() is found else reference(found)
        if not is_the_same_for_all(value):
            raise Unlike
        return value


_UNKNOWN = object()


def is_the_same_for_all(value: Any) -> bool:
    """True for an object that is not one of those of a trace, and holds none: plain values, classes, functions."""
    if isinstance(value, types.FunctionType):
        defaults = *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()
        return value.__closure__ is None and is_the_same_for_all(defaults)  # `reference` gives one with a closure
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    if type(value) is tuple:
        return all(map(is_the_same_for_all, value))
    if type(value) is Tree:
        return is_the_same_for_all((value.keys, value.metadata, *value.children))
    return _is_plain(value) or isinstance(value, (*_SHARED, *_OF_CLASSES)) or _is_namespace(value)


def _is_plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return value is None or value is ... or isinstance(value, VALUES)


def _is_namespace(value: Any) -> bool:
    """True for the globals of a module."""
    return type(value) is dict and "__builtins__" in value


_OF_CLASSES = (
    types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType,
    types.GetSetDescriptorType, types.MemberDescriptorType, types.CodeType,
)  # fmt: skip
