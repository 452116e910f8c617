"""A declared `input_signature`: the types that the arguments must have."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..errors import ArgumentMismatchError, InputSignatureError, ShapeMismatchError, message
from ..trace.signature import CallSignature, Parameters, TensorSpec, ValueSpec, differences
from ..trace.tree import flatten


class Declared:
    """An `input_signature` bound to the parameters of a function.

    A first parameter `self` is not part of it. Raises `InputSignatureError` where it cannot be right.
    """

    def __init__(self, name: str, parameters: Parameters, input_signature: Any) -> None:
        self._name = name
        if not isinstance(input_signature, tuple | list):
            self._refuse(f"must be a tuple or list of TensorSpec, got {type(input_signature).__name__}")
        positional = [p for p in parameters.parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if positional and positional[0].name == "self":
            del positional[0]
        rest = next((p for p in parameters.parameters if p.kind is p.VAR_POSITIONAL), None)
        if len(input_signature) > len(positional) and rest is None:
            self._refuse(
                f"has {len(input_signature)} entries, but `{name}` takes {len(positional)} positional arguments"
            )
        for p in parameters.parameters:
            uncovered = p in positional[len(input_signature) :] or p.kind is p.KEYWORD_ONLY
            if uncovered and p.default is p.empty:
                self._refuse(f"has no entry for `{p.name}`, which has no default")
        self._specs = tuple(input_signature)
        self._declared: dict[str, Any] = {p.name: s for p, s in zip(positional, self._specs, strict=False)}
        if rest is not None and len(self._specs) > len(positional):
            self._declared[rest.name] = self._specs[len(positional) :]
        for parameter, spec in self._declared.items():
            for path, leaf in flatten(spec, parameter)[0]:
                if not isinstance(leaf, TensorSpec):
                    self._refuse(f"has {leaf!r} at `{path}`, which is no TensorSpec")

    def _refuse(self, what: str) -> None:
        raise InputSignatureError(
            message(
                f"the input_signature of `{self._name}` {what}", fix="Example: [TensorSpec((None, 3), np.float32)]."
            )
        )

    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The declared specs as the arguments of a call."""
        return self._specs, {}

    def check(self, call: CallSignature) -> CallSignature:
        """The call's signature with the declared specs in place of its own.

        Raises `ArgumentMismatchError` naming the argument, its spec and the declared one.
        """
        position = 0
        leaves = list(call.leaves)
        for name, tree in call.trees:
            count = tree.count()
            if name in self._declared:
                declared, declared_tree = flatten(self._declared[name], name)
                span = slice(position, position + count)
                part = CallSignature(((name, tree),), call.paths[span], call.leaves[span])
                specs: tuple[TensorSpec, ...] = tuple(s for _, s in declared)
                wanted = CallSignature(((name, declared_tree),), tuple(p for p, _ in declared), specs)
                causes = differences(wanted, part)
                if causes or tree != declared_tree:
                    self._mismatch(wanted, part, causes)
                leaves[span] = [s.of_rank(len(leaf.shape)) for s, leaf in zip(specs, part.leaves, strict=True)]  # type: ignore[union-attr]
            position += count
        return dataclasses.replace(call, leaves=tuple(leaves))

    def _mismatch(self, wanted: CallSignature, part: CallSignature, causes: list[Any]) -> None:
        path = causes[0].path if causes else wanted.trees[0][0]
        came = dict(zip(part.paths, part.leaves, strict=True)).get(path)
        declared = dict(zip(wanted.paths, wanted.leaves, strict=True)).get(path)
        what = came.text if came is not None else part.text
        spec = repr(declared) if declared is not None else wanted.text
        fix = "Convert it at the call, or declare the type that you pass."
        kind = ArgumentMismatchError
        if not part.trees[0][1].is_leaf and wanted.trees[0][1].is_leaf and isinstance(declared, TensorSpec):
            what = f"a {part.trees[0][1].kind} of {len(part.trees[0][1].children)}"
            fix = f"Pass an array: np.asarray({path}, np.{declared.dtype.name})."
        elif causes and {c.kind for c in causes} <= {"rank", "dimension"}:
            kind = ShapeMismatchError
        elif isinstance(came, ValueSpec) and isinstance(declared, TensorSpec):
            fix = f"Pass an array: np.asarray({came.value!r}, np.{declared.dtype.name})."
        elif isinstance(came, TensorSpec) and isinstance(declared, TensorSpec) and came.dtype != declared.dtype:
            fix = f"Convert it at the call: {path}.astype(np.{declared.dtype.name}). Arrays are never cast silently."
        raise kind(
            message(f"`{self._name}`: argument `{path}` is {what}, but its input_signature declares {spec}", fix=fix)
        )
