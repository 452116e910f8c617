"""Generators from outside that read and change numbers and texts in attributes of the user's objects.

Such a generator is advanced while tracing, at the place where the code does so. Its changes are put back when the
code has run, and are made again where the program, or the Python function, comes to that place. From there on the
trace may not look at these attributes, which only the call knows.
"""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ....errors import UnsupportedFunctionError, message
from ... import provided
from ...context import Trace
from ...origin import file_of, is_library, user_source, where
from ...state.place import MISSING, Attribute
from ...state.taken import Change
from ..rewrite.supported import UnsupportedSyntax
from .running import is_plain, reads_nothing_else, runs_alone

_SIMPLE = (int, float, complex, str, bytes, bool, type(None), np.generic)


class Reached(NamedTuple):
    """The attributes that a generator uses, as places, and those among them that it changes."""

    used: tuple[Attribute, ...]
    changed: tuple[Attribute, ...]

    @property
    def is_simple(self) -> bool:
        """True while all of them hold values that nothing else can change."""
        return all(isinstance(value, _SIMPLE) or value is MISSING for value in (p.load() for p in self.used))

    def now(self) -> list[Any]:
        return [place.load() for place in self.changed]

    def changes(self, before: list[Any]) -> tuple[Change, ...]:
        """The changes since."""
        pairs = zip(self.changed, before, strict=True)
        return tuple([Change(p, old, new) for p, old in pairs if (new := p.load()) is not old])


def reached_by(trace: Trace, generator: Any) -> Reached | None:
    """The attributes that a generator uses. None where it may use more than these and its own variables."""
    frame = getattr(generator, "gi_frame", None)
    if type(generator) is not types.GeneratorType or frame is None or generator.gi_running:
        return None
    if generator.gi_yieldfrom is not None and not runs_alone(trace, generator.gi_yieldfrom):
        return None
    held = dict(frame.f_locals)
    owners = {name: value for name, value in held.items() if _is_owner(trace, value)}
    others = [value for name, value in held.items() if name not in owners]
    if not owners or not all(is_plain(trace, value, 0) for value in others):
        return None
    if not reads_nothing_else(generator.gi_code, frame.f_globals, stores=True):
        return None
    try:
        uses = list(_uses(provided.definition_of(generator.gi_code), set(owners)))
    except (UnsupportedSyntax, LookupError):
        return None
    places = {(n, a): Attribute(owners[n], a) for n, a, _ in uses}
    if any(_is_of_class(place.owner, place.attribute) for place in places.values()):
        return None
    found = Reached(
        tuple(places.values()), tuple([places[n, a] for n, a in {(n, a) for n, a, stored in uses if stored}])
    )
    return found if found.is_simple else None


def _is_owner(trace: Trace, value: Any) -> bool:
    """True for an object of a class of the user's, with attributes that are no more than values."""
    cls = type(value)
    if cls.__module__ == "builtins" or is_library(file_of(cls)) or dataclasses.is_dataclass(cls):
        return False
    if not hasattr(value, "__dict__") or hasattr(cls, "__tracefn_flatten__") or hasattr(cls, "__getattr__"):
        return False
    own = (cls.__getattribute__, cls.__setattr__, cls.__delattr__)
    return own == (object.__getattribute__, object.__setattr__, object.__delattr__) and trace.is_outside(value)


def _is_of_class(owner: Any, name: str) -> bool:
    """True for an attribute that a class defines: a method, a property, a slot."""
    return any(hasattr(type(vars(c)[name]), "__get__") for c in type(owner).__mro__ if name in vars(c))


def _uses(function: ast.FunctionDef, owners: set[str]) -> Iterable[tuple[str, str, bool]]:
    """(variable, attribute, is it stored) of each use of these variables. Raises `LookupError` for any other use."""
    known = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute):
            name = node.value.id if isinstance(node.value, ast.Name) else ""
            if name in owners:
                if isinstance(node.ctx, ast.Del) or node.attr.startswith("__"):
                    raise LookupError
                known.add(node.value)
                yield name, node.attr, isinstance(node.ctx, ast.Store)
            elif isinstance(node.ctx, ast.Store | ast.Del):
                raise LookupError
        elif (
            isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.AsyncFunctionDef)
            and node is not function
        ):
            raise LookupError
    if any(isinstance(n, ast.Name) and n.id in owners and n not in known for n in ast.walk(function)):
        raise LookupError


def begins_to_change(trace: Trace, reached: Reached) -> None:
    """Told before a generator runs. Refuses one that uses state that the trace has changed: its real value is the old
    one."""
    inner: Any = trace
    while inner is not None:
        if any(inner.journal.has(place.key) for place in reached.used):
            raise UnsupportedFunctionError(
                message(
                    "a generator from outside uses attributes that the traced function changes before",
                    where(user_source(4)),
                    "Take from it first, or pass the items.",
                )
            )
        inner = getattr(inner, "parent", None)
    for place in reached.changed:
        trace.root.moved[place.key] = place
