"""Derivatives of writing into arrays.

A write gives a new value of an array, of which some elements are new. The cotangent of the old value is 0 there; that
of the written value is the sum of the cotangents of the elements that it went to. Where a call writes an element twice,
the last write counts: numbers that are written in the same way tell which one remains.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....ir.op import Op, by_call, by_name
from ..common import masked, number, rounded, safe, unbroadcast
from .index import picks_once
from .scatter import counting, scattered_flat
from .shape import ravel, reshape


def changed(g: Any, path: Any, op: str, *args: Any, **kwargs: Any) -> Any:
    """The array with a write into the view that a path leads to, wherever `g` lies in memory: another shape of it is
    perhaps no view, so that the target of the write is given the old shape again."""
    for i, (name, *step) in enumerate(path):
        if name != "item" and by_name(name).vjp in (reshape, ravel):
            order = dict(step[1]).get("order", "C")
            before, after = view(g, path[:i]), view(g, path[: i + 1])
            back = np.reshape(changed(after, path[i + 1 :], op, *args, **kwargs), np.shape(before), order=order)
            return by_name("setitem").call(g, path[:i], ..., back) if i else back
    return by_name(op).call(g, path, *args, **kwargs)


def known_paths(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule, which knows nothing of views of another dtype, and of orders that the layout in memory decides."""

    def checked(g: Any, out: Any, a: Any, path: Any, *args: Any, **kwargs: Any) -> Any:
        for name, *step in path:
            order = "C" if name == "item" else dict(step[1]).get("order", "C")
            if (name == "view" and step[0]) or order not in ("C", "F"):
                return NotImplemented
        return rule(g, out, a, path, *args, **kwargs)

    return checked


def view(a: Any, path: Any) -> Any:
    """The view that a path leads to."""
    for name, *step in path:
        a = a[step[0]] if name == "item" else by_name(name).call(a, *step[0], **dict(step[1]))
    return a


def part(g: Any, path: Any) -> Any:
    """The cotangent of the view that a path leads to. That of an imaginary part is the negative one of the other."""
    return np.negative(view(g, path)) if _has(path, "imag") else view(g, path)


def _with_part(g: Any, path: Any, new: Any) -> Any:
    """The cotangent with another one of the view that a path leads to."""
    return changed(g, path, "setitem", ..., np.negative(new) if _has(path, "imag") else new)


def _has(path: Any, *names: str) -> bool:
    return any(name in names for name, *_ in path)


@known_paths
def setitem(g: Any, out: Any, a: Any, path: Any, index: Any, value: Any) -> tuple[Any, ...]:
    if not picks_once(index):
        return _by_numbers("setitem", "value", 1)(g, out, a, path, index, value)
    return _cleared(g, path, index), None, None, part(g, path)[index]


def _cleared(g: Any, path: Any, index: Any) -> Any:
    return changed(g, path, "setitem", index, 0)


@known_paths
def fill(g: Any, out: Any, a: Any, path: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    return (_cleared(g, path, ...), None, *_given("value", 0, args, part(g, path)))


def _given(name: str, place: int, args: tuple[Any, ...], cotangent: Any) -> tuple[Any, ...]:
    """A rule's result for the arguments behind the path, of which one has a cotangent: it is number `place`, or
    given by its name."""
    if place < len(args):
        return (*[None] * place, cotangent)
    return (*[None for _ in args], {name: cotangent})


@known_paths
def copyto(g: Any, out: Any, a: Any, path: Any, *args: Any, where: Any = True, **options: Any) -> tuple[Any, ...]:
    cleared = changed(g, path, "copyto_in_place", 0, where=where)
    return (cleared, None, *_given("src", 0, args, masked(part(g, path), where)))


def _by_numbers(name: str, written: str, place: int) -> Callable[..., Any]:
    """The rule of an op that writes its argument `written`, number `place` behind the path, an element perhaps many
    times."""

    def rule(g: Any, out: Any, a: Any, path: Any, *args: Any, **kwargs: Any) -> Any:
        value = args[place] if place < len(args) else kwargs[written]
        if _has(path, "real", "imag"):
            return NotImplemented
        numbers = np.reshape(counting(np.size(value), g), np.shape(value))
        if place < len(args):
            given = (*args[:place], numbers, *args[place + 1 :])
        else:
            given, kwargs = args, {**kwargs, written: numbers}
        wrote = changed(np.full_like(a, -1, dtype=np.intp), path, name, *given, **kwargs)
        is_old = np.less(wrote, 0)
        by_a = np.where(is_old, g, 0)
        if _is_constant(value):
            return (by_a,)
        by_value = scattered_flat(np.where(is_old, 0, g), value, np.where(is_old, 0, wrote))
        return (by_a, None, *_given(written, place, args, by_value))

    return rule


def _is_constant(value: Any) -> bool:
    """True for numbers, and lists of numbers, that stand in the code."""
    if isinstance(value, list | tuple):
        return all(map(_is_constant, value))
    return type(value) in (bool, int, float, complex)


set_flat = _by_numbers("set_flat", "value", 1)
OF = {
    "copyto": copyto,
    "put": _by_numbers("put_in_place", "v", 1),
    "place": _by_numbers("place_in_place", "vals", 1),
    "putmask": _by_numbers("putmask_in_place", "values", 1),
    "fill_diagonal": _by_numbers("fill_diagonal_in_place", "val", 0),
    "put_along_axis": _by_numbers("put_along_axis_in_place", "values", 1),
}
"""The rules of the functions that write into their first argument."""


@known_paths
def sort(g: Any, out: Any, a: Any, path: Any, axis: int = -1, kind: Any = None, **options: Any) -> tuple[Any, ...]:
    return _permuted(g, out, a, path, axis), None


@known_paths
def partition(g: Any, out: Any, a: Any, path: Any, kth: Any, axis: int = -1, kind: Any = None) -> tuple[Any, ...]:
    return _permuted(g, out, a, path, axis), None


def _permuted(g: Any, out: Any, a: Any, path: Any, axis: int) -> Any:
    """The cotangent with that of the view brought back into the old order: elements of equal rank are the same."""
    before, after = (np.argsort(view(v, path), axis, "stable") for v in (a, out))
    came_from = np.take_along_axis(after, np.argsort(before, axis), axis)
    return _with_part(g, path, np.take_along_axis(part(g, path), came_from, axis))


@known_paths
def ufunc_into(
    g: Any, out: Any, a: Any, path: Any, ufunc: str, operands: Any, where: Any = True, **options: Any
) -> Any:
    op = by_call(getattr(np, ufunc))
    found = op and of_call(op, part(g, path), view(out, path), operands, where)
    return (changed(g, path, "copyto_in_place", 0, where=where), None, None, found) if found else NotImplemented


def of_call(op: Op, g: Any, out: Any, operands: Any, where: Any = True) -> tuple[Any, ...] | None:
    """The cotangents of the operands of a ufunc. None where they are not known; comparisons change in steps alone."""
    if isinstance(op.call, np.ufunc) and not any(loop[-1] in "efdgFDG" for loop in op.call.types):
        return tuple([None for _ in operands])
    if op.vjp is not None:
        return tuple(op.vjp(masked(g, where), out, *operands))
    if op.partials is None:
        return None
    given = [out, *operands] if where is True else [_filled(v, where) for v in (out, *operands)]
    parts = [np.multiply(g, p(*given) if callable(p) else p) for p in op.partials]
    return tuple([unbroadcast(masked(p, where), v) for p, v in zip(parts, operands, strict=True)])


def _filled(value: Any, where: Any) -> Any:
    """An operand with numbers in place of elements that a mask leaves out, of which no derivative warns."""
    return np.where(where, value, number(0.5, value)) if getattr(value, "dtype", _FLOAT).kind in "fc" else value


_FLOAT = np.dtype(float)


@known_paths
def call_into(g: Any, out: Any, a: Any, path: Any, op: str, args: Any, **kwargs: Any) -> Any:
    called = by_name(op)
    if called.vjp is None:
        return NotImplemented
    found = called.vjp(part(g, path), view(out, path), *args, **kwargs)
    by_keyword = found[len(args) :]
    if "where" in kwargs and "where" not in called.parameters.keywords:  # of a ufunc inside: the others stay
        by_a = changed(g, path, "copyto_in_place", 0, where=kwargs["where"])
    else:
        by_a = _cleared(g, path, ...)
    return (by_a, None, None, found[: len(args)], *by_keyword)


@known_paths
def ufunc_at(g: Any, out: Any, a: Any, path: Any, ufunc: str, indices: Any, *values: Any) -> Any:
    rule = _AT.get(ufunc)
    if rule is None or not values:
        return NotImplemented
    by_view, by_values = rule(part(g, path), view(out, path), view(a, path), indices, values[0])
    by_a = g if by_view is None else _with_part(g, path, by_view)
    return by_a, None, None, None, by_values


def _add_at(g: Any, out: Any, a: Any, indices: Any, b: Any) -> tuple[Any, Any]:
    return None, g[indices]


def _subtract_at(g: Any, out: Any, a: Any, indices: Any, b: Any) -> tuple[Any, Any]:
    return None, np.negative(g[indices])


def _multiply_at(g: Any, out: Any, a: Any, indices: Any, b: Any) -> tuple[Any, Any]:
    """A factor's derivative is the product of the others, which is 0 where one of them is."""
    is_zero = np.equal(b, 0)
    factors, zeros = np.where(is_zero, 1, b), np.zeros_like(a, dtype=np.intp)
    product = np.ones_like(a)
    np.multiply.at(product, indices, factors)
    np.add.at(zeros, indices, is_zero)
    others = np.where(zeros[indices] - is_zero > 0, 0, product[indices] / factors)
    return g * np.where(zeros > 0, 0, product), (g * a)[indices] * others


def _divide_at(g: Any, out: Any, a: Any, indices: Any, b: Any) -> tuple[Any, Any]:
    divided = np.ones_like(a)
    np.divide.at(divided, indices, b)
    return g * divided, np.negative((g * out)[indices]) / b


def _extremum_at(g: Any, out: Any, a: Any, indices: Any, b: Any) -> tuple[Any, Any]:
    """Elements that equal the result have equal shares in it."""
    stays, wins = np.equal(a, out), np.equal(rounded(b, out), out[indices])
    count = np.where(stays, 1, 0)
    np.add.at(count, indices, wins)
    share = g / count
    return np.where(stays, share, 0), np.where(wins, share[indices], 0)


def _share_at(share: Callable[[Any, Any], Any]) -> Callable[..., tuple[Any, Any]]:
    """The rule of a ufunc whose result depends on each of the numbers that it combines by a `share` of it."""

    def rule(g: Any, out: Any, a: Any, indices: Any, b: Any) -> tuple[Any, Any]:
        return g * share(a, out), g[indices] * share(b, out[indices])

    return rule


_AT = {
    "hypot": _share_at(lambda x, out: np.where(out == 0, 0, x / safe(out))),
    "logaddexp": _share_at(lambda x, out: np.exp(x - out)),
    "logaddexp2": _share_at(lambda x, out: np.exp2(x - out)),
    "fmax": _extremum_at,
    "fmin": _extremum_at,
    "add": _add_at,
    "subtract": _subtract_at,
    "multiply": _multiply_at,
    "divide": _divide_at,
    "maximum": _extremum_at,
    "minimum": _extremum_at,
}
