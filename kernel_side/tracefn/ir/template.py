"""Call templates: the arguments of a node, with its tensor inputs replaced by numbered references.

A template is immutable and hashable, so nodes can be compared: lists, dicts and slices become `ListOf`, `DictOf` and
`SliceOf`. A `TextOf` is a text with values in it, as an f-string is. `fill` turns a template back into arguments; `key`
tells templates apart by type as well as value (1, 1.0 and True differ, and so do 0.0 and -0.0).
"""

from __future__ import annotations

import builtins
import enum
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from ..records import dataclass
from .dims import Dim
from .module_name import module_of


@dataclass(frozen=True, slots=True)
class Ref:
    """Stands for the node's input number `index`."""

    index: int

    def __repr__(self) -> str:  # in a quarter of the time of the one that would be made
        return f"Ref(index={self.index})"


class _References(dict[int, Ref]):
    def __missing__(self, index: int) -> Ref:
        return Ref(index)


reference = _References({n: Ref(n) for n in range(16)}).__getitem__
"""The `Ref` of a number. Nearly all are the same few objects, which are soon compared."""


@dataclass(frozen=True, slots=True)
class ListOf:
    items: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"ListOf(items={self.items!r})"


@dataclass(frozen=True, slots=True)
class DictOf:
    items: tuple[tuple[Any, Any], ...]


@dataclass(slots=True, unsafe_hash=True)
class SliceOf:
    start: Final[Any]
    stop: Final[Any]
    step: Final[Any]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.start, self.stop, self.step))


@dataclass(frozen=True, slots=True)
class Field:
    """A value in a text: `{value!conversion:spec}`. `conversion` is '', 'r', 's' or 'a'; `spec` is a text."""

    value: Any
    conversion: str = ""
    spec: Any = ""


@dataclass(frozen=True, slots=True)
class TextOf:
    """A text in pieces, each a str or a `Field`."""

    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """Stands for a callable that is a graph: a branch or a loop body. `name` says which, as in `if_true`. `results` are
    the names of its results in the code, each empty where it has no name; it is empty where none has."""

    name: str
    graph: Any
    results: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Body({self.name}, {self.graph.hash})"


PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None), type(Ellipsis)})
"""Types of values that are their own templates."""


def freeze(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """A template of `value`; `leaf` gives the template of whatever is neither a container nor `PLAIN`."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if issubclass(kind, tuple):
        return tuple([v if type(v) in PLAIN else freeze(v, leaf) for v in value])
    if issubclass(kind, list):
        return ListOf(tuple([freeze(v, leaf) for v in value]))
    if kind is slice:
        bounds = value.start, value.stop, value.step
        if PLAIN.issuperset(map(type, bounds)):
            return SliceOf(*bounds)
        return SliceOf(*[freeze(v, leaf) for v in bounds])
    if kind is dict:
        return DictOf(tuple([(k, freeze(v, leaf)) for k, v in value.items()]))
    if kind is TextOf:
        return map_text(value, lambda v: freeze(v, leaf))
    return leaf(value)


def map_text(text: Any, function: Callable[[Any], Any]) -> Any:
    """A text with `function` of each value in the place of the value; a `str` stays."""
    if type(text) is not TextOf:
        return text
    parts = [
        Field(function(p.value), p.conversion, map_text(p.spec, function)) if type(p) is Field else p
        for p in text.parts
    ]
    return TextOf(tuple(parts))


def fill(template: Any, leaf: Callable[[Any], Any]) -> Any:
    """The value that a template stands for; `leaf` gives the values of `Ref`s, `Dim`s, `Body`s and `TextOf`s."""
    kind = type(template)
    if kind in PLAIN:
        return template
    if kind is Ref or kind is Dim or kind is Body or kind is TextOf:
        return leaf(template)
    if kind is tuple:
        return tuple([t if type(t) in PLAIN else fill(t, leaf) for t in template])
    if kind is ListOf:
        return [fill(t, leaf) for t in template.items]
    if kind is SliceOf:
        bounds = template.start, template.stop, template.step
        return slice(*(bounds if PLAIN.issuperset(map(type, bounds)) else [fill(t, leaf) for t in bounds]))
    if kind is DictOf:
        return {k: fill(t, leaf) for k, t in template.items}
    return template


def formatted(text: Any, leaf: Callable[[Any], Any]) -> str:
    """The text that a `TextOf` stands for, made as an f-string is; a `str` is itself."""
    if type(text) is not TextOf:
        return str(text)
    found = []
    for part in text.parts:
        if type(part) is Field:
            value = fill(part.value, leaf)
            converted = _CONVERSIONS[part.conversion](value) if part.conversion else value
            part = format(converted, formatted(part.spec, leaf))
        found.append(part)
    return "".join(found)


_CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}


def leaves(template: Any) -> list[Any]:
    """All leaves of a template, in order."""
    found: list[Any] = []
    _collect((template,), found)
    return found


def _collect(parts: Iterable[Any], found: list[Any]) -> None:
    for part in parts:
        kind = type(part)
        if kind not in _HOLDERS:
            found.append(part)
        elif kind is tuple:
            _collect(part, found)
        elif kind is ListOf:
            _collect(part.items, found)
        elif kind is SliceOf:
            _collect((part.start, part.stop, part.step), found)
        elif kind is DictOf:
            _collect([value for _, value in part.items], found)
        elif kind is TextOf:
            _collect(part.parts, found)
        else:
            _collect((part.value, part.spec), found)


_HOLDERS = frozenset({tuple, ListOf, SliceOf, DictOf, TextOf, Field})
"""Types of templates that have others in them."""


def renumber(template: Any, new_index: Sequence[Any]) -> Any:
    """The template with `Ref(i)` replaced by `new_index[i]`."""
    return mapped(template, lambda item: new_index[item.index] if type(item) is Ref else item)


def mapped(template: Any, leaf: Callable[[Any], Any]) -> Any:
    """The template with each leaf replaced by `leaf(it)`."""
    kind = type(template)
    if kind is tuple:
        return tuple([mapped(t, leaf) for t in template])
    if kind is ListOf:
        return ListOf(mapped(template.items, leaf))
    if kind is SliceOf:
        return SliceOf(*[mapped(t, leaf) for t in (template.start, template.stop, template.step)])
    if kind is DictOf:
        return DictOf(tuple([(k, mapped(t, leaf)) for k, t in template.items]))
    if kind is TextOf:
        return map_text(template, lambda t: mapped(t, leaf))
    return leaf(template)


BOUNDS = frozenset({int, type(None)})
"""Types of the parts of slices that are their own keys: none is equal to one of another type."""


def key(template: Any) -> Any:
    """A hashable key, equal only for templates that mean the same call."""
    kind = type(template)
    if kind in _KEYS:
        return template
    if kind is int or kind is bool:
        return (kind, template)
    if kind is tuple:
        return tuple([t if type(t) in _KEYS else (int, t) if type(t) is int else key(t) for t in template])
    if kind is ListOf:
        return (ListOf, key(template.items))
    if kind is SliceOf:
        parts = (template.start, template.stop, template.step)
        return template if BOUNDS.issuperset(map(type, parts)) else (SliceOf, *map(key, parts))
    if kind is DictOf:
        return (DictOf, tuple([(k, key(t)) for k, t in template.items]))
    if kind is TextOf:
        return (TextOf, key(template.parts))
    if kind is Field:
        return (Field, key(template.value), template.conversion, key(template.spec))
    if kind in (float, complex):
        return (kind, repr(template))
    if isinstance(template, np.generic):
        return (kind, template.dtype, template.tobytes())
    try:
        hash(template)
    except TypeError:
        return (kind, id(template))
    return (kind, template)


_KEYS = frozenset({Ref, Dim, str, type(None)})
"""Types of templates that are their own keys."""


def argument_source(template: Any, leaf: Callable[[Any], str]) -> str:
    """The source of a template as NumPy's functions take it: they know a dtype by its scalar type as well."""
    return dtype_source(template) if isinstance(template, np.dtype) else source(template, leaf)


def source(template: Any, leaf: Callable[[Any], str]) -> str:
    """A template as Python source; `leaf` gives the source of `Ref`s, `Dim`s and values without a literal."""
    kind = type(template)
    if kind is Ref:
        return leaf(template)
    if template is None or template is Ellipsis or kind in (int, bool, str, bytes):
        return "..." if template is Ellipsis else repr(template)
    if kind is tuple:
        inner = ", ".join([repr(t) if type(t) is int else source(t, leaf) for t in template])
        return f"({inner},)" if len(template) == 1 else f"({inner})"
    if kind is ListOf:
        return "[" + ", ".join([source(t, leaf) for t in template.items]) + "]"
    if kind is SliceOf:
        parts = ["None" if p is None else source(p, leaf) for p in template]
        return f"slice({', '.join(parts)})"
    if kind is DictOf:
        return "{" + ", ".join([f"{k!r}: {source(t, leaf)}" for k, t in template.items]) + "}"
    if kind is TextOf:
        values: list[str] = []
        text = _format_text(template, lambda t: values.append(source(t, leaf)))
        return f"{text!r}.format({', '.join(values)})"
    if kind is float:
        return repr(template) if math.isfinite(template) else f"float({str(template)!r})"
    if kind is complex and np.isfinite(template):
        return complex_source(template)
    if isinstance(template, np.dtype):
        text = dtype_source(template)
        return text if text.startswith("np.dtype") else f"np.dtype({text})"
    if isinstance(template, type) and issubclass(template, np.generic):
        return f"np.{template.__name__}"
    name = template.__name__ if isinstance(template, type) else ""
    if name and vars(builtins).get(name) is template:
        return name
    if isinstance(template, enum.Enum) and module_of(type(template)).startswith("numpy"):
        return f"np.{type(template).__name__}.{template.name}"
    return leaf(template)


def complex_source(value: Any) -> str:
    """A finite complex number as Python source. `repr` loses the signs of zeros: `(-0+1j)` is 0 + 1j."""
    signs = math.copysign(1, value.real), math.copysign(1, value.imag)
    keeps = (signs[0] > 0 or value.real) and (signs[1] > 0 or value.imag and value.real)
    return repr(complex(value)) if keeps else f"complex({float(value.real)!r}, {float(value.imag)!r})"


def _format_text(text: Any, value: Callable[[Any], None]) -> str:
    """A format for `str.format`: `x is {:.3f}`. `value` is called with the values in its order."""
    found = []
    for part in text.parts if type(text) is TextOf else (text,):
        if type(part) is Field:
            value(part.value)
            conversion = f"!{part.conversion}" if part.conversion else ""
            spec = _format_text(part.spec, value)
            found.append(f"{{{conversion}:{spec}}}" if spec else f"{{{conversion}}}")
        else:
            found.append(part.replace("{", "{{").replace("}", "}}"))
    return "".join(found)


def dtype_source(dtype: np.dtype[Any]) -> str:
    """A dtype, or its scalar type, as Python source: `np.float32`, `np.dtype('<U5')`."""
    if dtype.isnative and dtype.kind in "biufc" and getattr(np, dtype.name, None) is not None:
        return f"np.{dtype.name}"
    if dtype.char == "T":
        return f"np.dtypes.{dtype!r}".replace("=nan", "=np.nan")
    return f"np.dtype({dtype.str!r})" if dtype.fields is None else _structured_source(dtype)


def _structured_source(dtype: np.dtype[Any]) -> str:
    """A structured dtype with the place of each field, which a list of fields does not tell."""
    if np.dtype(dtype.descr) == dtype and not dtype.isalignedstruct:
        return f"np.dtype({dtype.descr!r})"
    assert dtype.fields is not None and dtype.names is not None
    fields = [dtype.fields[name] for name in dtype.names]
    formats = ", ".join([f"np.dtype(({dtype_source(f[0].base)}, {f[0].shape!r}))" for f in fields])
    offsets = [f[1] for f in fields]
    parts = f"'names': {list(dtype.names)!r}, 'formats': [{formats}], 'offsets': {offsets!r}"
    return f"np.dtype({{{parts}, 'itemsize': {dtype.itemsize}, 'aligned': {dtype.isalignedstruct}}})"
