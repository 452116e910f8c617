"""Graphs as text: runnable Python, one line a node, and the JSON form that front ends read."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from typing import Any

import numpy as np

from .dims import Dim
from .graph import Graph, Node, dimension_symbols
from .op import CAPTURE, CONSTANT, DIM, INPUT, ITEM
from .template import ListOf, Ref, SliceOf, leaves, source
from .types import Kind, dtype_name

Names = dict[Node, str]
Literal = Callable[[Any], str]
"""Gives the source of a value that has no literal in Python."""

MAX_CONSTANT = 16
"""Elements of a constant array that is printed in full; a larger one is a parameter of the printed function."""


def scalar_source(value: Any) -> str:
    """A NumPy scalar as Python source: `np.float32(2.0)`."""
    if isinstance(value, np.inexact) and not np.isfinite(value):
        return f"np.{type(value).__name__}({str(value)!r})"
    return repr(value)


def call_source(node: Node, names: Names, literal: Literal = scalar_source, out: str = "") -> str:
    """The expression that computes a node. `out` names the array that an elementwise op writes into."""
    op = node.op

    def leaf(item: Any) -> str:
        if type(item) is Ref:
            return names[node.inputs[item.index]]
        if type(item) is Dim:
            return item.text()
        return literal(item)

    if op is DIM:
        return str(node.args[0].text())
    if op is ITEM:
        return f"{names[node.inputs[0]]}[{node.args[1]}]"
    args = [source(a, leaf) for a in node.args]
    kwargs = [f"{k}={source(v, leaf)}" for k, v in node.kwargs]
    if out:
        return f"np.{op.name}({', '.join([*args, f'out={out}', *kwargs])})"
    if op.style == "operator" and not kwargs and _as_operator(node):
        if len(args) == 1:
            return f"{op.symbol}{args[0]}"
        left = f"({args[0]})" if args[0].startswith("-") else args[0]
        return f"{left} {op.symbol} {args[1]}"
    if op.style == "method":
        return f"{args[0]}.{op.name}({', '.join(args[1:] + kwargs)})"
    if op.style == "index":
        return f"{args[0]}[{index_source(node.args[1], leaf)}]"
    return f"np.{op.name}({', '.join(args + kwargs)})"


def _as_operator(node: Node) -> bool:
    """A ufunc on scalars is not the operator on scalars, whose warnings differ."""
    return (
        node.op.name.startswith("operator.")
        or not node.op.elementwise
        or any(n.types[0].kind is Kind.ARRAY for n in node.inputs)
    )


def index_source(index: Any, leaf: Literal) -> str:
    """What stands between the brackets: `1:, ::2, v0`."""
    if type(index) is tuple and index:
        inner = ", ".join(_index_part(part, leaf) for part in index)
        return inner + "," if len(index) == 1 else inner
    return _index_part(index, leaf)


def _index_part(part: Any, leaf: Literal) -> str:
    if type(part) is SliceOf:
        start, stop, step = ("" if p is None else source(p, leaf) for p in (part.start, part.stop, part.step))
        return f"{start}:{stop}" + (f":{step}" if step else "")
    if part is None:
        return "np.newaxis"
    return source(part, leaf)


def used_symbols(graph: Graph) -> set[str]:
    """The symbolic dimensions that the program itself needs: those inside call templates."""
    return {
        s for n in graph.nodes for item in leaves((n.args, tuple(v for _, v in n.kwargs))) if isinstance(item, Dim)
        for s in item.symbols()
    }  # fmt: skip


def targets(node: Node, graph_users: dict[Node, list[Node]], names: Names) -> str:
    """The left side of a node's assignment: its name, or the names of its outputs."""
    if node.container is None:
        return names[node]
    picked = {n.args[1]: names[n] for n in graph_users[node] if n.op is ITEM}
    parts = [picked.get(i, "_") for i in range(len(node.types))]
    return ", ".join(parts) + ("," if len(parts) == 1 else "")


def graph_text(graph: Graph) -> str:
    """The graph as a Python function that computes it: `exec` it and call it.

    Arguments come first; captured arrays and large constants are keyword arguments.
    """
    names, users = graph.names, graph.users()
    bound = graph.symbols
    needed = used_symbols(graph)
    positional = [f'{names[n]}: "{n.type!r}"' for n in graph.inputs]
    keyword: list[str] = []
    constants: list[str] = []
    objects: dict[int, str] = {}

    def literal(value: Any) -> str:
        if isinstance(value, np.generic):
            return scalar_source(value)
        name = objects.setdefault(id(value), f"object_{len(objects)}")
        if name not in keyword:
            keyword.append(name)
        return name

    for node in graph.nodes:
        if node.op is CAPTURE:
            keyword.append(f'{names[node]}: "{node.type!r}"')
        elif node.op is CONSTANT:
            text = _constant_source(node)
            if text:
                constants.append(f"{names[node]} = {text}")
            else:
                keyword.append(f'{names[node]}: "{node.type!r}"')
    body = [f"{s} = {names[node]}.shape[{axis}]" for s, (node, axis) in bound.items() if s in needed and node.is_leaf]
    body += constants
    for node in graph.nodes:
        if node.is_leaf:
            continue
        if node.op is ITEM:
            body += _symbol_lines(node, bound, needed, names)
            continue
        line = f"{targets(node, users, names)} = {call_source(node, names, literal)}"
        comment = f"{node.type!r}" if node.container is None else ", ".join(map(repr, node.types))
        body.append(f"{line}  # {comment}" + (f", line {node.source.line}" if node.source else ""))
        body += _symbol_lines(node, bound, needed, names)
    outputs = ", ".join(names[n] for n in graph.outputs)
    body.append(f"return {outputs}" if outputs else "return ()")
    parameters = ", ".join(positional + (["*", *keyword] if keyword else []))
    lines = "\n    ".join(body)
    return f"import numpy as np\n\n\ndef {function_name(graph.name)}({parameters}):\n    {lines}\n"


def _symbol_lines(node: Node, bound: dict[str, tuple[Node, int]], needed: set[str], names: Names) -> list[str]:
    if not dimension_symbols(node):
        return []
    return [f"{s} = {names[node]}.shape[{axis}]" for s, (n, axis) in bound.items() if n is node and s in needed]


def function_name(name: str) -> str:
    """A name as a Python identifier."""
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
    return text if text.isidentifier() and not keyword.iskeyword(text) else f"f_{text}"


def _constant_source(node: Node) -> str:
    """A small constant as Python source, '' for one that is too large or has no literal."""
    value = node.args[0].value
    if isinstance(value, np.generic):
        return scalar_source(value)
    if not isinstance(value, np.ndarray) or value.size > MAX_CONSTANT or value.dtype.kind not in "biufcSU":
        return ""
    if value.dtype.kind in "fc" and not np.isfinite(value).all():
        return ""
    return f"np.array({value.tolist()!r}, dtype={source(value.dtype, str)}).reshape({value.shape!r})"


def graph_json(graph: Graph) -> dict[str, Any]:
    """The graph as JSON-able data (`docs/protocol.md`)."""
    return {
        "hash": graph.hash,
        "name": graph.name,
        "inputs": [graph.names[n] for n in graph.inputs],
        "outputs": [graph.names[n] for n in graph.outputs],
        "nodes": [_node_json(n, graph.names) for n in graph.nodes],
    }


def _node_json(node: Node, names: Names) -> dict[str, Any]:
    from .. import events

    place = events.locate(node.source.file, node.source.line) if node.source else None
    single = node.container is None
    return {
        "id": names[node],
        "op": node.op.name,
        "call": _call_json(node, names),
        "inputs": [names[n] for n in node.inputs],
        "dtype": dtype_name(node.type.dtype) if single else None,
        "shape": [n if isinstance(n, int) else str(n) for n in node.type.shape] if single else None,
        "kind": node.type.kind.value if single else "tuple",
        "attrs": attribute_texts(node),
        "scope": node.scope,
        "file": place.file if place else None,
        "line": place.line if place else None,
        "cell": place.cell if place else None,
        "cell_number": place.cell_number if place else None,
    }


def _call_json(node: Node, names: Names) -> str:
    if node.op in (INPUT, CAPTURE):
        return str(node.args[0])
    if node.op is CONSTANT:
        return _constant_source(node) or f"constant {node.type!r}"
    return call_source(node, names, short_literal)


def short_literal(value: Any) -> str:
    return scalar_source(value) if isinstance(value, np.generic) else f"<{type(value).__name__}>"


def attribute_texts(node: Node) -> dict[str, str]:
    """A node's attributes as short texts, by parameter name."""
    if node.op in (INPUT, CAPTURE):
        return {"path": str(node.args[0])}
    if node.op is CONSTANT:
        value = node.args[0].value
        text = np.array2string(np.asarray(value), threshold=20, edgeitems=2).replace("\n", " ")
        return {"value": text if len(text) < 200 else text[:197] + "..."}
    if node.op is ITEM:
        return {"index": str(node.args[1])}

    def leaf(item: Any) -> str:
        if type(item) is Ref:
            return "·"
        return item.text() if type(item) is Dim else short_literal(item)

    found = {}
    for name, template in node.attributes.items():
        if isinstance(template, ListOf | tuple) and all(isinstance(t, Ref) for t in leaves(template)):
            continue
        text = index_source(template, leaf) if node.op.style == "index" else source(template, leaf)
        found[name] = text if len(text) < 200 else text[:197] + "..."
    return found
