"""Parts of graphs as JSON-able data. Values that nodes share, such as source places, are in tables beside the nodes."""

from __future__ import annotations

from typing import Any

from .. import printing
from ..graph import Graph, Node
from ..place import Scope, Source, WayBack
from ..template import reference
from ..text import Names, prints_as_operator
from .json_form import Places, attribute_texts, back_of, bodies_json, call_json, head_json, type_json
from .variables import variables_of

#: Inputs in their order: all that most calls are given.
IN_ORDER = tuple(map(reference, range(8)))
#: The styles of calls that are written with their inputs in this order.
WRITTEN_IN_ORDER = frozenset({"function", "operator", "method"})


def part_json(graph: Graph, first: int, most: int) -> dict[str, Any]:
    """`most` nodes of the graph from `first` on, in the form of `docs/protocol.md`: a third of the length of the whole
    form, which is written, sent and read in that share of the time."""
    nodes = graph.nodes[first : first + most]
    tables, variables = Tables(), variables_of(graph)
    return {
        **head_json(graph),
        "first": first,
        "left": len(graph.nodes) - first - len(nodes),
        "nodes": [tables.node(node, graph.names, variables.get(node)) for node in nodes],
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
        #: How a call of inputs alone is written, by op and arguments without their names.
        self._calls: dict[tuple[str, int, bool], str] = {}

    def node(self, node: Node, names: Names, variable: str | None) -> dict[str, Any]:
        """A node, without empty fields."""
        op, args = node.op, node.args
        inputs = [names[n] for n in node.inputs]
        is_plain = not node.kwargs and op.style in WRITTEN_IN_ORDER and args == IN_ORDER[: len(args)]
        made = {
            "id": names[node],
            "op": op.name,
            "call": self._plain_call(node, inputs) if is_plain else call_json(node, names),
            "inputs": inputs,
            "type": self._type(node),
            "scope": self._scope(node.scope),
        }
        if variable is not None:
            made["variable"] = variable
        if node.source is not None:
            made["at"] = self._place(node.source)
        if not is_plain:
            if attributes := attribute_texts(node):
                made["attrs"] = attributes
            if node.bodies:
                made |= bodies_json(node, names)
        if isinstance(node.scope, WayBack):
            made |= back_of(node.scope)
        return made

    def _plain_call(self, node: Node, inputs: list[str]) -> str:
        """A call whose arguments are its inputs: calls of one op differ in nothing but their names."""
        count = len(node.args)
        key = (node.op.name, count, node.op.style == "operator" and prints_as_operator(node))
        written = self._calls.get(key)
        if written is None:
            written = self._calls[key] = call_json(node, _Blanks()).replace("%", "%%").replace(_Blanks.TEXT, "%s")
        return written % tuple(inputs[:count])

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


class _Blanks(dict[Node, str]):
    """A name for all nodes that no other text has in it."""

    TEXT = "\0"

    def __missing__(self, node: Node) -> str:
        return self.TEXT


printing.graph_part = part_json
