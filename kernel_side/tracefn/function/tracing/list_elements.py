"""Numbers computed from elements of lists: where a trace has made Python numbers of a list NumPy scalars, eager code
may have a Python number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ...ir.graph import Graph, Node
from ...ir.op import INPUT, ITEM
from ...ir.template import ListOf, Ref
from ...ir.types import Kind

_READS = frozenset({"list_get", "list_pop", "heap_pop", "heap_replace", "heap_pushpop"})
_OF_ONE_TYPE = frozenset({"bool", "int", "float", "complex", "not", "list_len"})
"""Operations whose results have the same type, whatever numbers they are given."""


class _Place(NamedTuple):
    """A body's graph in a node of the graph around it, which has a place itself, or is the outermost."""

    control: Node
    graph: Graph
    around: _Place | None


def shows_element(output: Node, in_arrays: bool) -> bool:
    """True for a value whose type may depend on that of an element of a list of NumPy scalars. With `in_arrays`, an
    array that is made of such a list does, too."""
    seen: set[tuple[Node, int]] = set()
    places: dict[tuple[int, int], _Place] = {}
    stack: list[tuple[Node, _Place | None]] = [(output, None)]
    while stack:
        node, place = stack.pop()
        if (node, id(place)) in seen or node.op.name in _OF_ONE_TYPE:
            continue
        seen.add((node, id(place)))
        index, source = (node.args[1], node.inputs[0]) if node.op is ITEM else (0, node)
        found = node.types[0]
        if source.op.name in _READS and found.kind is Kind.SCALAR:
            return True
        if source.op.style == "control":
            for body in source.bodies:
                if body.name != "test" and index < len(body.graph.outputs):
                    inner = places.setdefault((id(body), id(place)), _Place(source, body.graph, place))
                    stack.append((body.graph.outputs[index], inner))
            if not (source.op.is_branch or source.op.is_loop):
                stack += [(n, place) for n in source.inputs]
        elif found.kind is Kind.ARRAY and node.op is not INPUT:
            if in_arrays and any(n.types[0].element_kind is Kind.SCALAR for n in source.inputs):
                return True
            stack += [(n, place) for n in _of_dtype(found.dtype, source.inputs)]
        elif node.op is not INPUT:
            stack += [(n, place) for n in source.inputs]
        elif place is not None:
            stack += _around(node, place)
    return False


def _of_dtype(found: np.dtype[Any], inputs: Iterable[Node]) -> list[Node]:
    """The inputs of a call that tell the dtype of the array that it gives. A scalar beside an array of its own dtype,
    or of the result's, does not, whether it is one of Python's or of NumPy's."""
    arrays = [n for n in inputs if n.types[0].kind is Kind.ARRAY]
    dtypes = {n.types[0].dtype for n in arrays}
    scalars = [n for n in inputs if n.types[0].kind is Kind.SCALAR]
    return arrays + [n for n in scalars if dtypes.isdisjoint((found, n.types[0].dtype))]


def _around(entered: Node, place: _Place) -> list[tuple[Node, _Place | None]]:
    """The values that an input of a body stands for: those around it, and that which a round before has left."""
    control, graph, around = place
    if entered not in graph.inputs:
        return []
    position = graph.inputs.index(entered) - len(graph.inputs)
    groups = [a.items for a in control.args if type(a) is ListOf]
    for number, operands in enumerate(reversed(groups)):
        position += len(operands)
        if position >= 0:
            given = operands[position]
            found = [(control.inputs[given.index], around)] if type(given) is Ref else []
            is_carried = control.op.is_loop and number == 1
            return found + ([(graph.outputs[position], place)] if is_carried else [])
    return []
