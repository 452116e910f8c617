"""The value of a node that depends on constants alone: code that needs a number while tracing gets it."""

from __future__ import annotations

import warnings
from collections.abc import Container
from typing import Any

import numpy as np

from ...ir.dims import Dim
from ...ir.evaluate import evaluate
from ...ir.graph import Graph, Node
from ...ir.op import CAPTURE, DIM, INPUT
from ...ir.template import leaves
from ...ops.containers import OF_CONTAINERS

MAX_NODES = 10_000


def known_value(node: Node, sources: Container[Node] = ()) -> tuple[Any] | None:
    """(the value,), or None where arguments, captured arrays, open lengths, effects or one of `sources` decide it."""
    needed: dict[Node, None] = {}
    stack = [node]
    while stack:
        n = stack.pop()
        if n in needed:
            continue
        if n.op in (INPUT, CAPTURE, DIM) or n in sources or not n.pure or n.bodies or len(needed) > MAX_NODES:
            return None
        if n.op.name in OF_CONTAINERS:  # a set's order is that of its history, which a copy has not
            return None
        if any(type(leaf) is Dim for leaf in leaves((n.args, n.kwargs))):
            return None
        needed[n] = None
        stack += n.inputs
    ordered: dict[Node, None] = {}
    _order(node, ordered)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return evaluate(Graph("constant", tuple(ordered), (), (node,)), ())


def _order(node: Node, found: dict[Node, None]) -> None:
    """Adds a node after its inputs."""
    stack: list[tuple[Node, bool]] = [(node, False)]
    while stack:
        n, ready = stack.pop()
        if ready:
            found[n] = None
        elif n not in found:
            stack.append((n, True))
            stack += [(i, False) for i in n.inputs if i not in found]
