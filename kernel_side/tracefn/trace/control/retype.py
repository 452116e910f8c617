"""A loop's body for other types of the Python numbers in its state, without running its Python code again.

`total = 0.0` before a loop is a Python float in the first round and a NumPy scalar in those after it. Python code that
only calculates with such a number does the same with both: of the nodes, nothing but types changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...ir.graph import Node
from ...ir.infer import infer
from ...ir.op import ITEM, by_name
from ...ir.template import Ref
from ...ir.types import TensorType

Types = dict[Node, tuple[TensorType, ...]]

AS_SCALAR = by_name("as_scalar")


def retype(nodes: Iterable[Node], inputs: dict[Node, TensorType]) -> bool:
    """Gives some `inputs` of a body whose trace is under way these types, and its nodes those that follow. False, and
    nothing is changed, where another type might lead to other nodes."""
    types: Types = {node: (found,) for node, found in inputs.items()}
    if not all(_follows(node, types) for node in nodes):
        return False
    for node, found in types.items():
        object.__setattr__(node, "types", found)
    return True


def _follows(node: Node, types: Types) -> bool:
    """Notes the types that a node has with inputs of other types. False where these do not tell all."""
    if not any(n in types for n in node.inputs):
        return True
    given = tuple([types.get(n, n.types)[0] for n in node.inputs])
    if node.op is ITEM:
        types[node] = (types.get(node.inputs[0], node.inputs[0].types)[node.args[1]],)
    elif node.op.name == "cond":
        return _branches_follow(node, types)
    elif node.op is AS_SCALAR:  # which a branch has put there; it has nothing to do any more
        types[node] = given
        return given == node.types
    elif not (node.op.elementwise or node.op.style == "operator"):
        return False
    else:
        try:
            found = infer(node.op, given, node.args, node.kwargs)
        except Exception:  # the code itself will meet it
            return False
        if not isinstance(found, TensorType):
            return False
        types[node] = (found,)
    return True


def _branches_follow(node: Node, types: Types) -> bool:
    operands: Any = node.args[-1]
    for body in node.bodies:
        for inner, operand in zip(body.graph.inputs, operands.items, strict=True):
            outer = node.inputs[operand.index] if type(operand) is Ref else None
            if outer in types:
                types[inner] = types[outer]
        if not all(_follows(n, types) for n in body.graph.nodes):
            return False
    if_true, if_false = ([types.get(n, n.types)[0] for n in body.graph.outputs] for body in node.bodies)
    types[node] = tuple(if_true)
    return if_true == if_false
