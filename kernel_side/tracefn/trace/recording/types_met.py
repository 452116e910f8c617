"""The note of an error: the call that raised, in the user's words, with the types of its operands."""

from __future__ import annotations

from typing import Any

from ...ir.graph import Node
from ...ir.template import Ref

_WORDS = {"setitem": "item assignment", "set_flat": "item assignment"}
_PLAIN = (bool, int, float, complex, str)
_MOST_SHOWN = 20
"""The most characters of a known operand."""


def types_met(node: Node) -> str:
    """Operation and operands of a call: `add of float64[3], 'a'`, `indexing of float64[3], bool[2]`.

    Of calls other than element by element, the operands are those that the graph computes.

    >>> import numpy as np, tracefn
    >>> graph = tracefn.function(lambda x, m: x[m] * 2).get_concrete_function(np.ones(3), np.ones(3, bool)).graph
    >>> [types_met(node) for node in graph.nodes if node.inputs]
    ['indexing of float64[3], bool[3]', 'multiply of float64[k1], 2']
    """
    op = node.op
    if op.style == "index":
        name = "indexing"
    else:
        name = _WORDS.get(op.name, op.name.removeprefix("operator.").removesuffix("_in_place"))
    if op.elementwise or op.style == "operator":
        operands = [_operand(node, item) for item in node.args]
    else:
        operands = [repr(n.types[0]) for n in node.inputs]
    return f"{name} of {', '.join(operands)}"


def _operand(node: Node, item: Any) -> str:
    if type(item) is Ref:
        return repr(node.inputs[item.index].types[0])
    shown = repr(item) if type(item) in _PLAIN else "..."
    return shown if len(shown) <= _MOST_SHOWN else "..."
