"""Operations that are several for native code: differences, integrals, norms, polynomials, convolutions and the like.

Each becomes NumPy's own steps, in their order, as far as that is known to be right for these operands.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....ir.graph import Node
from ....ir.op import CONSTANT, ITEM
from ....ir.template import ListOf, Ref
from ....ir.types import Kind
from ..builder import ALL, Steps
from ..fusion.lowering import is_operand

MOST_TERMS = 16
"""Polynomials of more coefficients, and convolutions with more numbers, are left to NumPy."""

MANY_PRODUCTS = 10_000
"""A convolution of fewer products takes NumPy less time than to put zeros beside its numbers."""

COMPOSITES: dict[str, Callable[..., Node | None]] = {}
"""For each such op the maker of its steps, given the op's arguments: the last step, or None where NumPy is to do it."""

PARTS: dict[str, Callable[..., Node | None]] = {}
"""For ops with several results the maker of the steps of one of them, given its number, too."""


def composite(node: Node) -> list[Node] | None:
    """The steps of a node, in order. None where it is none of these."""
    if node.op is ITEM and node.inputs[0].op.name in PARTS:
        (whole,) = node.inputs
        return _steps(node, whole, functools.partial(PARTS[whole.op.name], number=node.args[1]))
    make = COMPOSITES.get(node.op.name)
    return None if make is None or node.container is not None else _steps(node, node, make)


def _steps(node: Node, whole: Node, make: Callable[..., Node | None]) -> list[Node] | None:
    """The steps of a node, which is one of the results of a `whole`."""
    if not all(map(is_operand, whole.inputs)):
        return None
    steps, kwargs = Steps(whole), {name: _given(whole, value) for name, value in whole.kwargs}
    try:
        given = inspect.signature(make).bind(steps, *[_given(whole, a) for a in whole.args], **kwargs)
    except TypeError:  # an option that is not known here
        return None
    last = make(*given.args, **given.kwargs)
    return steps.nodes if last is not None and last.types == node.types else None


def _given(node: Node, value: Any) -> Any:
    if isinstance(value, Ref):
        return node.inputs[value.index]
    if isinstance(value, ListOf):
        return [_given(node, item) for item in value.items]
    return value


def _composite(*names: str) -> Callable[[Callable[..., Node | None]], Callable[..., Node | None]]:
    def register(make: Callable[..., Node | None]) -> Callable[..., Node | None]:
        COMPOSITES.update(dict.fromkeys(names, make))
        return make

    return register


def _is_array(value: Any, chars: str, ndim: int | None = None) -> bool:
    """True for an array of such a dtype that has axes, as many as are asked for."""
    if not isinstance(value, Node) or value.type.kind is not Kind.ARRAY or value.type.dtype.char not in chars:
        return False
    return value.type.ndim > 0 and ndim in (None, value.type.ndim)


INTEGERS = np.typecodes["AllInteger"]


@_composite("ptp")
def _ptp(do: Steps, a: Any, axis: Any = None, **options: Any) -> Node | None:
    if not _is_array(a, INTEGERS + "fd") or not {"keepdims"}.issuperset(options):
        return None
    return do("subtract", do("max", a, axis=axis, **options), do("min", a, axis=axis, **options))


@_composite("diff")
def _diff(do: Steps, a: Any, n: Any = 1, axis: Any = -1) -> Node | None:
    if not _is_array(a, INTEGERS + "fdFD") or type(n) is not int or type(axis) is not int or not 0 < n <= 4:
        return None
    for _ in range(n):
        a = do("subtract", do.along(a, axis, 1, None), do.along(a, axis, None, -1))
    return a if isinstance(a, Node) else None


@_composite("ediff1d")
def _ediff1d(do: Steps, ary: Any) -> Node | None:
    return _diff(do, ary) if _is_array(ary, INTEGERS + "fd", 1) else None


@_composite("trapezoid")
def _trapezoid(do: Steps, y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Node | None:
    if not _is_array(y, "fd") or type(axis) is not int:
        return None
    if x is None:
        width = dx
        if type(dx) not in (int, float):
            return None
    elif _is_array(x, "fd", y.type.ndim) or (_is_array(x, "fd", 1) and axis % y.type.ndim == y.type.ndim - 1):
        width = _diff(do, x, 1, axis if x.type.ndim == y.type.ndim else -1)
    else:
        return None
    both = do("add", do.along(y, axis, 1, None), do.along(y, axis, None, -1))
    return do("sum", do("divide", do("multiply", width, both), 2.0), axis=axis)


@_composite("gradient")
def _gradient(do: Steps, f: Any, dx: Any = 1.0, axis: Any = None) -> Node | None:
    """Of one axis: with two results or more NumPy gives a tuple."""
    if not _is_array(f, "fd") or type(dx) not in (int, float) or not (type(axis) is int or f.type.ndim == 1):
        return None
    axis = axis if type(axis) is int else 0
    length = f.type.shape[axis]
    if not isinstance(length, int) or length < 3:
        return None

    def slope(stop: int | None, start: int, first: int | None, last: int, distance: float) -> Node:
        apart = do("subtract", do.along(f, axis, start, stop), do.along(f, axis, first, last))
        return do("divide", apart, distance)

    first = slope(2, 1, None, 1, dx)
    inner = slope(None, 2, None, -2, 2.0 * dx)
    last = slope(None, length - 1, length - 2, length - 1, dx)
    return do.joined("concatenate", [first, inner, last], axis=axis)


def _gradients(do: Steps, f: Any, dx: Any = 1.0, *, number: int) -> Node | None:
    return _gradient(do, f, dx, number) if _is_array(f, "fd", 2) or _is_array(f, "fd", 3) else None


PARTS["gradient"] = _gradients


@_composite("cross")
def _cross(do: Steps, a: Any, b: Any) -> Node | None:
    if not _is_array(a, "fd") or not _is_array(b, a.type.dtype.char, a.type.ndim):
        return None
    if a.type.ndim < 2 or a.type.shape[-1] != 3 or a.type.shape != b.type.shape:
        return None
    parts = [[do("getitem", v, (*(ALL,) * (v.type.ndim - 1), k)) for k in range(3)] for v in (a, b)]
    found = []
    for j, k in ((1, 2), (2, 0), (0, 1)):
        products = [do("multiply", parts[0][m], parts[1][n]) for m, n in ((j, k), (k, j))]
        found.append(do("subtract", *products))
    return do.joined("stack", found, axis=-1)


@_composite("outer")
def _outer(do: Steps, a: Any, b: Any) -> Node | None:
    if not _is_array(a, INTEGERS + "fdFD", 1) or not _is_array(b, INTEGERS + "fdFD", 1):
        return None
    return do("multiply", do("getitem", a, (ALL, None)), b)


@_composite("linalg.norm")
def _norm(do: Steps, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Node | None:
    """Norms of vectors, and the root of all squares."""
    if not _is_array(x, "fdFD") or type(keepdims) is not bool or isinstance(ord, Node):
        return None
    options = {"axis": axis, "keepdims": keepdims}
    if ord in ("f", "fro") and axis is None and x.type.ndim == 2:
        ord = None
    if axis is None and (ord is None or (ord == 2 and x.type.ndim == 1)):
        options = {"keepdims": keepdims} if keepdims else {}
    elif type(axis) is not int:
        if axis is not None or x.type.ndim != 1:
            return None
        options["axis"] = 0
    if ord is None or ord == 2:
        return do("sqrt", do("sum", _squares(do, x), **options))
    if ord == 0:
        marks = do("astype", do("not_equal", x, 0), np.dtype(x.type.dtype.char.lower()))
        return do("sum", marks, **options)
    if ord not in (1, math.inf, -math.inf) or (ord != 1 and not x.type.is_static):
        return None
    reduce = {1: "sum", math.inf: "max", -math.inf: "min"}[ord]
    return do(reduce, do("absolute", x), **options) if ord == 1 or x.type.size else None


def _squares(do: Steps, x: Node) -> Node:
    if x.type.dtype.kind != "c":
        return do("multiply", x, x)
    return do("add", *[do("multiply", part, part) for part in (do("real", x), do("imag", x))])


@_composite("polyval")
def _polyval(do: Steps, p: Any, x: Any) -> Node | None:
    """Horner's rule, from zero on."""
    if not _is_array(x, "d"):
        return None
    if isinstance(p, list):
        factors = p if all(type(each) in (int, float) for each in p) else []
    elif _is_array(p, "d", 1) and isinstance(count := p.type.shape[0], int) and count <= MOST_TERMS:
        factors = [do("getitem", p, k) for k in range(count)]
    else:
        return None
    if not 1 < len(factors) <= MOST_TERMS:
        return None
    found = do("add", do("multiply", x, 0.0), factors[0])
    for factor in factors[1:]:
        found = do("add", do("multiply", found, x), factor)
    return found


@_composite("convolve")
def _convolve(do: Steps, a: Any, v: Any, mode: Any = "full") -> Node | None:
    """With few numbers. NumPy leaves out the terms beyond the ends: zeros are as good beside finite numbers alone."""
    if not _is_array(a, "fd", 1) or not _is_array(v, a.type.dtype.char, 1):
        return None
    do.in_silence()
    length, count = a.type.shape[0], v.type.shape[0]
    if not isinstance(length, int) or not isinstance(count, int) or not 2 <= count <= min(length, MOST_TERMS):
        return None
    if mode != "valid":
        if length * count < MANY_PRODUCTS:
            return None
        if v.op is not CONSTANT or not np.isfinite(v.args[0].value).all() or mode not in ("same", "full"):
            return None
        before, after = (count // 2, (count - 1) // 2) if mode == "same" else (count - 1, count - 1)
        ends = [[do("zeros", n, dtype=a.type.dtype)] if n else [] for n in (before, after)]
        a = do.joined("concatenate", [*ends[0], a, *ends[1]])
        length += before + after
    terms = [
        do("multiply", do.along(a, 0, k, length - count + 1 + k), do("getitem", v, count - 1 - k)) for k in range(count)
    ]
    total = do("add", terms[0], 0.0)
    for term in terms[1:]:
        total = do("add", total, term)
    return total


@_composite("select")
def _select(do: Steps, condlist: Any, choicelist: Any, default: Any = 0) -> Node | None:
    """The first choice whose condition holds: from the last on, each takes the place of those after it."""
    if not isinstance(condlist, list) or not isinstance(choicelist, list) or len(condlist) != len(choicelist):
        return None
    if not condlist or not all(_is_array(c, "?") for c in condlist):
        return None
    found = default
    for condition, choice in zip(condlist[::-1], choicelist[::-1], strict=True):
        found = do("where", condition, choice, found)
    if not isinstance(found, Node):
        return None
    return do("ascontiguousarray", found) if found.type.ndim > 1 else found  # in C order, whatever was given
