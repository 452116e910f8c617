"""Serialised references to values outside of a trace: NumPy's functions, and plain values."""

from __future__ import annotations

import builtins
import types
from typing import Any

import numpy as np

from ...ir.op import by_call, by_name
from ...ir.own_modules import own_math, own_numpy
from ...ir.serialise import Deserialiser, NotSerialisable, Serialiser
from ...trace.code.plain import seen
from ...trace.state.compared import same_value

_SAFE = frozenset(
    "abs all any bool bytes complex dict divmod enumerate filter float int isinstance issubclass iter len list map max "
    "min next pow range reversed round slice sorted sum tuple zip NotImplemented Ellipsis".split()
)
_BUILTINS = {
    name: value
    for name, value in vars(builtins).items()
    if name in _SAFE or (isinstance(value, type) and issubclass(value, Exception))
}
"""Builtins that compute the same in each process, as they were when tracefn was imported. `hash`, `id` and `set` do
not: hashes of texts differ."""

_CLASSES = frozenset(
    "ndarray generic number integer signedinteger unsignedinteger inexact floating complexfloating flexible character "
    "finfo iinfo dtype asarray asanyarray".split()
)
"""Names of NumPy that are no ops, and stand for the same in each process of its version."""

_MODULES = frozenset({"math", "numpy", "numpy.linalg", "numpy.fft"})
"""Modules of libraries whose functions can be referred to."""

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range, tuple, np.generic, np.dtype)


def is_known_module(name: str) -> bool:
    """True for a module of a library whose functions can be referred to."""
    return name in _MODULES


def check_builtin(name: str) -> None:
    """Raises NotSerialisable for a name among the builtins that may give something else in another process."""
    if name not in _BUILTINS or vars(builtins).get(name) is not _BUILTINS[name]:
        raise NotSerialisable(f"it uses `{name}`")


def is_builtin(name: str) -> bool:
    """True if a name among the builtins stands for the same object as when tracefn was imported."""
    return name in _BUILTINS and vars(builtins).get(name) is _BUILTINS[name]


def serialise_object(value: Any, serialiser: Serialiser) -> list[Any]:
    """A function or class of a library, or a plain value. Raises NotSerialisable for anything else."""
    if isinstance(value, types.ModuleType) and is_known_module(value.__name__):
        return ["module", value.__name__]
    if _is_plain(value):
        return ["plain", serialiser.template(value)]
    name = seen(value, "__name__") or ""
    if _BUILTINS.get(name) is value:
        return ["builtin", name]
    if name in _CLASSES and getattr(own_numpy, name, None) is value:
        return ["numpy", name]
    if isinstance(value, type) and issubclass(value, np.number | np.bool_) and np.dtype(value).type is value:
        return ["scalar", np.dtype(value).char]
    if type(value) is types.BuiltinFunctionType and getattr(own_math, name, None) is value:
        return ["math", name]
    try:
        op = by_call(value)
    except TypeError:  # it has no hash
        op = None
    if op is not None and op.pure and by_name(op.name) is op:
        return ["op", op.name, type(value).__name__]
    raise NotSerialisable(f"it uses `{name or type(value).__name__}`")


def _is_plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    if isinstance(value, np.generic):
        return value.dtype.kind in "biufc"
    return isinstance(value, np.dtype) or type(value) in _PLAIN


def serialise_result(value: Any, serialiser: Serialiser) -> list[Any]:
    """A value that a trace gives at each call, as `result_of` makes it. Raises NotSerialisable for one that only a look
    at it identifies."""
    record = serialise_object(value, serialiser)
    if record[0] != "plain" and not _is_named(record[0]):
        raise NotSerialisable(f"it returns `{record[1]}`")
    return record


def result_of(record: list[Any], deserialiser: Deserialiser) -> Any:
    """The value that was serialised so."""
    kind, name = record[0], record[1]
    return _named(kind, name) if _is_named(kind) else deserialiser.template(name)


def _is_named(kind: str) -> bool:
    return kind in ("scalar", "builtin", "numpy", "math")


def _named(kind: str, name: str) -> Any:
    """The class or function with a name, of the scalars, of Python or of a module."""
    if kind == "scalar":
        return np.dtype(name).type
    if kind == "builtin":
        return _BUILTINS.get(name)
    return getattr(own_numpy if kind == "numpy" else own_math, name, None)


def is_object(record: list[Any], found: Any, deserialiser: Deserialiser) -> bool:
    """True if a serialised reference resolves to this value."""
    kind, name = record[0], record[1]
    if kind == "plain":
        return same_value(deserialiser.template(name), found)
    if _is_named(kind):
        return found is _named(kind, name)
    if kind == "module":
        return isinstance(found, types.ModuleType) and found.__name__ == name
    try:
        return by_call(found) is by_name(name) and type(found).__name__ == record[2]
    except (TypeError, KeyError):
        return False
