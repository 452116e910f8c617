"""Parts of graphs as JSON-able data. Values that nodes share, such as source places, are in tables beside the nodes."""

from __future__ import annotations

from typing import Any

from . import printing
from .graph import Graph, Node
from .json_form import Places, attribute_texts, back_of, bodies_json, call_json, head_json, type_json
from .place import Scope, Source
from .text import Names


def part_json(graph: Graph, first: int, most: int) -> dict[str, Any]:
    """`most` nodes of the graph from `first` on, in the form of `docs/protocol.md`: a third of the length of the whole
    form, which is written, sent and read in that share of the time."""
    nodes = graph.nodes[first : first + most]
    tables = Tables()
    return {
        **head_json(graph),
        "first": first,
        "left": len(graph.nodes) - first - len(nodes),
        "nodes": [tables.node(node, graph.names) for node in nodes],
        "types": tables.types,
        "scopes": tables.scopes,
        "places": tables.places,
    }


class Tables:
    """The tables of a part. Nodes refer to entries by index."""

    def __init__(self) -> None:
        self.types: list[list[Any]] = []
        self.scopes: list[list[Any]] = []
        self.places: list[list[Any]] = []
        # Types are found by their identity: graphs keep them, and their hash is made in Python.
        self._types: dict[int, int] = {}
        self._scopes: dict[str, int] = {}
        self._places: dict[Source, int] = {}
        self._located = Places()

    def node(self, node: Node, names: Names) -> dict[str, Any]:
        """A node, without empty fields."""
        made = {
            "id": names[node],
            "op": node.op.name,
            "call": call_json(node, names),
            "inputs": [names[n] for n in node.inputs],
            "type": self._type(node),
            "scope": self._scope(node.scope),
        }
        if node.source is not None:
            made["at"] = self._place(node.source)
        if attributes := attribute_texts(node):
            made["attrs"] = attributes
        if node.bodies:
            made |= bodies_json(node, names)
        return made | back_of(node.scope)

    def _type(self, node: Node) -> int:
        key = id(node.types[0]) if node.container is None else -bool(node.types)
        found = self._types.get(key)
        if found is None:
            found = self._types[key] = len(self.types)
            self.types.append(type_json(node))
        return found

    def _scope(self, scope: Scope | str) -> int:
        found = self._scopes.get(scope)
        if found is None:
            found = self._scopes[scope] = len(self.scopes)
            self.scopes.append([str(scope), self._place(getattr(scope, "site", None))])
            outer = getattr(scope, "outer", None)
            if outer:
                self._scope(outer)  # its call is in the stack of the node, too
        return found

    def _place(self, source: Source | None) -> int | None:
        if source is None:
            return None
        found = self._places.get(source)
        if found is None:
            found = self._places[source] = len(self.places)
            self.places.append(list(self._located[source].values()))
        return found


printing.graph_part = part_json
