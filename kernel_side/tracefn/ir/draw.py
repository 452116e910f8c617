"""Graphs as pictures: DOT text, SVG by Graphviz, and what a notebook shows."""

from __future__ import annotations

import shutil

from ..errors import GraphvizMissingError, message
from .graph import Graph, Node
from .json_form import attribute_texts
from .op import CAPTURE, CONSTANT, INPUT, ITEM

_FILL = {INPUT: "#dbeafe", CAPTURE: "#fef3c7", CONSTANT: "#f3f4f6"}
MAX_DRAWN = 2000
"""Nodes of a graph that a notebook draws by itself; a larger one is shown as text."""


def graph_dot(graph: Graph) -> str:
    """DOT text: a box a node with its op, dtype and shape, a cluster a scope."""
    lines = [
        f"digraph {_quote(graph.name)} {{",
        '  node [shape=box style="rounded,filled" fillcolor="#ffffff" color="#64748b" '
        'fontname="Helvetica" fontsize=10];',
        '  edge [color="#94a3b8" arrowsize=0.7 fontname="Helvetica" fontsize=8];',
    ]
    lines += _cluster(graph, "", 1)
    for node in graph.nodes:
        for source in node.inputs:
            label = f" [label={_quote(_type(source))}]" if source.container is None else ""
            lines.append(f"  {_id(graph, source)} -> {_id(graph, node)}{label};")
    for position, node in enumerate(graph.outputs):
        lines.append(f'  out{position} [label="output" shape=oval fillcolor="#dcfce7"];')
        lines.append(f"  {_id(graph, node)} -> out{position} [label={_quote(_type(node))}];")
    return "\n".join([*lines, "}"])


def _cluster(graph: Graph, scope: str, depth: int) -> list[str]:
    indent = "  " * depth
    lines = [f"{indent}{_box(graph, n)}" for n in graph.nodes if n.scope == scope]
    prefix = f"{scope}/" if scope else ""
    inner = dict.fromkeys(
        prefix + n.scope.removeprefix(prefix).split("/")[0]
        for n in graph.nodes
        if n.scope.startswith(prefix) and n.scope != scope
    )
    for name in inner:
        lines += [
            f"{indent}subgraph {_quote('cluster ' + name)} {{",
            f'{indent}  label={_quote(name.split("/")[-1])}; style="rounded"; color="#cbd5e1"; fontname="Helvetica";',
            *_cluster(graph, name, depth + 1),
            f"{indent}}}",
        ]
    return lines


def _box(graph: Graph, node: Node) -> str:
    attributes = attribute_texts(node)
    if node.op in (INPUT, CAPTURE):
        head = attributes.pop("path")
    elif node.op is ITEM:
        head = f"[{attributes.pop('index')}]"
    else:
        head = node.op.name
    shown = [head, *(f"{k}={v}" for k, v in attributes.items()), _type(node)]
    fill = f' fillcolor="{_FILL[node.op]}"' if node.op in _FILL else ""
    return f"{_id(graph, node)} [label={_quote(chr(10).join(shown))}{fill}];"


def _type(node: Node) -> str:
    return repr(node.type) if node.container is None else f"{len(node.types)} outputs"


def _id(graph: Graph, node: Node) -> str:
    return _quote(graph.names[node])


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def graph_svg(graph: Graph) -> str:
    """SVG text. Raises `GraphvizMissingError` where the `dot` program is missing."""
    if shutil.which("dot") is None:
        raise GraphvizMissingError(
            message(
                "Graphviz's `dot` program was not found",
                fix="Install Graphviz (apt install graphviz, brew install graphviz), or use graph.to_dot().",
            )
        )
    import graphviz

    svg: str = graphviz.Source(graph_dot(graph)).pipe(format="svg", encoding="utf-8")
    return svg


def graph_mimebundle(graph: Graph) -> dict[str, str]:
    """What a notebook shows: the drawing where Graphviz is there and the graph is not huge, and always the text."""
    bundle = {"text/plain": str(graph)}
    if len(graph) <= MAX_DRAWN and shutil.which("dot") is not None:
        bundle["image/svg+xml"] = graph_svg(graph)
    return bundle
