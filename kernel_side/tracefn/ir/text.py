"""Nodes as Python expressions."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from .dims import Dim
from .graph import Node
from .op import DIM, INPUT, ITEM, by_name
from .template import Ref, SliceOf, argument_source, complex_source, source
from .types import Kind

Names = dict[Node, str]
Literal = Callable[[Any], str]
"""Gives the source of a value that has no literal in Python."""

_ARRAY = Kind.ARRAY  # an attribute of an enum takes longer to find

MAX_CONSTANT = 16
"""Elements of a constant array that is printed in full; a larger one is a parameter of the printed function."""


def scalar_source(value: Any) -> str:
    """A NumPy scalar as Python source: `np.float32(2.0)`."""
    if isinstance(value, np.inexact) and not np.isfinite(value):
        return f"np.{type(value).__name__}({str(value)!r})"
    if isinstance(value, np.complex64 | np.complex128):
        return f"np.{type(value).__name__}({complex_source(value)})"
    return repr(value)


def call_source(node: Node, names: Names, literal: Literal = scalar_source, out: str = "") -> str:
    """The expression that computes a node. `out` names the array that an elementwise op writes into."""
    op = node.op
    if op is DIM:
        return str(node.args[0].text())
    if op is ITEM:
        return f"{names[node.inputs[0]]}[{node.args[1]}]"
    if op.style == "operator" and not out and len(node.args) == 2 and not node.kwargs:  # as most nodes are
        left, right = node.args
        if type(left) is type(right) is Ref and prints_as_operator(node):
            first, second = names[node.inputs[left.index]], names[node.inputs[right.index]]
            return f"({first}) {op.symbol} {second}" if first[0] == "-" else f"{first} {op.symbol} {second}"
    args = argument_sources(node, names, literal)
    kwargs = keyword_sources(node, names, literal)
    if op.style in ("effect", "draw") and op.lines is not None:
        return "; ".join(op.lines("", args + kwargs))
    if out:
        return f"np.{op.name}({', '.join([*args, f'out={out}', *kwargs])})"
    if op.style == "operator" and not kwargs and prints_as_operator(node):
        args = [
            f"({a})" if type(t) is Dim and not a.isidentifier() else a for a, t in zip(args, node.args, strict=True)
        ]
        if len(args) == 1:
            return f"{op.symbol}{args[0]}"
        first = f"({args[0]})" if args[0].startswith("-") else args[0]
        return f"{first} {op.symbol} {args[1]}"
    if op.style == "method":
        return f"{args[0]}.{op.name}({', '.join(args[1:] + kwargs)})"
    if op.style == "builtin":
        return (
            f"{args[1]}({args[0]})"
            if op.name == "as_scalar"
            else f"not {args[0]}"
            if op.symbol
            else f"{op.name.removeprefix('builtins.')}({', '.join(args + kwargs)})"
        )
    if op.style == "subscript":
        return f"np.{op.name}[{index_source(node.args[0], _leaf_source(node, names, literal))}]"
    if op.style == "index":
        return f"{args[0]}[{index_source(node.args[1], _leaf_source(node, names, literal))}]"
    return f"np.{op.name}({', '.join(args + kwargs)})"


def argument_sources(node: Node, names: Names, literal: Literal = scalar_source) -> list[str]:
    """The source of each positional argument."""
    leaf = _leaf_source(node, names, literal)
    if node.op.style == "write":
        array, path, *rest = node.args
        index = [index_source(rest.pop(0), leaf)] if node.op.name in ("setitem", "set_flat") else []
        return [source(array, leaf), source(path, leaf), *index, *[argument_source(a, leaf) for a in rest]]
    inputs = node.inputs  # as most arguments are
    found = argument_source if node.op.pure else source  # `tracefn.print` shows them
    return [names[inputs[a.index]] if type(a) is Ref else found(a, leaf) for a in node.args]


def view_source(node: Node, base: str, names: Names, literal: Literal = scalar_source) -> str:
    """The expression of the view that a writing node writes into; `base` names the array that it is a view of."""
    expression = base
    for name, *step in node.args[1]:
        if name == "item":
            expression = f"{expression}[{step[0]}]"
            continue
        array = Node(INPUT, (), (), (), ())
        inputs = (*node.inputs, array)
        part = Node(by_name(name), inputs, (Ref(len(node.inputs)), *step[0]), step[1], node.types)
        expression = call_source(part, {**names, array: expression}, literal)
    return expression


def keyword_sources(node: Node, names: Names, literal: Literal = scalar_source) -> list[str]:
    """Each keyword argument as `name=source`."""
    if not node.kwargs:
        return []
    leaf = _leaf_source(node, names, literal)
    return [f"{k}={argument_source(v, leaf)}" for k, v in node.kwargs]


def _leaf_source(node: Node, names: Names, literal: Literal) -> Literal:
    def leaf(item: Any) -> str:
        if type(item) is Ref:
            return names[node.inputs[item.index]]
        if type(item) is Dim:
            return item.text()
        return literal(item)

    return leaf


def prints_as_operator(node: Node) -> bool:
    """A ufunc on scalars is not the operator on scalars, whose warnings differ."""
    if not node.op.elementwise or node.op.name.startswith("operator."):
        return True
    return _ARRAY in [n.types[0].kind for n in node.inputs]


def index_source(index: Any, leaf: Literal) -> str:
    """The text between the brackets: `1:, ::2, v0`."""
    if type(index) is tuple and index:
        inner = ", ".join([_index_part(part, leaf) for part in index])
        return inner + "," if len(index) == 1 else inner
    return _index_part(index, leaf)


def _index_part(part: Any, leaf: Literal) -> str:
    if type(part) is SliceOf:
        parts = (part.start, part.stop, part.step)
        start, stop, step = ["" if p is None else repr(p) if type(p) is int else source(p, leaf) for p in parts]
        return f"{start}:{stop}" + (f":{step}" if step else "")
    if part is None:
        return "np.newaxis"
    return source(part, leaf)


@lru_cache(maxsize=1024)
def function_name(name: str) -> str:
    """A name as a Python identifier."""
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
    return text if text.isidentifier() and not keyword.iskeyword(text) else f"f_{text}"


def constant_source(node: Node) -> str:
    """A small constant as Python source, '' for one that is too large or has no literal."""
    value = node.args[0].value
    if isinstance(value, np.generic):
        return scalar_source(value)
    if type(value) in (bool, int, float, complex):
        return source(value, str)
    if not isinstance(value, np.ndarray) or value.size > MAX_CONSTANT or value.dtype.kind not in "biufSU":
        return ""
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        return ""
    return f"np.array({value.tolist()!r}, dtype={argument_source(value.dtype, str)}).reshape({value.shape!r})"
