"""Graphs as pictures: DOT text, SVG by Graphviz, and the picture in a notebook."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...errors import GraphvizMissingError, message
from .. import printing
from ..graph import Graph, Node, fed_by
from ..op import CAPTURE, CONSTANT, INPUT, ITEM
from ..template import Body, Ref
from .json_form import attribute_texts, carried_values
from .variables import variables_of

_FILL = {INPUT: "#dbeafe", CAPTURE: "#fef3c7", CONSTANT: "#f3f4f6"}
MAX_DRAWN = 2000
"""Nodes of a graph that a notebook draws by itself; a larger one is shown as text."""


def graph_dot(graph: Graph) -> str:
    """DOT text: a box a node with its op, dtype and shape, a cluster a scope and a cluster each body of a branch or
    loop, whose inputs are wired to the values that it takes from around it."""
    drawing = _Drawing()
    boxes = drawing.part(graph, prefix="", scope="", given={})
    for position, node in enumerate(graph.outputs):
        name, place = f"out{position}", (graph.results[position : position + 1] or ("",))[0]
        boxes.append(f'  {name} [label={_quote(place or "result")} shape=oval fillcolor="#dcfce7"];')
        drawing.edges.append(f"  {_quote(graph.names[node])} -> {name} [label={_quote(_type(node))}];")
    return "\n".join([
        f"digraph {_quote(graph.name)} {{",
        '  node [shape=box style="rounded,filled" fillcolor="#ffffff" color="#64748b" '
        'fontname="Helvetica" fontsize=10];',
        '  edge [color="#94a3b8" arrowsize=0.7 fontname="Helvetica" fontsize=8];',
        *boxes,
        *drawing.edges,
        "}",
    ])  # fmt: skip


class _Drawing:
    """Collects the edges of a graph and its bodies: written inside a cluster, an edge would draw its ends into it."""

    def __init__(self) -> None:
        self.edges: list[str] = []

    def part(self, graph: Graph, prefix: str, scope: str, given: dict[Node, str]) -> list[str]:
        """The boxes and clusters of a graph. `prefix` tells the ids of a body's nodes from others, `scope` is the scope
        that the body stands in, `given` are the names of its inputs that have none in it."""
        known = _names(graph) | given
        ids = {n: _quote(prefix + name) for n, name in graph.names.items()}
        lines: dict[Node, list[str]] = {}
        for node in graph.nodes:
            if prefix and node.op is INPUT and not _is_read(graph, node):
                continue
            lines[node] = [f"{ids[node]} {_box(node, known.get(node, ''))}"]
            wired: set[Node] = set()
            for body in node.bodies:
                path = f"{prefix}{graph.names[node]}/{body.name}/"
                fed = zip(body.graph.inputs, fed_by(node, body), strict=True)
                inner = {n: known.get(o, _op(o)) for n, o in fed if o is not None and _UNNAMED.fullmatch(n.args[0])}
                boxes = self.part(body.graph, path, _join(node.scope, body.name), inner)
                lines[node] += _cluster(path, body.name, boxes)
                wired |= self._wire(ids, node, body, path)
            direct = {node.inputs[a.index] for a in node.args if isinstance(a, Ref)}
            for source in node.inputs:
                if source in direct or source not in wired:
                    self._edge(ids[source], ids[node], source)
        return _nested(list(lines), lines, prefix, scope)

    def _wire(self, ids: dict[Node, str], node: Node, body: Body, prefix: str) -> set[Node]:
        """Draws the edges into a body and out of it. The outer values that something in the body reads."""
        names = {n: _quote(prefix + name) for n, name in body.graph.names.items()}
        wired = set()
        for inner, outer in zip(body.graph.inputs, fed_by(node, body), strict=True):
            if outer is not None and _is_read(body.graph, inner):
                self._edge(ids[outer], names[inner], inner, " style=dashed")
                wired.add(outer)
        for output in dict.fromkeys(body.graph.outputs):
            self._edge(names[output], ids[node], output, " style=dashed")
        return wired

    def _edge(self, start: str, end: str, source: Node, style: str = "") -> None:
        label = f" [label={_quote(_type(source))}{style}]" if source.container is None else ""
        self.edges.append(f"  {start} -> {end}{label};")


def _is_read(graph: Graph, node: Node) -> bool:
    return node in graph.outputs or any(node in n.inputs for n in graph.nodes)


def _join(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name


def _nested(nodes: list[Node], lines: Mapping[Node, list[str]], prefix: str, scope: str) -> list[str]:
    """The lines of the nodes that stand in a scope, and a cluster for each scope inside it."""
    found: list[str] = []
    inner: dict[str, list[Node]] = {}
    for node in nodes:
        within = _join(scope, "")
        if node.scope.startswith(within) and node.scope != scope:
            inner.setdefault(node.scope.removeprefix(within).split("/")[0], []).append(node)
        else:
            found += lines[node]
    for name, members in inner.items():
        path = _join(scope, name)
        found += _cluster(prefix + path, _title(name), _nested(members, lines, prefix, path))
    return _indented(found)


def _title(name: str) -> str:
    """The title of a scope: rounds have their number, calls do not."""
    call, _, number = name.partition("#")
    return f"round {number or 1}" if call == "round" else call


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _cluster(path: str, label: str, boxes: list[str]) -> list[str]:
    style = 'style="rounded"; color="#cbd5e1"; fontname="Helvetica";'
    return [f"subgraph {_quote('cluster ' + path)} {{", f"  label={_quote(label)}; {style}", *boxes, "}"]


_UNNAMED = re.compile(r"outer_\d+")
"""The path of a body's input that is a computed value of the graph around it."""


def _names(graph: Graph) -> dict[Node, str]:
    """The names of values in the code, as far as they are known: paths, variables, results of branches."""
    found = {n: str(n.args[0]) for n in graph.nodes if n.op in (INPUT, CAPTURE)} | variables_of(graph)
    for node in graph.nodes:
        if node.op is ITEM and (name := _result_name(node.inputs[0], node.args[1])):
            found[node] = name
    return found


def _result_name(node: Node, index: int) -> str:
    """The name of a result of a branch or loop; empty where there is none."""
    for body in node.bodies:
        if index < len(body.results):
            return body.results[index]
    if index >= carried_values(node):
        return ""
    body = node.bodies[-1]
    return str(body.graph.inputs[fed_by(node, body).count(None) + index].args[0])


def _op(node: Node) -> str:
    return node.op.name.removeprefix("operator.")


def _box(node: Node, name: str) -> str:
    """The attributes of a node's box; `name` is that of its value in the code."""
    attributes = attribute_texts(node)
    if node.op in (INPUT, CAPTURE):
        path = attributes.pop("path")
        head = name or path
    elif node.op is ITEM:
        index = attributes.pop("index")
        head = name or f"[{index}]"
    else:
        head = f"{name} = {_op(node)}" if name else _op(node)
    shown = [head, *(f"{k}={v}" for k, v in attributes.items() if not node.bodies)]
    if node.container is None:
        shown.append(_type(node))
    fill = f' fillcolor="{_FILL[node.op]}"' if node.op in _FILL else ""
    return f"[label={_quote(chr(10).join(shown))}{fill}];"


def _type(node: Node) -> str:
    return repr(node.type) if node.container is None else ""


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _has_dot() -> bool:
    """True where Graphviz is installed."""
    import shutil

    return shutil.which("dot") is not None


def graph_svg(graph: Graph) -> str:
    """SVG text. Raises `GraphvizMissingError` where the `dot` program is missing."""
    if not _has_dot():
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
    """The output in a notebook: the drawing where Graphviz is there and the graph is not huge, and always the text."""
    bundle = {"text/plain": str(graph)}
    if graph.total() <= MAX_DRAWN and _has_dot():
        bundle["image/svg+xml"] = graph_svg(graph)
    return bundle


printing.graph_dot = graph_dot
printing.graph_svg = graph_svg
printing.graph_mimebundle = graph_mimebundle
