"""Prints the checks of a call as lines of a Python function."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...ir.dims import Dim, Length
from ...ir.types import Kind, python_type, random_class
from ...trace.code.made_of import HasCode, MadeOf
from ...trace.code.plain import plain
from ...trace.signature import GeneratorSpec, ObjectSpec, TensorSpec, ValueSpec, VariableSpec
from ...trace.state.compared import content_of, same_items, same_value
from ...trace.state.content import ContentGuard
from ...trace.state.paths import IdentityCapture, ValueCapture
from ...trace.variables.variable import Variable
from .checks import AreOne, Check, Fits, HasParts, IsTarget, Lengths, Unfit, subjects
from .memory_guards import CHECKS, MemoryGuard
from .source import Source


def print_check(source: Source, check: Check, names: Sequence[str]) -> Any:
    """Adds the lines of a check. `names` are the expressions of its `subjects`. A container gives the expressions of
    its parts. Raises Unfit where Python has no expression for them."""
    return PRINTERS[type(check)](source, check, *names)


def check_function(check: Check) -> Callable[..., Any]:
    """A Python function of the `subjects` of a check that gives True where it holds."""
    source, names = Source(), [f"_p{i}" for i in range(len(subjects(check)))]
    print_check(source, check, names)
    source.lines.append("return True")
    return source.function(", ".join(names))


def _parts(source: Source, check: HasParts, e: str) -> list[str]:
    tree = check.tree
    if tree.kind not in ("tuple", "list", "dict", "namedtuple", "dataclass") or tree.metadata is not None:
        raise Unfit
    source.miss_if(f"type({e}) is not {source.constant(tree.type)}")
    if tree.kind in ("tuple", "list"):
        source.miss_if(f"len({e}) != {len(tree.children)}")
    elif tree.kind == "dataclass" and tree.type.__dictoffset__:  # type: ignore[union-attr]
        source.miss_if(f"len({e}.__dict__) > {len(tree.keys)}")  # with other attributes it is keyed by identity
    elif tree.kind == "dict":
        source.miss_if(f"tuple({e}) != {source.constant(tree.keys)}")
    if tree.kind in ("namedtuple", "dataclass"):
        return [f"{e}.{key}" for key in tree.keys]
    return [f"{e}[{key!r}]" if isinstance(key, int | str) else f"{e}[{source.constant(key)}]" for key in tree.keys]


def _fits(source: Source, check: Fits, e: str) -> None:
    spec = check.spec
    if isinstance(spec, VariableSpec):
        source.namespace["_Variable"] = Variable
        source.miss_if(f"not isinstance({e}, _Variable) or {e}._dtype != {source.constant(spec.dtype, 'dtype')}")
        source.miss_if(f"{e}._shape != {spec.declared!r}")
        if None in spec.declared:
            source.miss_if(f"getattr({e}._value, 'shape', None) != {spec.shape!r}")
    elif isinstance(spec, GeneratorSpec):
        _generator(source, e, spec)
    elif isinstance(spec, TensorSpec):
        _tensor(source, e, spec)
    elif isinstance(spec, ObjectSpec):
        _refers_to(source, spec._reference, e)
    else:
        _value(source, e, spec.value)


def _generator(source: Source, e: str, spec: GeneratorSpec) -> None:
    if spec.kind is Kind.OBJECT:
        source.miss_if(f"type({e}) is not {source.constant(spec.bits)}")
        return
    source.miss_if(f"type({e}) is not {source.constant(random_class(spec.kind))}")
    if spec.bits is not None:
        source.miss_if(f"type({e}._bit_generator) is not {source.constant(spec.bits)}")


def _tensor(source: Source, e: str, spec: TensorSpec) -> None:
    dtype = source.constant(spec.dtype, "dtype")
    if spec.device == "gpu":
        import cupy

        source.miss_if(f"type({e}) is not {source.constant(cupy.ndarray)}")
    elif spec.kind is Kind.PYTHON:
        source.miss_if(f"type({e}) is not {python_type(spec.dtype).__name__}")
        return
    elif spec.kind is Kind.SCALAR:
        source.miss_if(f"type({e}) is not {source.constant(spec.dtype.type)}")
    elif spec.kind is Kind.ARRAY:
        source.miss_if(f"type({e}) is not _ndarray")
    else:
        source.miss_if(f"type({e}) is not _ndarray and type({e}) is not {source.constant(spec.dtype.type)}")
    source.miss_if(f"{e}.dtype is not {dtype} and {e}.dtype != {dtype}")
    if spec.kind is Kind.SCALAR:
        return
    if spec.is_exact:
        if spec.kind is Kind.ARRAY and len(spec.shape) == 1 and spec.device == "cpu":  # asked most, and shorter so
            source.miss_if(f"{e}.ndim != 1 or len({e}) != {spec.shape[0]}")
        else:
            source.miss_if(f"{e}.shape != {spec.shape!r}")
    else:
        shape = source.local(f"{e}.shape")
        source.miss_if(f"len({shape}) != {len(spec.shape)}")
        for axis, length in enumerate(spec.shape):
            if length is not None:
                source.miss_if(f"{shape}[{axis}] != {length}")


def _value(source: Source, e: str, value: Any) -> None:
    if value is None or value is True or value is False or value is Ellipsis:
        source.miss_if(f"{e} is not {value!r}")
    elif type(value) in (int, str, bytes):
        source.miss_if(f"type({e}) is not {type(value).__name__} or {e} != {source.constant(value, 'v')}")
    elif type(value) is float and value == value and value != 0:
        source.miss_if(f"type({e}) is not float or {e} != {value!r}" if abs(value) != float("inf") else
                       f"type({e}) is not float or {e} != {source.constant(value, 'v')}")  # fmt: skip
    elif isinstance(value, frozenset | set | slice):
        known = source.constant(ValueSpec(value), "v")
        source.namespace["_ValueSpec"] = ValueSpec
        source.miss_if(f"type({e}) is not {type(value).__name__} or _ValueSpec({e}) != {known}")
    else:
        source.namespace["_same_value"] = same_value
        source.miss_if(f"not _same_value({e}, {source.constant(value, 'v')})")


def _held(source: Source, value: ValueCapture, expression: str) -> None:
    """A Python value from outside the arguments is as it was."""
    if value.what == "type":
        source.miss_if(f"type({expression}) is not {source.constant(value.value)}")
    elif value.what == "lacks":
        source.miss_if(f"hasattr({expression}, {value.value!r})")
    elif value.what == "unset":
        source.miss_if(f"{value.value!r} in {expression}.__dict__")
    elif value.what == "bound":
        owner = source.local(expression)
        source.miss_if(f"{owner}.{value.value}.__self__ is not {owner}")
    elif value.what in ("instance", "subclass"):
        cls, answer = value.value
        asked = {"instance": isinstance, "subclass": issubclass}[value.what]
        source.miss_if(f"{source.constant(asked)}({expression}, {source.constant(cls)}) is not {answer}")
    elif value.what == "without":
        source.miss_if(" or ".join([f"{name!r} in {expression}" for name in value.value]))
    elif value.what == "with":
        source.miss_if(" or ".join([f"{name!r} not in {expression}" for name in value.value]))
    elif value.what == "items":
        source.miss_if(f"not {source.constant(same_items)}({expression}, {source.constant(value.value)})")
    elif value.what in ("length", "members"):
        source.miss_if(f"len({expression}) != {value.value}")
    elif value.what == "lengths":
        length = source.local(f"len({expression})")
        source.miss_if(f"not ({value.value.source(length)})")
    elif value.what == "keys":
        source.miss_if(f"tuple({expression}) != {source.constant(value.value)}")
    elif value.what == "content":
        held = f"{source.constant(content_of)}({expression})"
        source.namespace["_same_value"] = same_value
        source.miss_if(f"not _same_value({held}, {source.constant(value.value)})")
    else:
        _value(source, source.local(expression), value.value)


def _are_one(source: Source, check: AreOne, left: str, right: str) -> None:
    source.miss_if(f"{left} {'is not' if check.same else 'is'} {right}")


def _is_target(source: Source, check: IsTarget, e: str) -> None:
    source.miss_if(f"{e} {'is not' if check.same else 'is'} {source.constant(check.reference, 'r')}()")


def _refers_to(source: Source, reference: Any, e: str) -> None:
    """The object of a reference, which gives None where it is gone: None is no such object."""
    source.miss_if(f"{e} is not {source.constant(reference, 'r')}() or {e} is None")


def _identity(source: Source, check: IdentityCapture, e: str) -> None:
    e = source.local(e)
    if type(check.reference) is weakref.ref:
        _refers_to(source, check.reference, e)
    else:
        source.miss_if(f"{e} is not {source.constant(check.target, 'object')}")
    if check.made_of is None:
        return
    e = e if plain(check.target) is check.target else source.local(f"{e}.python_function")
    source.miss_if(f"{e}.__code__ is not {source.constant(check.made_of.code, 'code')}")
    same_defaults(source, e, check.made_of)


def same_defaults(source: Source, e: str, made_of: MadeOf | None) -> None:
    """A function has the very defaults that it had, if it had any: calls without them are refused."""
    if made_of is None:
        return
    if made_of.defaults is not None:
        source.miss_if(f"{e}.__defaults__ is not {source.constant(made_of.defaults, 'defaults')}")
    if made_of.keyword_defaults:
        held = source.local(f"{e}.__kwdefaults__ or {{}}")
        for name, value in made_of.keyword_defaults:
            source.miss_if(f"{held}.get({name!r}, _MISS) is not {source.constant(value, 'default')}")


def _code(source: Source, check: HasCode) -> None:
    source.miss_if(f"{source.constant(check.function, 'own')}.__code__ is not {source.constant(check.code, 'code')}")


def _content(source: Source, check: ContentGuard, e: str) -> None:
    source.miss_if(f"not {source.constant(check, 'content')}.holds({e})")


def _memory(source: Source, check: MemoryGuard, left: str, right: str = "") -> None:
    source.namespace |= CHECKS
    source.miss_if(check.source(left, right))


def _lengths(source: Source, check: Lengths, *names: str) -> None:
    for (symbol, _, axis), e in zip(check.symbols, names, strict=True):
        source.lines.append(f"_{symbol} = {e}.shape[{axis}]")
    for comparison, left, right, outcome in check.comparisons:
        source.miss_if(f"({_text(left)} {comparison} {_text(right)}) is {not outcome}")


def _text(length: Length) -> str:
    return length.text({s: f"_{s}" for s in length.symbols()}) if isinstance(length, Dim) else str(length)


PRINTERS: Mapping[type, Callable[..., Any]] = {
    HasParts: _parts,
    Fits: _fits,
    AreOne: _are_one,
    IsTarget: _is_target,
    Lengths: _lengths,
    ValueCapture: _held,
    IdentityCapture: _identity,
    HasCode: _code,
    ContentGuard: _content,
    MemoryGuard: _memory,
}
