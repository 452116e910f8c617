"""Graphs as JSON-able data, in the form of `docs/protocol.md`, and attributes as short texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import events
from .. import printing
from ..dims import Dim
from ..graph import Graph, Node, fed_by
from ..hashing import blake2b
from ..op import CAPTURE, CONSTANT, INPUT, ITEM
from ..place import Scope, Source, WayBack
from ..template import ListOf, Ref, argument_source, leaves
from ..text import Names, argument_sources, call_source, constant_source, index_source, scalar_source
from ..types import dtype_name
from .variables import assigned_at, variables_of


def graph_json(graph: Graph) -> dict[str, Any]:
    """The graph as JSON-able data (`docs/protocol.md`)."""
    places = Places()
    variables = variables_of(graph)
    return {
        **head_json(graph),
        "nodes": [_node_json(n, graph.names, places, variables.get(n, "")) for n in graph.nodes],
        "sites": _sites(graph.nodes, places),
    }


def head_json(graph: Graph) -> dict[str, Any]:
    """The head of a graph, with its inputs and outputs."""
    return {
        "hash": graph.drawn_hash,
        "name": graph.name,
        "inputs": [graph.names[n] for n in graph.inputs],
        "outputs": [graph.names[n] for n in graph.outputs],
        "results": list(graph.results),
    }


class Places(dict[Source | None, dict[str, Any]]):
    """Where nodes and calls stand, as JSON: many stand in one line."""

    def __missing__(self, source: Source | None) -> dict[str, Any]:
        if source is None:
            found = dict.fromkeys(("file", "line", "cell", "cell_number"))
        else:
            place = events.locate(source.file, source.line)
            found = {"file": place.file, "line": place.line, "cell": place.cell, "cell_number": place.cell_number}
        self[source] = found
        return found


def _sites(nodes: Sequence[Node], places: dict[Source | None, Any]) -> dict[str, Any]:
    """Where the calls stand whose scopes the nodes are in, but for those of bodies, which have their own."""
    found: dict[str, Source | None] = {}
    seen: Scope | str = ""
    for node in nodes:
        scope: Scope | str = node.scope
        if scope is seen:
            continue
        seen = scope
        while scope and isinstance(scope, Scope) and scope not in found:
            found[scope] = scope.site
            scope = scope.outer or ""
    return {str(scope): places[site] for scope, site in found.items() if site is not None}


def _node_json(node: Node, names: Names, places: Places, variable: str) -> dict[str, Any]:
    dtype, shape, kind = type_json(node)
    return {
        "id": names[node],
        "op": node.op.name,
        "call": call_json(node, names),
        "inputs": [names[n] for n in node.inputs],
        "dtype": dtype,
        "shape": shape,
        "kind": kind,
        "attrs": attribute_texts(node),
        **bodies_json(node, names),
        "variable": variable,
        "scope": node.scope,
        **places[node.source],
        **back_of(node.scope),
    }


def bodies_json(node: Node, names: Names) -> dict[str, Any]:
    """The bodies of a branch or loop, and the values that flow into them; empty for any other node."""
    bodies = {body.name: graph_json(body.graph) for body in node.bodies}
    return {"bodies": bodies, "flow": _flow_json(node, names) if bodies else None}


def type_json(node: Node) -> list[Any]:
    """Dtype, shape and kind of a node's value."""
    if node.container is not None:
        return [None, None, "tuple" if node.types else "nothing"]
    value = node.types[0]
    return [dtype_name(value.dtype), [n if isinstance(n, int) else str(n) for n in value.shape], value.kind.value]


def drawn_hash(graph: Graph) -> str:
    """A hash of a graph's drawing: equal, in every process, for graphs of one `Graph.hash` and name whose nodes stand
    in the same calls and lines, which assign to the same variables. The numbers of cells do not count."""
    digest = blake2b(digest_size=12)
    _digest_drawing(graph, _Spots(), digest.update)
    return digest.hexdigest()


class _Spots(dict[Source | None, str]):
    """Where nodes and calls stand, as texts that are the same in every process."""

    def __missing__(self, source: Source | None) -> str:
        place = source and events.locate(source.file, source.line)
        variable = assigned_at(source)[0] if source else ""
        self[source] = found = f"{place.cell or place.file}:{place.line} {variable}" if place else ""
        return found


def _digest_drawing(graph: Graph, spots: _Spots, update: Callable[[bytes], None]) -> None:
    update(f"{graph.hash} {graph.name} {graph.results} {_sites(graph.nodes, spots)}".encode())
    before: tuple[Any, ...] = ()
    for i, node in enumerate(graph.nodes):
        here = (node.scope, node.source)
        if here != before:
            update(f"{i} {node.scope} {spots[node.source]} {back_of(node.scope)}\n".encode())
            before = here
        for body in node.bodies:
            update(f"{body.name} {body.results}\n".encode())
            _digest_drawing(body.graph, spots, update)


def back_of(scope: str) -> dict[str, Any]:
    """The forward node that a node of the backward pass belongs to; empty for any other node."""
    return {"back_of": {"scope": scope.forward, "op": scope.op}} if isinstance(scope, WayBack) else {}


def _flow_json(node: Node, names: Names) -> dict[str, Any]:
    """The values that flow into the bodies of a node, and from one round to the next."""
    feeds = {body.name: fed_by(node, body) for body in node.bodies}
    carried = carried_values(node)
    return {
        "feeds": {name: [None if n is None else names[n] for n in fed] for name, fed in feeds.items()},
        "carried": {name: [fed.count(None), 0 if name == "test" else carried] for name, fed in feeds.items()},
        "rounds": _rounds_json(node, names),
        "results": list(next((body.results for body in node.bodies if body.results), ())),
    }


def carried_values(node: Node) -> int:
    """How many values a loop carries from round to round: its first results. 0 for a branch."""
    state = next((a for a in node.args if isinstance(a, ListOf)), ()) if node.op.is_loop else ()
    return len([item for item in leaves(state) if isinstance(item, Ref)])


def _rounds_json(node: Node, names: Names) -> str:
    """How often a loop runs: a number, or the range that it goes over; empty where neither is known."""
    if node.op.name != "for_loop":
        return ""
    start, stop, step = (_bound(template, node, names) for template in node.args[:3])
    if all(type(bound) is int for bound in (start, stop, step)):
        return str(len(range(start, stop, step)))
    given = [stop] if start == 0 and step == 1 else [start, stop] if step == 1 else [start, stop, step]
    return f"range({', '.join(map(str, given))})"


def _bound(template: Any, node: Node, names: Names) -> Any:
    """A bound of a range: a number where it is fixed, else the name of the value."""
    if not isinstance(template, Ref):
        return template.text() if type(template) is Dim else template
    bound = node.inputs[template.index]
    value = bound.args[0].value if bound.op is CONSTANT else None
    return int(value) if isinstance(value, int | np.integer) else names[bound]


def call_json(node: Node, names: Names) -> str:
    """The call of a node, as source."""
    if node.op in (INPUT, CAPTURE):
        return str(node.args[0])
    if node.bodies:
        return f"{node.op.name}({', '.join(body.name for body in node.bodies)})"
    if node.op.style == "list" and node.op.lines is not None:
        return _call_of_lines(node, names)
    if node.op is CONSTANT:
        return constant_source(node) or f"constant {node.type!r}"
    return call_source(node, names, short_literal)


def _call_of_lines(node: Node, names: Names) -> str:
    """The call of a node that is statements: without the name of the result, where the op has statements without it."""
    lines = node.op.lines
    assert lines is not None
    arguments = argument_sources(node, names, short_literal)
    text = "; ".join(lines("", arguments) or lines(names[node], arguments))
    return text.removeprefix(f"{names[node]} = ").removeprefix(" = ")


def short_literal(value: Any) -> str:
    if isinstance(value, np.generic):
        return scalar_source(value)
    return f"<{getattr(value, '__name__', type(value).__name__)}>"


def attribute_texts(node: Node) -> dict[str, str]:
    """A node's attributes as short texts, by parameter name."""
    if node.op in (INPUT, CAPTURE):
        return {"path": str(node.args[0])}
    if node.op is CONSTANT:
        value = node.args[0].value
        text = np.array2string(np.asarray(value), threshold=20, edgeitems=2).replace("\n", " ")
        return {"value": text if len(text) < 200 else text[:197] + "..."}
    if node.bodies:
        return {body.name: f"{body.graph.total()} nodes" for body in node.bodies}
    if node.op is ITEM:
        return {"index": str(node.args[1])}
    if not node.kwargs and set(map(type, node.args)) <= {Ref}:
        return {}  # as most nodes

    def leaf(item: Any) -> str:
        if type(item) is Ref:
            return "·"
        return item.text() if type(item) is Dim else short_literal(item)

    found = {}
    for name, template in node.attributes.items():
        if name in node.op.codes:
            continue
        if isinstance(template, ListOf | tuple) and all(isinstance(t, Ref) for t in leaves(template)):
            continue
        text = index_source(template, leaf) if node.op.style == "index" else argument_source(template, leaf)
        found[name] = text if len(text) < 200 else text[:197] + "..."
    return found


printing.graph_json = graph_json
printing.drawn_hash = drawn_hash
