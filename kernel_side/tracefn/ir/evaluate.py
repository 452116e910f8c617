"""The reference interpreter: computes a graph node by node with NumPy. The oracle that programs are held against."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .dims import Dim, length_value
from .graph import Graph, Node, pure_symbol
from .op import CAPTURE, CONSTANT, DIM, INPUT, ITEM
from .template import Body, Ref, TextOf, fill, formatted


def evaluate(
    graph: Graph,
    inputs: Sequence[Any],
    captures: Mapping[str, Any] | None = None,
    lengths: Mapping[str, int] | None = None,
) -> tuple[Any, ...]:
    """The values of the graph's outputs for these inputs.

    `captures` gives captured arrays by their path, `lengths` the symbolic dimensions that a body has from outside.

    >>> import numpy as np, tracefn
    >>> f = tracefn.function(lambda x: x * 2 + 1)
    >>> evaluate(f.get_concrete_function(np.zeros(3)).graph, [np.arange(3.0)])
    (array([1., 3., 5.]),)
    """
    values: dict[Node, Any] = dict(zip(graph.inputs, inputs, strict=True))
    symbols: dict[str, int] = dict(lengths or {})
    for node in graph.nodes:
        if node.op is INPUT:
            pass
        elif node.op is CAPTURE:
            values[node] = (captures or {})[node.args[0]]
        elif node.op is CONSTANT:
            values[node] = node.args[0].value
        elif node.op is ITEM:
            values[node] = values[node.inputs[0]][node.args[1]]
        elif node.op is DIM:
            values[node] = node.args[0].value(symbols)
        else:
            values[node] = evaluate_node(node, values, symbols)
        if node.container is None:
            for axis, length in enumerate(node.type.readable_lengths):
                if isinstance(length, Dim) and (name := pure_symbol(length)) is not None:
                    value = values[node]
                    symbols.setdefault(name, value.shape[axis] if hasattr(value, "shape") else len(value))
    return tuple(values[n] for n in graph.outputs)


def evaluate_node(node: Node, values: Mapping[Node, Any], symbols: Mapping[str, int]) -> Any:
    """The value of one node, whose inputs are known."""

    def leaf(item: Any) -> Any:
        if isinstance(item, Body):
            return lambda *inputs: evaluate(item.graph, inputs, None, symbols)
        if isinstance(item, TextOf):
            return formatted(item, leaf)
        return values[node.inputs[item.index]] if isinstance(item, Ref) else length_value(item, symbols)

    with np.errstate(**dict(node.errors)) if node.errors else contextlib.nullcontext():
        return node.op.call(*[fill(a, leaf) for a in node.args], **{k: fill(v, leaf) for k, v in node.kwargs})
