"""Arguments in place of Python numbers, so that one graph serves all their values, with the same results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..function import ConcreteFunction
from ..ir.graph import Node
from ..ir.infer import apply_rule
from ..ir.op import CONSTANT
from ..ir.template import DictOf, ListOf, Ref, SliceOf
from ..ir.types import Kind, TensorType
from .canonical import all_nodes, literals


def differing_literals(old: ConcreteFunction, new: ConcreteFunction) -> list[tuple[Node, tuple[Any, ...], Any, Any]]:
    """The numbers in which two graphs differ that are equal but for numbers: node of the new one, place, old, new."""
    found = []
    for was, now in zip(all_nodes(old.traced_graph), all_nodes(new.traced_graph), strict=True):
        for (_, before), (place, after) in zip(literals(was), literals(now), strict=True):
            if type(before) is not type(after) or repr(before) != repr(after):
                found.append((now, place, before, after))
    return found


def cast_of(
    name: str,
    value: Any,
    places: Sequence[tuple[Node, tuple[Any, ...]]],
    only_arrays: bool = False,
    is_derived: bool = False,
) -> str | None:
    """Code that makes an array or NumPy scalar of the Python number `name`, or None where the results would change.

    `places` are where the number stands in the graph; the types of all results must stay as they are. Where the graph
    has a result of Python's arithmetic on the number (it `is_derived`), no precision may be lost before.
    """
    default = np.asarray(value).dtype
    dtypes = [t.dtype for node, _ in places for t in (*node.types, *[i.types[0] for i in node.inputs])]
    rounds = is_derived and isinstance(value, float)  # Python's results for an int fit single precision as well
    numeric = [] if rounds else [d for d in dict.fromkeys(dtypes) if d.kind in "iufc"]
    options = [(f"np.asarray({name})", TensorType(default, (), Kind.ARRAY))]
    if only_arrays:
        options += [(f"np.asarray({name}, np.{d.name})", TensorType(d, (), Kind.ARRAY)) for d in numeric]
    else:
        options += [(f"np.{d.name}({name})", TensorType(d, (), Kind.SCALAR)) for d in (default, *numeric)]
    for code, value_type in options:
        if all(_keeps_types(node, place, value_type) for node, place in places):
            return code
    return None


def _keeps_types(node: Node, place: tuple[Any, ...], value_type: TensorType) -> bool:
    """True if the node gives the same types with a value of this type in the place of the number."""
    if node.op is CONSTANT:
        return node.type == value_type
    args, kwargs = _replaced((node.args, node.kwargs), place, Ref(len(node.inputs)))
    types = (*[n.type for n in node.inputs], value_type)
    try:
        result = apply_rule(node.op, types, args, kwargs)
    except Exception:  # whatever a rule or NumPy says to it: it does not work with a value
        return False
    return (result if isinstance(result, tuple | list) else (result,)) == node.types


def _replaced(item: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    parts: Any
    if type(item) is SliceOf:
        parts = [item.start, item.stop, item.step]
    else:
        parts = list(item.items if isinstance(item, ListOf | DictOf) else item)
    parts[place[0]] = _replaced(parts[place[0]], place[1:], new)
    if type(item) is SliceOf:
        return SliceOf(*parts)
    return type(item)(tuple(parts)) if isinstance(item, ListOf | DictOf) else tuple(parts)
