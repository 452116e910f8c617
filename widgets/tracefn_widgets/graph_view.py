"""One graph as a widget."""

from __future__ import annotations

from typing import Any

import traitlets
from tracefn.function import ConcreteFunction
from tracefn.ir.graph import Graph

from tracefn_widgets.bundle import BundledWidget
from tracefn_widgets.saved import graph_html, graph_text


class GraphView(BundledWidget):
    """Shows a graph: zoom, pan, search, and the details of each node.

    `graph` is a `Graph`, or a `ConcreteFunction`, whose graph it then is. `height` is in px. Raises TypeError for
    anything else, and WidgetBundleMissingError in a checkout whose front end was not built.
    """

    bundle = "graph.js"

    graph: traitlets.Dict[Any, Any] = traitlets.Dict().tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)

    def __init__(self, graph: Graph | ConcreteFunction, height: int = 480) -> None:
        self._graph = _graph_of(graph)
        super().__init__(graph=self._graph.to_json(), height=height)

    def saved_html(self) -> str:
        return graph_html(self._graph)

    def saved_text(self) -> str:
        return graph_text(self._graph)


def _graph_of(graph: Any) -> Graph:
    if isinstance(graph, ConcreteFunction):
        graph = graph.graph
    if not isinstance(graph, Graph):
        raise TypeError(
            f"GraphView shows a Graph or a ConcreteFunction, not {type(graph).__name__}. "
            "A traced function has one for each signature: GraphView(f.concrete_functions[0])."
        )
    return graph
