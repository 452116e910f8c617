"""Functions of NumPy that do nothing but call a method of their array: a program calls the method, in a third of the
time for small arrays."""

from __future__ import annotations

from ..ir.graph import Node
from ..ir.template import Ref
from ..ir.text import Literal, Names, argument_sources, keyword_sources
from ..ir.types import Kind

_LOGICAL = "axis keepdims where"
_EXTREME = f"{_LOGICAL} initial"

KEYWORDS = {
    name: frozenset(keywords.split())
    for name, keywords in {
        "max": _EXTREME,
        "min": _EXTREME,
        "any": _LOGICAL,
        "all": _LOGICAL,
        "argmax": "axis keepdims",
        "argmin": "axis keepdims",
        "sum": f"{_EXTREME} dtype",
        "prod": f"{_EXTREME} dtype",
        "cumsum": "axis dtype",
        "cumprod": "axis dtype",
        "trace": "offset axis1 axis2 dtype",
        "reshape": "order",
        "transpose": "",
        "swapaxes": "",
        "squeeze": "axis",
        "ravel": "order",
        "argsort": "axis kind stable",
        "clip": "a_min a_max min max",
        "take": "axis mode",
        "repeat": "axis",
        "searchsorted": "side sorter",
        "diagonal": "offset axis1 axis2",
        "nonzero": "",
    }.items()
}
"""The methods that take the arguments of the function after its array in the same order, and those of the function's
keyword arguments that they take."""

_MAY_OVERFLOW = frozenset("sum prod cumsum cumprod trace".split())
"""Those that may warn, but not of integers: a method's warning would name another line than the function's."""


def method_source(node: Node, names: Names, literal: Literal) -> str | None:
    """The call of a method that computes a node: `v0.sum(axis=1)`. None where there is no such method."""
    keywords = KEYWORDS.get(node.op.name)
    if keywords is None or node.op.style != "function" or not node.args or not isinstance(node.args[0], Ref):
        return None
    given = node.inputs[node.args[0].index].types[0]
    if given.kind is not Kind.ARRAY or not keywords.issuperset(k for k, _ in node.kwargs):
        return None
    if node.op.name in _MAY_OVERFLOW and given.dtype.kind not in "biu":
        return None
    array, *rest = argument_sources(node, names, literal)
    named = [keyword.removeprefix("a_") for keyword in keyword_sources(node, names, literal)]  # of `clip`
    return f"{array}.{node.op.name}({', '.join(rest + named)})"
