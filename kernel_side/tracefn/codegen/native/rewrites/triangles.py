"""Upper and lower triangles as NumPy makes them: choices by a mask, which is known where the shape is."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ....ir.graph import Graph, Node, constant_node
from ....ir.template import Ref
from ....ir.types import Kind, array
from ....passes.rewrite import with_inputs
from ..builder import like
from ..scalar.emitter import BOOL, elementwise

MOST = 1 << 20
"""Masks of more elements are not kept."""


def without_triangles(graph: Graph) -> Graph:
    """The graph with such choices in place of triangles."""
    if not any(map(_is_triangle, graph.nodes)):
        return graph
    new: dict[Node, Node] = {}
    nodes: dict[Node, None] = {}
    masks: dict[Any, Node] = {}
    for node in graph.nodes:
        candidate = with_inputs(node, tuple([new[n] for n in node.inputs]))
        steps = _steps(candidate, masks) if _is_triangle(node) else [candidate]
        new[node] = steps[-1]
        nodes.update(dict.fromkeys(steps))
    outputs = tuple([new[n] for n in graph.outputs])
    return dataclasses.replace(graph, nodes=(*masks.values(), *nodes), outputs=outputs)


def _is_triangle(node: Node) -> bool:
    options = dict(node.kwargs)
    if node.op.name not in ("triu", "tril") or node.args != (Ref(0),) or not {"k"}.issuperset(options):
        return False
    source, k = node.inputs[0].type, options.get("k", 0)
    if source.kind is not Kind.ARRAY or source.ndim < 2 or not source.is_static or not elementwise(source.dtype):
        return False
    rows, columns = [n for n in source.shape[-2:] if isinstance(n, int)]
    return type(k) is int and rows * columns <= MOST


def _steps(node: Node, masks: dict[Any, Node]) -> list[Node]:
    (source,) = node.inputs
    rows, columns = [n for n in source.type.shape[-2:] if isinstance(n, int)]
    k = dict(node.kwargs).get("k", 0) - (node.op.name == "triu")
    key = rows, columns, k
    if key not in masks:
        masks[key] = constant_node(np.tri(rows, columns, k, bool), array(BOOL, (rows, columns)), node.source)
    zero = source.type.dtype.type(0)
    chosen = (zero, source) if node.op.name == "triu" else (source, zero)
    return [like(node, "where", masks[key], *chosen)]
