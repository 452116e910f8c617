"""The form of a widget in a saved notebook: HTML without scripts, for pages without a kernel."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from html import escape
from typing import Any

from tracefn.errors import GraphvizMissingError
from tracefn.ir.drawn.json_form import graph_json
from tracefn.ir.graph import Graph

MAX_NODES = 400
"""Of larger graphs the rest of the nodes is left out: saved notebooks are read by people."""

MAX_DRAWN = 200
"""Larger graphs are not drawn: their pictures would be as large as the notebook."""

_CELL = 'style="text-align:left;padding:1px 12px 1px 0;vertical-align:top"'
_FONT = "font-family:var(--jp-code-font-family,monospace);font-size:0.9em"
_TABLE = f'style="border-collapse:collapse;margin:2px 0;color:inherit;{_FONT}"'
_COLUMNS = ("node", "computes", "type", "line")


def graph_html(graph: Graph) -> str:
    """A graph as a picture, where Graphviz is there, and as a table. All texts are escaped: they are the user's."""
    rows = list(_rows(graph_json(graph), ""))
    more = f"<div>… and {len(rows) - MAX_NODES} more nodes</div>" if len(rows) > MAX_NODES else ""
    head = "".join(f'<th scope="col" {_CELL}>{column}</th>' for column in _COLUMNS)
    table = f"<table {_TABLE}><tr>{head}</tr>{''.join(rows[:MAX_NODES])}</table>{more}"
    title = f"{escape(graph.name)}: graph of {graph.total()} nodes"
    picture = _picture(graph)
    shown = "" if picture else " open"
    return (
        f'<div class="tracefn-output-saved"><div>{title}</div>{picture}'
        f"<details{shown}><summary>All nodes</summary>{table}</details></div>"
    )


def graph_text(graph: Graph) -> str:
    """A graph as Python source, where it is not too long for a saved notebook."""
    nodes = graph.total()
    return str(graph) if nodes <= MAX_NODES else f"<Graph {graph.name}: {nodes} nodes>"


def _picture(graph: Graph) -> str:
    """The drawing as an image, in which nothing runs; empty where it cannot be drawn."""
    if graph.total() > MAX_DRAWN:
        return ""
    try:
        data = base64.b64encode(graph.to_svg().encode()).decode()
    except GraphvizMissingError:
        return ""
    text = escape(f"The graph of {graph.name}", quote=True)
    return f'<img alt="{text}" style="max-width:100%;background:white" src="data:image/svg+xml;base64,{data}">'


def _rows(graph: dict[str, Any], around: str) -> Iterator[str]:
    """The rows of a graph and of the bodies in it."""
    for node in graph["nodes"]:
        yield _row(node, around)
        for name, body in node["bodies"].items():
            yield from _rows(body, f"{around}{node['id']}.{name}.")


def _row(node: dict[str, Any], around: str) -> str:
    dtype, shape = node["dtype"], node["shape"]
    lengths = f"[{', '.join(map(str, shape))}]" if isinstance(shape, list) and shape else ""
    line = "" if node["line"] is None else str(node["line"])
    if node["cell_number"] is not None:
        line = f"[{node['cell_number']}] {line}"
    texts = (f"{around}{node['id']}", node["call"], f"{dtype}{lengths}" if dtype else node["kind"], line)
    return f"<tr>{''.join(f'<td {_CELL}>{escape(str(text))}</td>' for text in texts)}</tr>"
