"""Deques, sets and dicts of numbers, and of tuples of numbers, as values of a graph.

Programs change them in place, as they do with lists (`ops/lists.py`), by their own methods: order, hashes and errors
are Python's. The type of such a value says nothing of its items. The nodes that read them do: `types` has the dtype and
the kind of each number.

The program calls this file `containers`.
"""

from __future__ import annotations

import collections
import copy
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..ir.op import Op, register
from ..ir.types import list_of, python
from .rules import Kind, RuleError, TensorType, fresh_dim, type_of

Number = tuple[str, str]
"""The dtype and the kind of a number."""

Types = tuple[Number, ...]


def leaves_of(args: Iterable[Any]) -> Iterator[Any]:
    """The operands, and the parts of tuples among them."""
    for arg in args:
        if isinstance(arg, tuple):
            yield from leaves_of(arg)
        else:
            yield arg


def held(container: Any, key: Any, /) -> Any:
    """The item at a key of a dict that would have a default for others."""
    if key not in container:
        raise KeyError(key)
    return container[key]


def has_nan(container: Any, /) -> bool:
    """True if one of the numbers in it is NaN."""
    return any(number != number for number in leaves_of(container))


_SPECIAL: dict[str, tuple[Callable[..., Any], str]] = {
    "getitem": (operator.getitem, "{0}[{1}]"),
    "setitem": (operator.setitem, "{0}[{1}] = {2}"),
    "delitem": (operator.delitem, "del {0}[{1}]"),
    "contains": (operator.contains, "{1} in {0}"),
    "len": (len, "len({0})"),
    "held": (held, "containers.held({0}, {1})"),
    "has_nan": (has_nan, "containers.has_nan({0})"),
}
"""Operations that are no methods, and their sources."""

_NEVER_RAISE = frozenset(
    "len contains has_nan get setdefault append appendleft rotate reverse clear add discard count".split()
)


def type_of_number(number: Number) -> TensorType:
    dtype, kind = number
    return TensorType(np.dtype(dtype), (), Kind(kind))


def _container_type() -> TensorType:
    """One for all: of floats, as derivatives might pass through it, which are not known."""
    return list_of(python(float), fresh_dim())


def new(kind: str, items: Iterable[Any], extra: Any = None, /) -> Any:
    """A container of a class of `collections` or `builtins` with these items, pairs for dicts, or those of another one.
    `extra` is the longest length of a deque,
    or the name of the class whose number a defaultdict has for a missing key."""
    if kind == "deque":
        return collections.deque(items, extra)
    if kind == "defaultdict":
        return collections.defaultdict(_FACTORIES[extra], items)
    if kind == "Counter":
        return collections.Counter(dict(items) if isinstance(items, list) else items)
    return _CLASSES[kind](items)


_CLASSES: dict[str, Any] = {"set": set, "dict": dict, "OrderedDict": collections.OrderedDict}
_FACTORIES: dict[Any, Any] = {"int": int, "float": float}


def columns(container: Any, part: str, width: int, /) -> tuple[list[Any], ...]:
    """The items, or the `values` of a dict: a list of numbers, or `width` lists for tuples of these."""
    items = container.values() if part == "values" else container
    if not width:
        return (list(items),)
    return tuple(map(list, zip(*items, strict=True))) if container else tuple([[] for _ in range(width)])


def _run(container: Any, method: str, *args: Any) -> Any:
    return _SPECIAL[method][0](container, *args) if method in _SPECIAL else getattr(container, method)(*args)


def _read(container: Any, method: str, types: Types, given: Types, /, *args: Any) -> Any:
    return _run(container, method, *args)


def _changed(container: Any, method: str, types: Types, given: Types, /, *args: Any) -> Any:
    return _change(copy.copy(container), method, types, given, *args)


def _change(container: Any, method: str, types: Types, given: Types, /, *args: Any) -> Any:
    found = _run(container, method, *args)
    if not types:
        return container
    return (container, *found) if isinstance(found, tuple) else (container, found)


def _check(args: Iterable[Any], given: Types) -> None:
    """Raises `RuleError` where numbers have other types than those that the code knows of."""
    found = [type_of(number) for number in leaves_of(args) if isinstance(number, _NUMBERS)]
    if tuple([(t.dtype.str, t.kind.value) for t in found]) != given:
        raise RuleError(f"a container is given {found}, and its numbers are {given}")


_NUMBERS = (TensorType, bool, int, float, np.generic)


def _new_rule(kind: str, items: Any, extra: Any, given: Types, /) -> TensorType:
    _check(() if isinstance(items, TensorType) else items, given)
    return _container_type()


def _columns_rule(container: TensorType, part: str, width: int, types: Types, /) -> tuple[TensorType, ...]:
    length = fresh_dim()
    return tuple([list_of(type_of_number(number), length) for number in types])


def _copy_rule(container: TensorType, /) -> TensorType:
    return _container_type()


def _read_rule(container: TensorType, method: str, types: Types, given: Types, /, *args: Any) -> Any:
    _check(args, given)
    found = tuple(map(type_of_number, types))
    return found[0] if len(found) == 1 else found


def _change_rule(container: TensorType, method: str, types: Types, given: Types, /, *args: Any) -> Any:
    _check(args, given)
    return (_container_type(), *map(type_of_number, types)) if types else _container_type()


def _source(container: str, method: str, args: list[str]) -> str:
    name = method.strip("'")
    if name in _SPECIAL:
        return _SPECIAL[name][1].format(container, *args)
    return f"{container}.{name}({', '.join(args)})"


def _lines(target: str, arguments: list[str]) -> list[str]:
    container, method, _, _, *args = arguments
    source = _source(container, method, args)
    return [f"{target} = {source}" if target else source]


def _columns_lines(target: str, arguments: list[str]) -> list[str]:
    return [f"{target} = containers.columns({', '.join(arguments[:3])})"] if target else []


def _new_lines(target: str, arguments: list[str]) -> list[str]:
    return [f"{target} = containers.new({', '.join(arguments[:3])})"] if target else []


def _may_raise(container: Any, method: str, types: Types, given: Types, /, *args: Any) -> bool:
    return method not in _NEVER_RAISE


def _op(
    name: str,
    call: Callable[..., Any],
    rule: Callable[..., Any],
    lines: Any,
    static: str,
    now: Callable[..., Any] | None = None,
    **fields: Any,
) -> None:
    """Registers an op, and one of the same that stays in its place, as the container may have another name:
    a change under one is seen under the other."""
    named = frozenset(static.split())
    fields |= {"style": "list", "lines": lines, "static": named, "codes": named & {"types", "given"}}
    register(Op(name, call, rule, **fields))
    register(Op(f"{name}_now", now or (lambda *args: call(*args)), rule, pure=False, **fields))


_op(
    "container_new", lambda kind, items, extra, given, /: new(kind, items, extra), _new_rule, _new_lines,
    "kind extra given", fresh_dims=True,
)  # fmt: skip
_op(
    "container_copy", lambda container, /: copy.copy(container), _copy_rule,
    lambda target, arguments: [f"{target} = {arguments[0]}.copy()"] if target else [], "", fresh_dims=True,
)  # fmt: skip
_op("container_read", _read, _read_rule, _lines, "method types given", raises=_may_raise)
_op(
    "container_columns", lambda container, part, width, types, /: columns(container, part, width),
    _columns_rule, _columns_lines, "part width types", fresh_dims=True,
)  # fmt: skip
_op(
    "container_change", _changed, _change_rule, _lines,
    "method types given", now=_change, raises=_may_raise, fresh_dims=True, changes=True,
)  # fmt: skip

LOCAL = frozenset(f"container_{name}_now" for name in "new copy read columns change".split())
"""Ops of containers that the call makes, which leave nothing to take back."""

OF_CONTAINERS = LOCAL | {name.removesuffix("_now") for name in LOCAL}
