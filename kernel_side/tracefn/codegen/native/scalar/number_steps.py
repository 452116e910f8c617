"""Steps of a program that compute Python numbers from Python numbers: counters, step sizes."""

from __future__ import annotations

from ....ir.graph import Node
from ....ir.types import Kind


def is_number_step(node: Node) -> bool:
    """True for an operator of Python numbers, which warns about nothing."""
    if node.is_leaf or node.op.style != "operator" or node.container is not None or node.kwargs or node.errors:
        return False
    return node.op.pure and all(n.type.kind is Kind.PYTHON for n in (node, *node.inputs) if n.container is None)
