"""The graphs of a function, or one graph, as a widget."""

from __future__ import annotations

from typing import Any

import traitlets
from tracefn import Function
from tracefn.function import ConcreteFunction
from tracefn.ir.graph import Graph

from tracefn_widgets.bundle import BundledWidget
from tracefn_widgets.saved import graph_html, graph_text

MOST_TRACES = 16
"""Of a function with more traces the newest are shown: each graph goes to the page."""


class GraphView(BundledWidget):
    """Shows a graph: zoom, pan, search, and the details of each node.

    `graph` is a `Graph`, a `ConcreteFunction`, whose graph it then is, or a traced function: of its traces as they are
    now, the newest 16 at most, one shows at a time, the newest at first. `height` is in px. Raises TypeError for
    anything else, ValueError for a function without traces, and WidgetBundleMissingError in a checkout whose front end
    was not built.
    """

    bundle = "graph.js"

    graph: traitlets.Dict[Any, Any] = traitlets.Dict().tag(sync=True)
    others: traitlets.List[Any] = traitlets.List().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)

    def __init__(self, graph: Graph | ConcreteFunction | Function[..., Any], height: int = 480) -> None:
        (title, self._graph), *others = _graphs_of(graph)
        shown = [{"title": of, "graph": other.to_json()} for of, other in others]
        super().__init__(graph=self._graph.to_json(), title=title, others=shown, height=height)

    def saved_html(self) -> str:
        return graph_html(self._graph)

    def saved_text(self) -> str:
        return graph_text(self._graph)


def _graphs_of(graph: Any) -> list[tuple[str, Graph]]:
    """The graphs with their signatures, the newest first."""
    if isinstance(graph, Function):
        traces = graph.concrete_functions[: -MOST_TRACES - 1 : -1]
        if not traces:
            raise ValueError(f"`{graph.name}` has no graph yet: it has no trace. Call it first.")
        return [(f"#{trace.number} {trace.signature.text}", trace.graph) for trace in traces]
    if isinstance(graph, ConcreteFunction):
        graph = graph.graph
    if not isinstance(graph, Graph):
        raise TypeError(f"GraphView shows a Graph, a ConcreteFunction or a traced function, no {type(graph).__name__}.")
    return [("", graph)]
