"""Prints the checks of a call as machine code, in terms of `codegen/entry/call.py`.

A Python function checks for machine code what this cannot read itself: Variables, generators, contents of objects.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...codegen.entry.call import CallWriter
from ...codegen.machine import abi
from ...ir.types import Kind, python_type
from ...trace.code.made_of import HasCode, MadeOf
from ...trace.code.plain import plain
from ...trace.signature import ObjectSpec, Parameters, TensorSpec, ValueSpec
from ...trace.state.paths import IdentityCapture, Path, ValueCapture, held_at, length_of, numbers_in
from ...trace.state.paths import found as found_item
from .checks import (
    AreOne,
    Arguments,
    Check,
    Fits,
    HasParts,
    IsTarget,
    Subject,
    Unfit,
    argument_checks,
    length_checks,
    outside_checks,
    subjects,
)
from .memory_guards import MemoryGuard
from .python_checks import check_function
from .target import Target, takes


class NativeChecks:
    """Writes the checks of calls of one signature. It knows the places of the checked values."""

    def __init__(
        self, target: Target, parameters: Sequence[inspect.Parameter], called: Parameters | None = None
    ) -> None:
        self.writer = CallWriter()
        self._target = target
        self._parameters = parameters
        self._called = called  # which has the function whose defaults must be the same
        self._specs = target.signature.leaves
        self._names: dict[Subject, str] = {}
        self._loaded: dict[Any, str] = {}

    def checked(self) -> list[str]:
        """The arguments of the program, when all checks are done. Raises Unfit where Python makes them."""
        target = self._target
        arguments = self._bind_arguments()
        self._check(arguments.containers)
        self._check(argument_checks(target, arguments))
        self._check(outside_checks(target))
        self._check(length_checks(target))
        for owner, *_ in target.only_sets or ():
            self.name(owner)
        taken = [self.name(number) for number, spec in enumerate(self._specs) if takes(spec)]
        return taken + [self.name(c) if isinstance(c, Path) else self.writer.constant(c) for c in target.captures]

    def _bind_arguments(self) -> Arguments:
        arguments = Arguments.of(self._target.signature, self._parameters)
        names, more = [], None
        bound: list[Subject] = []
        rest: Sequence[Subject] = ()
        for p in self._parameters:
            given = arguments.given[p.name]
            if not isinstance(given, list):
                bound.append(given)
                names.append((p.name, p.kind is not p.KEYWORD_ONLY, p.kind is not p.POSITIONAL_ONLY))
            elif p.kind is p.VAR_POSITIONAL:
                more, rest = len(given), given
            elif given:
                raise Unfit
        defaults = {p.name: p.default for p in self._parameters if p.default is not p.empty}
        found, others = self.writer.arguments(names, defaults, more, self._have_defaults if defaults else None)
        self._names |= zip([*bound, *rest], [*found, *others], strict=True)
        return arguments

    def _have_defaults(self) -> None:
        """Checks that the defaults are those that are known."""
        made_of = None if self._called is None else MadeOf.of(self._called.function)
        if made_of is not None:
            function = self.writer.attribute(self.writer.constant(self._called), "function")
            self.writer.has_defaults(function, made_of.defaults, made_of.keyword_defaults)

    def _check(self, checks: Iterable[Check]) -> None:
        for check in checks:
            if (printer := PRINTERS.get(type(check))) is None:
                self._by_python(check)
            else:
                printer(self, check, *[self.name(subject) for subject in subjects(check)])

    def _by_python(self, check: Check) -> None:
        """Lets Python check."""
        self.writer.satisfies(check_function(check), [self.name(subject) for subject in subjects(check)])

    # --- subjects

    def name(self, subject: Subject) -> str:
        """Where a subject is. Paths that begin alike are followed together."""
        if not isinstance(subject, Path):
            return self._names[subject]
        if (known := self._loaded.get(subject.key())) is None:
            known = self._loaded[subject.key()] = self._load(subject)
        return known

    def _load(self, path: Path) -> str:
        kind, owner, name = path.root
        if path.steps:
            step, key = path.steps[-1]
            base = self.name(Path(path.root, path.steps[:-1]))
            if step == "get":
                return self.writer.made_by(found_item, [base, self.writer.constant(key)])
            if step == "held":
                return self.writer.made_by(held_at, [base, self.writer.constant(key)])
            if step == "numbers":
                return self.writer.made_by(numbers_in, [base, self.writer.constant(key)])
            if step == "len":
                return self.writer.made_by(length_of, [base])
            return self.writer.attribute(base, key) if step == "attr" else self.writer.item(base, key)
        if kind == "argument":
            return self.name(self._target.signature.paths.index(name))
        if kind == "object":
            return self.writer.constant(owner)
        if kind == "held":
            return self.writer.referent(owner)
        return self.writer.variable(owner, name) if kind == "global" else self.writer.content(owner)

    # --- checks

    def _parts(self, check: HasParts, value: str) -> None:
        tree, writer = check.tree, self.writer
        if tree.metadata is not None or tree.type is None:
            raise Unfit
        writer.has_type(value, tree.type)
        if issubclass(tree.type, tuple):
            children = writer.children_of_tuple(value, len(tree.children))
        elif tree.type is list:
            children = writer.children_of_list(value, len(tree.children))
        elif tree.type is dict:
            children = writer.children_of_dict(value, tree.keys)
        elif tree.kind == "dataclass":
            children = [writer.attribute(value, name) for name in tree.keys]
            if tree.type.__dictoffset__:
                self._by_python(check)
        else:
            raise Unfit
        self._names |= zip(check.parts, children, strict=True)

    def _fits(self, check: Fits, value: str) -> None:
        spec = check.spec
        if isinstance(spec, ObjectSpec) and type(spec._reference) is weakref.ref:
            self.writer.is_target(value, spec._reference)
        elif isinstance(spec, ValueSpec) and _is_comparable(spec.value):
            self._equals(value, spec.value)
        elif isinstance(spec, TensorSpec) and spec.device == "cpu" and spec.kind is Kind.ARRAY:
            self.writer.is_array(value, spec.dtype, spec.shape)
        elif isinstance(spec, TensorSpec) and spec.kind is Kind.PYTHON:
            self.writer.has_type(value, python_type(spec.dtype))
        elif isinstance(spec, TensorSpec) and _is_plain_scalar(spec):
            self.writer.has_type(value, spec.dtype.type)
        else:
            self._by_python(check)

    def _are_one(self, check: AreOne, left: str, right: str) -> None:
        (self.writer.is_ if check.same else self.writer.is_not)(left, right)

    def _is_target(self, check: IsTarget, value: str) -> None:
        if check.same and type(check.reference) is weakref.ref:
            self.writer.is_target(value, check.reference)
        else:
            self._by_python(check)

    def _identity(self, check: IdentityCapture, value: str) -> None:
        made_of = check.made_of
        if type(check.reference) is weakref.ref:
            self.writer.is_target(value, check.reference)
        else:
            self.writer.is_(value, self.writer.constant(check.target))
        if made_of is None:
            return
        if plain(check.target) is not check.target:
            value = self.writer.attribute(value, "python_function")
        self.writer.has_code(value, made_of.code)
        self.writer.has_defaults(value, made_of.defaults, made_of.keyword_defaults)

    def _code(self, check: HasCode) -> None:
        self.writer.has_code(self.writer.constant(check.function), check.code)

    def _held(self, check: ValueCapture, value: str) -> None:
        if check.what == "value" and _is_comparable(check.value):
            self._equals(value, check.value)
        elif check.what == "without":
            for name in check.value:
                self.writer.lacks_item(value, name)
        elif check.what == "bound":
            owner = self.name(check.path.then("attr", check.value).then("attr", "__self__"))
            self.writer.is_(owner, value)
        else:
            self._by_python(check)

    def _equals(self, value: str, wanted: Any) -> None:
        if wanted is None or wanted is True or wanted is False or wanted is Ellipsis:
            self.writer.is_(value, self.writer.constant(wanted))
        else:
            self.writer.equals(value, wanted)

    def _memory(self, check: MemoryGuard, *values: str) -> None:
        if check.what == "same":
            self.writer.is_(*values)
        elif check.what == "distinct":
            self.writer.is_not(*values)
        elif check.what in ("disjoint", "apart"):
            sizes = [self._bytes(s, v) for s, v in zip(subjects(check), values, strict=True)]
            self.writer.do_not_meet((values[0], sizes[0]), (values[1], sizes[1]), check_function(check))
        else:
            self._by_python(check)

    def _bytes(self, subject: Subject, array: str) -> str:
        """How many bytes the elements of an array take."""
        target = self._target
        spec: Any = None
        if isinstance(subject, int):
            spec = self._specs[subject]
        elif subject in target.captures:
            spec = target.capture_specs[target.captures.index(subject)]
        if not isinstance(spec, TensorSpec):
            raise Unfit
        lengths = [self.writer.length_of(array, axis) for axis in range(len(spec.shape))]
        return self.writer.product([*lengths, str(spec.dtype.itemsize)])


def _is_comparable(wanted: Any) -> bool:
    """True for a Python value that machine code compares itself."""
    if wanted is None or wanted is Ellipsis or type(wanted) in (bool, str, bytes):
        return True
    return (type(wanted) is int and -(2**63) <= wanted < 2**63) or (type(wanted) is float and wanted == wanted)


def _is_plain_scalar(spec: TensorSpec) -> bool:
    return spec.device == "cpu" and spec.kind is Kind.SCALAR and spec.dtype.char in abi.KINDS


PRINTERS: Mapping[type, Callable[..., None]] = {
    HasParts: NativeChecks._parts,
    Fits: NativeChecks._fits,
    AreOne: NativeChecks._are_one,
    IsTarget: NativeChecks._is_target,
    IdentityCapture: NativeChecks._identity,
    HasCode: NativeChecks._code,
    ValueCapture: NativeChecks._held,
    MemoryGuard: NativeChecks._memory,
}
"""Python makes the checks that are not here."""
