"""Functions of NumPy that do nothing but call a method of their array, or of a ufunc: a program calls that, in a third
of the time for small arrays."""

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
"""Those that may warn, but not of integers: a method's warning would name a line of NumPy's."""

_REDUCTIONS = {"sum": "np.add.reduce", "prod": "np.multiply.reduce"}
"""What does their work. Written in the program, it warns of an overflow at the user's line."""


def method_source(node: Node, names: Names, literal: Literal) -> str | None:
    """The call that computes a node: `v0.max(axis=1)`, `np.add.reduce(v0, axis=None)`. None where there is none."""
    keywords = KEYWORDS.get(node.op.name)
    if keywords is None or node.op.style != "function" or not node.args or not isinstance(node.args[0], Ref):
        return None
    given = node.inputs[node.args[0].index].types[0]
    if given.kind is not Kind.ARRAY or not keywords.issuperset(k for k, _ in node.kwargs):
        return None
    if node.op.name in _MAY_OVERFLOW and given.dtype.kind not in "biu":
        return _reduction_source(node, given.ndim, names, literal)
    array, *rest = argument_sources(node, names, literal)
    named = [keyword.removeprefix("a_") for keyword in keyword_sources(node, names, literal)]  # of `clip`
    return f"{array}.{node.op.name}({', '.join(rest + named)})"


def _reduction_source(node: Node, ndim: int, names: Names, literal: Literal) -> str | None:
    """The call of a ufunc's `reduce`, which goes over the first axis where none is given."""
    reduce = _REDUCTIONS.get(node.op.name)
    if reduce is None or len(node.args) > 1:
        return None
    arguments = [*argument_sources(node, names, literal), *keyword_sources(node, names, literal)]
    if ndim != 1 and all(keyword != "axis" for keyword, _ in node.kwargs):
        arguments.append("axis=None")
    return f"{reduce}({', '.join(arguments)})"
