"""Einstein summation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dims import broadcast
from ..ir.op import Static, op
from ..ir.template import ListOf, Ref
from ..ir.types import ghost
from .derivatives import einsum as derivative
from .rules import Length, Shape, TensorType, broadcast_shapes, operand, require_same, typed

Term = list[Any]
_STATIC = frozenset({"optimize", "dtype", "order", "casting"})


def _only_operand(args: tuple[Any, ...], kwargs: dict[str, Any], output: int) -> Any:
    """The base that the result may be a view of: with a single operand NumPy only moves axes if it can."""
    operands = [a for a in args if isinstance(a, Ref)]
    if len(operands) != 1:
        return None
    given = tuple([a.items if isinstance(a, ListOf) else a for a in args])
    return None if is_view(given, kwargs) is False else operands[0]


def is_view(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | None:
    """True where the result is a view of the single operand, False where it is a copy, None where that is not known.

    >>> is_view(("ii->i", "x"), {}), is_view(("ij->i", "x"), {}), is_view(("ij", "x"), {"order": "F"})
    (True, False, None)
    """
    terms, output, operands = parse(args)
    if len(operands) != 1:
        return False
    if output is None:
        output = _implicit(terms)
    if not set(terms[0]) <= {*output, ...}:
        return False
    return None if kwargs else True


def operand_first(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call with a single operand, which comes first.

    >>> operand_first(("ii->i", "x"))
    ('x', [34, 34], [34])
    """
    terms, output, operands = parse(args)
    given = [[*map(_number, term)] for term in (*terms, *([] if output is None else [output]))]
    return (*operands, *given)


def _derivative(g: Any, out: Any, *operands: Any, optimize: Any = False, **kwargs: Any) -> tuple[Any, ...]:
    terms, output, values = parse(operands)
    if not isinstance(optimize, bool | str):  # a path for other operands
        optimize = True
    found = derivative.einsum(terms, _implicit(terms) if output is None else output, g, values, optimize)
    if isinstance(operands[0], str):
        return (None, *found)
    return tuple([part for each in found for part in (each, None)])


@op(np.einsum, view=_only_operand, static=_STATIC, vjp=_derivative)
def einsum(*operands: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> TensorType:
    terms, output, values = parse(operands)
    types = [operand(v) for v in values]
    shape = einsum_shape(terms, output, [t.shape for t in types])
    subscripts = ",".join(map(_text, terms)) + ("" if output is None else "->" + _text(output))
    if optimize is not False and len(types) > 2 and all(t.is_static for t in types):
        optimize = np.einsum_path(subscripts, *map(ghost, types), optimize=optimize)[0]
    few = [TensorType(t.dtype, tuple(min(n, 2) if isinstance(n, int) else 2 for n in t.shape), t.kind) for t in types]
    return typed(np.einsum(subscripts, *map(ghost, few), optimize=optimize, **kwargs), shape)


@op(np.einsum_path, static=frozenset({"optimize", "einsum_call"}))
def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: Any = False) -> Static:
    types = [operand(v) for v in parse(operands)[2]]
    if not all(t.is_static for t in types):
        raise TypeError("the best order of a contraction depends on lengths that are not known while tracing")
    given = list(operands)
    first, step = (1, 1) if isinstance(given[0], str) else (0, 2)
    given[first : first + step * len(types) : step] = map(ghost, types)
    return Static(np.einsum_path(*given, optimize=optimize, einsum_call=einsum_call))


def parse(operands: tuple[Any, ...]) -> tuple[list[Term], Term | None, list[Any]]:
    """The subscripts of each operand, those of the output (None: implicit), and the operands.

    Reads both forms, `"ij,jk"` and operands with lists of integers; subscripts are letters and Ellipsis in both.

    >>> parse(("...i,i->...", "x", "y"))
    ([[Ellipsis, 'i'], ['i']], [Ellipsis], ['x', 'y'])
    >>> parse((1.5, [0, 1], 2.5, [1, 26]))
    ([['A', 'B'], ['B', 'a']], None, [1.5, 2.5])
    """
    if isinstance(operands[0], str):
        inputs, arrow, result = operands[0].replace(" ", "").partition("->")
        terms = [_letters(term) for term in inputs.split(",")]
        return terms, _letters(result) if arrow else None, list(operands[1:])
    count = len(operands) // 2
    terms = [[_letter(label) for label in operands[2 * i + 1]] for i in range(count)]
    last = [_letter(label) for label in operands[-1]] if len(operands) % 2 else None
    return terms, last, list(operands[: 2 * count : 2])


def _letters(term: str) -> Term:
    before, dots, after = term.partition("...")
    if not (before + after).isalpha() and before + after:
        raise ValueError(f"{term!r} is not made of letters and '...'")
    return [*before, ...] + [*after] if dots else [*before]


def _letter(label: Any) -> Any:
    """A label of the list form as a letter. Numbers sort as the letters do: first capitals, then small ones."""
    return ... if label is Ellipsis else chr(ord("A") + label if label < 26 else ord("a") + label - 26)


def _number(letter: Any) -> Any:
    """A letter as the label that `_letter` reads."""
    if letter is Ellipsis:
        return letter
    return ord(letter) - ord("A") if letter < "a" else ord(letter) - ord("a") + 26


def _implicit(terms: list[Term]) -> Term:
    """The subscripts of the output where none are given: those that are there once, in their order."""
    every = [label for term in terms for label in term if label is not Ellipsis]
    return [..., *sorted(label for label in set(every) if every.count(label) == 1)]


def _text(term: Term) -> str:
    return "".join("..." if label is Ellipsis else label for label in term)


def einsum_shape(terms: list[Term], output: Term | None, shapes: list[Shape]) -> Shape:
    """The shape of the result. Lengths of 1 broadcast, but not between two axes of one operand."""
    lengths: dict[Any, Length] = {}
    extra: list[Shape] = []
    for term, shape in zip(terms, shapes, strict=True):
        surplus = len(shape) - sum(label is not Ellipsis for label in term)
        if surplus < 0 or (surplus and Ellipsis not in term):
            raise ValueError("an operand has not the number of axes that its subscripts say")
        start = term.index(...) if ... in term else len(term)
        extra.append(shape[start : start + surplus])
        labels = [label for label in term if label is not Ellipsis]
        own: dict[Any, Length] = {}
        for label, n in zip(labels, (*shape[:start], *shape[start + surplus :]), strict=True):
            own[label] = require_same(own.get(label, n), n)
        lengths |= {label: broadcast(lengths.get(label, 1), n) for label, n in own.items()}
    if output is None:
        output = _implicit(terms)
    found: list[Length] = []
    for label in output:
        found += broadcast_shapes(*extra) if label is Ellipsis else (lengths[label],)
    return tuple(found)
