"""The checks of a cached call as data: the conditions for a call to be one of a signature's.

A check is a record. Three printers read the records, each by a table from the type of a record to a function:
`python_checks.py` writes Python source, `native_checks.py` machine code, and `function/guards.py` compares in a walk,
which says the difference in words. Guards of state outside the arguments (`trace/state/paths.py`, `content.py`,
`memory_guards.py`) are such records themselves. A new kind of check is a record and an entry in each table. Machine
code leaves records without an entry to Python. The walk has none for arguments: it compares their signature.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...ir.dims import Dim, Length
from ...trace.code.made_of import HasCode
from ...trace.signature import CallSignature, GeneratorSpec, LeafSpec, VariableSpec
from ...trace.state.content import ContentGuard
from ...trace.state.paths import IdentityCapture, Path, ValueCapture
from ...trace.tree import Tree
from ..store import ContainerPlace
from .memory_guards import MemoryGuard
from .target import Target

Subject = int | ContainerPlace | Path
"""The checked value: the leaf with this number, the container at this place among the arguments, or state outside."""


class Unfit(Exception):
    """A printer cannot write these calls."""


class HasParts(NamedTuple):
    """A container of this type, with this length, these keys in this order, or these fields and no other attributes.
    `parts` are its children."""

    subject: ContainerPlace
    tree: Tree
    parts: tuple[Subject, ...]


class Fits(NamedTuple):
    """The spec accepts a leaf, or an array or generator from outside. `alias` of a spec has its own check."""

    subject: int | Path
    spec: LeafSpec


class AreOne(NamedTuple):
    """Two subjects are one object, or not."""

    left: Subject
    right: Subject
    same: bool


class IsTarget(NamedTuple):
    """The object that a reference refers to, or another one."""

    subject: int
    reference: Any
    same: bool


class Lengths(NamedTuple):
    """Open lengths compare as they did. `symbols` are (name, leaf, axis)."""

    comparisons: tuple[tuple[str, Length, Length, bool], ...]
    symbols: tuple[tuple[str, int, int], ...]


Guard = ValueCapture | IdentityCapture | ContentGuard | MemoryGuard
Check = HasParts | Fits | AreOne | IsTarget | HasCode | Lengths | Guard


def subjects(check: Check) -> tuple[Subject, ...]:
    """The subjects of a call that a printer needs for this check."""
    if isinstance(check, ValueCapture | IdentityCapture | ContentGuard):
        return (check.path,)
    if isinstance(check, AreOne | MemoryGuard):
        return (check.left,) if check.right is None else (check.left, check.right)
    if isinstance(check, Lengths):
        return tuple([leaf for _, leaf, _ in check.symbols])
    return () if isinstance(check, HasCode) else (check.subject,)


class Arguments(NamedTuple):
    """The structure of a call. `given` has a subject for each parameter, and a list of them for `*args` and `**kwargs`.
    `containers` are checked from the outside in."""

    given: dict[str, Subject | list[Subject]]
    containers: tuple[HasParts, ...]

    @classmethod
    def of(cls, signature: CallSignature, parameters: Sequence[inspect.Parameter]) -> Arguments:
        numbers, trees = itertools.count(), dict(signature.trees)
        containers: list[Any] = []

        def subject(tree: Tree, place: ContainerPlace) -> Subject:
            if tree.is_leaf:
                return next(numbers)
            containers.append(None)
            number = len(containers) - 1
            containers[number] = HasParts(place, tree, tuple(children(tree, place)))
            return place

        def children(tree: Tree, place: ContainerPlace) -> list[Subject]:
            return [subject(child, (*place, key)) for key, child in zip(tree.keys, tree.children, strict=True)]

        given: dict[str, Subject | list[Subject]] = {}
        for p in parameters:
            tree, place = trees[p.name], (p.name,)
            is_rest = p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
            given[p.name] = children(tree, place) if is_rest else subject(tree, place)
        return cls(given, tuple(containers))


def leaf_checks(signature: CallSignature) -> Iterator[Check]:
    """The leaves are as their specs say. Variables, and generators, are the same objects, or not, as they were."""
    specs = signature.leaves
    for number, spec in enumerate(specs):
        yield Fits(number, spec)
        if isinstance(spec, VariableSpec | GeneratorSpec):
            for other in range(number):
                earlier = specs[other]
                if type(earlier) is type(spec):
                    yield AreOne(number, other, earlier.alias == spec.alias)


def argument_checks(target: Target, arguments: Arguments) -> Iterator[Check]:
    """The checks of the arguments that follow those of their structure."""
    for place in target.changed:  # a container that changes stands at one place
        for other in arguments.containers:
            if other.subject != place and other.tree.kind in ("list", "dict", "dataclass"):
                yield AreOne(place, other.subject, False)
    yield from leaf_checks(target.signature)
    yield from alias_checks(target)


def alias_checks(target: Target) -> Iterator[IsTarget]:
    """Arguments that the function has from elsewhere, too."""
    for number, reference, same in target.aliases:
        yield IsTarget(number, reference, same)


def outside_checks(target: Target) -> Iterator[Check]:
    """The checks of state outside the arguments."""
    if target.own is not None:
        yield target.own
    # Types of outer containers come first: a look for an item in a dict of another type may create it.
    yield from sorted([v for v in target.values if v.what == "type"], key=lambda v: len(v.path.steps))
    for capture, spec in zip(target.captures, target.capture_specs, strict=True):
        if isinstance(capture, Path):
            yield Fits(capture, spec)
    yield from [v for v in target.values if v.what != "type"]
    yield from target.identities
    yield from target.libraries
    yield from target.contents
    yield from target.memory
    yield from [AreOne(place, path, False) for place, path in target.apart]


def length_checks(target: Target) -> Iterator[Lengths]:
    """The facts about open lengths that a trace relies on."""
    if target.dim_guards:
        used = {
            s for guard in target.dim_guards for side in guard[1:3] if isinstance(side, Dim) for s in side.symbols()
        }
        yield Lengths(target.dim_guards, tuple([(s, *where) for s, where in target.symbols.items() if s in used]))
