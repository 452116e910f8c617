"""The arguments of the call that is traced: their symbolic lengths and types, and their stand-ins in the trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.dims import Dim
from ...ir.types import Kind, TensorType, random_kind, random_type
from ...trace.context import Trace
from ...trace.foreign import Foreign, is_foreign_value
from ...trace.signature import CallSignature, ForeignSpec, GeneratorSpec, TensorSpec
from ...trace.tree import flatten, unflatten
from ...trace.variables.variable import Variable

_NAMES = "n m p q r s t u".split()


def leaves_of(arguments: dict[str, Any]) -> list[Any]:
    """The leaves of all arguments, in the order of the signature."""
    return [v for n, a in arguments.items() for _, v in flatten(a, n)[0]]


def symbols_of(
    signature: CallSignature, values: list[Any]
) -> tuple[dict[str, tuple[int, int]], list[Any], dict[str, int]]:
    """(symbol → (leaf, axis), the type of each tensor leaf or None, symbol → its length in this call)."""
    symbols: dict[str, tuple[int, int]] = {}
    hints: dict[str, int] = {}
    found: list[TensorType | None] = []
    for index, (spec, value) in enumerate(zip(signature.leaves, values, strict=True)):
        if isinstance(spec, GeneratorSpec):
            found.append(random_type(spec.kind))
            continue
        if not isinstance(spec, TensorSpec):
            found.append(None)
            continue
        shape: list[int | Dim] = []
        for axis, length in enumerate(spec.shape):
            if length is None:
                count = len(symbols)
                name = _NAMES[count] if count < len(_NAMES) else f"n{count}"
                symbols[name] = (index, axis)
                if not isinstance(value, TensorSpec):
                    hints[name] = value.shape[axis]
                shape.append(Dim.symbol(name))
            else:
                shape.append(length)
        kind = spec.kind or (Kind.SCALAR if isinstance(value, np.generic) else Kind.ARRAY)
        found.append(TensorType(spec.dtype, tuple(shape), kind))
    return symbols, found, hints


def stand_ins(trace: Trace, signature: CallSignature, values: list[Any], found: list[TensorType | None]) -> list[Any]:
    """The leaves as the traced code gets them: Tensors in place of arrays; one generator in two places is one."""
    leaves = [
        v if t is None else trace.argument(getattr(spec, "name", None) or path, t, None if v is spec else v)
        for path, spec, v, t in zip(signature.paths, signature.leaves, values, found, strict=True)
    ]
    return [
        leaves[s.alias] if isinstance(s, GeneratorSpec) else v for s, v in zip(signature.leaves, leaves, strict=True)
    ]


def inner_arguments(signature: CallSignature, arguments: dict[str, Any], leaves: list[Any]) -> dict[str, Any]:
    """The arguments with Tensors in place of arrays, in containers of their own."""
    leaves = [Foreign(v) if type(s) is ForeignSpec else v for s, v in zip(signature.leaves, leaves, strict=True)]
    inner, position = {}, 0
    for name, tree in signature.trees:
        count = tree.count()
        inner[name] = unflatten(tree, leaves[position : position + count], like=arguments[name])
        position += count
    return inner


def objects_of(arguments: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """The arguments that are keyed by identity: their attributes count as outside."""
    found = {}
    for name, value in arguments.items():
        leaves, tree = flatten(value, name)
        if (
            tree.is_leaf
            and not isinstance(value, np.ndarray | np.generic | TensorSpec | Variable)
            and not random_kind(value)
            and not is_foreign_value(value)
        ):
            found[name] = (name, value)
    return found
