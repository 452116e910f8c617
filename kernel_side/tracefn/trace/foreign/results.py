"""The results of a foreign step: their structure, types and lengths, checked at each call."""

from __future__ import annotations

import enum
import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...ir.bail_out import BailOut
from ...ir.dims import Dim
from ...ir.types import NOTHING, Kind, Shape, TensorType, dtype_name, is_traceable, python
from ..tree import LEAF, Tree, parts, unflatten

MOST_PARTS = 64
"""A list or dict with more parts is one value of the graph: an object."""

_NUMBERS = (bool, int, float, complex, str)
_CONSTANTS = (type(None), type(Ellipsis), type(NotImplemented), type, types.ModuleType, np.dtype, enum.Enum)


class Part:
    """One part of a result that is an output of the node."""

    def __init__(self, what: str) -> None:
        self.what = what

    def type(self) -> TensorType:
        raise NotImplementedError

    def fits(self, value: Any, lengths: Sequence[int]) -> bool:
        raise NotImplementedError


class ArrayPart(Part):
    """`lengths` are ints, numbers of checked lengths in a list of one, or None for any length."""

    def __init__(self, value: Any, shape: Shape, checked: list[Dim], varying: Sequence[bool]) -> None:
        super().__init__(f"{dtype_name(value.dtype)} array of shape {value.shape}")
        self._dtype, self._shape, self._ndim = value.dtype, shape, value.ndim
        self._varying = tuple(varying)
        self._open = tuple([checked.index(n) if isinstance(n, Dim) else -1 for n in shape])
        self._plain = None if any(varying) or any(isinstance(n, Dim) for n in shape) else tuple(shape)

    def type(self) -> TensorType:
        lengths = [Dim.fresh() if v else n for n, v in zip(self._shape, self._varying, strict=True)]
        return TensorType(self._dtype, tuple(lengths))

    def fits(self, value: Any, lengths: Sequence[int]) -> bool:
        if type(value) is not np.ndarray or value.dtype != self._dtype:
            return False
        if self._plain is not None:
            return value.shape == self._plain
        return value.ndim == self._ndim and all(
            v or n == (lengths[o] if o >= 0 else wanted)
            for n, v, o, wanted in zip(value.shape, self._varying, self._open, self._shape, strict=True)
        )

    def differing(self, value: Any) -> list[int]:
        """The axes whose lengths are others, where nothing else is."""
        if type(value) is not np.ndarray or value.dtype != self._dtype or value.ndim != self._ndim:
            return []
        return [axis for axis in range(self._ndim) if not self._varying[axis]]


class TypedPart(Part):
    """A number, a text, a NumPy scalar, or an object of a library: known by its class."""

    def __init__(self, cls: type, value_type: TensorType) -> None:
        super().__init__(cls.__name__)
        self._class, self._type = cls, value_type

    def type(self) -> TensorType:
        return self._type

    def fits(self, value: Any, lengths: Sequence[int]) -> bool:
        if value.__class__ is not self._class:
            return False
        found: Any = value
        return self._type.kind is not Kind.SCALAR or found.dtype == self._type.dtype


class Results:
    """The result of a call: `flat` are its outputs, `rebuild` puts it together from their stand-ins in the trace.

    `given` are the objects among the arguments: a result that is one of them stays it. `length(n)` tells which open
    length a number stands for, `varies(output, axis)` whether a length was seen to differ from call to call.
    """

    def __init__(self, value: Any, given: Sequence[Any], length: Any, varies: Any) -> None:
        self.flat: list[Any] = []
        self.checked: list[Dim] = []
        self._length, self._varies = length, varies
        self._parts: list[Any] = []
        self.tree = self._describe(value, given, 0)
        self.has_given = any(type(p) is int for p in self._parts)
        self._only = self._parts[0] if self.tree.is_leaf and isinstance(self._parts[0], Part) else None

    def _describe(self, value: Any, given: Sequence[Any], depth: int) -> Tree:
        for place, known in enumerate(given):
            if known is value and _has_identity(value):
                self._parts.append(place)
                return LEAF
        found = _containers(value, depth)
        if found is not None:
            children = tuple([self._describe(v, given, depth + 1) for v in found.children])
            return Tree(found.kind, type(value), found.keys, children, found.metadata)
        self._parts.append(self._part(value))
        return LEAF

    def _part(self, value: Any) -> Any:
        if isinstance(value, _CONSTANTS):
            return ("constant", value)
        part = self._output(value)
        self.flat.append(value)
        return part

    def _output(self, value: Any) -> Part:
        cls: Any = type(value)
        if cls is np.ndarray and is_traceable(value.dtype):
            number = len(self.flat)
            varying = [bool(self._varies(number, axis)) for axis in range(value.ndim)]
            shape = tuple([n if v else self._length(n) for n, v in zip(value.shape, varying, strict=True)])
            for n in shape:
                if isinstance(n, Dim) and n not in self.checked:
                    self.checked.append(n)
            return ArrayPart(value, shape, self.checked, varying)
        if cls in _NUMBERS:
            return TypedPart(cls, python(cls))
        if isinstance(value, np.generic) and is_traceable(value.dtype) and value.dtype.kind != "V":
            return TypedPart(cls, TensorType(value.dtype, (), Kind.SCALAR))
        return TypedPart(cls, TensorType(NOTHING, (), Kind.OBJECT))

    def types(self) -> tuple[TensorType, ...]:
        return tuple([part.type() for part in self._parts if isinstance(part, Part)])

    def rebuild(self, outputs: Iterator[Any], given: Sequence[Any]) -> Any:
        """The result with stand-ins for its outputs, and for the arguments that it has parts of."""
        leaves = [
            next(outputs) if isinstance(p, Part) else p[1] if isinstance(p, tuple) else given[p] for p in self._parts
        ]
        return unflatten(self.tree, leaves)

    def check(self, value: Any, given: Sequence[Any], lengths: Sequence[int], name: str) -> tuple[Any, ...]:
        """The outputs of another call. Raises `BailOut` where they are of other types."""
        if self._only is not None and self._only.fits(value, lengths):
            return (value,)
        outputs: list[Any] = []
        found: list[Any] = []
        if not _cut(value, self.tree, found):
            raise BailOut(f"`{name}` returned another structure: {type(value).__name__}")
        for part, leaf in zip(self._parts, found, strict=True):
            if isinstance(part, Part):
                if not part.fits(leaf, lengths):
                    axes = part.differing(leaf) if isinstance(part, ArrayPart) else []
                    for axis in axes:
                        self._varies.note(len(outputs), axis)
                    raise BailOut(f"`{name}` returned {_shown(leaf)} where it had returned {part.what}", bool(axes))
                outputs.append(leaf)
            elif isinstance(part, tuple):
                if leaf is not part[1] and not (type(leaf) is type(part[1]) and leaf == part[1]):
                    raise BailOut(f"`{name}` returned {_shown(leaf)} where it had returned {part[1]!r}")
            elif leaf is not given[part]:
                raise BailOut(f"`{name}` returned {_shown(leaf)}, and not its own argument")
        return tuple(outputs)


def _has_identity(value: Any) -> bool:
    return not isinstance(value, (*_NUMBERS, *_CONSTANTS, np.generic, bytes))


def _containers(value: Any, depth: int) -> Any:
    """The parts of a tuple, list, dict or named tuple; None for one value of the graph."""
    if depth > 4 or hasattr(type(value), "__tracefn_flatten__"):
        return None
    found = parts(value)
    if found is None or len(found.children) > MOST_PARTS or found.kind in ("dataclass", "custom"):
        return None
    if found.kind == "namedtuple" and getattr(value, "__dict__", None):
        return None  # it has more than its items
    if found.kind == "dict" and not all(type(k) in (str, int) for k in found.keys):
        return None
    return found


def _cut(value: Any, tree: Tree, found: list[Any]) -> bool:
    """Takes a value apart where a structure has its leaves. False where it has another structure."""
    if tree.is_leaf:
        found.append(value)
        return True
    given: Any = value
    if value.__class__ is not tree.type or (tree.kind == "dict" and tuple(given) != tree.keys):
        return False
    items = tuple(given.values()) if tree.kind == "dict" else tuple(given)
    return len(items) == len(tree.children) and all(
        _cut(v, t, found) for v, t in zip(items, tree.children, strict=True)
    )


def _shown(value: Any) -> str:
    if type(value) is np.ndarray:
        return f"a {dtype_name(value.dtype)} array of shape {value.shape}"
    return type(value).__name__
